-- What things say: read, and put in the place of what they said. Every statement runs in a transaction confined to one
-- tenant; $1 tenant_id text, $2 user_id text throughout.

-- name: reword_resource
-- $3 id text, $4 content text, $5 content hash bytea, $6 messages json, $7 tokens int, $8 metadata json
UPDATE catalog.resources
   SET content = $4, packed = NULL, content_hash = $5, messages = $6::json, tokens = $7, metadata = $8::json
 WHERE tenant_id = $1 AND user_id = $2 AND id = $3 AND NOT is_stub
RETURNING ordinal, resource_type, seen_by;

-- name: own_resource
-- $3 id text
SELECT * FROM catalog.resources WHERE tenant_id = $1 AND user_id = $2 AND id = $3;

-- name: item_texts
-- $3 ids text[]
SELECT id, content, metadata, domain, task_type, by_hand
  FROM catalog.items WHERE tenant_id = $1 AND user_id = $2 AND id = ANY ($3::text[]) ORDER BY id

-- name: category_texts
-- $3 ids text[]
SELECT id, name, description, markdown, updated_at
  FROM catalog.categories WHERE tenant_id = $1 AND user_id = $2 AND id = ANY ($3::text[]) ORDER BY id

-- name: reword_item
-- $3 id text, $4 content text, $5 metadata json, $6 memory_key text, $7 domain text, $8 task_type text, $9 tokens int,
-- $10 embedding halfvec, $11 lexical sparsevec, $12 entry json, $13 tags text[], $14 external_id text
UPDATE catalog.items
   SET content = $4, metadata = $5, memory_key = $6, domain = $7, task_type = $8, tokens = $9, embedding = $10,
       lexical = $11, entry = $12, tags = $13, external_id = $14
 WHERE tenant_id = $1 AND user_id = $2 AND id = $3

-- name: reword_category
-- As it was read. $3 id text, $4 description text, $5 markdown text, $6 embedding halfvec, $7 updated_at timestamptz
UPDATE catalog.categories SET description = $4, markdown = $5, embedding = $6, version = version + 1
 WHERE tenant_id = $1 AND user_id = $2 AND id = $3 AND updated_at = $7

-- name: labels
SELECT goal AS label FROM catalog.episodes WHERE tenant_id = $1 AND user_id = $2
 UNION SELECT domain FROM catalog.episodes WHERE tenant_id = $1 AND user_id = $2 AND domain IS NOT NULL
 UNION SELECT goal FROM catalog.goal_values WHERE tenant_id = $1 AND user_id = $2
 UNION SELECT reason FROM catalog.uses WHERE tenant_id = $1 AND user_id = $2 AND reason IS NOT NULL
 ORDER BY 1

-- name: relabel_episodes
-- $3 old text[], $4 new text[]
UPDATE catalog.episodes AS known
   SET goal = COALESCE((SELECT new FROM unnest($3::text[], $4::text[]) AS one (old, new) WHERE old = known.goal), goal),
       domain = COALESCE(
         (SELECT new FROM unnest($3::text[], $4::text[]) AS one (old, new) WHERE old = known.domain), domain)
 WHERE tenant_id = $1 AND user_id = $2 AND (goal = ANY ($3::text[]) OR domain = ANY ($3::text[]))

-- name: relabel_uses
-- $3 old text[], $4 new text[]
UPDATE catalog.uses AS known SET reason = one.new
  FROM unnest($3::text[], $4::text[]) AS one (old, new)
 WHERE known.tenant_id = $1 AND known.user_id = $2 AND known.reason = one.old

-- name: take_goal_values
-- $3 old text[]
DELETE FROM catalog.goal_values WHERE tenant_id = $1 AND user_id = $2 AND goal = ANY ($3::text[])
RETURNING item_id, goal, value, last_updated

-- name: give_goal_value
-- $3 item_id text, $4 goal text, $5 value float8, $6 last_updated timestamptz
INSERT INTO catalog.goal_values AS known (tenant_id, user_id, item_id, goal, value, last_updated)
VALUES ($1, $2, $3, $4, $5, $6)
ON CONFLICT (tenant_id, user_id, item_id, goal) DO UPDATE
   SET value = EXCLUDED.value, last_updated = EXCLUDED.last_updated
 WHERE EXCLUDED.last_updated > known.last_updated
