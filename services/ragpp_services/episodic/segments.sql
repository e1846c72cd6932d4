-- What segments are made of (`ragpp.ranking.segments`); $1 tenant_id text, $2 user_id text throughout.

-- name: rows_to_segment
-- How many chunks a segment behind an interaction would have, and its last one; of those whose sentences were looked at,
-- which keep them. $3 after bigint, $4 until bigint, $5 limit int
SELECT count(*) AS rows, max(turn) AS last
  FROM (SELECT turn FROM episodic.chunks
         WHERE tenant_id = $1 AND user_id = $2 AND turn > $3
           AND turn <= LEAST($4, (SELECT turn - 1 FROM episodic.sentenced WHERE tenant_id = $1 AND user_id = $2))
         ORDER BY turn LIMIT $5) AS next;

-- name: segment_source
-- Packed, in order. `version` is another one as soon as any of these rows changes. $3 after bigint, $4 until bigint
SELECT string_agg(int8send(turn), ''::bytea) AS ordinals,
       string_agg(int4send(part), ''::bytea) AS parts,
       string_agg(timestamptz_send(occurred_at), ''::bytea) AS moments,
       string_agg(int8send(session_key), ''::bytea) AS sessions,
       array_agg(seen_by) AS seen_by,
       string_agg(halfvec_send(embedding), ''::bytea) AS vectors,
       string_agg(sparsevec_send(lexical), ''::bytea) AS lexical,
       bit_xor(hashtextextended(version::text, turn)) AS version
  FROM (SELECT turn, part, occurred_at, session_key, seen_by, embedding, lexical, xmin AS version FROM episodic.chunks
         WHERE tenant_id = $1 AND user_id = $2 AND turn > $3 AND turn <= $4
         ORDER BY turn, part) AS chunks;

-- name: segment_sentences
-- Packed, in order. $3 after bigint, $4 until bigint
SELECT string_agg(int8send(turn), ''::bytea) AS ordinals,
       string_agg(int4send(part), ''::bytea) AS parts,
       string_agg(halfvec_send(embedding), ''::bytea) AS vectors
  FROM (SELECT turn, part, embedding FROM episodic.sentences
         WHERE tenant_id = $1 AND user_id = $2 AND turn > $3 AND turn <= $4 AND number >= 0
         ORDER BY turn, part, number) AS sentences;

-- name: segment_version
-- As `segment_source` has it.
SELECT bit_xor(hashtextextended(xmin::text, turn)) AS version FROM episodic.chunks
 WHERE tenant_id = $1 AND user_id = $2 AND turn > $3 AND turn <= $4;
