-- Every statement runs in a transaction confined to one tenant; $1 tenant_id text, $2 user_id text throughout,
-- unless a statement says otherwise. The filters, where a statement has them, are $3 to $12:
-- $3 from timestamptz, $4 before timestamptz, $5 as_of timestamptz, $6 session_id, $7 agent_id, $8 role,
-- $9 message_type, $10 channel, $11 domain, $12 task_type; null does not narrow. $13 excluded ids text[].
-- A view, where a statement has one, is text: null for all that there is, else the agent whose view it is, or nobody.

-- name: record_embedding
-- The model and dimension that this database holds vectors of: the first caller's.
-- $1 model text, $2 dimension int
SELECT model, dimension FROM episodic.record_embedding($1, $2);

-- name: known
-- $3 ids text[]
SELECT id, content_hash, event_id, seen_by
  FROM episodic.interactions
 WHERE tenant_id = $1 AND user_id = $2 AND id = ANY ($3::text[]);

-- name: insert_interactions
-- In the order of the arrays, which the ordinals keep.
-- $3 ids, $4 event ids bigint[], $5 session ids, $6 agent ids, $7 roles, $8 names, $9 contents,
-- $10 content hashes bytea[], $11 occurred_at timestamptz[], $12 message types, $13 channels, $14 domains,
-- $15 task types, $16 metadata json[], $17 tokens int[], $18 redactions int[], $19 learn boolean[], $20 seen by text[],
-- $21 utc offsets smallint[], $22 now timestamptz
INSERT INTO episodic.interactions (
  tenant_id, user_id, id, ordinal, event_id, session_id, agent_id, role, name, content, content_hash, occurred_at,
  message_type, channel, domain, task_type, metadata, tokens, redactions, learn, seen_by, utc_offset, stored_at)
SELECT $1, $2, new.id, nextval('episodic.ordinals'), new.event_id, new.session_id, new.agent_id, new.role, new.name,
       new.content, new.content_hash, new.occurred_at, new.message_type, new.channel, new.domain, new.task_type,
       new.metadata, new.tokens, new.redactions, new.learn, new.seen_by, new.utc_offset, $22
  FROM unnest($3::text[], $4::bigint[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::bytea[],
              $11::timestamptz[], $12::text[], $13::text[], $14::text[], $15::text[], $16::json[], $17::int[],
              $18::int[], $19::boolean[], $20::text[], $21::smallint[])
       WITH ORDINALITY AS new (id, event_id, session_id, agent_id, role, name, content, content_hash, occurred_at,
                               message_type, channel, domain, task_type, metadata, tokens, redactions, learn, seen_by,
                               utc_offset, position)
 ORDER BY new.position
RETURNING id, ordinal;

-- name: insert_chunks
-- $3 ordinals bigint[], $4 parts int[], $5 occurred_at timestamptz[], $6 session keys bigint[], $7 starts int[],
-- $8 ends int[], $9 tokens int[], $10 names text[], $11 embeddings halfvec[], $12 lexical sparsevec[],
-- $13 traits smallint[], $14 seen by text[]
INSERT INTO episodic.chunks (
  tenant_id, user_id, turn, part, occurred_at, session_key, traits, start, "end", tokens, name,
  embedding, lexical, seen_by)
SELECT $1, $2, new.turn, new.part, new.occurred_at, new.session_key, new.traits, new.start,
       new.finish, new.tokens, new.name, new.embedding, new.lexical, new.seen_by
  FROM unnest($3::bigint[], $4::int[], $5::timestamptz[], $6::bigint[], $7::int[], $8::int[], $9::int[],
              $10::text[], $11::halfvec[], $12::sparsevec[], $13::smallint[], $14::text[])
       AS new (turn, part, occurred_at, session_key, start, finish, tokens, name, embedding, lexical,
               traits, seen_by);

-- name: scan
-- One pass over the user's own chunks, or over what was chosen of them (`scan_chosen`), whatever the filters: what is
-- not eligible still counts in the frequencies and lends its words to its neighbours. What is not in the view does not.
-- Columns come packed
-- (`ragpp.stores.packed_columns`), all in the same order. A chunk that shares no term with the query has an empty
-- sparse vector (1048576 dimensions, 0 entries) in place of its own. A column that was not asked for is null. With them
-- come, in an order of their own, the chunks that have sentences, each with the distance of the best, and with that of
-- the chunk by the second encoder, NaN where it has none.
-- $14 query embedding halfvec or null, $15 query terms sparsevec of ones or null, $16 whether $3 to $13 narrow, $17 view,
-- $18 query embedding by the second encoder halfvec or null, $19 condition on metadata jsonpath or null, $20 its values
WITH eligible AS (
  SELECT ordinal
    FROM /* all */ episodic.interactions AS interactions
   WHERE tenant_id = $1 AND user_id = $2
     AND ($3::timestamptz IS NULL OR occurred_at >= $3) AND ($4::timestamptz IS NULL OR occurred_at < $4)
     AND ($6::text IS NULL OR session_id = $6) AND ($7::text IS NULL OR agent_id = $7)
     AND ($8::text IS NULL OR role = $8) AND ($9::text IS NULL OR message_type = $9)
     AND ($10::text IS NULL OR channel = $10) AND ($11::text IS NULL OR domain = $11)
     AND ($12::text IS NULL OR task_type = $12) AND id <> ALL ($13::text[])
     AND ($19::jsonpath IS NULL OR jsonb_path_match(metadata::jsonb, $19, $20::jsonb))
), best AS (
  SELECT turn, part,
         min(CASE WHEN number >= 0 THEN embedding <=> $14::halfvec END) AS distance,
         min(CASE WHEN number = -1 THEN embedding <=> $18::halfvec END) AS second
    FROM /* all */ episodic.sentences AS sentences
   WHERE $14::halfvec IS NOT NULL AND tenant_id = $1 AND user_id = $2
     AND ($18::halfvec IS NOT NULL OR number >= 0)
     AND ($5::timestamptz IS NULL OR occurred_at <= $5) AND ($17::text IS NULL OR seen_by IS NULL OR seen_by = $17)
   GROUP BY turn, part
), told AS (
  SELECT string_agg(int8send(turn), ''::bytea) AS told_ordinals,
         string_agg(int4send(part), ''::bytea) AS told_parts,
         string_agg(float4send(COALESCE(distance, 'NaN')::real), ''::bytea) AS told_distances,
         string_agg(float4send(COALESCE(second, 'NaN')::real), ''::bytea) AS told_seconds
    FROM best
), scanned AS (
  SELECT count(*) AS chunks,
         string_agg(int8send(turn), ''::bytea) AS ordinals,
         string_agg(int4send(part), ''::bytea) AS parts,
         string_agg(timestamptz_send(occurred_at), ''::bytea) AS moments,
         string_agg(int8send(session_key), ''::bytea) AS sessions,
         string_agg(int2send(traits), ''::bytea) AS traits,
         array_agg(name) AS names,
         string_agg(float4send((embedding <=> $14::halfvec)::real), ''::bytea) AS distances,
         string_agg(CASE WHEN $15::sparsevec IS NULL THEN NULL
                         WHEN (lexical <#> $15::sparsevec) <> 0 THEN sparsevec_send(lexical)
                         ELSE '\x001000000000000000000000'::bytea END, ''::bytea) AS lexical,
         string_agg(CASE WHEN NOT $16::boolean THEN NULL
                         WHEN turn IN (SELECT ordinal FROM eligible) THEN '\x01'::bytea
                         ELSE '\x00'::bytea END, ''::bytea) AS eligible
    FROM /* all */ episodic.chunks AS chunks
   WHERE tenant_id = $1 AND user_id = $2 AND ($5::timestamptz IS NULL OR occurred_at <= $5)
     AND ($17::text IS NULL OR seen_by IS NULL OR seen_by = $17)
)
SELECT * FROM scanned, told;

-- name: found
-- The interactions that a scan chose, by the key that the index on time has, each with the chunk that was found:
-- where it begins and ends in the content, its vector in the binary form of halfvec where that is asked for, and the
-- cosines of its sentences, null where it has none. Each row is looked up by all of its key (`OFFSET 0`), also by a plan
-- that was made for all users and takes each for a small one.
-- $3 occurred_at timestamptz[], $4 ordinals bigint[], $5 parts int[], $6 with vectors, $7 query embedding halfvec or null
SELECT interactions.ordinal, interactions.id, session_id, agent_id, role, interactions.name, content, packed,
       interactions.occurred_at, message_type, channel, domain, task_type, metadata, interactions.tokens, learn,
       interactions.seen_by, utc_offset, chunks.start AS found_start, chunks."end" AS found_end,
       CASE WHEN $6::boolean THEN halfvec_send(chunks.embedding) END AS found_vector,
       CASE WHEN $7::halfvec IS NOT NULL THEN (
         SELECT array_agg((1 - (sentences.embedding <=> $7::halfvec))::real ORDER BY number)
           FROM episodic.sentences
          WHERE sentences.tenant_id = $1 AND sentences.user_id = $2
            AND sentences.turn = chosen.ordinal AND sentences.part = chosen.part AND number >= 0) END AS found_told
  FROM unnest($3::timestamptz[], $4::bigint[], $5::int[]) AS chosen (occurred_at, ordinal, part)
 CROSS JOIN LATERAL (
   SELECT * FROM episodic.interactions AS said
    WHERE said.tenant_id = $1 AND said.user_id = $2
      AND said.occurred_at = chosen.occurred_at AND said.ordinal = chosen.ordinal OFFSET 0) AS interactions
 CROSS JOIN LATERAL (
   SELECT * FROM episodic.chunks AS cut
    WHERE cut.tenant_id = $1 AND cut.user_id = $2
      AND cut.turn = chosen.ordinal AND cut.part = chosen.part OFFSET 0) AS chunks;

-- name: get
-- $3 ids text[], $4 view
SELECT *
  FROM episodic.interactions
 WHERE tenant_id = $1 AND user_id = $2 AND id = ANY ($3::text[])
   AND ($4::text IS NULL OR seen_by IS NULL OR seen_by = $4)
 ORDER BY occurred_at, ordinal;

-- name: newest
-- $14 and $15 occurred_at and ordinal of the last one shown, null at the start; $16 limit int, $17 view, $18 condition on
-- metadata jsonpath or null, $19 its values jsonb
SELECT *
  FROM episodic.interactions
 WHERE tenant_id = $1 AND user_id = $2
   AND (occurred_at, ordinal) < (COALESCE($14::timestamptz, 'infinity'), COALESCE($15::bigint, 9223372036854775807))
   AND occurred_at >= COALESCE($3::timestamptz, '-infinity') AND occurred_at <= COALESCE($5::timestamptz, 'infinity')
   AND ($4::timestamptz IS NULL OR occurred_at < $4)
   AND ($6::text IS NULL OR session_id = $6) AND ($7::text IS NULL OR agent_id = $7)
   AND ($8::text IS NULL OR role = $8) AND ($9::text IS NULL OR message_type = $9)
   AND ($10::text IS NULL OR channel = $10) AND ($11::text IS NULL OR domain = $11)
   AND ($12::text IS NULL OR task_type = $12) AND id <> ALL ($13::text[])
   AND ($17::text IS NULL OR seen_by IS NULL OR seen_by = $17)
   AND ($18::jsonpath IS NULL OR jsonb_path_match(metadata::jsonb, $18, $19::jsonb))
 ORDER BY occurred_at DESC, ordinal DESC
 LIMIT $16;

-- name: oldest
-- As `newest`, the other way round.
SELECT *
  FROM episodic.interactions
 WHERE tenant_id = $1 AND user_id = $2
   AND (occurred_at, ordinal) > (COALESCE($14::timestamptz, '-infinity'), COALESCE($15::bigint, 0))
   AND occurred_at >= COALESCE($3::timestamptz, '-infinity') AND occurred_at <= COALESCE($5::timestamptz, 'infinity')
   AND ($4::timestamptz IS NULL OR occurred_at < $4)
   AND ($6::text IS NULL OR session_id = $6) AND ($7::text IS NULL OR agent_id = $7)
   AND ($8::text IS NULL OR role = $8) AND ($9::text IS NULL OR message_type = $9)
   AND ($10::text IS NULL OR channel = $10) AND ($11::text IS NULL OR domain = $11)
   AND ($12::text IS NULL OR task_type = $12) AND id <> ALL ($13::text[])
   AND ($17::text IS NULL OR seen_by IS NULL OR seen_by = $17)
   AND ($18::jsonpath IS NULL OR jsonb_path_match(metadata::jsonb, $18, $19::jsonb))
 ORDER BY occurred_at, ordinal
 LIMIT $16;

-- name: forget
-- $3 ids text[]
DELETE FROM episodic.interactions
 WHERE tenant_id = $1 AND user_id = $2 AND id = ANY ($3::text[])
RETURNING id, ordinal, session_id, occurred_at, name, seen_by;

-- name: forget_chunks
-- $3 ordinals bigint[]
DELETE FROM episodic.chunks
 WHERE tenant_id = $1 AND user_id = $2 AND turn = ANY ($3::bigint[]);

-- name: compressible
-- Long texts from before $3 that were not looked at yet, oldest first. $3 before timestamptz, $4 least bytes int, $5 limit int
SELECT id, content
  FROM episodic.interactions
 WHERE tenant_id = $1 AND user_id = $2 AND occurred_at < $3 AND packed IS NULL AND octet_length(content) >= $4
 ORDER BY occurred_at, ordinal
 LIMIT $5;

-- name: compress
-- An empty `packed` leaves the content as it is. $3 ids text[], $4 packed bytea[]
SELECT episodic.compress($1, $2, $3::text[], $4::bytea[]);

-- name: note_repetitions
-- Returns what was not known to be repeated: the messages of stretches that lie in none that was noted before.
-- $3 ids text[], $4 starts int[], $5 ends int[], $6 ids of what is repeated text[], null for none in particular
WITH new AS (
  SELECT said.id, said.ordinal, said.event_id, given.start, given.finish, given.repeated_id,
         COALESCE(earlier.ordinal, 0) AS repeats, earlier.seen_by
    FROM unnest($3::text[], $4::int[], $5::int[], $6::text[]) AS given (id, start, finish, repeated_id)
    JOIN episodic.interactions AS said ON said.tenant_id = $1 AND said.user_id = $2 AND said.id = given.id
    LEFT JOIN episodic.interactions AS earlier
      ON earlier.tenant_id = $1 AND earlier.user_id = $2 AND earlier.id = given.repeated_id
), inserted AS (
  INSERT INTO episodic.repetitions (tenant_id, user_id, turn, start, "end", repeats, seen_by)
  SELECT $1, $2, ordinal, start, finish, repeats, seen_by FROM new
  ON CONFLICT DO NOTHING
)
SELECT new.id, new.event_id, new.repeated_id
  FROM new
 WHERE NOT EXISTS (SELECT FROM episodic.repetitions AS noted
                    WHERE noted.tenant_id = $1 AND noted.user_id = $2 AND noted.turn = new.ordinal
                      AND noted.start <= new.start AND noted."end" >= new.finish);

-- name: repetitions
-- What messages repeat, each stretch once; none that repeats nothing but what is not in the view. $3 ids text[], $4 view
SELECT said.id, noted.start, noted."end"
  FROM episodic.interactions AS said
  JOIN episodic.repetitions AS noted
    ON noted.tenant_id = $1 AND noted.user_id = $2 AND noted.turn = said.ordinal
 WHERE said.tenant_id = $1 AND said.user_id = $2 AND said.id = ANY ($3::text[])
   AND ($4::text IS NULL OR noted.seen_by IS NULL OR noted.seen_by = $4)
 GROUP BY said.id, noted.start, noted."end"
 ORDER BY said.id, noted.start, noted."end";

-- name: noted_repeats
-- The messages of which it is noted that they repeat any of these. $3 ids text[]
SELECT DISTINCT said.id
  FROM episodic.interactions AS gone
  JOIN episodic.repetitions AS noted
    ON noted.tenant_id = $1 AND noted.user_id = $2 AND noted.repeats = gone.ordinal
  JOIN episodic.interactions AS said
    ON said.tenant_id = $1 AND said.user_id = $2 AND said.ordinal = noted.turn
 WHERE gone.tenant_id = $1 AND gone.user_id = $2 AND gone.id = ANY ($3::text[]) AND said.id <> ALL ($3::text[]);

-- name: replies_sharing
-- What others than the user said since then that has one of the terms; none of these ids and ordinals.
-- $3 since timestamptz, $4 terms sparsevec, $5 ids text[], $6 ordinals bigint[]
SELECT *
  FROM episodic.interactions
 WHERE tenant_id = $1 AND user_id = $2 AND role <> 'user' AND occurred_at >= $3
   AND id <> ALL ($5::text[]) AND ordinal <> ALL ($6::bigint[])
   AND ordinal IN (SELECT turn FROM episodic.chunks
                    WHERE tenant_id = $1 AND user_id = $2 AND occurred_at >= $3 AND (lexical <#> $4::sparsevec) <> 0);

-- name: forget_repetitions
-- $3 ordinals bigint[]
DELETE FROM episodic.repetitions
 WHERE tenant_id = $1 AND user_id = $2 AND turn = ANY ($3::bigint[]);

-- name: holdings
-- $3 ids text[] or null, $4 before event_id bigint or null
SELECT count(*) AS interactions
  FROM episodic.interactions
 WHERE tenant_id = $1 AND user_id = $2 AND ($3::text[] IS NULL OR id = ANY ($3::text[]))
   AND ($4::bigint IS NULL OR event_id < $4);

-- name: recorded_in
-- What there is in a view, in the order of arrival, a page at a time. $3 after event_id bigint, $4 view, $5 limit int
SELECT id, event_id
  FROM episodic.interactions
 WHERE tenant_id = $1 AND user_id = $2 AND event_id > $3 AND ($4::text IS NULL OR seen_by IS NULL OR seen_by = $4)
 ORDER BY event_id
 LIMIT $5;

-- name: recorded_before
-- $3 event_id bigint, $4 session_id text or null, $5 agent_id text or null, $6 limit int
SELECT id
  FROM episodic.interactions
 WHERE tenant_id = $1 AND user_id = $2 AND event_id < $3
   AND ($4::text IS NULL OR session_id = $4) AND ($5::text IS NULL OR agent_id = $5)
 ORDER BY occurred_at, ordinal
 LIMIT $6;

-- name: users
-- Users of a tenant of whom there are messages, by id, each found by one step into the index; with the latest message.
-- $1 tenant_id text, $2 after text, $3 only text or null, $4 limit int
WITH RECURSIVE known AS (
  (SELECT user_id FROM episodic.interactions
    WHERE tenant_id = $1 AND user_id > $2 AND ($3::text IS NULL OR user_id = $3) ORDER BY user_id LIMIT 1)
  UNION ALL
  SELECT (SELECT i.user_id FROM episodic.interactions AS i
           WHERE i.tenant_id = $1 AND i.user_id > known.user_id AND ($3::text IS NULL OR i.user_id = $3)
           ORDER BY i.user_id LIMIT 1)
    FROM known WHERE known.user_id IS NOT NULL)
SELECT page.user_id,
       (SELECT max(said.occurred_at) FROM episodic.interactions AS said
         WHERE said.tenant_id = $1 AND said.user_id = page.user_id) AS last_at
  FROM (SELECT user_id FROM known WHERE user_id IS NOT NULL LIMIT $4) AS page
