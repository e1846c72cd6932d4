-- Every statement runs in a transaction confined to one tenant. How each begins: `statements.Statements`.

-- name: record_embedding
-- The model and dimension that this database holds vectors of: the first caller's.
-- $1 model text, $2 dimension int
SELECT model, dimension FROM catalog.record_embedding($1, $2);

-- name: known_items
-- $3 ids text[]
SELECT id, one_with, resource_id, content, event_id, seen_by, by_hand, category
  FROM catalog.items
 WHERE tenant_id = $1 AND user_id = $2 AND id = ANY ($3::text[]);

-- name: categories_of_items
-- What an item of the user's may be put into, with what it is about; of two of one name the user's own.
SELECT DISTINCT ON (name) name, halfvec_send(embedding) AS embedding
  FROM catalog.categories
 WHERE tenant_id = $1 AND user_id IN ($2, '')
 ORDER BY name, user_id = '';

-- name: insert_items
-- In the order of the arrays, which the ordinals keep.
-- $3 ids, $4 event ids bigint[], $5 resource ids, $6 sources json[], $7 contents, $8 keys, $9 kinds, $10 categories,
-- $11 confidences float8[], $12 importances, $13 levels, $14 domains, $15 task types, $16 agent ids, $17 metadata json[],
-- $18 occurred_at timestamptz[], $19 seen by, $20 contributors, $21 by hand boolean[], $22 tokens int[],
-- $23 embeddings halfvec[], $24 lexical sparsevec[], $25 entries json[], $26 tags json[], $27 priorities int[],
-- $28 expires timestamptz[], $29 external ids, $30 now timestamptz, $31 ordinals that are vacated for the first of them
-- bigint[]
INSERT INTO catalog.items (
  tenant_id, user_id, id, ordinal, event_id, resource_id, sources, content, memory_key, item_kind, category, confidence,
  importance, level, domain, task_type, agent_id, metadata, occurred_at, seen_by, contributor, by_hand, tokens,
  embedding, lexical, entry, tags, priority, expires, external_id, created_at, moved)
SELECT $1, $2, new.id, COALESCE(($31::bigint[])[new.position], nextval('catalog.ordinals')), new.event_id, new.resource_id,
       ARRAY(SELECT json_array_elements_text(new.sources)), new.content, new.memory_key, new.item_kind, new.category,
       new.confidence, new.importance, new.level, new.domain, new.task_type, new.agent_id, new.metadata,
       new.occurred_at, new.seen_by, new.contributor, new.by_hand, new.tokens, new.embedding, new.lexical, new.entry,
       ARRAY(SELECT json_array_elements_text(new.tags)), new.priority, new.expires, new.external_id, $30,
       CASE WHEN new.position <= cardinality($31::bigint[]) THEN nextval('catalog.ordinals') ELSE 0 END
  FROM unnest($3::text[], $4::bigint[], $5::text[], $6::json[], $7::text[], $8::text[], $9::text[], $10::text[],
              $11::float8[], $12::text[], $13::text[], $14::text[], $15::text[], $16::text[], $17::json[],
              $18::timestamptz[], $19::text[], $20::text[], $21::boolean[], $22::int[], $23::halfvec[],
              $24::sparsevec[], $25::json[], $26::json[], $27::int[], $28::timestamptz[], $29::text[])
       WITH ORDINALITY AS new (id, event_id, resource_id, sources, content, memory_key, item_kind, category, confidence,
                               importance, level, domain, task_type, agent_id, metadata, occurred_at, seen_by,
                               contributor, by_hand, tokens, embedding, lexical, entry, tags, priority, expires,
                               external_id, position)
 ORDER BY new.position;

-- name: vectors_of_items
-- All that are of one category and visibility, packed (`ragpp.stores.packed_columns`).
-- $3 category text or null, $4 seen by text or null
SELECT string_agg(int8send(ordinal), ''::bytea) AS ordinals, string_agg(halfvec_send(embedding), ''::bytea) AS vectors
  FROM catalog.items
 WHERE tenant_id = $1 AND user_id = $2 AND category IS NOT DISTINCT FROM $3 AND seen_by IS NOT DISTINCT FROM $4;

-- name: near_items
-- By ordinals, which are nearly as near to those asked for as makes two one, among all of one category and visibility.
-- $3 category text or null, $4 seen by text or null, $5 ordinals bigint[], $6 least cosine float8
SELECT asked.ordinal AS asked, others.ordinal AS near
  FROM catalog.items AS asked
  JOIN catalog.items AS others
    ON others.tenant_id = $1 AND others.user_id = $2 AND others.category IS NOT DISTINCT FROM $3
   AND others.seen_by IS NOT DISTINCT FROM $4 AND (others.embedding <#> asked.embedding) <= -$6::float8
 WHERE asked.tenant_id = $1 AND asked.user_id = $2 AND asked.ordinal = ANY ($5::bigint[]);

-- name: items_to_group
-- $3 ordinals bigint[]
SELECT id, ordinal, one_with, content, memory_key, halfvec_send(embedding) AS vector
  FROM catalog.items
 WHERE tenant_id = $1 AND user_id = $2 AND ordinal = ANY ($3::bigint[]);

-- name: where_items_are
-- $3 ids text[]
SELECT id, ordinal, category, seen_by
  FROM catalog.items
 WHERE tenant_id = $1 AND user_id = $2 AND id = ANY ($3::text[]);

-- name: group_items
-- $3 ids text[], $4 ids of what each is one with text[], null for what stands for itself
UPDATE catalog.items AS item SET one_with = grouped.one_with
  FROM unnest($3::text[], $4::text[]) AS grouped (id, one_with)
 WHERE item.tenant_id = $1 AND item.user_id = $2 AND item.id = grouped.id;

-- name: scan_items
-- One pass over what the scope sees, or over what was chosen of it (`scan_chosen_items`): what is not eligible still counts in the frequencies, what occurred later than
-- `as_of` does not. Columns come packed (`ragpp.stores.packed_columns`), all in the same order. An item that shares no
-- term with the question has an empty sparse vector (1048576 dimensions, 0 entries) in place of its own. A column that
-- was not asked for is null. `groups` is equal where two items are one, `resources` where they are of one resource.
-- $4 as_of timestamptz or null, $5 the question's vector halfvec or null, $6 its terms sparsevec of ones or null,
-- $7 category, $8 resource_id, $9 from timestamptz, $10 before timestamptz, $11 session_id, $12 agent_id, $13 domain,
-- $14 task_type, $15 least confidence float8, $17 item_kind, $18 tags text[], of which it has one,
-- $19 condition on metadata jsonpath; null does not narrow. $16 excluded ids text[], $20 the condition's values jsonb
SELECT count(*) AS items,
       string_agg(int8send(ordinal), ''::bytea) AS ordinals,
       string_agg(int8send(hashtextextended(COALESCE(one_with, id), (user_id = '')::int)), ''::bytea) AS groups,
       string_agg(int8send(hashtextextended(resource_id, (user_id = '')::int)), ''::bytea) AS resources,
       string_agg(timestamptz_send(occurred_at), ''::bytea) AS moments,
       string_agg(int2send(CASE importance WHEN 'low' THEN 0 WHEN 'normal' THEN 1 ELSE 2 END::smallint), ''::bytea)
         AS importances,
       string_agg(float4send((embedding <=> $5::halfvec)::real), ''::bytea) AS distances,
       string_agg(CASE WHEN $6::sparsevec IS NULL THEN NULL
                       WHEN (lexical <#> $6::sparsevec) <> 0 THEN sparsevec_send(lexical)
                       ELSE '\x001000000000000000000000'::bytea END, ''::bytea) AS lexical,
       string_agg(CASE WHEN ($7::text IS NULL OR category = $7) AND ($8::text IS NULL OR resource_id = $8)
                        AND ($9::timestamptz IS NULL OR occurred_at >= $9)
                        AND ($10::timestamptz IS NULL OR occurred_at < $10)
                        AND ($11::text IS NULL OR (user_id, resource_id) IN (
                              SELECT of_session.user_id, of_session.id FROM catalog.resources AS of_session
                               WHERE of_session.tenant_id = $1 AND of_session.user_id = ANY ($2::text[])
                                 AND of_session.session_id = $11))
                        AND ($12::text IS NULL OR agent_id = $12) AND ($13::text IS NULL OR domain = $13)
                        AND ($14::text IS NULL OR task_type = $14)
                        AND ($15::float8 IS NULL OR confidence >= $15)
                        AND ($17::text IS NULL OR item_kind = $17) AND ($18::text[] IS NULL OR tags && $18)
                        AND ($19::jsonpath IS NULL OR jsonb_path_match(metadata::jsonb, $19, $20::jsonb))
                        AND id <> ALL ($16::text[]) AND COALESCE(one_with, id) <> ALL ($16::text[])
                       THEN '\x01'::bytea ELSE '\x00'::bytea END, ''::bytea) AS eligible
  FROM /* all */ catalog.items AS items
 WHERE tenant_id = $1 AND user_id = ANY ($2::text[]) AND ($3::text IS NULL OR seen_by IS NULL OR seen_by = $3)
   AND ($4::timestamptz IS NULL OR occurred_at <= $4);

-- name: scan_around_items
-- The chunks of resources that are passages, or share a term with the question, packed; `resources` as in `scan_items`.
-- What occurred later than `as_of` is not there. One that shares no term has an empty sparse vector in place of its own;
-- its distance is NaN where it has no vector, or the question has none. `eligible`: a passage that may be shown.
-- $4 as_of timestamptz or null, $5 the question's terms sparsevec of ones, $6 its vector halfvec or null, $7 whether
-- passages are asked for at all boolean, $8 resource_id, $9 from timestamptz, $10 before timestamptz, $11 session_id,
-- $12 agent_id, $14 condition on metadata jsonpath; null does not narrow. $13 excluded ids text[], $15 the condition's
-- values jsonb
SELECT string_agg(int8send(hashtextextended(resources.id, (resources.user_id = '')::int)), ''::bytea) AS resources,
       string_agg(int8send(resources.ordinal), ''::bytea) AS ordinals,
       string_agg(int4send(chunks.part), ''::bytea) AS parts,
       string_agg(float4send(COALESCE((chunks.embedding <=> $6::halfvec)::real, 'NaN')), ''::bytea) AS distances,
       string_agg(CASE WHEN (chunks.lexical <#> $5::sparsevec) <> 0 THEN sparsevec_send(chunks.lexical)
                       ELSE '\x001000000000000000000000'::bytea END, ''::bytea) AS lexical,
       string_agg(CASE WHEN $7::boolean AND chunks.passage IS TRUE AND ($8::text IS NULL OR resources.id = $8)
                        AND ($9::timestamptz IS NULL OR resources.occurred_at >= $9)
                        AND ($10::timestamptz IS NULL OR resources.occurred_at < $10)
                        AND ($11::text IS NULL OR resources.session_id = $11)
                        AND ($12::text IS NULL OR resources.agent_id = $12)
                        AND ($14::jsonpath IS NULL OR jsonb_path_match(resources.metadata::jsonb, $14, $15::jsonb))
                        AND resources.id || '#' || chunks.part <> ALL ($13::text[])
                       THEN '\x01'::bytea ELSE '\x00'::bytea END, ''::bytea) AS eligible
  FROM /* all */ catalog.resource_chunks AS chunks
  JOIN catalog.resources AS resources
    ON resources.tenant_id = $1 AND resources.user_id = ANY ($2::text[])
   AND resources.user_id = chunks.user_id AND resources.ordinal = chunks.resource
 WHERE chunks.tenant_id = $1 AND chunks.user_id = ANY ($2::text[])
   AND (($7::boolean AND chunks.passage) OR (chunks.lexical <#> $5::sparsevec) <> 0)
   AND ($3::text IS NULL OR chunks.seen_by IS NULL OR chunks.seen_by = $3)
   AND ($4::timestamptz IS NULL OR resources.occurred_at <= $4);

-- name: found_items
-- $4 ordinals bigint[]
SELECT items.user_id, items.id, items.ordinal, items.one_with, items.resource_id, items.sources, items.content,
       items.memory_key, items.item_kind, items.category, items.confidence, items.importance, items.level, items.domain,
       items.task_type, items.agent_id, items.metadata, items.occurred_at, items.created_at, items.seen_by,
       items.tokens, halfvec_send(items.embedding) AS vector,
       resources.resource_type, resources.session_id
  FROM catalog.items AS items
  JOIN catalog.resources AS resources
    ON resources.tenant_id = $1 AND resources.user_id = items.user_id AND resources.id = items.resource_id
 WHERE items.tenant_id = $1 AND items.user_id = ANY ($2::text[]) AND items.ordinal = ANY ($4::bigint[])
   AND ($3::text IS NULL OR items.seen_by IS NULL OR items.seen_by = $3);

-- name: items_of_groups
-- All that are one with these, the first of each group first. $4 users text[], $5 ids of what stands for each text[],
-- $6 as_of timestamptz or null. Two branches, each by an index of its own: with an OR each of these was looked for among
-- all rows.
SELECT chosen.user_id, chosen.leader, items.id, items.agent_id, items.resource_id, items.sources, items.occurred_at, items.ordinal
  FROM unnest($4::text[], $5::text[]) AS chosen (user_id, leader)
  JOIN catalog.items AS items
    ON items.tenant_id = $1 AND items.user_id = chosen.user_id AND items.id = chosen.leader
 WHERE items.user_id = ANY ($2::text[]) AND ($3::text IS NULL OR items.seen_by IS NULL OR items.seen_by = $3)
   AND ($6::timestamptz IS NULL OR items.occurred_at <= $6)
UNION ALL
SELECT chosen.user_id, chosen.leader, items.id, items.agent_id, items.resource_id, items.sources, items.occurred_at, items.ordinal
  FROM unnest($4::text[], $5::text[]) AS chosen (user_id, leader)
  JOIN catalog.items AS items
    ON items.tenant_id = $1 AND items.user_id = chosen.user_id AND items.one_with = chosen.leader
 WHERE items.user_id = ANY ($2::text[]) AND ($3::text IS NULL OR items.seen_by IS NULL OR items.seen_by = $3)
   AND ($6::timestamptz IS NULL OR items.occurred_at <= $6)
 ORDER BY ordinal;

-- name: item_by_id
-- Where it is, or what stands for it; of two of one id the user's own. $4 id text
SELECT leader.ordinal
  FROM catalog.items AS items
  JOIN catalog.items AS leader
    ON leader.tenant_id = $1 AND leader.user_id = items.user_id AND leader.id = COALESCE(items.one_with, items.id)
 WHERE items.tenant_id = $1 AND items.user_id = ANY ($2::text[]) AND items.id = $4
   AND ($3::text IS NULL OR items.seen_by IS NULL OR items.seen_by = $3)
 ORDER BY items.user_id = '' LIMIT 1;

-- name: items_named
-- Ids of what stands for those of that id, else of those that are called so elsewhere; which go before which is as in
-- `places_of_entries`. $4 name text
SELECT DISTINCT first.id
  FROM (SELECT named.id,
               rank() OVER (ORDER BY named.rank, named.user_id = '', $3::text IS NOT NULL AND named.seen_by IS NULL,
                                     $3::text IS NOT NULL AND named.agent_id IS DISTINCT FROM $3) AS place
          FROM (SELECT COALESCE(items.one_with, items.id) AS id, items.user_id, items.agent_id, items.seen_by, 0 AS rank
                  FROM catalog.items AS items
                 WHERE items.tenant_id = $1 AND items.user_id = ANY ($2::text[]) AND items.id = $4
                   AND ($3::text IS NULL OR items.seen_by IS NULL OR items.seen_by = $3)
                UNION ALL
                SELECT COALESCE(items.one_with, items.id), items.user_id, items.agent_id, items.seen_by, 1
                  FROM catalog.items AS items
                 WHERE items.tenant_id = $1 AND items.user_id = ANY ($2::text[]) AND items.external_id = $4
                   AND ($3::text IS NULL OR items.seen_by IS NULL OR items.seen_by = $3)) AS named) AS first
 WHERE first.place = 1
 ORDER BY first.id;

-- name: places_of_items
-- Of the user's own, in the order in which they came. $3 ids text[]
SELECT DISTINCT leader.ordinal
  FROM catalog.items AS items
  JOIN catalog.items AS leader
    ON leader.tenant_id = $1 AND leader.user_id = $2 AND leader.id = COALESCE(items.one_with, items.id)
 WHERE items.tenant_id = $1 AND items.user_id = $2 AND items.id = ANY ($3::text[])
 ORDER BY leader.ordinal;

-- name: page_of_items
-- The latest first, those that stand for others alone. $4 category text or null, $5 resource_id text or null,
-- $6 before this ordinal bigint, or null, $7 limit int, $8 condition on metadata jsonpath or null, $9 its values jsonb
SELECT ordinal
  FROM catalog.items AS items
 WHERE tenant_id = $1 AND user_id = ANY ($2::text[]) AND ($3::text IS NULL OR seen_by IS NULL OR seen_by = $3)
   AND one_with IS NULL AND ($4::text IS NULL OR category = $4)
   AND ($5::text IS NULL OR resource_id = $5 OR EXISTS (
         SELECT FROM catalog.items AS said_again
          WHERE said_again.tenant_id = $1 AND said_again.user_id = items.user_id AND said_again.one_with = items.id
            AND said_again.resource_id = $5))
   AND ordinal < COALESCE($6::bigint, 9223372036854775807)
   AND ($8::jsonpath IS NULL OR jsonb_path_match(items.metadata::jsonb, $8, $9::jsonb))
 ORDER BY ordinal DESC LIMIT $7;

-- name: items_of_resources
-- $3 resource ids text[]
SELECT id, by_hand, sources, resource_id, event_id
  FROM catalog.items
 WHERE tenant_id = $1 AND user_id = $2 AND resource_id = ANY ($3::text[])
 ORDER BY ordinal;

-- name: items_of_sources
-- $3 interaction ids text[]
SELECT id FROM catalog.items WHERE tenant_id = $1 AND user_id = $2 AND sources && $3::text[];

-- name: whole_items
-- These with all that are one with any of them. $3 ids text[], $4 view
WITH leaders AS (
  SELECT COALESCE(one_with, id) AS id FROM catalog.items
   WHERE tenant_id = $1 AND user_id = $2 AND id = ANY ($3::text[])
     AND ($4::text IS NULL OR seen_by IS NULL OR seen_by = $4)
)
SELECT items.id
  FROM catalog.items AS items
 WHERE items.tenant_id = $1 AND items.user_id = $2
   AND (items.id IN (SELECT id FROM leaders) OR items.one_with IN (SELECT id FROM leaders));

-- name: sources_alone
-- Resources that were stored for an item alone, or say what an item says that somebody stored, and have no other. None
-- that others see than the item's, or that is to stay. $3 ids of items that go text[], $4 ids of what stays text[]
SELECT resources.id AS resource_id
  FROM catalog.items AS items
  JOIN catalog.resources AS resources
    ON resources.tenant_id = $1 AND resources.user_id = $2 AND resources.id = items.resource_id
 WHERE items.tenant_id = $1 AND items.user_id = $2 AND items.id = ANY ($3::text[]) AND items.by_hand
   AND resources.seen_by IS NOT DISTINCT FROM items.seen_by AND resources.id <> ALL ($4::text[])
   AND (resources.metadata ->> 'stored_by' IN ('entry', 'remember')
        OR (resources.packed IS NULL AND resources.content = items.content))
   AND NOT EXISTS (SELECT FROM catalog.items AS others
                    WHERE others.tenant_id = $1 AND others.user_id = $2 AND others.resource_id = resources.id
                      AND others.id <> ALL ($3::text[]));

-- name: items_of_agent
-- $3 ids text[], $4 agent_id
SELECT id FROM catalog.items WHERE tenant_id = $1 AND user_id = $2 AND id = ANY ($3::text[]) AND agent_id = $4;

-- name: delete_items
-- $3 ids text[]
DELETE FROM catalog.items
 WHERE tenant_id = $1 AND user_id = $2 AND id = ANY ($3::text[])
RETURNING id, one_with, resource_id, category, occurred_at, seen_by, ordinal;

-- name: orphans
-- Those whose item is gone. $3 ids of what is gone text[]
SELECT id FROM catalog.items WHERE tenant_id = $1 AND user_id = $2 AND one_with = ANY ($3::text[]);
