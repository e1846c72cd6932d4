-- What nobody said plainly is proposed: it is not followed until a person confirms it, or the user says it plainly.
-- judged: by this version a person said whether the rule is to be followed, also where nothing changed by it.
ALTER TABLE procedural.rules
  ADD COLUMN proposed boolean NOT NULL DEFAULT false,
  ADD CHECK (NOT (proposed AND active));
ALTER TABLE procedural.rule_versions
  ADD COLUMN proposed boolean NOT NULL DEFAULT false,
  ADD COLUMN judged   boolean NOT NULL DEFAULT false,
  ADD CHECK (NOT (proposed AND active));

-- So are the rules that a language model suggested before there were proposals, unless a person touched them. What their
-- entries said is no longer what they say. The owner sees rows of all tenants only while row-level security does not
-- bind it.
ALTER TABLE procedural.rules         NO FORCE ROW LEVEL SECURITY;
ALTER TABLE procedural.rule_versions NO FORCE ROW LEVEL SECURITY;
ALTER TABLE procedural.applied       NO FORCE ROW LEVEL SECURITY;
UPDATE procedural.rules AS r SET proposed = true, active = false
 WHERE starts_with(r.id, 'learned-m-') AND r.active
   AND NOT EXISTS (SELECT FROM procedural.rule_versions AS v
                    WHERE (v.tenant_id, v.user_id, v.rule_id) = (r.tenant_id, r.user_id, r.id) AND v.acted);
UPDATE procedural.rule_versions AS v SET proposed = true, active = false
  FROM procedural.rules AS r
 WHERE (r.tenant_id, r.user_id, r.id) = (v.tenant_id, v.user_id, v.rule_id) AND r.proposed AND v.active;
UPDATE procedural.applied AS a SET content_hash = NULL
  FROM procedural.rules AS r
 WHERE (r.tenant_id, r.user_id, r.id) = (a.tenant_id, a.user_id, a.subject_id) AND a.kind = 'rule' AND r.proposed;
ALTER TABLE procedural.rules         FORCE ROW LEVEL SECURITY;
ALTER TABLE procedural.rule_versions FORCE ROW LEVEL SECURITY;
ALTER TABLE procedural.applied       FORCE ROW LEVEL SECURITY;
