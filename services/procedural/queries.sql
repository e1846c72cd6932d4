-- Every statement runs in a transaction confined to one tenant; $1 tenant_id text, $2 user_id text throughout,
-- unless a statement says otherwise.

-- name: record_embedding
-- The model and dimension that this database holds vectors of: the first caller's.
-- $1 model text, $2 dimension int
SELECT model, dimension FROM procedural.record_embedding($1, $2)

-- name: applied
-- $3 entry ids text[]
SELECT entry_id, kind, subject_id, content_hash, event_id
  FROM procedural.applied WHERE tenant_id = $1 AND user_id = $2 AND entry_id = ANY($3::text[])

-- name: add_applied
-- $3 entry_id text, $4 kind text, $5 subject_id text, $6 content_hash bytea, $7 event_id bigint
INSERT INTO procedural.applied (tenant_id, user_id, entry_id, kind, subject_id, content_hash, event_id)
VALUES ($1, $2, $3, $4, $5, $6, $7)

-- name: bury
-- Keep that an entry was applied, and nothing of what it said.
-- $3 entry ids text[]
UPDATE procedural.applied SET subject_id = NULL, content_hash = NULL
 WHERE tenant_id = $1 AND user_id = $2 AND entry_id = ANY($3::text[])

-- name: bury_subjects
-- The same for every entry that wrote to one of these.
-- $3 kind text, $4 subject ids text[]
UPDATE procedural.applied SET subject_id = NULL, content_hash = NULL
 WHERE tenant_id = $1 AND user_id = $2 AND kind = $3 AND subject_id = ANY($4::text[])

-- name: forgotten_sources
-- $3 interaction ids text[]
SELECT interaction_id FROM procedural.forgotten_sources
 WHERE tenant_id = $1 AND user_id = $2 AND interaction_id = ANY($3::text[])

-- name: add_forgotten_sources
-- $3 interaction ids text[]
INSERT INTO procedural.forgotten_sources (tenant_id, user_id, interaction_id)
SELECT $1, $2, id FROM unnest($3::text[]) AS id ON CONFLICT DO NOTHING

-- name: preference
-- $3 id text
SELECT id, category, key, value, confidence, stated, version, occurred_at, updated_at, sources, waiting,
       waiting_confidence
  FROM procedural.preferences WHERE tenant_id = $1 AND user_id = $2 AND id = $3

-- name: preferences_page
-- By category and key, from after a position. The unique index gives the order.
-- $3 category text or null, $4 after category text or null, $5 after key text or null, $6 limit int
SELECT id, category, key, value, confidence, stated, version, occurred_at, updated_at, sources, waiting,
       waiting_confidence
  FROM procedural.preferences
 WHERE tenant_id = $1 AND user_id = $2
   AND ($3::text IS NULL OR category = $3)
   AND ($4::text IS NULL OR (category, key) > ($4, $5::text))
 ORDER BY category, key LIMIT $6

-- name: preference_versions
-- $3 preference ids text[]
SELECT preference_id, version, entry_id, value, confidence, stated, occurred_at, recorded_at, sources
  FROM procedural.preference_versions
 WHERE tenant_id = $1 AND user_id = $2 AND preference_id = ANY($3::text[])
 ORDER BY preference_id, version

-- name: preference_names
-- $3 preference ids text[]
SELECT id, category, key FROM procedural.preferences
 WHERE tenant_id = $1 AND user_id = $2 AND id = ANY($3::text[])

-- name: add_preference_version
-- $3 preference_id text, $4 version int, $5 entry_id text or null, $6 value text, $7 confidence float8,
-- $8 stated boolean, $9 occurred_at timestamptz, $10 recorded_at timestamptz, $11 sources text[], $12 embedding halfvec
INSERT INTO procedural.preference_versions (tenant_id, user_id, preference_id, version, entry_id, value, confidence,
                                            stated, occurred_at, recorded_at, sources, embedding)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)

-- name: copy_preference_version
-- An earlier version as a new one, stated by whoever restores it. It keeps the entry and the sources that the value
-- came from, so that forgetting one of them reaches the restored value too.
-- $3 preference_id text, $4 earlier version int, $5 new version int, $6 occurred_at timestamptz,
-- $7 recorded_at timestamptz
INSERT INTO procedural.preference_versions (tenant_id, user_id, preference_id, version, entry_id, value, confidence,
                                            stated, occurred_at, recorded_at, sources, embedding)
SELECT tenant_id, user_id, preference_id, $5, entry_id, value, confidence, true, $6, $7, sources, embedding
  FROM procedural.preference_versions
 WHERE tenant_id = $1 AND user_id = $2 AND preference_id = $3 AND version = $4

-- name: put_preference
-- What the versions amount to; the vector is that of the version whose value is current.
-- $3 id text, $4 category text, $5 key text, $6 value text, $7 confidence float8, $8 stated boolean, $9 version int,
-- $10 occurred_at timestamptz, $11 updated_at timestamptz, $12 sources text[], $13 waiting text or null,
-- $14 waiting_confidence float8 or null, $15 version of the value int
INSERT INTO procedural.preferences AS p (tenant_id, user_id, id, category, key, value, confidence, stated, version,
                                         occurred_at, updated_at, sources, waiting, waiting_confidence, embedding)
SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, v.embedding
  FROM procedural.preference_versions AS v
 WHERE v.tenant_id = $1 AND v.user_id = $2 AND v.preference_id = $3 AND v.version = $15
    ON CONFLICT (tenant_id, user_id, id) DO UPDATE
   SET value = excluded.value, confidence = excluded.confidence, stated = excluded.stated, version = excluded.version,
       occurred_at = excluded.occurred_at, updated_at = excluded.updated_at, sources = excluded.sources,
       waiting = excluded.waiting, waiting_confidence = excluded.waiting_confidence, embedding = excluded.embedding

-- name: preferences_of_sources
-- $3 interaction ids text[]
SELECT DISTINCT preference_id FROM procedural.preference_versions
 WHERE tenant_id = $1 AND user_id = $2 AND sources && $3::text[]

-- name: set_preference_sources
-- $3 preference_id text, $4 version int, $5 sources text[]
UPDATE procedural.preference_versions SET sources = $5
 WHERE tenant_id = $1 AND user_id = $2 AND preference_id = $3 AND version = $4

-- name: delete_preference_versions
-- $3 preference_id text, $4 versions int[]
DELETE FROM procedural.preference_versions
 WHERE tenant_id = $1 AND user_id = $2 AND preference_id = $3 AND version = ANY($4::int[])

-- name: delete_all_preference_versions
-- $3 preference ids text[]
DELETE FROM procedural.preference_versions
 WHERE tenant_id = $1 AND user_id = $2 AND preference_id = ANY($3::text[])

-- name: delete_preferences
-- $3 ids text[]
DELETE FROM procedural.preferences WHERE tenant_id = $1 AND user_id = $2 AND id = ANY($3::text[]) RETURNING id

-- name: rank_preferences
-- All of the user's preferences, the nearest first; the primary key bounds the scan.
-- $3 query embedding halfvec or null, $4 limit int
SELECT id, category, key, value, confidence, stated, version, occurred_at, updated_at, sources, waiting,
       waiting_confidence, 1 - (embedding <=> $3::halfvec) AS similarity
  FROM procedural.preferences WHERE tenant_id = $1 AND user_id = $2
 ORDER BY similarity DESC NULLS LAST, occurred_at DESC, id LIMIT $4

-- name: rank_preference_versions
-- All that had been written by a moment, for folding into what was current then.
-- $3 query embedding halfvec or null, $4 as_of timestamptz
SELECT v.preference_id, p.category, p.key, v.version, v.entry_id, v.value, v.confidence, v.stated, v.occurred_at,
       v.recorded_at, v.sources, 1 - (v.embedding <=> $3::halfvec) AS similarity
  FROM procedural.preference_versions AS v
  JOIN procedural.preferences AS p ON (p.tenant_id, p.user_id, p.id) = (v.tenant_id, v.user_id, v.preference_id)
 WHERE v.tenant_id = $1 AND v.user_id = $2 AND v.occurred_at <= $4
 ORDER BY v.preference_id, v.version

-- name: rule
-- $3 id text
SELECT id, text, triggers, priority, active, activations, outcomes, successes, version, occurred_at, updated_at, sources
  FROM procedural.rules WHERE tenant_id = $1 AND user_id = $2 AND id = $3

-- name: rules_page
-- By priority, highest first, from after a position.
-- $3 active boolean or null, $4 after priority int or null, $5 after id text or null, $6 limit int
SELECT id, text, triggers, priority, active, activations, outcomes, successes, version, occurred_at, updated_at, sources
  FROM procedural.rules
 WHERE tenant_id = $1 AND user_id = $2
   AND ($3::boolean IS NULL OR active = $3)
   AND ($4::int IS NULL OR (-priority, id) > (-$4, $5::text))
 ORDER BY -priority, id LIMIT $6

-- name: rule_versions
-- With the record of the rule as a whole: outcomes are not kept by version.
-- $3 rule_id text
SELECT v.rule_id AS id, v.text, v.triggers, v.priority, v.active, r.activations, r.outcomes, r.successes, v.version,
       v.occurred_at, v.recorded_at AS updated_at, v.sources
  FROM procedural.rule_versions AS v
  JOIN procedural.rules AS r ON (r.tenant_id, r.user_id, r.id) = (v.tenant_id, v.user_id, v.rule_id)
 WHERE v.tenant_id = $1 AND v.user_id = $2 AND v.rule_id = $3
 ORDER BY v.version DESC

-- name: add_rule
-- $3 id text, $4 text text, $5 triggers text[], $6 priority int, $7 active boolean, $8 version int,
-- $9 occurred_at timestamptz, $10 updated_at timestamptz, $11 sources text[], $12 embedding halfvec
INSERT INTO procedural.rules (tenant_id, user_id, id, text, triggers, priority, active, version, occurred_at,
                              updated_at, sources, embedding)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)

-- name: change_rule
-- $3 id text, $4 text text, $5 triggers text[], $6 priority int, $7 active boolean, $8 version int,
-- $9 occurred_at timestamptz, $10 updated_at timestamptz, $11 embedding halfvec or null to keep the one there is
UPDATE procedural.rules
   SET text = $4, triggers = $5, priority = $6, active = $7, version = $8, occurred_at = $9, updated_at = $10,
       embedding = coalesce($11, embedding)
 WHERE tenant_id = $1 AND user_id = $2 AND id = $3

-- name: restore_rule
-- $3 id text, $4 earlier version int, $5 new version int, $6 occurred_at timestamptz, $7 updated_at timestamptz
UPDATE procedural.rules AS r
   SET text = v.text, triggers = v.triggers, priority = v.priority, active = v.active, embedding = v.embedding,
       version = $5, occurred_at = $6, updated_at = $7
  FROM procedural.rule_versions AS v
 WHERE (v.tenant_id, v.user_id, v.rule_id, v.version) = ($1, $2, $3, $4)
   AND (r.tenant_id, r.user_id, r.id) = ($1, $2, $3)

-- name: keep_rule_version
-- The rule as it is, as one of its versions.
-- $3 id text
INSERT INTO procedural.rule_versions (tenant_id, user_id, rule_id, version, text, triggers, priority, active,
                                      occurred_at, recorded_at, sources, embedding)
SELECT tenant_id, user_id, id, version, text, triggers, priority, active, occurred_at, updated_at, sources, embedding
  FROM procedural.rules WHERE tenant_id = $1 AND user_id = $2 AND id = $3

-- name: count_outcome
-- $3 id text, $4 success boolean
UPDATE procedural.rules
   SET activations = activations + 1, outcomes = outcomes + 1, successes = successes + $4::boolean::int
 WHERE tenant_id = $1 AND user_id = $2 AND id = $3
RETURNING id, text, triggers, priority, active, activations, outcomes, successes, version, occurred_at, updated_at,
          sources

-- name: rules_of_sources
-- $3 interaction ids text[]
SELECT id, sources FROM procedural.rules WHERE tenant_id = $1 AND user_id = $2 AND sources && $3::text[]

-- name: set_rule_sources
-- $3 id text, $4 sources text[]
UPDATE procedural.rules SET sources = $4 WHERE tenant_id = $1 AND user_id = $2 AND id = $3

-- name: set_rule_version_sources
-- $3 rule_id text, $4 sources text[]
UPDATE procedural.rule_versions SET sources = $4 WHERE tenant_id = $1 AND user_id = $2 AND rule_id = $3

-- name: delete_rule_versions
-- $3 rule ids text[]
DELETE FROM procedural.rule_versions WHERE tenant_id = $1 AND user_id = $2 AND rule_id = ANY($3::text[])

-- name: delete_rules
-- $3 ids text[]
DELETE FROM procedural.rules WHERE tenant_id = $1 AND user_id = $2 AND id = ANY($3::text[]) RETURNING id

-- name: rank_rules
-- The user's active rules, highest priority and nearest first.
-- $3 query embedding halfvec or null, $4 limit int
SELECT id, text, triggers, priority, active, activations, outcomes, successes, version, occurred_at, updated_at,
       sources, 1 - (embedding <=> $3::halfvec) AS similarity
  FROM procedural.rules WHERE tenant_id = $1 AND user_id = $2 AND active
 ORDER BY priority DESC, similarity DESC NULLS LAST, id LIMIT $4

-- name: rank_rule_versions
-- The version of each rule that held at a moment, of those that were active in it.
-- $3 query embedding halfvec or null, $4 as_of timestamptz, $5 limit int
SELECT held.rule_id AS id, held.text, held.triggers, held.priority, held.active, r.activations, r.outcomes, r.successes,
       held.version, held.occurred_at, held.recorded_at AS updated_at, held.sources,
       1 - (held.embedding <=> $3::halfvec) AS similarity
  FROM (SELECT DISTINCT ON (rule_id) * FROM procedural.rule_versions
         WHERE tenant_id = $1 AND user_id = $2 AND occurred_at <= $4 ORDER BY rule_id, version DESC) AS held
  JOIN procedural.rules AS r ON (r.tenant_id, r.user_id, r.id) = (held.tenant_id, held.user_id, held.rule_id)
 WHERE held.active
 ORDER BY held.priority DESC, similarity DESC NULLS LAST, held.rule_id LIMIT $5
