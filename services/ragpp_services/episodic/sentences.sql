-- As in queries.sql: every statement runs in a transaction confined to one tenant; $1 tenant_id text, $2 user_id text.

-- name: sentenced_until
SELECT turn, part, second_turn, second_part FROM episodic.sentenced WHERE tenant_id = $1 AND user_id = $2;

-- name: chunks_without_sentences
-- In order, each with the interaction that it is of. $3 and $4 turn and part of the last one that was looked at, $5 limit int
WITH chosen AS MATERIALIZED (
  SELECT turn, part, start, "end", occurred_at, traits
    FROM episodic.chunks
   WHERE tenant_id = $1 AND user_id = $2 AND (turn, part) > ($3::bigint, $4::int)
   ORDER BY turn, part
   LIMIT $5)
SELECT said.*, chosen.part AS chunk_part, chosen.start AS chunk_start, chosen."end" AS chunk_end,
       chosen.traits AS chunk_traits,
       EXISTS (SELECT FROM episodic.sentences
                WHERE sentences.tenant_id = $1 AND sentences.user_id = $2
                  AND sentences.turn = chosen.turn AND sentences.part = chosen.part AND number >= 0) AS has_sentences,
       EXISTS (SELECT FROM episodic.sentences
                WHERE sentences.tenant_id = $1 AND sentences.user_id = $2
                  AND sentences.turn = chosen.turn AND sentences.part = chosen.part AND number = -1) AS has_second
  FROM chosen
  JOIN episodic.interactions AS said
    ON said.tenant_id = $1 AND said.user_id = $2 AND said.occurred_at = chosen.occurred_at
   AND said.ordinal = chosen.turn
 ORDER BY chosen.turn, chosen.part;

-- name: participants
-- Who talks in these sessions, since which of the interactions, for whoever may see them. $3 session ids text[]
SELECT session_id, name, seen_by, min(ordinal) AS since
  FROM episodic.interactions
 WHERE tenant_id = $1 AND user_id = $2 AND session_id = ANY ($3::text[]) AND name IS NOT NULL
 GROUP BY session_id, name, seen_by;

-- name: insert_sentences
-- Of number -1 the chunk's vector by the second encoder.
-- $3 turns bigint[], $4 parts int[], $5 numbers smallint[], $6 occurred_at timestamptz[], $7 seen by text[],
-- $8 embeddings halfvec[]
INSERT INTO episodic.sentences (tenant_id, user_id, turn, part, number, occurred_at, seen_by, embedding)
SELECT $1, $2, new.turn, new.part, new.number, new.occurred_at, new.seen_by, new.embedding
  FROM unnest($3::bigint[], $4::int[], $5::smallint[], $6::timestamptz[], $7::text[], $8::halfvec[])
       AS new (turn, part, number, occurred_at, seen_by, embedding)
ON CONFLICT DO NOTHING;

-- name: set_reading
-- $3 turns bigint[], $4 parts int[], $5 traits smallint[], $6 lexical sparsevec[], $7 embeddings halfvec[], null for one
-- that stays
UPDATE episodic.chunks AS known
   SET traits = new.traits, lexical = new.lexical, embedding = COALESCE(new.embedding, known.embedding)
  FROM unnest($3::bigint[], $4::int[], $5::smallint[], $6::sparsevec[], $7::halfvec[])
       AS new (turn, part, traits, lexical, embedding)
 WHERE known.tenant_id = $1 AND known.user_id = $2 AND known.turn = new.turn AND known.part = new.part;

-- name: set_sentenced
-- Never back: of two who embed the same the slower one changes nothing. $3 turn bigint, $4 part int
INSERT INTO episodic.sentenced AS known (tenant_id, user_id, turn, part) VALUES ($1, $2, $3, $4)
ON CONFLICT (tenant_id, user_id) DO UPDATE SET turn = excluded.turn, part = excluded.part
 WHERE (known.turn, known.part) < (excluded.turn, excluded.part);

-- name: set_second
-- As `set_sentenced`, of the vectors by the second encoder. $3 turn bigint, $4 part int
UPDATE episodic.sentenced SET second_turn = $3, second_part = $4
 WHERE tenant_id = $1 AND user_id = $2 AND (second_turn, second_part) < ($3, $4);

-- name: forget_sentences
-- $3 ordinals bigint[]
DELETE FROM episodic.sentences
 WHERE tenant_id = $1 AND user_id = $2 AND turn = ANY ($3::bigint[]);

-- name: forget_who_talked
-- Where the first message of somebody in a session is gone, what was said there since may name them: it is embedded
-- again. A chunk's vector by the second encoder names nobody else. Of what was deleted: $3 session ids text[], $4 names text[], $5 seen by text[], $6 ordinals bigint[]
WITH gone AS (
  SELECT session_id, name, seen_by, min(ordinal) AS since
    FROM unnest($3::text[], $4::text[], $5::text[], $6::bigint[]) AS row (session_id, name, seen_by, ordinal)
   WHERE name IS NOT NULL
   GROUP BY session_id, name, seen_by
), participants AS MATERIALIZED (
  SELECT session_id, name, seen_by, ordinal
    FROM episodic.interactions
   WHERE tenant_id = $1 AND user_id = $2 AND session_id = ANY ($3::text[]) AND name IS NOT NULL
), changed AS (
  SELECT gone.session_id, min(gone.since) AS since
    FROM gone
   WHERE NOT EXISTS (SELECT FROM participants
                      WHERE participants.session_id = gone.session_id AND participants.name = gone.name
                        AND participants.seen_by IS NOT DISTINCT FROM gone.seen_by
                        AND participants.ordinal < gone.since)
   GROUP BY gone.session_id
), again AS MATERIALIZED (
  SELECT participants.ordinal FROM participants JOIN changed USING (session_id) WHERE participants.ordinal > changed.since
), deleted AS (
  DELETE FROM episodic.sentences
   WHERE tenant_id = $1 AND user_id = $2 AND turn IN (SELECT ordinal FROM again) AND number >= 0
)
UPDATE episodic.sentenced AS known SET turn = first.turn, part = -1
  FROM (SELECT min(ordinal) AS turn FROM again) AS first
 WHERE known.tenant_id = $1 AND known.user_id = $2 AND first.turn <= known.turn;

-- name: forget_sentenced
-- Of a user who has nothing any more.
DELETE FROM episodic.sentenced
 WHERE tenant_id = $1 AND user_id = $2
   AND NOT EXISTS (SELECT FROM episodic.interactions WHERE tenant_id = $1 AND user_id = $2);
