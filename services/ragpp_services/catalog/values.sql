-- Values and episodes. Every statement runs in a transaction confined to one tenant; how each begins:
-- `statements.Statements`.

-- name: insert_episode
-- $3 id, $4 domain or null, $5 goal, $6 seen_by or null, $7 now timestamptz
INSERT INTO catalog.episodes (tenant_id, user_id, id, domain, goal, seen_by, since_event, begun_at)
SELECT $1, $2, $3, $4, $5, $6,
       COALESCE((SELECT max(event_id) FROM ledger.events WHERE tenant_id = $1 AND user_id = $2), 0), $7;

-- name: episode
-- One that the view may go on with. $3 id, $4 view or null
SELECT id, domain, goal FROM catalog.episodes
 WHERE tenant_id = $1 AND user_id = $2 AND id = $3 AND ($4::text IS NULL OR seen_by = $4);

-- name: item_of_content
-- The id of what stands for it; of two the user's own. $4 key, $5 content
SELECT COALESCE(items.one_with, items.id) AS id
  FROM catalog.items AS items
 WHERE items.tenant_id = $1 AND items.user_id = ANY ($2::text[]) AND items.memory_key = $4 AND items.content = $5
   AND ($3::text IS NULL OR items.seen_by IS NULL OR items.seen_by = $3)
 ORDER BY items.user_id = '', items.ordinal LIMIT 1;

-- name: item_of_id
-- The id of what stands for it; of two the user's own. $4 id
SELECT COALESCE(items.one_with, items.id) AS id
  FROM catalog.items AS items
 WHERE items.tenant_id = $1 AND items.user_id = ANY ($2::text[]) AND items.id = $4
   AND ($3::text IS NULL OR items.seen_by IS NULL OR items.seen_by = $3)
 ORDER BY items.user_id = '' LIMIT 1;

-- name: insert_access
-- With what it is worth now. $3 episode, $4 item, $5 goal, $6 what it is worth that was never used float8,
-- $7 step_reward float8
INSERT INTO catalog.accesses (tenant_id, user_id, episode_id, number, item_id, value, step_reward)
SELECT $1, $2, $3,
       (SELECT COALESCE(max(number), 0) + 1 FROM catalog.accesses
         WHERE tenant_id = $1 AND user_id = $2 AND episode_id = $3),
       $4,
       COALESCE((SELECT value FROM catalog.goal_values
                  WHERE tenant_id = $1 AND user_id = $2 AND item_id = $4 AND goal = $5), $6),
       $7
RETURNING number, value;

-- name: end_episodes
-- Whether they were there. $3 ids text[]
DELETE FROM catalog.episodes WHERE tenant_id = $1 AND user_id = $2 AND id = ANY ($3::text[]) RETURNING id;

-- name: take_accesses
-- In any order. $3 episodes text[]
DELETE FROM catalog.accesses WHERE tenant_id = $1 AND user_id = $2 AND episode_id = ANY ($3::text[])
RETURNING episode_id, number, item_id, value, step_reward, used_at;

-- name: move_values
-- Each from what it is now. $3 goal, $4 items text[], $5 moves float8[], $6 what one is worth that was never used float8,
-- $7 now timestamptz
WITH moved AS (
  SELECT moves.item_id, moves.move, COALESCE(known.value, $6::float8) AS value
    FROM unnest($4::text[], $5::float8[]) AS moves (item_id, move)
    LEFT JOIN catalog.goal_values AS known
      ON known.tenant_id = $1 AND known.user_id = $2 AND known.item_id = moves.item_id AND known.goal = $3
)
INSERT INTO catalog.goal_values AS known (tenant_id, user_id, item_id, goal, value, last_updated)
SELECT $1, $2, item_id, $3, LEAST(1, GREATEST(0, value + move)), $7 FROM moved
ON CONFLICT (tenant_id, user_id, item_id, goal) DO UPDATE
   SET value = LEAST(1, GREATEST(0, known.value + (SELECT move FROM moved WHERE moved.item_id = excluded.item_id))),
       last_updated = excluded.last_updated
RETURNING known.item_id, (SELECT moved.value FROM moved WHERE moved.item_id = known.item_id) AS old, known.value AS new;

-- name: keys_of_items
-- $4 ids text[]
SELECT id, memory_key FROM catalog.items
 WHERE tenant_id = $1 AND user_id = ANY ($2::text[]) AND id = ANY ($4::text[])
   AND ($3::text IS NULL OR seen_by IS NULL OR seen_by = $3);

-- name: values_of_items
-- $3 ids text[]
SELECT item_id, goal, value, last_updated FROM catalog.goal_values
 WHERE tenant_id = $1 AND user_id = $2 AND item_id = ANY ($3::text[]);

-- name: items_worth
-- Ordinals of those whose value for the goal lies between, best first, of equals the latest. $4 user id, $5 goal,
-- $6 above float8 (not included), $7 up to float8, $8 domain, $9 task_type, $10 level; null does not narrow, and what has
-- no domain or kind of task is of `general`, as in keys. $11 limit int
SELECT items.ordinal
  FROM catalog.goal_values AS known
  JOIN catalog.items AS items
    ON items.tenant_id = $1 AND items.user_id = ANY ($2::text[]) AND items.id = known.item_id
 WHERE known.tenant_id = $1 AND known.user_id = $4 AND known.goal = $5 AND known.value > $6 AND known.value <= $7
   AND items.one_with IS NULL AND ($3::text IS NULL OR items.seen_by IS NULL OR items.seen_by = $3)
   AND ($8::text IS NULL OR items.domain = $8 OR $8 = 'general' AND items.domain IS NULL)
   AND ($9::text IS NULL OR items.task_type = $9 OR $9 = 'general' AND items.task_type IS NULL)
   AND ($10::text IS NULL OR items.level = $10)
 ORDER BY known.value DESC, items.ordinal DESC LIMIT $11;

-- name: items_without_value
-- Ordinals of those that were never used for the goal, the latest first. $4 user id, $5 goal or null, $6 domain,
-- $7 task_type, $8 level; null does not narrow, `general` as above. $9 limit int
SELECT items.ordinal
  FROM catalog.items AS items
 WHERE items.tenant_id = $1 AND items.user_id = ANY ($2::text[]) AND items.one_with IS NULL
   AND ($3::text IS NULL OR items.seen_by IS NULL OR items.seen_by = $3)
   AND ($6::text IS NULL OR items.domain = $6 OR $6 = 'general' AND items.domain IS NULL)
   AND ($7::text IS NULL OR items.task_type = $7 OR $7 = 'general' AND items.task_type IS NULL)
   AND ($8::text IS NULL OR items.level = $8)
   AND NOT EXISTS (SELECT FROM catalog.goal_values AS known
                    WHERE known.tenant_id = $1 AND known.user_id = $4 AND known.item_id = items.id AND known.goal = $5)
 ORDER BY items.ordinal DESC LIMIT $9;

-- name: erase_episodes
-- Those that began before that event, with their accesses. $3 before event_id bigint
WITH gone AS (
  DELETE FROM catalog.episodes WHERE tenant_id = $1 AND user_id = $2 AND since_event < $3 RETURNING id
)
DELETE FROM catalog.accesses WHERE tenant_id = $1 AND user_id = $2 AND episode_id IN (SELECT id FROM gone);

-- name: erase_values
-- Of everybody's items what the user learned of them; those of the user's own go with their item.
DELETE FROM catalog.goal_values AS known
 WHERE known.tenant_id = $1 AND known.user_id = $2
   AND NOT EXISTS (SELECT FROM catalog.items AS items
                    WHERE items.tenant_id = $1 AND items.user_id = $2 AND items.id = known.item_id);

-- name: erase_agents
-- What the user's agents were given before that event. $3 before event_id bigint
DELETE FROM catalog.agents WHERE tenant_id = $1 AND user_id = $2 AND since_event < $3;

-- name: erase_turns
-- $3 before event_id bigint
DELETE FROM catalog.turns WHERE tenant_id = $1 AND user_id = $2 AND since_event < $3;

-- name: erase_uses
-- $3 before event_id bigint
DELETE FROM catalog.uses WHERE tenant_id = $1 AND user_id = $2 AND since_event < $3;
