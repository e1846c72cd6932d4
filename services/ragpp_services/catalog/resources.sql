-- Every statement runs in a transaction confined to one tenant. How each begins: `statements.Statements`.
-- What is in a scope's view: `seen_by` is null, or the agent whose view it is; a view of null sees all there is.

-- name: known_resources
-- $3 ids text[]
SELECT id, content_hash, event_id, seen_by, is_stub, session_id, contributor
  FROM catalog.resources
 WHERE tenant_id = $1 AND user_id = $2 AND id = ANY ($3::text[]);

-- name: insert_resources
-- In the order of the arrays, which the ordinals keep.
-- $3 ids, $4 event ids bigint[], $5 types, $6 contents, $7 content hashes bytea[], $8 metadata json[], $9 messages json[],
-- $10 occurred_at timestamptz[], $11 session ids, $12 agent ids, $13 seen by, $14 contributors, $15 redactions int[],
-- $16 tokens int[], $17 now timestamptz
INSERT INTO catalog.resources (
  tenant_id, user_id, id, ordinal, event_id, resource_type, content, content_hash, metadata, messages, occurred_at,
  session_id, agent_id, seen_by, contributor, redactions, tokens, created_at)
SELECT $1, $2, new.id, nextval('catalog.ordinals'), new.event_id, new.resource_type, new.content, new.content_hash,
       new.metadata, new.messages, new.occurred_at, new.session_id, new.agent_id, new.seen_by, new.contributor,
       new.redactions, new.tokens, $17
  FROM unnest($3::text[], $4::bigint[], $5::text[], $6::text[], $7::bytea[], $8::json[], $9::json[],
              $10::timestamptz[], $11::text[], $12::text[], $13::text[], $14::text[], $15::int[], $16::int[])
       WITH ORDINALITY AS new (id, event_id, resource_type, content, content_hash, metadata, messages, occurred_at,
                               session_id, agent_id, seen_by, contributor, redactions, tokens, position)
 ORDER BY new.position
RETURNING id, ordinal;

-- name: change_content
-- $3 id text, $4 content text, $5 content hash bytea, $6 messages json, $7 tokens int, $8 occurred_at timestamptz
UPDATE catalog.resources
   SET content = $4, packed = NULL, content_hash = $5, messages = $6::json, tokens = $7,
       occurred_at = $8
 WHERE tenant_id = $1 AND user_id = $2 AND id = $3
RETURNING ordinal, resource_type, seen_by;

-- name: vacate
-- Keep the places of items that went with a part of it, for those that are taken from it anew.
-- $3 id text, $4 ordinals bigint[]
UPDATE catalog.resources
   SET vacated = ARRAY(SELECT DISTINCT unnest(vacated || $4::bigint[]) ORDER BY 1)
 WHERE tenant_id = $1 AND user_id = $2 AND id = $3;

-- name: occupy
-- The first $4 int of the places that are vacated, which are so no longer. $3 id text
UPDATE catalog.resources SET vacated = vacated[$4 + 1:]
 WHERE tenant_id = $1 AND user_id = $2 AND id = $3
RETURNING OLD.vacated[:$4] AS ordinals;

-- name: insert_chunks
-- $3 resources' ordinals bigint[], $4 parts int[], $5 starts int[], $6 ends int[], $7 types text[], $8 seen by text[],
-- $9 lexical sparsevec[], $10 whether each is a passage boolean[]
INSERT INTO catalog.resource_chunks (
  tenant_id, user_id, resource, part, start, "end", resource_type, seen_by, lexical, passage, vectors_dropped)
SELECT $1, $2, new.resource, new.part, new.start, new.finish, new.resource_type, new.seen_by, new.lexical, new.passage,
       EXISTS (SELECT FROM catalog.resources
                WHERE tenant_id = $1 AND user_id = $2 AND ordinal = new.resource AND resources.vectors_dropped)
  FROM unnest($3::bigint[], $4::int[], $5::int[], $6::int[], $7::text[], $8::text[], $9::sparsevec[], $10::boolean[])
       AS new (resource, part, start, finish, resource_type, seen_by, lexical, passage);

-- name: withheld_chunks
-- Where those are that are no passages. $3 resource's ordinal bigint
SELECT start, "end" FROM catalog.resource_chunks
 WHERE tenant_id = $1 AND user_id = $2 AND resource = $3 AND passage IS FALSE;

-- name: delete_chunks
-- $3 resources' ordinals bigint[]
DELETE FROM catalog.resource_chunks
 WHERE tenant_id = $1 AND user_id = $2 AND resource = ANY ($3::bigint[]);

-- name: insert_turns
-- $3 interaction ids text[], $4 resource ids text[]
INSERT INTO catalog.resource_turns (tenant_id, user_id, interaction_id, resource_id)
SELECT $1, $2, new.interaction_id, new.resource_id FROM unnest($3::text[], $4::text[]) AS new (interaction_id, resource_id)
ON CONFLICT DO NOTHING;

-- name: delete_turns
-- Of these resources all, or of these interactions. $3 resource ids text[], $4 interaction ids text[]
DELETE FROM catalog.resource_turns
 WHERE tenant_id = $1 AND user_id = $2
   AND (resource_id = ANY ($3::text[]) OR interaction_id = ANY ($4::text[]));

-- name: holding_turns
-- Resources that hold any of these interactions. $3 interaction ids text[]
SELECT *
  FROM catalog.resources
 WHERE tenant_id = $1 AND user_id = $2
   AND id IN (SELECT resource_id FROM catalog.resource_turns
               WHERE tenant_id = $1 AND user_id = $2 AND interaction_id = ANY ($3::text[]))
 ORDER BY ordinal;

-- name: get_resource
-- Of two of one id the user's own. $4 id text
SELECT *
  FROM catalog.resources
 WHERE tenant_id = $1 AND user_id = ANY ($2::text[]) AND id = $4
   AND ($3::text IS NULL OR seen_by IS NULL OR seen_by = $3)
 ORDER BY user_id = '' LIMIT 1;

-- name: list_resources
-- The one stored last first, with the beginning of its content. $4 type text or null, $5 session_id text or null,
-- $6 before this ordinal bigint, or null, $7 limit int, $8 characters, and one more where it goes on, int, $9 bytes of what is packed int
SELECT user_id, id, ordinal, resource_type, left(content, $8 + 1) AS content, substr(packed, 1, $9) AS packed, metadata,
       json '[]' AS messages, occurred_at, created_at, session_id, agent_id, seen_by, tokens, is_stub, vectors_dropped
  FROM catalog.resources
 WHERE tenant_id = $1 AND user_id = ANY ($2::text[]) AND ($3::text IS NULL OR seen_by IS NULL OR seen_by = $3)
   AND ($4::text IS NULL OR resource_type = $4) AND ($5::text IS NULL OR session_id = $5)
   AND ordinal < COALESCE($6::bigint, 9223372036854775807)
 ORDER BY ordinal DESC LIMIT $7;

-- name: scan_chunks
-- Columns come packed (`ragpp.stores.packed_columns`), all in the same order. A chunk that shares no term with the
-- question has an empty sparse vector (1048576 dimensions, 0 entries) in place of its own.
-- $4 type text or null, $5 the question's terms sparsevec of ones
SELECT string_agg(int8send(resource), ''::bytea) AS resources,
       string_agg(int4send(part), ''::bytea) AS parts,
       string_agg(CASE WHEN (lexical <#> $5::sparsevec) <> 0 THEN sparsevec_send(lexical)
                       ELSE '\x001000000000000000000000'::bytea END, ''::bytea) AS lexical
  FROM catalog.resource_chunks
 WHERE tenant_id = $1 AND user_id = ANY ($2::text[]) AND ($3::text IS NULL OR seen_by IS NULL OR seen_by = $3)
   AND ($4::text IS NULL OR resource_type = $4);

-- name: found_chunks
-- The resources that a scan chose, each with the chunk that was found, or all of what is packed and where the chunk is.
-- $4 resources' ordinals bigint[], $5 parts int[]
SELECT resources.user_id, resources.id, resources.ordinal, resources.resource_type,
       substr(resources.content, chunks.start + 1, chunks."end" - chunks.start) AS content, resources.packed,
       resources.metadata, json '[]' AS messages, resources.occurred_at, resources.created_at, resources.session_id,
       resources.agent_id, resources.seen_by, resources.tokens, resources.is_stub, resources.vectors_dropped,
       chunks.start AS found_start, chunks."end" AS found_end,
       length(resources.content) > chunks."end" - chunks.start AS truncated
  FROM unnest($4::bigint[], $5::int[]) AS chosen (resource, part)
  JOIN catalog.resource_chunks AS chunks
    ON chunks.tenant_id = $1 AND chunks.user_id = ANY ($2::text[])
   AND chunks.resource = chosen.resource AND chunks.part = chosen.part
  JOIN catalog.resources AS resources
    ON resources.tenant_id = $1 AND resources.user_id = chunks.user_id AND resources.ordinal = chosen.resource
 WHERE $3::text IS NULL OR resources.seen_by IS NULL OR resources.seen_by = $3;

-- name: delete_resources
-- $3 ids text[], $4 view
DELETE FROM catalog.resources
 WHERE tenant_id = $1 AND user_id = $2 AND id = ANY ($3::text[])
   AND ($4::text IS NULL OR seen_by IS NULL OR seen_by = $4)
RETURNING id, ordinal, session_id, resource_type, occurred_at, seen_by;

-- name: leave_stubs
-- What a resource said is gone; only what its items rest on stays. $3 ids text[], $4 view
UPDATE catalog.resources
   SET content = '', packed = NULL, content_hash = '', metadata = '{}', messages = '[]', tokens = 0, is_stub = true
 WHERE tenant_id = $1 AND user_id = $2 AND id = ANY ($3::text[]) AND NOT is_stub
   AND ($4::text IS NULL OR seen_by IS NULL OR seen_by = $4)
RETURNING id, ordinal, session_id, resource_type, occurred_at, seen_by;

-- name: note_extracted
-- $3 id text, $4 now timestamptz
UPDATE catalog.resources SET extracted_at = $4, vacated = '{}' WHERE tenant_id = $1 AND user_id = $2 AND id = $3;

-- name: compressible_resources
-- Contents from before $3 that were not looked at yet, oldest first. $3 before timestamptz, $4 least bytes int, $5 limit int
SELECT id, content
  FROM catalog.resources
 WHERE tenant_id = $1 AND user_id = $2 AND occurred_at < $3 AND packed IS NULL AND octet_length(content) >= $4
 ORDER BY occurred_at, ordinal
 LIMIT $5;

-- name: compress_resources
-- An empty `packed` leaves the content as it is. $3 ids text[], $4 packed bytea[]
UPDATE catalog.resources AS resource
   SET packed = smaller.packed,
       content = CASE WHEN smaller.packed = ''::bytea THEN resource.content ELSE '' END
  FROM unnest($3::text[], $4::bytea[]) AS smaller (id, packed)
 WHERE resource.tenant_id = $1 AND resource.user_id = $2 AND resource.id = smaller.id;
