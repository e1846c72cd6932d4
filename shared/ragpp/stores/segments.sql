-- Every statement runs in a transaction confined to one tenant; $1 tenant_id text. {schema}: of the tier.

-- name: segments
-- In their order, each with its entries of these terms. $2 user ids text[], $3 terms int[]
SELECT segments.user_id, segments.first, segments.last, segments.ordinals, segments.moments, segments.sessions,
       segments.session_of, segments.viewers, segments.agents, segments.starts, segments.vectors, segments.bits, found.terms, found.entries
  FROM {schema}.segments AS segments
  LEFT JOIN LATERAL (
       SELECT array_agg(held.term) AS terms, array_agg(held.entries) AS entries
         FROM {schema}.segment_terms AS held
        WHERE held.tenant_id = $1 AND held.user_id = segments.user_id AND held.first = segments.first
          AND held.term = ANY ($3::int[])) AS found ON true
 WHERE segments.tenant_id = $1 AND segments.user_id = ANY ($2::text[])
 ORDER BY segments.user_id, segments.first;

-- name: segment_ranges
-- $2 user_id text
SELECT first, last FROM {schema}.segments WHERE tenant_id = $1 AND user_id = $2 ORDER BY first;

-- name: insert_segment
-- $2 user_id, $3 first bigint, $4 last bigint, $5 ordinals bytea, $6 moments bytea, $7 sessions bytea,
-- $8 session_of bytea, $9 viewers bytea, $10 agents text[], $11 starts bytea, $12 vectors int, $13 bits bytea,
-- $14 terms int[], $15 entries bytea[]
WITH terms AS (
  INSERT INTO {schema}.segment_terms (tenant_id, user_id, first, term, entries)
  SELECT $1, $2, $3, held.term, held.entries FROM unnest($14::int[], $15::bytea[]) AS held (term, entries)
)
INSERT INTO {schema}.segments
       (tenant_id, user_id, first, last, ordinals, moments, sessions, session_of, viewers, agents, starts,
        vectors, bits)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13);

-- name: drop_segments
-- $2 user_id text
WITH terms AS (
  DELETE FROM {schema}.segment_terms WHERE tenant_id = $1 AND user_id = $2
)
DELETE FROM {schema}.segments WHERE tenant_id = $1 AND user_id = $2;
