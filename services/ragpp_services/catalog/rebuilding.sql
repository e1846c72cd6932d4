-- Every statement runs in a transaction confined to one tenant; $1 tenant_id text, $2 user_id text throughout.

-- name: ids_to_rebuild
-- The next ids of all layers, those of one id together.
-- $3 after this id, or null for the first ones, text; $4 how many int
SELECT layer, id
  FROM ((SELECT 'items' AS layer, id FROM catalog.items
          WHERE tenant_id = $1 AND user_id = $2 AND ($3::text IS NULL OR id > $3) ORDER BY id LIMIT $4)
        UNION ALL
        (SELECT 'resources', id FROM catalog.resources
          WHERE tenant_id = $1 AND user_id = $2 AND ($3::text IS NULL OR id > $3) ORDER BY id LIMIT $4)
        UNION ALL
        (SELECT 'categories', id FROM catalog.categories
          WHERE tenant_id = $1 AND user_id = $2 AND ($3::text IS NULL OR id > $3) ORDER BY id LIMIT $4)) AS next
 ORDER BY id FETCH FIRST $4 ROWS WITH TIES

-- name: texts_to_rebuild
-- What vectors are made of. $3 ids of items text[], $4 ids of categories text[]
SELECT 'items' AS layer, id, content AS text FROM catalog.items
 WHERE tenant_id = $1 AND user_id = $2 AND id = ANY ($3::text[])
 UNION ALL
SELECT 'categories', id, description FROM catalog.categories
 WHERE tenant_id = $1 AND user_id = $2 AND id = ANY ($4::text[])

-- name: metadata_to_rebuild
-- $3 ids of items text[]
SELECT id, metadata FROM catalog.items WHERE tenant_id = $1 AND user_id = $2 AND id = ANY ($3::text[])

-- name: put_item_index
-- Where the item is still there, which never says anything else. $3 id text, $4 halfvec, $5 sparsevec
UPDATE catalog.items SET embedding = $4, lexical = $5
 WHERE tenant_id = $1 AND user_id = $2 AND id = $3

-- name: put_category_index
-- $3 id text, $4 halfvec
UPDATE catalog.categories SET embedding = $4 WHERE tenant_id = $1 AND user_id = $2 AND id = $3

-- name: resource_to_rebuild
-- One that still says what was read. $3 id text, $4 content_hash bytea
SELECT ordinal, resource_type, seen_by FROM catalog.resources
 WHERE tenant_id = $1 AND user_id = $2 AND id = $3 AND content_hash = $4 AND NOT is_stub
