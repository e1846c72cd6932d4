-- Every statement runs in a transaction confined to one tenant. How each begins: `statements.Statements`.

-- name: passages_to_embed
-- The first that have no vector yet, each with what stands before it, or all of what is packed. $3 limit int, $4 characters
-- that are read before each int
SELECT chunks.resource, chunks.part, chunks.start, chunks."end",
       substr(resources.content, GREATEST(chunks.start - $4, 0) + 1, LEAST(chunks.start, $4)) AS above,
       substr(resources.content, chunks.start + 1, chunks."end" - chunks.start) AS content, resources.packed
  FROM (SELECT resource, part, start, "end"
          FROM catalog.resource_chunks
         WHERE tenant_id = $1 AND user_id = $2 AND passage AND embedding IS NULL AND NOT vectors_dropped
         ORDER BY resource, part LIMIT $3) AS chunks
  JOIN catalog.resources AS resources
    ON resources.tenant_id = $1 AND resources.user_id = $2 AND resources.ordinal = chunks.resource
 ORDER BY chunks.resource, chunks.part;

-- name: put_passages
-- Where the passage is still there. $3 resources' ordinals bigint[], $4 parts int[], $5 starts int[], $6 ends int[],
-- $7 vectors halfvec[]
UPDATE catalog.resource_chunks AS chunks SET embedding = made.embedding
  FROM unnest($3::bigint[], $4::int[], $5::int[], $6::int[], $7::halfvec[])
       AS made (resource, part, start, finish, embedding)
 WHERE chunks.tenant_id = $1 AND chunks.user_id = $2 AND chunks.resource = made.resource AND chunks.part = made.part
   AND chunks.start = made.start AND chunks."end" = made.finish AND chunks.passage AND NOT chunks.vectors_dropped;

-- name: drop_vectors
-- Of some of the resources from before a moment that have passages; answers how many. $3 before timestamptz, $4 limit int
WITH chosen AS (
  SELECT ordinal FROM catalog.resources
   WHERE tenant_id = $1 AND user_id = $2 AND occurred_at < $3 AND NOT vectors_dropped AND NOT is_stub
     AND EXISTS (SELECT FROM catalog.resource_chunks AS chunks
                  WHERE chunks.tenant_id = $1 AND chunks.user_id = $2 AND chunks.resource = resources.ordinal
                    AND chunks.passage)
   LIMIT $4),
old AS (
  UPDATE catalog.resources SET vectors_dropped = true
   WHERE tenant_id = $1 AND user_id = $2 AND ordinal IN (SELECT ordinal FROM chosen)
  RETURNING ordinal),
changed AS (
  UPDATE catalog.resource_chunks AS chunks SET embedding = NULL, vectors_dropped = true FROM old
   WHERE chunks.tenant_id = $1 AND chunks.user_id = $2 AND chunks.resource = old.ordinal)
SELECT count(*) AS resources FROM old;

-- name: found_passages
-- With what stands before each, or all of what is packed. $4 resources' ordinals bigint[], $5 parts int[], $6 characters
-- that are read before each int
SELECT resources.user_id, resources.id, resources.ordinal, resources.resource_type,
       resources.occurred_at, resources.created_at, resources.session_id, resources.agent_id, resources.seen_by,
       chunks.part, chunks.start, chunks."end",
       substr(resources.content, GREATEST(chunks.start - $6, 0) + 1, LEAST(chunks.start, $6)) AS above,
       substr(resources.content, chunks.start + 1, chunks."end" - chunks.start) AS content, resources.packed
  FROM unnest($4::bigint[], $5::int[]) AS chosen (resource, part)
  JOIN catalog.resource_chunks AS chunks
    ON chunks.tenant_id = $1 AND chunks.user_id = ANY ($2::text[])
   AND chunks.resource = chosen.resource AND chunks.part = chosen.part
  JOIN catalog.resources AS resources
    ON resources.tenant_id = $1 AND resources.user_id = chunks.user_id AND resources.ordinal = chosen.resource
 WHERE ($3::text IS NULL OR resources.seen_by IS NULL OR resources.seen_by = $3);

-- name: withhold_passages
-- What says an item that somebody deletes: of its words, weighed, at least $4. $3 ids of items text[], $4 float8
UPDATE catalog.resource_chunks AS chunks SET passage = false, embedding = NULL
  FROM catalog.items AS gone
  JOIN catalog.resources AS resources
    ON resources.tenant_id = $1 AND resources.user_id = $2 AND resources.id = gone.resource_id
 WHERE gone.tenant_id = $1 AND gone.user_id = $2 AND gone.id = ANY ($3::text[])
   AND chunks.tenant_id = $1 AND chunks.user_id = $2 AND chunks.resource = resources.ordinal AND chunks.passage
   AND (chunks.lexical <#> gone.lexical) <= $4 * (gone.lexical <#> gone.lexical);
