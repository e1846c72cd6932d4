-- What agents are given a turn. Every statement runs in a transaction confined to one tenant: $1 tenant_id text,
-- $2 user_id text, $3 agent_id text throughout.

-- name: agent
SELECT agents.budget, agents.source, agents.turns, agents.catalog_tokens, agents.memory_tokens,
       turns.number, turns.item_ids, turns.budget AS turn_budget, turns.used
  FROM (SELECT $1::text AS tenant_id, $2::text AS user_id, $3::text AS agent_id) AS asked
  LEFT JOIN catalog.agents AS agents USING (tenant_id, user_id, agent_id)
  LEFT JOIN catalog.turns AS turns USING (tenant_id, user_id, agent_id);

-- name: put_budget
-- $4 budget int or null
INSERT INTO catalog.agents AS known (tenant_id, user_id, agent_id, budget, since_event)
SELECT $1, $2, $3, $4::int, COALESCE((SELECT max(event_id) FROM ledger.events WHERE tenant_id = $1 AND user_id = $2), 0)
ON CONFLICT (tenant_id, user_id, agent_id) DO UPDATE SET budget = EXCLUDED.budget;

-- name: begin_turn
-- $4 item ids text[], $5 budget int, $6 used int, of which $7 of the catalog int, $8 now timestamptz
WITH counted AS (
  INSERT INTO catalog.agents AS known (tenant_id, user_id, agent_id, turns, catalog_tokens, memory_tokens, since_event)
  SELECT $1, $2, $3, 1, $7::int, $6::int - $7::int,
         COALESCE((SELECT max(event_id) FROM ledger.events WHERE tenant_id = $1 AND user_id = $2), 0)
  ON CONFLICT (tenant_id, user_id, agent_id) DO UPDATE
     SET turns = known.turns + 1, catalog_tokens = known.catalog_tokens + EXCLUDED.catalog_tokens,
         memory_tokens = known.memory_tokens + EXCLUDED.memory_tokens
  RETURNING turns, since_event
)
INSERT INTO catalog.turns AS known
       (tenant_id, user_id, agent_id, number, item_ids, budget, used, begun_at, since_event, epoch)
SELECT $1, $2, $3, counted.turns, $4::text[], $5::int, $6::int, $8::timestamptz, counted.since_event,
       (SELECT COALESCE(sum(epoch), 0) FROM ledger.epochs WHERE tenant_id = $1 AND user_id IN ($2, ''))
  FROM counted
ON CONFLICT (tenant_id, user_id, agent_id) DO UPDATE
   SET number = EXCLUDED.number, item_ids = EXCLUDED.item_ids, budget = EXCLUDED.budget, used = EXCLUDED.used,
       begun_at = EXCLUDED.begun_at, epoch = EXCLUDED.epoch,
       doubtful_until = CASE WHEN known.epoch = EXCLUDED.epoch THEN known.doubtful_until
                             ELSE EXCLUDED.begun_at + interval '10 minutes' END
RETURNING number;

-- name: take_tokens
-- Of the turn of that number, as far as its budget has them. $4 number bigint, $5 tokens int
WITH taken AS (
  UPDATE catalog.turns SET used = used + $5::int
   WHERE tenant_id = $1 AND user_id = $2 AND agent_id = $3 AND number = $4 AND used + $5::int <= budget
  RETURNING used
)
UPDATE catalog.agents SET memory_tokens = memory_tokens + $5::int FROM taken
 WHERE tenant_id = $1 AND user_id = $2 AND agent_id = $3
RETURNING taken.used;

-- name: note_uses
-- Of items that are there, the user's own or everybody's; one that is being deleted is left out.
-- $4 item ids text[], $5 offered int, $6 given int, $7 tokens int[], $8 now timestamptz
INSERT INTO catalog.uses AS known
       (tenant_id, user_id, agent_id, item_id, offered, given, tokens, last_at, since_event)
SELECT DISTINCT ON (there.id) $1, $2, $3, there.id, $5::int, $6::int, there.tokens, $8::timestamptz,
       COALESCE((SELECT max(event_id) FROM ledger.events WHERE tenant_id = $1 AND user_id = $2), 0)
  FROM (SELECT items.id, noted.tokens
          FROM unnest($4::text[], $7::int[]) AS noted (id, tokens)
          JOIN catalog.items AS items
            ON items.tenant_id = $1 AND items.user_id IN ($2, '') AND items.id = noted.id
           FOR KEY SHARE OF items SKIP LOCKED) AS there
ON CONFLICT (tenant_id, user_id, agent_id, item_id) DO UPDATE
   SET offered = known.offered + EXCLUDED.offered, given = known.given + EXCLUDED.given,
       tokens = known.tokens + EXCLUDED.tokens, last_at = EXCLUDED.last_at;

-- name: judge_uses
-- $4 item ids text[], $5 how useful float8[], $6 turn bigint, $7 now timestamptz
INSERT INTO catalog.uses AS known
       (tenant_id, user_id, agent_id, item_id, judged, useful, last_useful, last_turn, last_at, since_event)
SELECT $1, $2, $3, judged.id, 1, judged.useful, judged.useful, $6::bigint, $7::timestamptz,
       COALESCE((SELECT max(event_id) FROM ledger.events WHERE tenant_id = $1 AND user_id = $2), 0)
  FROM unnest($4::text[], $5::float8[]) AS judged (id, useful)
ON CONFLICT (tenant_id, user_id, agent_id, item_id) DO UPDATE
   SET judged = known.judged + 1, useful = known.useful + EXCLUDED.useful, last_useful = EXCLUDED.last_useful,
       last_turn = EXCLUDED.last_turn, last_at = EXCLUDED.last_at;

-- name: judged_in_turn
-- Those that were judged in that turn or that the agent said itself what it thinks of. $4 item ids text[], $5 turn bigint
SELECT item_id FROM catalog.uses
 WHERE tenant_id = $1 AND user_id = $2 AND agent_id = $3 AND item_id = ANY ($4::text[])
   AND (last_turn = $5 OR feedback IS NOT NULL);

-- name: put_feedback
-- $4 item id, $5 value float8, $6 reason or null, $7 now timestamptz
INSERT INTO catalog.uses AS known (tenant_id, user_id, agent_id, item_id, feedback, reason, last_at, since_event)
SELECT $1, $2, $3, $4::text, $5::float8, $6::text, $7::timestamptz,
       COALESCE((SELECT max(event_id) FROM ledger.events WHERE tenant_id = $1 AND user_id = $2), 0)
ON CONFLICT (tenant_id, user_id, agent_id, item_id) DO UPDATE
   SET feedback = EXCLUDED.feedback, reason = EXCLUDED.reason, last_at = EXCLUDED.last_at;

-- name: forgotten_since
-- Whether something was forgotten since the turn began, or in the minutes before. $4 now timestamptz
SELECT epoch <> (SELECT COALESCE(sum(epoch), 0) FROM ledger.epochs WHERE tenant_id = $1 AND user_id IN ($2, ''))
       OR doubtful_until > $4::timestamptz AS doubtful
  FROM catalog.turns
 WHERE tenant_id = $1 AND user_id = $2 AND agent_id = $3;

-- name: shown_lately
-- What it was offered or given last. $4 limit int
SELECT item_id FROM catalog.uses
 WHERE tenant_id = $1 AND user_id = $2 AND agent_id = $3 AND offered + given > 0
 ORDER BY last_at DESC LIMIT $4;

-- name: page_of_uses
-- Those given most tokens first. $4 how many are left out int, $5 limit int
SELECT item_id, offered, given, tokens, judged, useful, feedback, reason, last_at
  FROM catalog.uses
 WHERE tenant_id = $1 AND user_id = $2 AND agent_id = $3
   AND (offered + given + judged > 0 OR feedback IS NOT NULL)
 ORDER BY tokens DESC, offered DESC, item_id OFFSET $4 LIMIT $5;

-- name: put_source
-- $4 source text
INSERT INTO catalog.agents AS known (tenant_id, user_id, agent_id, source, since_event)
SELECT $1, $2, $3, $4::text,
       COALESCE((SELECT max(event_id) FROM ledger.events WHERE tenant_id = $1 AND user_id = $2), 0)
ON CONFLICT (tenant_id, user_id, agent_id) DO UPDATE SET source = EXCLUDED.source;

-- name: begin_comparison
-- $4 now timestamptz
WITH forgotten AS (
  UPDATE catalog.uses SET by_file = 0, by_catalog = 0, by_both = 0
   WHERE tenant_id = $1 AND user_id = $2 AND agent_id = $3 AND by_file + by_catalog + by_both > 0
)
UPDATE catalog.agents
   SET compared_since = $4::timestamptz, compared = 0, compared_equal = 0, file_memories = 0, chosen_memories = 0,
       both_memories = 0, file_tokens = 0, chosen_tokens = 0
 WHERE tenant_id = $1 AND user_id = $2 AND agent_id = $3;

-- name: note_comparison
-- $4 equal int, $5 by file int, $6 by the catalog int, $7 by both int, $8 tokens of the file int, $9 of the catalog int
UPDATE catalog.agents
   SET compared = compared + 1, compared_equal = compared_equal + $4::int, file_memories = file_memories + $5::int,
       chosen_memories = chosen_memories + $6::int, both_memories = both_memories + $7::int,
       file_tokens = file_tokens + $8::int, chosen_tokens = chosen_tokens + $9::int
 WHERE tenant_id = $1 AND user_id = $2 AND agent_id = $3 AND source = 'parallel'
RETURNING compared;

-- name: note_compared
-- Of items that are there, as note_uses. $4 ids text[], $5 by the file alone int[], $6 by the catalog alone int[],
-- $7 by both int[], $8 now timestamptz
INSERT INTO catalog.uses AS known
       (tenant_id, user_id, agent_id, item_id, by_file, by_catalog, by_both, last_at, since_event)
SELECT $1, $2, $3, there.id, there.by_file, there.by_catalog, there.by_both, $8::timestamptz,
       COALESCE((SELECT max(event_id) FROM ledger.events WHERE tenant_id = $1 AND user_id = $2), 0)
  FROM (SELECT items.id, noted.by_file, noted.by_catalog, noted.by_both
          FROM unnest($4::text[], $5::int[], $6::int[], $7::int[]) AS noted (id, by_file, by_catalog, by_both)
          JOIN catalog.items AS items
            ON items.tenant_id = $1 AND items.user_id IN ($2, '') AND items.id = noted.id
           FOR KEY SHARE OF items SKIP LOCKED) AS there
ON CONFLICT (tenant_id, user_id, agent_id, item_id) DO UPDATE
   SET by_file = known.by_file + EXCLUDED.by_file, by_catalog = known.by_catalog + EXCLUDED.by_catalog,
       by_both = known.by_both + EXCLUDED.by_both, last_at = EXCLUDED.last_at;

-- name: comparison
SELECT compared AS turns, compared_equal AS equal, file_memories, chosen_memories AS catalog_memories,
       both_memories AS both, file_tokens, chosen_tokens AS catalog_tokens, compared_since AS since
  FROM catalog.agents
 WHERE tenant_id = $1 AND user_id = $2 AND agent_id = $3;

-- name: page_of_compared
-- Those given most differently first. $4 how many are left out int, $5 limit int
SELECT item_id AS memory_id, by_file, by_catalog, by_both
  FROM catalog.uses
 WHERE tenant_id = $1 AND user_id = $2 AND agent_id = $3 AND by_file + by_catalog + by_both > 0
 ORDER BY by_file + by_catalog DESC, by_both DESC, item_id OFFSET $4 LIMIT $5;
