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

-- name: inherit
-- What was judged and deleted in another view of the memory, whose user_id is $3, but of a preference that was set here
-- since; and which learned rules are followed there, or not.
WITH verdicts AS (
  INSERT INTO procedural.preference_verdicts (tenant_id, user_id, preference_id, value_hash, verdict, judged_at)
  SELECT tenant_id, $2, preference_id, value_hash, verdict, judged_at FROM procedural.preference_verdicts AS judged
   WHERE tenant_id = $1 AND user_id = $3
     AND NOT EXISTS (SELECT FROM procedural.preference_versions AS set_here
                      WHERE set_here.tenant_id = $1 AND set_here.user_id = $2
                        AND set_here.preference_id = judged.preference_id AND set_here.sources = '{}'
                        AND set_here.recorded_at > judged.judged_at)
  ON CONFLICT DO NOTHING),
findings AS (
  INSERT INTO procedural.forgotten_findings (tenant_id, user_id, finding_id)
  SELECT tenant_id, $2, finding_id FROM procedural.forgotten_findings WHERE tenant_id = $1 AND user_id = $3
  ON CONFLICT DO NOTHING),
acts AS (
  INSERT INTO procedural.rule_acts (tenant_id, user_id, rule_id, active, activations, outcomes, successes, at)
  SELECT tenant_id, $2, id, active, activations, outcomes, successes, updated_at FROM procedural.rules AS rule
   WHERE tenant_id = $1 AND user_id = $3 AND aside IS NULL AND NOT proposed AND sources <> '{}'
     AND (NOT active OR EXISTS (SELECT FROM procedural.rule_versions AS version
                                 WHERE version.tenant_id = $1 AND version.user_id = $3 AND version.rule_id = rule.id
                                   AND version.judged))
  ON CONFLICT DO NOTHING)
INSERT INTO procedural.applied (tenant_id, user_id, entry_id, kind)
SELECT tenant_id, $2, entry_id, kind FROM procedural.applied
 WHERE tenant_id = $1 AND user_id = $3 AND subject_id IS NULL
ON CONFLICT DO NOTHING

-- name: inherited
-- Let these entries be of the events that they are of in the view whose user_id is $3, or of none of today's.
-- $4 entry ids text[]
UPDATE procedural.applied AS here
   SET event_id = COALESCE((SELECT there.event_id FROM procedural.applied AS there
                             WHERE there.tenant_id = $1 AND there.user_id = $3 AND there.entry_id = here.entry_id), 0)
 WHERE here.tenant_id = $1 AND here.user_id = $2 AND here.entry_id = ANY ($4::text[])

-- name: preferences_by_hand
-- What rests on no message, oldest first; nothing that was set in one of the views $3 and is not in that of $4. A version
-- that was restored has an id of its entry and of its own number, as OWN_ENTRY begins.
-- $3 text[], $4 text
SELECT CASE WHEN row_number() OVER same = 1 THEN said.entry_id
            ELSE 'own-' || encode(sha256(convert_to(said.entry_id || ' ' || said.version, 'UTF8')), 'hex') END AS id,
       COALESCE(said.category, named.category) AS category, COALESCE(said.key, named.key) AS key, said.value, said.confidence, said.stated, said.occurred_at
  FROM procedural.preference_versions AS said
  JOIN procedural.preferences AS named
    ON named.tenant_id = $1 AND named.user_id = $2 AND named.id = said.preference_id
 WHERE said.tenant_id = $1 AND said.user_id = $2 AND said.sources = '{}' AND said.entry_id IS NOT NULL
   AND (EXISTS (SELECT FROM procedural.applied AS here
                 WHERE here.tenant_id = $1 AND here.user_id = $4 AND here.entry_id = said.entry_id)
        OR NOT EXISTS (SELECT FROM procedural.applied AS other
                        WHERE other.tenant_id = $1 AND other.user_id = ANY ($3::text[])
                          AND other.entry_id = said.entry_id))
WINDOW same AS (PARTITION BY said.entry_id ORDER BY said.recorded_at, said.version)
 ORDER BY said.recorded_at, said.version

-- name: rules_by_hand
-- As `preferences_by_hand`.
SELECT id, text, triggers, priority, active, occurred_at
  FROM procedural.rules AS said
 WHERE said.tenant_id = $1 AND said.user_id = $2 AND said.sources = '{}'
   AND (EXISTS (SELECT FROM procedural.applied AS here
                 WHERE here.tenant_id = $1 AND here.user_id = $4 AND here.entry_id = said.id)
        OR NOT EXISTS (SELECT FROM procedural.applied AS other
                        WHERE other.tenant_id = $1 AND other.user_id = ANY ($3::text[]) AND other.entry_id = said.id))
 ORDER BY occurred_at, id

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

-- name: add_report
-- Note that an activation or an outcome with an id was counted. $3 entry_id text, $4 rule_id text, $5 now timestamptz
INSERT INTO procedural.applied (tenant_id, user_id, entry_id, kind, subject_id, counted_at)
VALUES ($1, $2, $3, 'rule', $4, $5)

-- name: drop_reports
-- Forget which activations and outcomes of these rules were counted, before a moment or at all.
-- $3 rule ids text[], $4 before timestamptz or null
DELETE FROM procedural.applied
 WHERE tenant_id = $1 AND user_id = $2 AND subject_id = ANY($3::text[]) AND counted_at IS NOT NULL
   AND ($4::timestamptz IS NULL OR counted_at < $4)

-- name: unapply_subjects
-- Forget that entries wrote to these, so that they may write them again.
-- $3 kind text, $4 subject ids text[]
DELETE FROM procedural.applied
 WHERE tenant_id = $1 AND user_id = $2 AND kind = $3 AND subject_id = ANY($4::text[])

-- name: unapply
-- Forget that entries were applied, so that they may be again.
-- $3 entry ids text[]
DELETE FROM procedural.applied WHERE tenant_id = $1 AND user_id = $2 AND entry_id = ANY($3::text[])

-- name: preference
-- $3 id text
SELECT id, category, key, value, confidence, stated, version, occurred_at, updated_at, valid_from, learned_at, verdict,
       sources, waiting, waiting_confidence
  FROM procedural.preferences WHERE tenant_id = $1 AND user_id = $2 AND id = $3

-- name: preferences_page
-- By category and key, from after a position, without rejected ones. The unique index gives the order.
-- $3 category text or null, $4 after category text or null, $5 after key text or null, $6 limit int
SELECT id, category, key, value, confidence, stated, version, occurred_at, updated_at, valid_from, learned_at, verdict,
       sources, waiting, waiting_confidence
  FROM procedural.preferences
 WHERE tenant_id = $1 AND user_id = $2
   AND ($3::text IS NULL OR category = $3)
   AND ($4::text IS NULL OR (category, key) > ($4, $5::text))
   AND verdict IS DISTINCT FROM 'rejected'
 ORDER BY category, key LIMIT $6

-- name: preferences_to_review
-- What nobody has judged and is not sure, the surest first.
-- $3 below float8, $4 limit int
SELECT id, category, key, value, confidence, stated, version, occurred_at, updated_at, valid_from, learned_at, verdict,
       sources, waiting, waiting_confidence
  FROM procedural.preferences
 WHERE tenant_id = $1 AND user_id = $2 AND verdict IS NULL AND confidence < $3
 ORDER BY confidence DESC, id LIMIT $4

-- name: preference_versions
-- $3 preference ids text[]
SELECT preference_id, version, entry_id, value, confidence, stated, occurred_at, recorded_at, sources, category, key
  FROM procedural.preference_versions
 WHERE tenant_id = $1 AND user_id = $2 AND preference_id = ANY($3::text[])
 ORDER BY preference_id, version

-- name: verdicts
-- $3 preference ids text[] or null for all of the user's
SELECT preference_id, value_hash, verdict, judged_at FROM procedural.preference_verdicts
 WHERE tenant_id = $1 AND user_id = $2 AND ($3::text[] IS NULL OR preference_id = ANY($3::text[]))

-- name: put_verdict
-- The last one counts; the same one again keeps its time.
-- $3 preference_id text, $4 value_hash bytea, $5 verdict text, $6 judged_at timestamptz
INSERT INTO procedural.preference_verdicts (tenant_id, user_id, preference_id, value_hash, verdict, judged_at)
VALUES ($1, $2, $3, $4, $5, $6)
    ON CONFLICT (tenant_id, user_id, preference_id, value_hash) DO UPDATE
   SET verdict = excluded.verdict, judged_at = excluded.judged_at
 WHERE preference_verdicts.verdict <> excluded.verdict

-- name: copy_verdicts
-- To another preference; of two on one value the later counts.
-- $3 from preference_id text, $4 to preference_id text
INSERT INTO procedural.preference_verdicts (tenant_id, user_id, preference_id, value_hash, verdict, judged_at)
SELECT tenant_id, user_id, $4, value_hash, verdict, judged_at FROM procedural.preference_verdicts
 WHERE tenant_id = $1 AND user_id = $2 AND preference_id = $3
    ON CONFLICT (tenant_id, user_id, preference_id, value_hash) DO UPDATE
   SET verdict = excluded.verdict, judged_at = excluded.judged_at
 WHERE excluded.judged_at > preference_verdicts.judged_at

-- name: lift_verdicts
-- $3 preference_id text, $4 value hashes bytea[], $5 verdict text
DELETE FROM procedural.preference_verdicts
 WHERE tenant_id = $1 AND user_id = $2 AND preference_id = $3 AND value_hash = ANY($4::bytea[]) AND verdict = $5

-- name: delete_verdicts
-- $3 preference ids text[]
DELETE FROM procedural.preference_verdicts WHERE tenant_id = $1 AND user_id = $2 AND preference_id = ANY($3::text[])

-- name: aliases
-- $3 ids text[]
SELECT alias_id, preference_id FROM procedural.preference_aliases
 WHERE tenant_id = $1 AND user_id = $2 AND alias_id = ANY($3::text[])

-- name: redirect_aliases
-- What led to one preference leads to another.
-- $3 from preference_id text, $4 to preference_id text
UPDATE procedural.preference_aliases SET preference_id = $4
 WHERE tenant_id = $1 AND user_id = $2 AND preference_id = $3

-- name: add_alias
-- $3 alias_id text, $4 preference_id text
INSERT INTO procedural.preference_aliases (tenant_id, user_id, alias_id, preference_id) VALUES ($1, $2, $3, $4)

-- name: delete_aliases
-- $3 preference ids text[]
DELETE FROM procedural.preference_aliases WHERE tenant_id = $1 AND user_id = $2 AND preference_id = ANY($3::text[])

-- name: move_preference_version
-- One version, to another number or another preference; its embedding stays with it.
-- $3 preference_id text, $4 version int, $5 to preference_id text, $6 to version int, $7 category text or null,
-- $8 key text or null
UPDATE procedural.preference_versions SET preference_id = $5, version = $6, category = $7, key = $8
 WHERE tenant_id = $1 AND user_id = $2 AND preference_id = $3 AND version = $4

-- name: move_applied
-- $3 entry ids text[], $4 to subject_id text
UPDATE procedural.applied SET subject_id = $4
 WHERE tenant_id = $1 AND user_id = $2 AND kind = 'preference' AND entry_id = ANY($3::text[])
   AND subject_id IS NOT NULL

-- name: delete_preference_rows
-- The rows of preferences alone, their versions having moved.
-- $3 ids text[]
DELETE FROM procedural.preferences WHERE tenant_id = $1 AND user_id = $2 AND id = ANY($3::text[])

-- name: preference_names
-- $3 preference ids text[]
SELECT id, category, key FROM procedural.preferences
 WHERE tenant_id = $1 AND user_id = $2 AND id = ANY($3::text[])

-- name: add_preference_version
-- $3 preference_id text, $4 version int, $5 entry_id text or null, $6 value json, $7 confidence float8,
-- $8 stated boolean, $9 occurred_at timestamptz, $10 recorded_at timestamptz, $11 sources text[],
-- $12 embedding halfvec, $13 category text or null, $14 key text or null
INSERT INTO procedural.preference_versions (tenant_id, user_id, preference_id, version, entry_id, value, confidence,
                                            stated, occurred_at, recorded_at, sources, embedding, category, key)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)

-- name: copy_preference_version
-- An earlier version as a new one, stated by whoever restores it. It keeps the entry and the sources that the value
-- came from, so that forgetting one of them reaches the restored value too.
-- $3 preference_id text, $4 earlier version int, $5 new version int, $6 occurred_at timestamptz,
-- $7 recorded_at timestamptz
INSERT INTO procedural.preference_versions (tenant_id, user_id, preference_id, version, entry_id, value, confidence,
                                            stated, occurred_at, recorded_at, sources, embedding, category, key)
SELECT tenant_id, user_id, preference_id, $5, entry_id, value, confidence, true, $6, $7, sources, embedding, category,
       key
  FROM procedural.preference_versions
 WHERE tenant_id = $1 AND user_id = $2 AND preference_id = $3 AND version = $4

-- name: put_preference
-- What the versions amount to; the vector is that of the version whose value is current.
-- $3 id text, $4 category text, $5 key text, $6 value json, $7 confidence float8, $8 stated boolean, $9 version int,
-- $10 occurred_at timestamptz, $11 updated_at timestamptz, $12 sources text[], $13 waiting json or null,
-- $14 waiting_confidence float8 or null, $15 version of the value int, $16 valid_from timestamptz,
-- $17 learned_at timestamptz, $18 verdict text or null
INSERT INTO procedural.preferences (tenant_id, user_id, id, category, key, value, confidence, stated, version,
                                    occurred_at, updated_at, sources, waiting, waiting_confidence, embedding,
                                    valid_from, learned_at, verdict)
SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, v.embedding, $16, $17, $18
  FROM procedural.preference_versions AS v
 WHERE v.tenant_id = $1 AND v.user_id = $2 AND v.preference_id = $3 AND v.version = $15
    ON CONFLICT (tenant_id, user_id, id) DO UPDATE
   SET value = excluded.value, confidence = excluded.confidence, stated = excluded.stated, version = excluded.version,
       occurred_at = excluded.occurred_at, updated_at = excluded.updated_at, sources = excluded.sources,
       waiting = excluded.waiting, waiting_confidence = excluded.waiting_confidence, embedding = excluded.embedding,
       valid_from = excluded.valid_from, learned_at = excluded.learned_at, verdict = excluded.verdict

-- name: preferences_of_sources
-- $3 interaction ids text[]
SELECT DISTINCT preference_id FROM procedural.preference_versions
 WHERE tenant_id = $1 AND user_id = $2 AND sources && $3::text[]

-- name: preferences_of_entries
-- Of entries whose ids begin with a text: those that rest on any of these interactions, or were said in a time.
-- $3 beginning text, $4 interaction ids text[], $5 from timestamptz or null, $6 until timestamptz or null
SELECT DISTINCT preference_id, entry_id FROM procedural.preference_versions
 WHERE tenant_id = $1 AND user_id = $2 AND starts_with(entry_id, $3)
   AND (sources && $4::text[] OR occurred_at >= $5::timestamptz AND occurred_at < $6::timestamptz)

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
-- All of the user's preferences but rejected ones, the nearest first; the primary key bounds the scan.
-- $3 query embedding halfvec or null, $4 limit int
SELECT id, category, key, value, confidence, stated, version, occurred_at, updated_at, valid_from, learned_at, verdict,
       sources, waiting, waiting_confidence, 1 - (embedding <=> $3::halfvec) AS similarity
  FROM procedural.preferences WHERE tenant_id = $1 AND user_id = $2 AND verdict IS DISTINCT FROM 'rejected'
 ORDER BY similarity DESC NULLS LAST, category, key LIMIT $4

-- name: rank_preference_versions
-- All that had been written by a moment, of a category or of all, for folding into what was current then.
-- $3 query embedding halfvec or null, $4 as_of timestamptz, $5 category text or null
SELECT v.preference_id, v.version, v.entry_id, v.value, v.confidence, v.stated, v.occurred_at, v.recorded_at, v.sources,
       v.category, v.key, p.category AS of_category, p.key AS of_key, 1 - (v.embedding <=> $3::halfvec) AS similarity
  FROM procedural.preference_versions AS v
  JOIN procedural.preferences AS p ON (p.tenant_id, p.user_id, p.id) = (v.tenant_id, v.user_id, v.preference_id)
 WHERE v.tenant_id = $1 AND v.user_id = $2 AND v.occurred_at <= $4 AND ($5::text IS NULL OR p.category = $5)
 ORDER BY v.preference_id, v.version

-- name: rule
-- $3 id text
SELECT id, text, triggers, priority, active, aside, proposed, activations, outcomes, successes, version, occurred_at,
       updated_at, sources
  FROM procedural.rules WHERE tenant_id = $1 AND user_id = $2 AND id = $3

-- name: rules_page
-- By priority, highest first, from after a position.
-- $3 active boolean or null, $4 after priority int or null, $5 after id text or null, $6 limit int
SELECT id, text, triggers, priority, active, aside, proposed, activations, outcomes, successes, version, occurred_at,
       updated_at, sources
  FROM procedural.rules
 WHERE tenant_id = $1 AND user_id = $2
   AND ($3::boolean IS NULL OR active = $3)
   AND ($4::int IS NULL OR (-priority, id) > (-$4, $5::text))
 ORDER BY -priority, id LIMIT $6

-- name: rules_to_review
-- What is proposed, the latest first; not what a language model suggests while the user's own words say the same.
-- $3 what ids of suggestions begin with text, $4 those of what was said text, $5 limit int
SELECT id, text, triggers, priority, active, aside, proposed, activations, outcomes, successes, version, occurred_at,
       updated_at, sources
  FROM procedural.rules AS r
 WHERE tenant_id = $1 AND user_id = $2 AND proposed
   AND NOT (starts_with(id, $3::text) AND EXISTS (
         SELECT FROM procedural.rules AS said
          WHERE said.tenant_id = $1 AND said.user_id = $2 AND said.id = $4::text || substr(r.id, length($3::text) + 1)))
 ORDER BY occurred_at DESC, id LIMIT $5

-- name: rule_versions
-- With the record of the rule as a whole: outcomes are not kept by version.
-- $3 rule_id text
SELECT v.rule_id AS id, v.text, v.triggers, v.priority, v.active, v.aside, v.proposed, r.activations, r.outcomes,
       r.successes, v.version, v.occurred_at, v.recorded_at AS updated_at, v.sources
  FROM procedural.rule_versions AS v
  JOIN procedural.rules AS r ON (r.tenant_id, r.user_id, r.id) = (v.tenant_id, v.user_id, v.rule_id)
 WHERE v.tenant_id = $1 AND v.user_id = $2 AND v.rule_id = $3
 ORDER BY v.version DESC

-- name: add_rule
-- $3 id text, $4 text text, $5 triggers text[], $6 priority int, $7 active boolean, $8 version int,
-- $9 occurred_at timestamptz, $10 updated_at timestamptz, $11 sources text[], $12 embedding halfvec,
-- $13 proposed boolean
INSERT INTO procedural.rules (tenant_id, user_id, id, text, triggers, priority, active, version, occurred_at,
                              updated_at, sources, embedding, proposed)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)

-- name: change_rule
-- $3 id text, $4 text text, $5 triggers text[], $6 priority int, $7 active boolean, $8 version int,
-- $9 occurred_at timestamptz, $10 updated_at timestamptz, $11 embedding halfvec or null to keep the one there is,
-- $12 aside text or null, $13 proposed boolean
UPDATE procedural.rules
   SET text = $4, triggers = $5, priority = $6, active = $7, version = $8, occurred_at = $9, updated_at = $10,
       embedding = coalesce($11, embedding), aside = $12, proposed = $13
 WHERE tenant_id = $1 AND user_id = $2 AND id = $3

-- name: restore_rule
-- What is proposed stays so; a rule that no longer is does not become it again, and is followed.
-- $3 id text, $4 earlier version int, $5 new version int, $6 occurred_at timestamptz, $7 updated_at timestamptz
UPDATE procedural.rules AS r
   SET text = v.text, triggers = v.triggers, priority = v.priority, aside = v.aside,
       active = NOT r.proposed AND (v.active OR v.proposed), embedding = v.embedding, version = $5, occurred_at = $6, updated_at = $7
  FROM procedural.rule_versions AS v
 WHERE (v.tenant_id, v.user_id, v.rule_id, v.version) = ($1, $2, $3, $4)
   AND (r.tenant_id, r.user_id, r.id) = ($1, $2, $3)

-- name: keep_rule_version
-- The rule as it is, as one of its versions. Its text is a person's when it was in any version before.
-- $3 id text, $4 a person made it boolean, $5 its text is new and a person's boolean,
-- $6 by it a person said whether it is followed boolean
INSERT INTO procedural.rule_versions (tenant_id, user_id, rule_id, version, text, triggers, priority, active, aside,
                                      occurred_at, recorded_at, sources, embedding, proposed, judged, acted, written)
SELECT tenant_id, user_id, id, version, text, triggers, priority, active, aside, occurred_at, updated_at, sources,
       embedding, proposed, $6, $4,
       $5 OR EXISTS (SELECT FROM procedural.rule_versions AS before
                      WHERE before.tenant_id = $1 AND before.user_id = $2 AND before.rule_id = $3
                        AND before.written AND before.text = rules.text)
  FROM procedural.rules WHERE tenant_id = $1 AND user_id = $2 AND id = $3

-- name: rule_histories
-- Every version of these rules, oldest first, with the record of the rule.
-- $3 rule ids text[]
SELECT v.rule_id, v.version, v.text, v.triggers, v.priority, v.active, v.aside, v.occurred_at, v.acted, v.written,
       v.judged, r.activations, r.outcomes, r.successes
  FROM procedural.rule_versions AS v
  JOIN procedural.rules AS r ON (r.tenant_id, r.user_id, r.id) = (v.tenant_id, v.user_id, v.rule_id)
 WHERE v.tenant_id = $1 AND v.user_id = $2 AND v.rule_id = ANY($3::text[])
 ORDER BY v.rule_id, v.version

-- name: delete_some_rule_versions
-- $3 rule_id text, $4 versions int[]
DELETE FROM procedural.rule_versions
 WHERE tenant_id = $1 AND user_id = $2 AND rule_id = $3 AND version = ANY($4::int[])

-- name: strip_rule
-- Take triggers out of every version.
-- $3 rule_id text, $4 triggers text[]
UPDATE procedural.rule_versions
   SET triggers = ARRAY(SELECT one FROM unnest(triggers) WITH ORDINALITY AS had (one, place)
                         WHERE one <> ALL ($4::text[]) ORDER BY place)
 WHERE tenant_id = $1 AND user_id = $2 AND rule_id = $3 AND triggers && $4::text[]

-- name: rewind_rule
-- Make the rule what its latest version says.
-- $3 id text
UPDATE procedural.rules AS r
   SET text = v.text, triggers = v.triggers, priority = v.priority, active = v.active, aside = v.aside,
       proposed = v.proposed, embedding = v.embedding, version = v.version, occurred_at = v.occurred_at,
       updated_at = v.recorded_at, sources = v.sources
  FROM (SELECT * FROM procedural.rule_versions
         WHERE tenant_id = $1 AND user_id = $2 AND rule_id = $3 ORDER BY version DESC LIMIT 1) AS v
 WHERE (r.tenant_id, r.user_id, r.id) = ($1, $2, $3)

-- name: unhash_subjects
-- Forget what entries said that wrote to these, and not that they did.
-- $3 kind text, $4 subject ids text[]
UPDATE procedural.applied SET content_hash = NULL
 WHERE tenant_id = $1 AND user_id = $2 AND kind = $3 AND subject_id = ANY($4::text[])

-- name: rules_first_told
-- Rules none of whose texts is a person's, by the time of their first version: those whose ids begin with a text and not
-- with another, told since a moment.
-- $3 beginning text, $4 other beginning text, $5 since timestamptz, $6 until timestamptz or null
SELECT rule_id FROM procedural.rule_versions
 WHERE tenant_id = $1 AND user_id = $2 AND starts_with(rule_id, $3)
   AND NOT ($4::text <> '' AND starts_with(rule_id, $4))
 GROUP BY rule_id
HAVING NOT bool_or(written)
   AND (array_agg(occurred_at ORDER BY version))[1] >= $5::timestamptz
   AND ($6::timestamptz IS NULL OR (array_agg(occurred_at ORDER BY version))[1] < $6)

-- name: rules_within_sources
-- Rules that rest on nothing but these.
-- $3 interaction ids text[]
SELECT id FROM procedural.rules
 WHERE tenant_id = $1 AND user_id = $2 AND sources <> '{}' AND sources <@ $3::text[]

-- name: put_rule_act
-- $3 rule_id text, $4 priority int or null, $5 active boolean or null, $6 activations int, $7 outcomes int,
-- $8 successes int, $9 at timestamptz
INSERT INTO procedural.rule_acts (tenant_id, user_id, rule_id, priority, active, activations, outcomes, successes, at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
    ON CONFLICT (tenant_id, user_id, rule_id) DO UPDATE
   SET priority = excluded.priority, active = excluded.active, activations = excluded.activations,
       outcomes = excluded.outcomes, successes = excluded.successes, at = excluded.at

-- name: take_rule_act
-- $3 rule_id text
DELETE FROM procedural.rule_acts WHERE tenant_id = $1 AND user_id = $2 AND rule_id = $3
RETURNING priority, active, activations, outcomes, successes, at

-- name: is_learned_again
-- Whether no window is to be looked at again.
SELECT NOT EXISTS (SELECT FROM ledger.again WHERE tenant_id = $1 AND user_id = $2) AS learned

-- name: drop_rule_acts
DELETE FROM procedural.rule_acts WHERE tenant_id = $1 AND user_id = $2

-- name: delete_rule_acts
-- $3 rule ids text[]
DELETE FROM procedural.rule_acts WHERE tenant_id = $1 AND user_id = $2 AND rule_id = ANY($3::text[])

-- name: set_rule_record
-- $3 id text, $4 activations int, $5 outcomes int, $6 successes int
UPDATE procedural.rules SET activations = $4, outcomes = $5, successes = $6
 WHERE tenant_id = $1 AND user_id = $2 AND id = $3

-- name: count_activation
-- $3 id text
UPDATE procedural.rules SET activations = activations + 1 WHERE tenant_id = $1 AND user_id = $2 AND id = $3

-- name: count_outcome
-- $3 id text, $4 success boolean
UPDATE procedural.rules
   SET outcomes = outcomes + 1, successes = successes + $4::boolean::int
 WHERE tenant_id = $1 AND user_id = $2 AND id = $3
RETURNING id, text, triggers, priority, active, aside, proposed, activations, outcomes, successes, version,
          occurred_at, updated_at, sources

-- name: rules_of_sources
-- $3 interaction ids text[]
SELECT id FROM procedural.rules WHERE tenant_id = $1 AND user_id = $2 AND sources && $3::text[]

-- name: rules_aside_all
-- The rules, with the version, of which a version was put aside for a reason that holds one of these texts, and whether
-- a person did so.
-- $3 texts text[]
SELECT rule_id, version, acted FROM procedural.rule_versions
 WHERE tenant_id = $1 AND user_id = $2 AND aside IS NOT NULL
   AND EXISTS (SELECT FROM unnest($3::text[]) AS said WHERE position(said IN aside) > 0)
 ORDER BY rule_id, version

-- name: set_rule_sources
-- $3 id text, $4 sources text[]
UPDATE procedural.rules SET sources = $4 WHERE tenant_id = $1 AND user_id = $2 AND id = $3

-- name: set_rule_version_sources
-- $3 rule_id text, $4 sources text[]
UPDATE procedural.rule_versions SET sources = $4 WHERE tenant_id = $1 AND user_id = $2 AND rule_id = $3

-- name: rule_texts
-- Every text that these rules had in any version.
-- $3 rule ids text[]
SELECT DISTINCT text FROM procedural.rule_versions
 WHERE tenant_id = $1 AND user_id = $2 AND rule_id = ANY($3::text[])

-- name: rules_aside
-- The rules of which any version was put aside for a reason that holds one of these texts.
-- $3 texts text[]
SELECT DISTINCT rule_id FROM procedural.rule_versions
 WHERE tenant_id = $1 AND user_id = $2 AND aside IS NOT NULL
   AND EXISTS (SELECT FROM unnest($3::text[]) AS said WHERE position(said IN aside) > 0)

-- name: blur_rules_aside
-- $3 rule ids text[], $4 what the reason becomes text
UPDATE procedural.rules SET aside = $4
 WHERE tenant_id = $1 AND user_id = $2 AND id = ANY($3::text[]) AND aside IS NOT NULL

-- name: blur_rule_versions_aside
-- $3 rule ids text[], $4 what the reason becomes text
UPDATE procedural.rule_versions SET aside = $4
 WHERE tenant_id = $1 AND user_id = $2 AND rule_id = ANY($3::text[]) AND aside IS NOT NULL

-- name: delete_rule_versions
-- $3 rule ids text[]
DELETE FROM procedural.rule_versions WHERE tenant_id = $1 AND user_id = $2 AND rule_id = ANY($3::text[])

-- name: delete_rules
-- $3 ids text[]
DELETE FROM procedural.rules WHERE tenant_id = $1 AND user_id = $2 AND id = ANY($3::text[]) RETURNING id

-- name: rank_rules
-- The user's active rules, highest priority and nearest first.
-- $3 query embedding halfvec or null, $4 limit int
SELECT id, text, triggers, priority, active, aside, proposed, activations, outcomes, successes, version, occurred_at,
       updated_at, sources, 1 - (embedding <=> $3::halfvec) AS similarity
  FROM procedural.rules WHERE tenant_id = $1 AND user_id = $2 AND active
 ORDER BY priority DESC, similarity DESC NULLS LAST, text, occurred_at DESC, id LIMIT $4

-- name: rank_rule_versions
-- The version of each rule that held at a moment, of those that were active in it.
-- $3 query embedding halfvec or null, $4 as_of timestamptz, $5 limit int
SELECT held.rule_id AS id, held.text, held.triggers, held.priority, held.active, held.aside, held.proposed,
       r.activations, r.outcomes, r.successes, held.version, held.occurred_at, held.recorded_at AS updated_at, held.sources,
       1 - (held.embedding <=> $3::halfvec) AS similarity
  FROM (SELECT DISTINCT ON (rule_id) * FROM procedural.rule_versions
         WHERE tenant_id = $1 AND user_id = $2 AND occurred_at <= $4 ORDER BY rule_id, version DESC) AS held
  JOIN procedural.rules AS r ON (r.tenant_id, r.user_id, r.id) = (held.tenant_id, held.user_id, held.rule_id)
 WHERE held.active
 ORDER BY held.priority DESC, similarity DESC NULLS LAST, held.text, held.occurred_at DESC, held.rule_id LIMIT $5

-- name: forgotten_findings
-- $3 finding ids text[]
SELECT finding_id FROM procedural.forgotten_findings
 WHERE tenant_id = $1 AND user_id = $2 AND finding_id = ANY($3::text[])

-- name: add_forgotten_findings
-- $3 finding ids text[]
INSERT INTO procedural.forgotten_findings (tenant_id, user_id, finding_id)
SELECT $1, $2, id FROM unnest($3::text[]) AS id ON CONFLICT DO NOTHING

-- name: finding_evidence
-- With what kind of finding it is.
-- $3 finding ids text[], $4 as_of timestamptz or null
SELECT e.finding_id, f.finding, e.number, e.text, e.confidence, e.when_start, e.when_end, e.when_precision, e.when_text,
       e.occurred_at, e.sources, e.details
  FROM procedural.finding_evidence AS e
  JOIN procedural.findings AS f ON (f.tenant_id, f.user_id, f.id) = (e.tenant_id, e.user_id, e.finding_id)
 WHERE e.tenant_id = $1 AND e.user_id = $2 AND e.finding_id = ANY($3::text[])
   AND ($4::timestamptz IS NULL OR e.occurred_at <= $4)
 ORDER BY e.finding_id, e.number

-- name: finding_evidence_as_of
-- The evidence of all findings, by a moment.
-- $3 as_of timestamptz
SELECT e.finding_id, f.finding, e.number, e.text, e.confidence, e.when_start, e.when_end, e.when_precision, e.when_text,
       e.occurred_at, e.sources, e.details
  FROM procedural.finding_evidence AS e
  JOIN procedural.findings AS f ON (f.tenant_id, f.user_id, f.id) = (e.tenant_id, e.user_id, e.finding_id)
 WHERE e.tenant_id = $1 AND e.user_id = $2 AND e.occurred_at <= $3
 ORDER BY e.finding_id, e.number

-- name: put_finding_evidence
-- $3 finding_id text, $4 number int, $5 text text, $6 confidence float8, $7 when_start timestamptz or null,
-- $8 when_end timestamptz or null, $9 when_precision text or null, $10 when_text text or null,
-- $11 occurred_at timestamptz, $12 sources text[], $13 details jsonb, $14 embedding halfvec,
-- $15 meaning halfvec or null
INSERT INTO procedural.finding_evidence (tenant_id, user_id, finding_id, number, text, confidence, when_start, when_end,
                                         when_precision, when_text, occurred_at, sources, details, embedding, meaning)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)
    ON CONFLICT (tenant_id, user_id, finding_id, number) DO UPDATE
   SET text = excluded.text, confidence = excluded.confidence, when_start = excluded.when_start,
       when_end = excluded.when_end, when_precision = excluded.when_precision, when_text = excluded.when_text,
       occurred_at = excluded.occurred_at, sources = excluded.sources, details = excluded.details,
       embedding = excluded.embedding, meaning = excluded.meaning

-- name: copy_finding_evidence
-- The words of the evidence $4, said once more by a person.
-- $3 finding_id text, $4 number int, $5 number of the copy int, $6 occurred_at timestamptz, $7 sources text[],
-- $8 details jsonb
INSERT INTO procedural.finding_evidence (tenant_id, user_id, finding_id, number, text, confidence, when_start, when_end,
                                         when_precision, when_text, occurred_at, sources, details, embedding, meaning)
SELECT tenant_id, user_id, finding_id, $5, text, 1, when_start, when_end, when_precision, when_text, $6, $7, $8,
       embedding, meaning
  FROM procedural.finding_evidence
 WHERE tenant_id = $1 AND user_id = $2 AND finding_id = $3 AND number = $4

-- name: change_finding_evidence
-- What evidence keeps when others take from it or add to it.
-- $3 finding_id text, $4 number int, $5 confidence float8, $6 sources text[], $7 details jsonb
UPDATE procedural.finding_evidence SET confidence = $5, sources = $6, details = $7
 WHERE tenant_id = $1 AND user_id = $2 AND finding_id = $3 AND number = $4

-- name: delete_finding_evidence
-- $3 finding_id text, $4 numbers int[]
DELETE FROM procedural.finding_evidence
 WHERE tenant_id = $1 AND user_id = $2 AND finding_id = $3 AND number = ANY($4::int[])

-- name: delete_all_finding_evidence
-- $3 finding ids text[]
DELETE FROM procedural.finding_evidence WHERE tenant_id = $1 AND user_id = $2 AND finding_id = ANY($3::text[])

-- name: put_finding
-- What the evidence amounts to; the vector is that of the evidence whose text is shown.
-- $3 id text, $4 finding text, $5 text text, $6 confidence float8, $7 when_start timestamptz or null,
-- $8 when_end timestamptz or null, $9 when_precision text or null, $10 when_text text or null,
-- $11 first_at timestamptz, $12 last_at timestamptz, $13 sources text[], $14 details jsonb, $15 number of the text int
INSERT INTO procedural.findings (tenant_id, user_id, id, finding, text, confidence, when_start, when_end,
                                 when_precision, when_text, first_at, last_at, sources, details, embedding, meaning)
SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, e.embedding, e.meaning
  FROM procedural.finding_evidence AS e
 WHERE e.tenant_id = $1 AND e.user_id = $2 AND e.finding_id = $3 AND e.number = $15
    ON CONFLICT (tenant_id, user_id, id) DO UPDATE
   SET text = excluded.text, confidence = excluded.confidence, when_start = excluded.when_start,
       when_end = excluded.when_end, when_precision = excluded.when_precision, when_text = excluded.when_text,
       first_at = excluded.first_at, last_at = excluded.last_at, sources = excluded.sources,
       details = excluded.details, embedding = excluded.embedding, meaning = excluded.meaning

-- name: could_end
-- Pairs of findings that are near each other, one of these ids among them, of which one may say that something changed.
-- $3 ids text[], $4 least sum of the cosines of embeddings and of meanings float8, $5 least of embeddings alone, where
-- either has no meaning, float8, $6 least odds of a change float8
WITH judged AS MATERIALIZED (
  SELECT id, finding, details, (details ->> 'changes')::float8 >= $6 AS may_end, id = ANY ($3::text[]) AS is_changed,
         l2_normalize(embedding) AS embedding, meaning
    FROM procedural.findings
   WHERE tenant_id = $1 AND user_id = $2 AND jsonb_typeof(details -> 'changes') = 'number')
SELECT one.id AS one_id, one.finding AS one_kind, one.details AS one_details,
       other.id AS other_id, other.finding AS other_kind, other.details AS other_details,
       -(one.embedding <#> other.embedding) AS embeddings, -(one.meaning <#> other.meaning) AS meanings
  FROM judged AS one
  JOIN judged AS other ON other.id <> one.id AND (NOT other.is_changed OR other.id > one.id)
                      AND (one.may_end OR other.may_end)
 WHERE one.is_changed
   AND CASE WHEN one.meaning IS NULL OR other.meaning IS NULL THEN -(one.embedding <#> other.embedding) >= $5
            ELSE -(one.embedding <#> other.embedding) - (one.meaning <#> other.meaning) >= $4 END

-- name: near_findings
-- Pairs of statements that are near each other, one of these ids among them, of which a model read the later, the
-- nearest first.
-- $3 ids text[], $4 least cosine float8, $5 limit int
WITH read AS MATERIALIZED (
  SELECT COALESCE(array_agg(DISTINCT source), '{}') AS sources
    FROM procedural.finding_evidence AS e CROSS JOIN unnest(e.sources) AS source
   WHERE e.tenant_id = $1 AND e.user_id = $2 AND e.details ? 'read_by'),
stated AS MATERIALIZED (
  SELECT id, last_at, id = ANY ($3::text[]) AS is_asked, details ? 'read_by' AS is_read,
         l2_normalize(embedding) AS embedding
    FROM procedural.findings AS f CROSS JOIN read
   WHERE tenant_id = $1 AND user_id = $2 AND NOT details ? 'times'
     AND (NOT f.sources <@ read.sources OR details ?| '{read_by,by_hand}'))
SELECT one.id AS one_id, other.id AS other_id
  FROM stated AS one
  JOIN stated AS other ON other.id <> one.id AND other.last_at <> one.last_at
                      AND (NOT other.is_asked OR other.id > one.id)
                      AND CASE WHEN one.last_at > other.last_at THEN one.is_read ELSE other.is_read END
 WHERE one.is_asked AND -(one.embedding <#> other.embedding) >= $4
 ORDER BY one.embedding <#> other.embedding, one.id, other.id LIMIT $5

-- name: findings_of_ids
-- $3 ids text[]
SELECT id, finding, text, confidence, when_start, when_end, when_precision, when_text, first_at, last_at, sources, details
  FROM procedural.findings
 WHERE tenant_id = $1 AND user_id = $2 AND id = ANY ($3::text[])
 ORDER BY id

-- name: read_endings
-- That a language model read these pairs, of those findings that are there.
-- $3 finding ids text[], $4 ended_by ids text[]
INSERT INTO procedural.finding_endings (tenant_id, user_id, finding_id, ended_by, odds, is_sure, is_read)
SELECT $1, $2, one.finding_id, one.ended_by, 1, true, true
  FROM unnest($3::text[], $4::text[]) AS one (finding_id, ended_by)
  JOIN procedural.findings AS ended ON (ended.tenant_id, ended.user_id, ended.id) = ($1, $2, one.finding_id)
  JOIN procedural.findings AS ending ON (ending.tenant_id, ending.user_id, ending.id) = ($1, $2, one.ended_by)
    ON CONFLICT (tenant_id, user_id, finding_id, ended_by) DO UPDATE SET odds = 1, is_sure = true, is_read = true
RETURNING finding_id

-- name: keep_endings
-- Of the findings $3, as what ends and as what is ended, these pairs and no others but those that a model read.
-- $3 ids text[], $4 finding ids text[], $5 ended_by ids text[], $6 odds float8[], $7 is_sure boolean[]
WITH kept AS (
  SELECT * FROM unnest($4::text[], $5::text[], $6::float8[], $7::boolean[]) AS one (finding_id, ended_by, odds, is_sure)),
gone AS (
  DELETE FROM procedural.finding_endings AS e
   WHERE e.tenant_id = $1 AND e.user_id = $2 AND (e.finding_id = ANY($3::text[]) OR e.ended_by = ANY($3::text[]))
     AND NOT e.is_read AND NOT EXISTS (SELECT FROM kept WHERE (kept.finding_id, kept.ended_by) = (e.finding_id, e.ended_by)))
INSERT INTO procedural.finding_endings (tenant_id, user_id, finding_id, ended_by, odds, is_sure)
SELECT $1, $2, finding_id, ended_by, odds, is_sure FROM kept
    ON CONFLICT (tenant_id, user_id, finding_id, ended_by) DO UPDATE
   SET odds = excluded.odds, is_sure = excluded.is_sure
 WHERE NOT finding_endings.is_read

-- name: findings_ended
-- Which of these surely ended, when and by which: the first that was said after they were said last.
-- $3 ids text[], $4 said last timestamptz[], $5 as_of timestamptz or null
SELECT DISTINCT ON (e.finding_id) e.finding_id, e.ended_by, said.occurred_at AS ended_at
  FROM unnest($3::text[], $4::timestamptz[]) AS one (id, last_at)
  JOIN procedural.finding_endings AS e ON e.tenant_id = $1 AND e.user_id = $2 AND e.finding_id = one.id AND e.is_sure
  JOIN procedural.finding_evidence AS said
    ON (said.tenant_id, said.user_id, said.finding_id) = (e.tenant_id, e.user_id, e.ended_by)
 WHERE said.occurred_at > one.last_at AND NOT said.details ? 'by_hand' AND ($5::timestamptz IS NULL OR said.occurred_at <= $5)
 ORDER BY e.finding_id, said.occurred_at, e.ended_by

-- name: findings_page
-- The latest first, from after a position. Where a language model read something in every message that a finding rests
-- on, its reading stands in place of what was found there without it.
-- $3 finding text or null, $4 after last_at timestamptz or null, $5 after id text or null, $6 limit int
WITH read AS MATERIALIZED (
  SELECT COALESCE(array_agg(DISTINCT source), '{}') AS sources
    FROM procedural.finding_evidence AS e CROSS JOIN unnest(e.sources) AS source
   WHERE e.tenant_id = $1 AND e.user_id = $2 AND e.details ? 'read_by')
SELECT id, finding, text, confidence, when_start, when_end, when_precision, when_text, first_at, last_at, f.sources,
       details
  FROM procedural.findings AS f CROSS JOIN read
 WHERE tenant_id = $1 AND user_id = $2
   AND ($3::text IS NULL OR finding = $3)
   AND ($4::timestamptz IS NULL OR last_at < $4 OR (last_at = $4 AND id > $5::text))
   AND (NOT f.sources <@ read.sources OR details ?| '{read_by,by_hand,times}')
 ORDER BY last_at DESC, id LIMIT $6

-- name: findings_of_sources
-- $3 interaction ids text[]
SELECT DISTINCT finding_id FROM procedural.finding_evidence
 WHERE tenant_id = $1 AND user_id = $2 AND sources && $3::text[]

-- name: findings_taught
-- Findings that have evidence with a detail, of a time, which no person gave.
-- $3 detail text, $4 from timestamptz, $5 until timestamptz or null
SELECT DISTINCT finding_id FROM procedural.finding_evidence
 WHERE tenant_id = $1 AND user_id = $2 AND details ? $3::text AND NOT details ? 'by_hand'
   AND occurred_at >= $4::timestamptz
   AND ($5::timestamptz IS NULL OR occurred_at < $5)

-- name: delete_findings
-- $3 ids text[]
WITH endings AS (
  DELETE FROM procedural.finding_endings
   WHERE tenant_id = $1 AND user_id = $2 AND (finding_id = ANY($3::text[]) OR ended_by = ANY($3::text[])))
DELETE FROM procedural.findings WHERE tenant_id = $1 AND user_id = $2 AND id = ANY($3::text[]) RETURNING id

-- name: rank_findings
-- The findings that were there by a moment, the nearest first, without a query the latest first, without their details,
-- which no recall shows; and of each what those rest on that were said after it and may have ended it by then, and
-- whether one surely has.
-- $3 query embedding halfvec or null, $4 as_of timestamptz or null, $5 limit int
WITH read AS MATERIALIZED (
  SELECT COALESCE(array_agg(DISTINCT source), '{}') AS sources
    FROM procedural.finding_evidence AS e CROSS JOIN unnest(e.sources) AS source
   WHERE e.tenant_id = $1 AND e.user_id = $2 AND e.details ? 'read_by'
     AND ($4::timestamptz IS NULL OR e.occurred_at <= $4)),
nearest AS (
  SELECT id, finding, text, confidence, when_start, when_end, when_precision, when_text, first_at, last_at, f.sources,
         '{}'::jsonb AS details, 1 - (embedding <=> $3::halfvec) AS similarity
    FROM procedural.findings AS f CROSS JOIN read
   WHERE tenant_id = $1 AND user_id = $2 AND ($4::timestamptz IS NULL OR first_at <= $4)
     AND (NOT f.sources <@ read.sources OR details ?| '{read_by,by_hand,times}')
   ORDER BY similarity DESC NULLS LAST, text, last_at DESC, id LIMIT $5)
SELECT nearest.*, COALESCE(later.ended_in, '{}') AS ended_in, COALESCE(later.is_ended, false) AS is_ended
  FROM nearest
 CROSS JOIN LATERAL (
   SELECT CASE WHEN $4::timestamptz IS NULL THEN nearest.last_at
               ELSE (SELECT max(occurred_at) FROM procedural.finding_evidence
                      WHERE tenant_id = $1 AND user_id = $2 AND finding_id = nearest.id AND occurred_at <= $4) END
          AS said_last) AS told
 CROSS JOIN LATERAL (
   SELECT array_agg(DISTINCT source ORDER BY source) AS ended_in, bool_or(e.is_sure) AS is_ended
     FROM procedural.finding_endings AS e
     JOIN procedural.finding_evidence AS said
       ON (said.tenant_id, said.user_id, said.finding_id) = (e.tenant_id, e.user_id, e.ended_by)
    CROSS JOIN unnest(said.sources) AS source
    WHERE e.tenant_id = $1 AND e.user_id = $2 AND e.finding_id = nearest.id AND said.occurred_at > told.said_last
      AND NOT said.details ? 'by_hand'
      AND ($4::timestamptz IS NULL OR said.occurred_at <= $4)) AS later
 ORDER BY similarity DESC NULLS LAST, text, last_at DESC, id

-- name: add_reflection
-- Once for its id.
-- $3 id text, $4 kind text, $5 date date, $6 created_at timestamptz, $7 sources text[], $8 report jsonb
INSERT INTO procedural.reflections (tenant_id, user_id, id, kind, date, created_at, sources, report)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT DO NOTHING

-- name: reflection
-- $3 id text
SELECT report FROM procedural.reflections WHERE tenant_id = $1 AND user_id = $2 AND id = $3

-- name: reflections_page
-- The latest date first, from after a position.
-- $3 kind text or null, $4 after date date or null, $5 after created_at timestamptz or null, $6 after id text or null,
-- $7 limit int
SELECT report FROM procedural.reflections
 WHERE tenant_id = $1 AND user_id = $2
   AND ($3::text IS NULL OR kind = $3)
   AND ($4::date IS NULL OR (date, created_at, id) < ($4, $5::timestamptz, $6::text))
 ORDER BY date DESC, created_at DESC, id DESC LIMIT $7

-- name: reflections_of_sources
-- $3 interaction ids text[]
SELECT report FROM procedural.reflections WHERE tenant_id = $1 AND user_id = $2 AND sources && $3::text[]

-- name: reflections_of_rules
-- Every report that speaks of rules.
SELECT report FROM procedural.reflections
 WHERE tenant_id = $1 AND user_id = $2 AND (report -> 'new_rules' <> '[]' OR report -> 'conflicts' <> '[]')

-- name: change_reflection
-- $3 id text, $4 sources text[], $5 report jsonb
UPDATE procedural.reflections SET sources = $4, report = $5 WHERE tenant_id = $1 AND user_id = $2 AND id = $3

-- name: holdings
-- How much there is, or rests on any of these interactions; without what somebody set by the event $4 or later.
-- $3 interaction ids text[] or null, $4 before event_id bigint or null
WITH later AS (
  SELECT a.kind, a.subject_id FROM procedural.applied AS a
   WHERE a.tenant_id = $1 AND a.user_id = $2 AND a.event_id >= $4::bigint
     AND (a.kind = 'preference' AND EXISTS (
            SELECT FROM procedural.preference_versions AS v
             WHERE v.tenant_id = $1 AND v.user_id = $2 AND v.preference_id = a.subject_id AND v.entry_id = a.entry_id
               AND v.sources = '{}')
          OR a.kind = 'rule' AND EXISTS (
            SELECT FROM procedural.rules AS r
             WHERE r.tenant_id = $1 AND r.user_id = $2 AND r.id = a.subject_id AND r.sources = '{}')))
SELECT (SELECT count(*) FROM procedural.preferences AS p
         WHERE p.tenant_id = $1 AND p.user_id = $2
           AND ($3::text[] IS NULL OR EXISTS (
                 SELECT FROM procedural.preference_versions AS v
                  WHERE v.tenant_id = $1 AND v.user_id = $2 AND v.preference_id = p.id AND v.sources && $3::text[]))
           AND NOT EXISTS (SELECT FROM later WHERE kind = 'preference' AND subject_id = p.id)) AS preferences,
       (SELECT count(*) FROM procedural.rules AS r
         WHERE r.tenant_id = $1 AND r.user_id = $2
           AND ($3::text[] IS NULL OR r.sources && $3::text[] OR EXISTS (
                 SELECT FROM procedural.rule_versions AS v
                  WHERE v.tenant_id = $1 AND v.user_id = $2 AND v.rule_id = r.id AND v.sources && $3::text[]))
           AND NOT EXISTS (SELECT FROM later WHERE kind = 'rule' AND subject_id = r.id)) AS rules,
       (SELECT count(*) FROM procedural.findings AS f
         WHERE f.tenant_id = $1 AND f.user_id = $2
           AND ($3::text[] IS NULL OR f.sources && $3::text[] OR EXISTS (
                 SELECT FROM procedural.finding_evidence AS e
                  WHERE e.tenant_id = $1 AND e.user_id = $2 AND e.finding_id = f.id
                    AND e.sources && $3::text[]))) AS findings,
       (SELECT count(*) FROM procedural.reflections
         WHERE tenant_id = $1 AND user_id = $2 AND ($3::text[] IS NULL OR sources && $3::text[])) AS reports

-- name: set_later
-- Entries that somebody set, that is from no interactions, by the event $3 or later, and what they wrote to.
-- $3 event_id bigint
SELECT a.entry_id, a.kind, a.subject_id FROM procedural.applied AS a
 WHERE a.tenant_id = $1 AND a.user_id = $2 AND a.event_id >= $3
   AND (a.kind = 'preference' AND EXISTS (
          SELECT FROM procedural.preference_versions AS v
           WHERE v.tenant_id = $1 AND v.user_id = $2 AND v.preference_id = a.subject_id AND v.entry_id = a.entry_id
             AND v.sources = '{}')
        OR a.kind = 'rule' AND EXISTS (
          SELECT FROM procedural.rules AS r
           WHERE r.tenant_id = $1 AND r.user_id = $2 AND r.id = a.subject_id AND r.sources = '{}'))

-- name: erase
-- A part of what the user has: $6 of each at most. How many rows went.
-- $3 ids of entries that stay text[], $4 of preferences text[], $5 of rules text[], $6 most int
WITH reports AS (
  DELETE FROM procedural.reflections WHERE tenant_id = $1 AND user_id = $2 AND id = ANY (ARRAY(
    SELECT id FROM procedural.reflections WHERE tenant_id = $1 AND user_id = $2 LIMIT $6)) RETURNING 1),
evidence AS (
  DELETE FROM procedural.finding_evidence WHERE tenant_id = $1 AND user_id = $2 AND finding_id = ANY (ARRAY(
    SELECT id FROM procedural.findings WHERE tenant_id = $1 AND user_id = $2 ORDER BY id LIMIT $6)) RETURNING 1),
endings AS (
  DELETE FROM procedural.finding_endings WHERE tenant_id = $1 AND user_id = $2 AND (finding_id, ended_by) IN (
    SELECT finding_id, ended_by FROM procedural.finding_endings
     WHERE tenant_id = $1 AND user_id = $2 LIMIT $6) RETURNING 1),
found AS (
  DELETE FROM procedural.findings WHERE tenant_id = $1 AND user_id = $2 AND id = ANY (ARRAY(
    SELECT id FROM procedural.findings WHERE tenant_id = $1 AND user_id = $2 ORDER BY id LIMIT $6)) RETURNING 1),
refused AS (
  DELETE FROM procedural.forgotten_findings WHERE tenant_id = $1 AND user_id = $2 AND finding_id = ANY (ARRAY(
    SELECT finding_id FROM procedural.forgotten_findings WHERE tenant_id = $1 AND user_id = $2 LIMIT $6)) RETURNING 1),
versions AS (
  DELETE FROM procedural.preference_versions WHERE tenant_id = $1 AND user_id = $2 AND preference_id = ANY (ARRAY(
    SELECT id FROM procedural.preferences
     WHERE tenant_id = $1 AND user_id = $2 AND id <> ALL ($4::text[]) ORDER BY id LIMIT $6)) RETURNING 1),
preferred AS (
  DELETE FROM procedural.preferences WHERE tenant_id = $1 AND user_id = $2 AND id = ANY (ARRAY(
    SELECT id FROM procedural.preferences
     WHERE tenant_id = $1 AND user_id = $2 AND id <> ALL ($4::text[]) ORDER BY id LIMIT $6)) RETURNING 1),
judged AS (
  DELETE FROM procedural.preference_verdicts WHERE tenant_id = $1 AND user_id = $2 AND preference_id = ANY (ARRAY(
    SELECT preference_id FROM procedural.preference_verdicts
     WHERE tenant_id = $1 AND user_id = $2 AND preference_id <> ALL ($4::text[]) LIMIT $6)) RETURNING 1),
named AS (
  DELETE FROM procedural.preference_aliases WHERE tenant_id = $1 AND user_id = $2 AND alias_id = ANY (ARRAY(
    SELECT alias_id FROM procedural.preference_aliases
     WHERE tenant_id = $1 AND user_id = $2 AND preference_id <> ALL ($4::text[]) LIMIT $6)) RETURNING 1),
ruled AS (
  DELETE FROM procedural.rule_versions WHERE tenant_id = $1 AND user_id = $2 AND rule_id = ANY (ARRAY(
    SELECT id FROM procedural.rules
     WHERE tenant_id = $1 AND user_id = $2 AND id <> ALL ($5::text[]) ORDER BY id LIMIT $6)) RETURNING 1),
rules AS (
  DELETE FROM procedural.rules WHERE tenant_id = $1 AND user_id = $2 AND id = ANY (ARRAY(
    SELECT id FROM procedural.rules
     WHERE tenant_id = $1 AND user_id = $2 AND id <> ALL ($5::text[]) ORDER BY id LIMIT $6)) RETURNING 1),
acts AS (
  DELETE FROM procedural.rule_acts WHERE tenant_id = $1 AND user_id = $2 AND rule_id = ANY (ARRAY(
    SELECT rule_id FROM procedural.rule_acts
     WHERE tenant_id = $1 AND user_id = $2 AND rule_id <> ALL ($5::text[]) LIMIT $6)) RETURNING 1),
applied AS (
  DELETE FROM procedural.applied WHERE tenant_id = $1 AND user_id = $2 AND entry_id = ANY (ARRAY(
    SELECT entry_id FROM procedural.applied
     WHERE tenant_id = $1 AND user_id = $2 AND entry_id <> ALL ($3::text[]) LIMIT $6)) RETURNING 1)
SELECT count(*) FROM (
  SELECT FROM reports UNION ALL SELECT FROM evidence UNION ALL SELECT FROM endings UNION ALL SELECT FROM found UNION ALL SELECT FROM refused
  UNION ALL SELECT FROM versions UNION ALL SELECT FROM preferred UNION ALL SELECT FROM judged
  UNION ALL SELECT FROM named UNION ALL SELECT FROM ruled UNION ALL SELECT FROM rules UNION ALL SELECT FROM acts
  UNION ALL SELECT FROM applied)
  AS gone

-- name: delete_reflections
-- Those of these days, or where there are none since a day.
-- $3 days date[] or null, $4 since date
DELETE FROM procedural.reflections
 WHERE tenant_id = $1 AND user_id = $2 AND (date = ANY($3::date[]) OR $3::date[] IS NULL AND date >= $4::date)

-- name: users
-- Users of a tenant of whom anything is kept here, by id; a view of one, whose user_id holds $5, is no other user.
-- $1 tenant_id text, $2 after text, $3 only text or null, $4 limit int, $5 what parts a view's id text
SELECT user_id
  FROM (SELECT user_id FROM procedural.preferences WHERE tenant_id = $1
        UNION SELECT user_id FROM procedural.rules WHERE tenant_id = $1
        UNION SELECT user_id FROM procedural.findings WHERE tenant_id = $1) AS known
 WHERE user_id COLLATE "C" > $2 COLLATE "C" AND ($3::text IS NULL OR user_id = $3) AND strpos(user_id, $5) = 0
 ORDER BY user_id COLLATE "C" LIMIT $4
