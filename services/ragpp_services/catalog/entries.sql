-- The light view of items. Every statement runs in a transaction confined to one tenant; how each begins:
-- `statements.Statements`.

-- name: page_of_entries
-- Ordinals, the latest first, those that stand for others alone. $4 agent_id, which one that is one with it may have;
-- $5 item_kind, $6 tags text[], $7 whether one agent alone sees it bool, $8 whether it is called something elsewhere bool,
-- $9 the ordinal that all are below bigint; null does not narrow. $10 how many are left out int, $11 limit int
SELECT ordinal
  FROM catalog.items AS items
 WHERE tenant_id = $1 AND user_id = ANY ($2::text[]) AND ($3::text IS NULL OR seen_by IS NULL OR seen_by = $3)
   AND one_with IS NULL
   AND ($4::text IS NULL OR agent_id = $4 OR EXISTS (
         SELECT FROM catalog.items AS said_again
          WHERE said_again.tenant_id = $1 AND said_again.user_id = items.user_id AND said_again.one_with = items.id
            AND said_again.agent_id = $4))
   AND ($5::text IS NULL OR item_kind = $5) AND ($6::text[] IS NULL OR tags && $6)
   AND ($7::bool IS NULL OR (seen_by IS NOT NULL) = $7)
   AND ($8::bool IS NULL OR external_id IS NOT NULL OR EXISTS (
         SELECT FROM catalog.items AS said_again
          WHERE said_again.tenant_id = $1 AND said_again.user_id = items.user_id AND said_again.one_with = items.id
            AND said_again.external_id IS NOT NULL))
   AND ($9::bigint IS NULL OR ordinal < $9)
 ORDER BY ordinal DESC OFFSET $10 LIMIT $11;

-- name: places_of_entries
-- Where each of these ids, own or external, is, or what stands for it; of two the user's own, in a view what that agent
-- alone sees, then what it shares. $4 ids text[]
SELECT DISTINCT ON (named.asked) named.asked, leader.ordinal
  FROM (SELECT asked, items.user_id, items.agent_id, items.seen_by, COALESCE(items.one_with, items.id) AS leader, 0 AS rank
          FROM unnest($4::text[]) AS asked
          JOIN catalog.items AS items
            ON items.tenant_id = $1 AND items.user_id = ANY ($2::text[]) AND items.id = asked
         WHERE $3::text IS NULL OR items.seen_by IS NULL OR items.seen_by = $3
        UNION ALL
        SELECT asked, items.user_id, items.agent_id, items.seen_by, COALESCE(items.one_with, items.id), 1
          FROM unnest($4::text[]) AS asked
          JOIN catalog.items AS items
            ON items.tenant_id = $1 AND items.user_id = ANY ($2::text[]) AND items.external_id = asked
         WHERE $3::text IS NULL OR items.seen_by IS NULL OR items.seen_by = $3) AS named
  JOIN catalog.items AS leader
    ON leader.tenant_id = $1 AND leader.user_id = named.user_id AND leader.id = named.leader
 ORDER BY named.asked, named.rank, named.user_id = '', $3::text IS NOT NULL AND named.seen_by IS NULL,
          $3::text IS NOT NULL AND named.agent_id IS DISTINCT FROM $3;

-- name: described_items
-- $4 ordinals bigint[]
SELECT ordinal, entry
  FROM catalog.items AS items
 WHERE tenant_id = $1 AND user_id = ANY ($2::text[]) AND ordinal = ANY ($4::bigint[])
   AND ($3::text IS NULL OR seen_by IS NULL OR seen_by = $3);

-- name: items_without_entry
-- From before there were entries. $4 limit int
SELECT user_id, id, content, metadata
  FROM catalog.items AS items
 WHERE tenant_id = $1 AND user_id = ANY ($2::text[]) AND entry IS NULL AND $3::text IS NOT DISTINCT FROM $3
 ORDER BY ordinal DESC LIMIT $4;

-- name: put_entry
-- $3 id, $4 entry json, $5 tags text[], $6 priority int or null, $7 expires timestamptz or null
UPDATE catalog.items SET entry = $4, tags = $5, priority = $6, expires = $7
 WHERE tenant_id = $1 AND user_id = $2 AND id = $3;

-- name: rows_of_view
-- How many rows a view shows, as far as that is at most $4 int; by the index alone.
SELECT (SELECT count(*) FROM (SELECT FROM catalog.items AS items
                               WHERE tenant_id = $1 AND user_id = ANY ($2::text[]) AND seen_by = $3 LIMIT $4) AS own)
     + (SELECT count(*) FROM (SELECT FROM catalog.items AS items
                               WHERE tenant_id = $1 AND user_id = ANY ($2::text[]) AND seen_by IS NULL LIMIT $4) AS shared)
       AS count;

-- name: kept_entries
-- Of the user's own what one agent alone sees, and what expires. $3 goals' default worth float8
SELECT items.id, items.seen_by, items.created_at, items.expires, items.tokens,
       COALESCE(items.priority, CASE items.importance WHEN 'low' THEN 2 WHEN 'normal' THEN 5 ELSE 7 END) AS priority,
       COALESCE((SELECT avg(known.value) FROM catalog.goal_values AS known
                  WHERE known.tenant_id = $1 AND known.user_id = $2 AND known.item_id = items.id), $3) AS worth
  FROM catalog.items AS items
 WHERE items.tenant_id = $1 AND items.user_id = $2 AND (items.seen_by IS NOT NULL OR items.expires IS NOT NULL);

-- name: kept_entries_of_agent
-- As kept_entries, of what the agent $4 alone sees. $3 goals' default worth float8
SELECT items.id, items.seen_by, items.created_at, items.expires, items.tokens,
       COALESCE(items.priority, CASE items.importance WHEN 'low' THEN 2 WHEN 'normal' THEN 5 ELSE 7 END) AS priority,
       COALESCE((SELECT avg(known.value) FROM catalog.goal_values AS known
                  WHERE known.tenant_id = $1 AND known.user_id = $2 AND known.item_id = items.id), $3) AS worth
  FROM catalog.items AS items
 WHERE items.tenant_id = $1 AND items.user_id = $2 AND items.seen_by = $4;

-- name: agents_over_limit
-- Which agents alone see one of the items $3 text[], and more than $4 int.
SELECT items.seen_by
  FROM (SELECT DISTINCT seen_by FROM catalog.items
         WHERE tenant_id = $1 AND user_id = $2 AND id = ANY ($3::text[]) AND seen_by IS NOT NULL) AS written
  JOIN catalog.items AS items ON items.tenant_id = $1 AND items.user_id = $2 AND items.seen_by = written.seen_by
 GROUP BY items.seen_by HAVING count(*) > $4;

-- name: entry_statistics
-- $4 agent_id or null
SELECT count(*) AS total_memories, COALESCE(sum(tokens), 0) AS total_tokens, min(occurred_at) AS oldest_memory
  FROM catalog.items AS items
 WHERE tenant_id = $1 AND user_id = ANY ($2::text[]) AND ($3::text IS NULL OR seen_by IS NULL OR seen_by = $3)
   AND one_with IS NULL
   AND ($4::text IS NULL OR agent_id = $4 OR EXISTS (
         SELECT FROM catalog.items AS said_again
          WHERE said_again.tenant_id = $1 AND said_again.user_id = items.user_id AND said_again.one_with = items.id
            AND said_again.agent_id = $4));
