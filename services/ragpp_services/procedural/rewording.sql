-- What is said in preferences, rules, findings and reports: read, and put in the place of what was said.
-- $1 tenant_id text, $2 user_id text, of a view with the view, throughout.

-- name: texts
-- Every row with words, those of one thing together, from after a position. A version has the name of its preference
-- where it has none of its own.
-- $3 after id text or null, $4 after kind text or null, $5 after number int or null, $6 limit int
SELECT kind, id, number, words
  FROM (SELECT 'preference' AS kind, id, 0 AS number,
               json_build_object('category', category, 'key', key, 'value', value, 'waiting', waiting) AS words
          FROM procedural.preferences WHERE tenant_id = $1 AND user_id = $2
         UNION ALL
        SELECT 'preference_version', v.preference_id, v.version,
               json_build_object('category', coalesce(v.category, p.category), 'key', coalesce(v.key, p.key),
                                  'value', v.value)
          FROM procedural.preference_versions AS v
          LEFT JOIN procedural.preferences AS p
            ON (p.tenant_id, p.user_id, p.id) = (v.tenant_id, v.user_id, v.preference_id)
         WHERE v.tenant_id = $1 AND v.user_id = $2
         UNION ALL
        SELECT 'rule', id, 0, json_build_object('text', text, 'triggers', triggers, 'aside', aside)
          FROM procedural.rules WHERE tenant_id = $1 AND user_id = $2
         UNION ALL
        SELECT 'rule_version', rule_id, version, json_build_object('text', text, 'triggers', triggers, 'aside', aside)
          FROM procedural.rule_versions WHERE tenant_id = $1 AND user_id = $2
         UNION ALL
        SELECT 'finding', id, 0, json_build_object('text', text, 'when_text', when_text, 'details', details)
          FROM procedural.findings WHERE tenant_id = $1 AND user_id = $2
         UNION ALL
        SELECT 'finding_evidence', finding_id, number,
               json_build_object('text', text, 'when_text', when_text, 'details', details)
          FROM procedural.finding_evidence WHERE tenant_id = $1 AND user_id = $2
         UNION ALL
        SELECT 'report', id, 0, report::json FROM procedural.reflections WHERE tenant_id = $1 AND user_id = $2) AS one
 WHERE $3::text IS NULL OR (id, kind, number) > ($3, $4::text, $5::int)
 ORDER BY id, kind, number LIMIT $6

-- name: reword_preference
-- $3 id text, $4 value json, $5 waiting json or null, $6 embedding halfvec
UPDATE procedural.preferences SET value = $4, waiting = $5, embedding = $6
 WHERE tenant_id = $1 AND user_id = $2 AND id = $3

-- name: rename_preference
-- $3 id text, $4 other id text, $5 category text, $6 key text
WITH versions AS (
  UPDATE procedural.preference_versions SET preference_id = $4
   WHERE tenant_id = $1 AND user_id = $2 AND preference_id = $3),
verdicts AS (
  UPDATE procedural.preference_verdicts SET preference_id = $4
   WHERE tenant_id = $1 AND user_id = $2 AND preference_id = $3),
aliases AS (
  UPDATE procedural.preference_aliases SET preference_id = $4
   WHERE tenant_id = $1 AND user_id = $2 AND preference_id = $3),
written AS (
  UPDATE procedural.applied SET subject_id = $4
   WHERE tenant_id = $1 AND user_id = $2 AND kind = 'preference' AND subject_id = $3)
UPDATE procedural.preferences SET id = $4, category = $5, key = $6
 WHERE tenant_id = $1 AND user_id = $2 AND id = $3

-- name: reword_preference_version
-- $3 preference_id text, $4 version int, $5 value json, $6 embedding halfvec, $7 category text, $8 key text
UPDATE procedural.preference_versions
   SET value = $5, embedding = $6, category = CASE WHEN category IS NULL THEN NULL ELSE $7 END,
       key = CASE WHEN key IS NULL THEN NULL ELSE $8 END
 WHERE tenant_id = $1 AND user_id = $2 AND preference_id = $3 AND version = $4

-- name: reword_verdict
-- $3 preference_id text, $4 value hash bytea, $5 hash of what is there now bytea
WITH judged AS (
  DELETE FROM procedural.preference_verdicts
   WHERE tenant_id = $1 AND user_id = $2 AND preference_id = $3 AND value_hash = $4
  RETURNING verdict, judged_at)
INSERT INTO procedural.preference_verdicts (tenant_id, user_id, preference_id, value_hash, verdict, judged_at)
SELECT $1, $2, $3, $5, verdict, judged_at FROM judged ON CONFLICT DO NOTHING

-- name: reword_rule
-- $3 id text, $4 text text, $5 triggers text[], $6 aside text or null, $7 embedding halfvec
UPDATE procedural.rules SET text = $4, triggers = $5, aside = $6, embedding = $7
 WHERE tenant_id = $1 AND user_id = $2 AND id = $3

-- name: reword_rule_version
-- $3 rule_id text, $4 version int, $5 text text, $6 triggers text[], $7 aside text or null, $8 embedding halfvec
UPDATE procedural.rule_versions SET text = $5, triggers = $6, aside = $7, embedding = $8
 WHERE tenant_id = $1 AND user_id = $2 AND rule_id = $3 AND version = $4

-- name: reword_finding
-- $3 id text, $4 text text, $5 when_text text or null, $6 details jsonb, $7 embedding halfvec
UPDATE procedural.findings SET text = $4, when_text = $5, details = $6, embedding = $7, meaning = NULL
 WHERE tenant_id = $1 AND user_id = $2 AND id = $3

-- name: reword_finding_evidence
-- $3 finding_id text, $4 number int, $5 text text, $6 when_text text or null, $7 details jsonb, $8 embedding halfvec
UPDATE procedural.finding_evidence SET text = $5, when_text = $6, details = $7, embedding = $8, meaning = NULL
 WHERE tenant_id = $1 AND user_id = $2 AND finding_id = $3 AND number = $4

-- name: drop_report
-- $3 id text
DELETE FROM procedural.reflections WHERE tenant_id = $1 AND user_id = $2 AND id = $3
