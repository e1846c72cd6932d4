-- What a person did to a rule outlives what the rule was learned from. acted: a person made this version. written: its
-- text is a person's.
ALTER TABLE procedural.rule_versions
  ADD COLUMN acted   boolean NOT NULL DEFAULT false,
  ADD COLUMN written boolean NOT NULL DEFAULT false;

-- The owner sees rows of all tenants only while row-level security does not bind it. Of what older versions kept, words
-- that differ from the first ones are a person's, and so is everything about a rule that rests on no message.
ALTER TABLE procedural.rule_versions NO FORCE ROW LEVEL SECURITY;
UPDATE procedural.rule_versions AS v SET acted = true, written = true
 WHERE v.sources = '{}'
    OR v.text <> (SELECT first.text FROM procedural.rule_versions AS first
                   WHERE (first.tenant_id, first.user_id, first.rule_id) = (v.tenant_id, v.user_id, v.rule_id)
                   ORDER BY first.version LIMIT 1);
ALTER TABLE procedural.rule_versions FORCE ROW LEVEL SECURITY;

-- What a person did to rules that went with a message, by the ids of the rules, which are hashes of their words: it
-- holds again when they are learned from other messages.
CREATE TABLE procedural.rule_acts (
  tenant_id   text NOT NULL,
  user_id     text NOT NULL,
  rule_id     text NOT NULL,
  priority    int,
  active      boolean,
  activations int  NOT NULL,
  outcomes    int  NOT NULL,
  successes   int  NOT NULL,
  PRIMARY KEY (tenant_id, user_id, rule_id)
);
ALTER TABLE procedural.rule_acts ENABLE ROW LEVEL SECURITY;
ALTER TABLE procedural.rule_acts FORCE  ROW LEVEL SECURITY;
CREATE POLICY tenant ON procedural.rule_acts
  USING (tenant_id = NULLIF(current_setting('ragpp.tenant_id', true), ''));
GRANT SELECT, INSERT, UPDATE, DELETE ON procedural.rule_acts TO ragpp_app;
