-- Every statement runs in a transaction confined to one tenant; $1 tenant_id text, $2 user_id text throughout. What the
-- user shares with all users of the tenant lives under the empty user id. Pages rest on what all of the user's agents
-- see, and so does what is counted here.

-- name: category
-- By its name or its id; of two of one name the user's own.
-- $3 text, $4 whether it has to be the user's own boolean
SELECT category.*, held.item_count, held.new_items, held.outdated
  FROM catalog.categories AS category
 CROSS JOIN LATERAL (
       SELECT count(*) FILTER (WHERE item.one_with IS NULL) AS item_count,
              count(*) FILTER (WHERE item.one_with IS NULL AND came.since) AS new_items,
              COALESCE(bool_or(came.since), false) AS outdated
         FROM catalog.items AS item
        CROSS JOIN LATERAL (SELECT GREATEST(item.ordinal, item.moved) > category.page_until AS since) AS came
        WHERE item.tenant_id = $1 AND item.user_id IN (category.user_id, '') AND item.category = category.name
          AND item.seen_by IS NULL) AS held
 WHERE category.tenant_id = $1 AND category.user_id IN ($2, '') AND (category.name = $3 OR category.id = $3)
   AND (category.user_id = $2 OR NOT $4)
 ORDER BY category.user_id = ''
 LIMIT 1

-- name: lock_category
-- Keep the user's own from changing until the transaction ends: what all users share may change other users' pages.
-- $3 name or id text
SELECT id FROM catalog.categories
 WHERE tenant_id = $1 AND user_id = $2 AND (name = $3 OR id = $3)
   FOR UPDATE

-- name: categories_page
-- By name, of one name the user's own first.
-- $3 and $4 the position of the last one shown, name text and whether it is all users' int; or null; $5 limit int
SELECT category.*, held.item_count, held.new_items, held.outdated
  FROM (SELECT * FROM catalog.categories
         WHERE tenant_id = $1 AND user_id IN ($2, '')
           AND ($3::text IS NULL OR (name, (user_id = '')::int) > ($3, $4::int))
         ORDER BY name, user_id = '' LIMIT $5) AS category
 CROSS JOIN LATERAL (
       SELECT count(*) FILTER (WHERE item.one_with IS NULL) AS item_count,
              count(*) FILTER (WHERE item.one_with IS NULL AND came.since) AS new_items,
              COALESCE(bool_or(came.since), false) AS outdated
         FROM catalog.items AS item
        CROSS JOIN LATERAL (SELECT GREATEST(item.ordinal, item.moved) > category.page_until AS since) AS came
        WHERE item.tenant_id = $1 AND item.user_id IN (category.user_id, '') AND item.category = category.name
          AND item.seen_by IS NULL) AS held
 ORDER BY category.name, category.user_id = ''

-- name: category_names
-- Of the user's own and all users'.
SELECT DISTINCT name FROM catalog.categories WHERE tenant_id = $1 AND user_id IN ($2, '') ORDER BY name

-- name: category_item_ids
-- In the order in which they came.
-- $3 name text, $4 limit int
SELECT id FROM catalog.items
 WHERE tenant_id = $1 AND user_id IN ($2, '') AND category = $3 AND seen_by IS NULL AND one_with IS NULL
 ORDER BY ordinal LIMIT $4

-- name: category_statements
-- What a page is made of: items, and behind each the statements that are one with it, in the order in which they came;
-- content and vector of the latest items alone.
-- $3 name text, $4 how many of the latest int
WITH latest AS (
  SELECT user_id, id FROM catalog.items
   WHERE tenant_id = $1 AND user_id IN ($2, '') AND category = $3 AND seen_by IS NULL AND one_with IS NULL
   ORDER BY occurred_at DESC, ordinal DESC LIMIT $4)
SELECT item.id, item.one_with, item.user_id, GREATEST(item.ordinal, item.moved) AS since, item.occurred_at,
       CASE WHEN latest.id IS NOT NULL THEN item.content END AS content,
       CASE WHEN latest.id IS NOT NULL THEN item.embedding END AS embedding,
       item.resource_id, resource.resource_type, resource.metadata ->> 'title' AS title
  FROM catalog.items AS item
  JOIN catalog.resources AS resource
    ON resource.tenant_id = $1 AND resource.user_id = item.user_id AND resource.id = item.resource_id
  LEFT JOIN latest ON latest.user_id = item.user_id AND latest.id = item.id
 WHERE item.tenant_id = $1 AND item.user_id IN ($2, '') AND item.category = $3 AND item.seen_by IS NULL
 ORDER BY item.ordinal

-- name: category_statement_ids
-- By which it shows whether what a page was made of is what there is.
-- $3 name text
SELECT id, one_with, GREATEST(ordinal, moved) AS since FROM catalog.items
 WHERE tenant_id = $1 AND user_id IN ($2, '') AND category = $3 AND seen_by IS NULL
 ORDER BY ordinal

-- name: due_categories
-- Of the user's own, those with so many items that came since their pages were made, or with pages that lost something;
-- none that a person edited. Where one is enough, it may say again what the page says: that has another source then.
-- $3 new items int, $4 names text[], or null for all
SELECT category.id, category.name, category.version
  FROM catalog.categories AS category
 CROSS JOIN LATERAL (
       SELECT count(*) AS new_items FROM catalog.items AS item
        WHERE item.tenant_id = $1 AND item.user_id IN ($2, '') AND item.category = category.name
          AND item.seen_by IS NULL AND (item.one_with IS NULL OR $3 <= 1)
          AND GREATEST(item.ordinal, item.moved) > category.page_until) AS held
 WHERE category.tenant_id = $1 AND category.user_id = $2 AND NOT category.edited
   AND ($4::text[] IS NULL OR category.name = ANY ($4)) AND (category.stale OR held.new_items >= $3)
 ORDER BY category.name

-- name: add_category
-- $3 id text, $4 name text, $5 event_id bigint, $6 description text, $7 embedding halfvec, $8 markdown text,
-- $9 now timestamptz, $10 contributor text
INSERT INTO catalog.categories
       (tenant_id, user_id, id, name, event_id, description, embedding, markdown, contributor, created_at, updated_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $10, $9, $9)

-- name: put_page
-- Another page, made of the items up to that ordinal.
-- $3 id text, $4 markdown text, $5 page_until bigint, $6 page_resources text[], $7 edited boolean, $8 now timestamptz,
-- $9 consolidated_at timestamptz, or null for no other
UPDATE catalog.categories
   SET markdown = $4, page_until = $5, page_resources = $6, edited = $7, updated_at = $8, stale = false,
       consolidated_at = COALESCE($9, consolidated_at), version = version + 1
 WHERE tenant_id = $1 AND user_id = $2 AND id = $3

-- name: pages_resting_on
-- Pages that name any of these resources, kept from changing until the transaction ends: the user's own, and with the
-- empty user id those of all users.
-- $3 resource ids text[]
SELECT user_id, id AS category_id, name, markdown, edited, version FROM catalog.categories
 WHERE tenant_id = $1 AND ($2 = '' OR user_id = $2) AND page_resources && $3::text[]
 ORDER BY user_id, id
   FOR UPDATE

-- name: mend_page
-- What is left of a page. One that no person edited has to be made anew.
-- $3 id text, $4 markdown text, $5 page_resources text[], $6 now timestamptz
UPDATE catalog.categories
   SET markdown = $4, page_resources = $5, updated_at = $6, stale = NOT edited, version = version + 1
 WHERE tenant_id = $1 AND user_id = $2 AND id = $3

-- name: mark_pages
-- These have to be made anew.
-- $3 names text[]
UPDATE catalog.categories SET stale = true, version = version + 1
 WHERE tenant_id = $1 AND user_id = $2 AND name = ANY ($3::text[]) AND NOT edited AND NOT stale

-- name: delete_category
-- $3 id text
DELETE FROM catalog.categories WHERE tenant_id = $1 AND user_id = $2 AND id = $3

-- name: users_in_category
-- Who has items in a category of all users, without a category of that name of his own.
-- $3 name text
SELECT DISTINCT item.user_id FROM catalog.items AS item
 WHERE item.tenant_id = $1 AND item.user_id <> $2 AND item.category = $3
   AND NOT EXISTS (SELECT FROM catalog.categories AS own
                    WHERE own.tenant_id = $1 AND own.user_id = item.user_id AND own.name = $3)
 ORDER BY item.user_id

-- name: move_items
-- Into a category, with the statements that are one with them; what the scope's view does not show stays where it is.
-- $3 ids text[], $4 view text or null, $5 category text or null
UPDATE catalog.items AS item SET category = $5, moved = nextval('catalog.ordinals')
 WHERE item.tenant_id = $1 AND item.user_id = $2 AND item.category IS DISTINCT FROM $5
   AND COALESCE(item.one_with, item.id) IN (
       SELECT COALESCE(named.one_with, named.id) FROM catalog.items AS named
        WHERE named.tenant_id = $1 AND named.user_id = $2 AND named.id = ANY ($3::text[])
          AND ($4::text IS NULL OR named.seen_by IS NULL OR named.seen_by = $4))
RETURNING item.id, item.one_with, OLD.category AS was_in, item.seen_by

-- name: empty_category
-- Of so many items, each with the statements that are one with it. $3 name text, $4 limit int
UPDATE catalog.items SET category = NULL, moved = 0
 WHERE tenant_id = $1 AND user_id = $2 AND category = $3
   AND COALESCE(one_with, id) IN (
       SELECT id FROM catalog.items
        WHERE tenant_id = $1 AND user_id = $2 AND category = $3 AND one_with IS NULL
        ORDER BY ordinal LIMIT $4)
RETURNING id, one_with

-- name: count_all
-- What the scope sees, when something was last done, and how large the user's own part of it is. $3 view text or null
SELECT resources.*, items.*, categories.*
  FROM (SELECT count(*) AS resources, max(extracted_at) AS extracted_at,
               COALESCE(sum(pg_column_size(content) + COALESCE(pg_column_size(packed), 0)
                            + pg_column_size(metadata) + pg_column_size(messages))
                        FILTER (WHERE user_id = $2), 0) AS resource_bytes
          FROM catalog.resources
         WHERE tenant_id = $1 AND user_id IN ($2, '') AND ($3::text IS NULL OR seen_by IS NULL OR seen_by = $3)
       ) AS resources,
       (SELECT count(*) FILTER (WHERE one_with IS NULL) AS items,
               COALESCE(sum(pg_column_size(content) + pg_column_size(embedding) + pg_column_size(lexical)
                            + pg_column_size(metadata)) FILTER (WHERE user_id = $2), 0) AS item_bytes
          FROM catalog.items
         WHERE tenant_id = $1 AND user_id IN ($2, '') AND ($3::text IS NULL OR seen_by IS NULL OR seen_by = $3)
       ) AS items,
       (SELECT count(*) AS categories, max(consolidated_at) AS consolidated_at,
               COALESCE(sum(pg_column_size(description) + pg_column_size(embedding) + pg_column_size(markdown))
                        FILTER (WHERE user_id = $2), 0) AS category_bytes
          FROM catalog.categories
         WHERE tenant_id = $1 AND user_id IN ($2, '')) AS categories

-- name: count_by_kind
-- How many resources of each type, and items in each category, the scope sees. $3 view text or null
SELECT 'resources' AS layer, resource_type AS name, count(*) AS count
  FROM catalog.resources
 WHERE tenant_id = $1 AND user_id IN ($2, '') AND ($3::text IS NULL OR seen_by IS NULL OR seen_by = $3)
 GROUP BY resource_type
 UNION ALL
SELECT 'items', category, count(*)
  FROM catalog.items
 WHERE tenant_id = $1 AND user_id IN ($2, '') AND ($3::text IS NULL OR seen_by IS NULL OR seen_by = $3)
   AND one_with IS NULL AND category IS NOT NULL
 GROUP BY category
 ORDER BY layer, name
