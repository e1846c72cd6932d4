-- What segments are made of (`ragpp.ranking.segments`); $1 tenant_id text, $2 user_id text throughout.

-- name: rows_to_segment
-- How many rows a segment behind an ordinal would have, and its last. $3 after bigint, $4 until bigint, $5 limit int
SELECT count(*) AS rows, max(ordinal) AS last
  FROM (SELECT ordinal FROM catalog.items
         WHERE tenant_id = $1 AND user_id = $2 AND ordinal > $3 AND ordinal <= $4
         ORDER BY ordinal LIMIT $5) AS next;

-- name: segment_source
-- Packed, by ordinal. `version` is another one as soon as any of these rows changes. $3 after bigint, $4 until bigint
SELECT string_agg(int8send(ordinal), ''::bytea) AS ordinals,
       string_agg(timestamptz_send(occurred_at), ''::bytea) AS moments,
       array_agg(seen_by) AS seen_by,
       string_agg(halfvec_send(embedding), ''::bytea) AS vectors,
       string_agg(sparsevec_send(lexical), ''::bytea) AS lexical,
       bit_xor(hashtextextended(version::text, ordinal)) AS version
  FROM (SELECT ordinal, occurred_at, seen_by, embedding, lexical, xmin AS version FROM catalog.items
         WHERE tenant_id = $1 AND user_id = $2 AND ordinal > $3 AND ordinal <= $4
         ORDER BY ordinal) AS items;

-- name: segment_version
-- As `segment_source` has it.
SELECT bit_xor(hashtextextended(xmin::text, ordinal)) AS version FROM catalog.items
 WHERE tenant_id = $1 AND user_id = $2 AND ordinal > $3 AND ordinal <= $4;
