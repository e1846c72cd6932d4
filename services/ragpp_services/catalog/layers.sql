-- Statements about all layers. Every statement runs in a transaction confined to one tenant; how each begins:
-- `statements.Statements`.

-- name: holdings
-- What there is of a user, with what is theirs of what all users share. $3 ids of interactions text[] or null,
-- $4 before event_id bigint or null
WITH turns AS (
  SELECT user_id, resource_id FROM catalog.resource_turns
   WHERE tenant_id = $1 AND user_id IN ($2, '') AND interaction_id = ANY ($3::text[])
)
SELECT (SELECT count(*) FROM catalog.resources
         WHERE tenant_id = $1 AND (user_id = $2 OR user_id = '' AND contributor = $2)
           AND ($3::text[] IS NULL OR (user_id, id) IN (SELECT user_id, resource_id FROM turns))
           AND ($4::bigint IS NULL OR event_id < $4)) AS resources,
       (SELECT count(*) FROM catalog.items
         WHERE tenant_id = $1 AND (user_id = $2 OR user_id = '' AND contributor = $2)
           AND ($3::text[] IS NULL OR sources && $3) AND ($4::bigint IS NULL OR event_id < $4)) AS items,
       (SELECT count(*) FROM catalog.categories
         WHERE tenant_id = $1 AND (user_id = $2 OR user_id = '' AND contributor = $2)
           AND $3::text[] IS NULL AND ($4::bigint IS NULL OR event_id < $4)) AS categories,
       (SELECT count(*) FROM catalog.episodes
         WHERE tenant_id = $1 AND user_id = $2 AND $3::text[] IS NULL
           AND ($4::bigint IS NULL OR since_event < $4)) AS episodes;

-- name: content_version
-- The user's number and everybody's. A user of whom nothing is kept has that of the last forgetting, below 0, in its
-- place: so what was found before an erasure is not found again by whoever comes before the next write.
SELECT concat_ws('.', own.number, everybodys.number) AS version
  FROM (SELECT COALESCE((SELECT version FROM catalog.versions WHERE tenant_id = $1 AND user_id = $2),
                        (SELECT -epoch FROM ledger.epochs WHERE tenant_id = $1 AND user_id = $2), 0) AS number) AS own,
       (SELECT COALESCE((SELECT version FROM catalog.versions WHERE tenant_id = $1 AND user_id = ''),
                        (SELECT -epoch FROM ledger.epochs WHERE tenant_id = $1 AND user_id = ''), 0) AS number)
         AS everybodys;

-- name: erase_version
DELETE FROM catalog.versions WHERE tenant_id = $1 AND user_id = $2;

-- name: erasable
-- The oldest of each layer from before an event, with how long they are, of one contributor where that is named.
-- $3 before event_id bigint, $4 contributor text or null, $5 limit int
(SELECT 'resource' AS layer, id, tokens FROM catalog.resources
  WHERE tenant_id = $1 AND user_id = $2 AND event_id < $3 AND ($4::text IS NULL OR contributor = $4)
  ORDER BY event_id, id LIMIT $5)
UNION ALL
(SELECT 'item', id, tokens FROM catalog.items
  WHERE tenant_id = $1 AND user_id = $2 AND event_id < $3 AND ($4::text IS NULL OR contributor = $4)
  ORDER BY event_id, id LIMIT $5)
UNION ALL
(SELECT 'category', id, 0 FROM catalog.categories
  WHERE tenant_id = $1 AND user_id = $2 AND event_id < $3 AND ($4::text IS NULL OR contributor = $4)
  ORDER BY event_id, id LIMIT $5);

-- name: resources_of_later_items
-- Those of these resources on which somebody stored an item by that event or later, with the first of these events.
-- $3 ids text[], $4 event_id bigint
SELECT resource_id, min(event_id) AS event_id
  FROM catalog.items
 WHERE tenant_id = $1 AND user_id = $2 AND resource_id = ANY ($3::text[]) AND by_hand AND event_id >= $4
 GROUP BY resource_id;

-- name: date_stubs
-- Let stubs be of the events of the items that they are left for. $3 ids text[], $4 event ids bigint[]
UPDATE catalog.resources AS resource SET event_id = later.event_id
  FROM unnest($3::text[], $4::bigint[]) AS later (id, event_id)
 WHERE resource.tenant_id = $1 AND resource.user_id = $2 AND resource.id = later.id;

-- name: contributed_categories
-- Of what all users share, from before an event. $3 contributor text, $4 before event_id bigint
SELECT name FROM catalog.categories
 WHERE tenant_id = $1 AND user_id = $2 AND contributor = $3 AND event_id < $4
 ORDER BY event_id;

-- name: erase_categories
-- $3 ids text[]
DELETE FROM catalog.categories WHERE tenant_id = $1 AND user_id = $2 AND id = ANY ($3::text[]) RETURNING name;

-- name: leave_categories
-- What was in these categories is in none, but for what is about to be erased, which may be very much: what was written
-- before an event, by one contributor where that is named.
-- $3 names text[], $4 before event_id bigint, $5 contributor text or null
UPDATE catalog.items SET category = NULL, moved = 0
 WHERE tenant_id = $1 AND user_id = $2 AND category = ANY ($3::text[])
   AND (event_id >= $4 OR contributor <> $5::text)
RETURNING id;

-- name: users
-- Users of a tenant of whom there is anything in a layer, by id, each found by one step into the indexes; what is of all
-- users is of none. $1 tenant_id text, $2 after text, $3 only text or null, $4 limit int
WITH RECURSIVE known AS (
  SELECT $2::text COLLATE "C" AS user_id, false AS is_found
  UNION ALL
  SELECT (SELECT min(nearest.user_id)
            FROM ((SELECT user_id FROM catalog.resources
                    WHERE tenant_id = $1 AND user_id > known.user_id AND ($3::text IS NULL OR user_id = $3)
                    ORDER BY user_id LIMIT 1)
                  UNION ALL
                  (SELECT user_id FROM catalog.items
                    WHERE tenant_id = $1 AND user_id > known.user_id AND ($3::text IS NULL OR user_id = $3)
                    ORDER BY user_id LIMIT 1)
                  UNION ALL
                  (SELECT user_id FROM catalog.categories
                    WHERE tenant_id = $1 AND user_id > known.user_id AND ($3::text IS NULL OR user_id = $3)
                    ORDER BY user_id LIMIT 1)) AS nearest), true
    FROM known WHERE known.user_id IS NOT NULL)
SELECT user_id FROM known WHERE is_found AND user_id IS NOT NULL LIMIT $4
