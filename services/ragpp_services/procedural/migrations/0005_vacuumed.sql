-- As 0003, what else an erasure touches.
GRANT MAINTAIN ON
  procedural.applied, procedural.preference_verdicts, procedural.preference_aliases, procedural.rule_acts,
  procedural.forgotten_findings
  TO ragpp_relay;

-- What is never looked for by its value needs no statistics, which would keep words that were forgotten.
ALTER TABLE procedural.preferences
  ALTER COLUMN category SET STATISTICS 0,
  ALTER COLUMN key SET STATISTICS 0,
  ALTER COLUMN value SET STATISTICS 0,
  ALTER COLUMN waiting SET STATISTICS 0,
  ALTER COLUMN embedding SET STATISTICS 0;
ALTER TABLE procedural.preference_versions
  ALTER COLUMN category SET STATISTICS 0,
  ALTER COLUMN key SET STATISTICS 0,
  ALTER COLUMN value SET STATISTICS 0,
  ALTER COLUMN embedding SET STATISTICS 0;
ALTER TABLE procedural.rules
  ALTER COLUMN text SET STATISTICS 0,
  ALTER COLUMN triggers SET STATISTICS 0,
  ALTER COLUMN aside SET STATISTICS 0,
  ALTER COLUMN embedding SET STATISTICS 0;
ALTER TABLE procedural.rule_versions
  ALTER COLUMN text SET STATISTICS 0,
  ALTER COLUMN triggers SET STATISTICS 0,
  ALTER COLUMN aside SET STATISTICS 0,
  ALTER COLUMN embedding SET STATISTICS 0;
ALTER TABLE procedural.findings
  ALTER COLUMN text SET STATISTICS 0,
  ALTER COLUMN when_text SET STATISTICS 0,
  ALTER COLUMN details SET STATISTICS 0,
  ALTER COLUMN embedding SET STATISTICS 0;
ALTER TABLE procedural.finding_evidence
  ALTER COLUMN text SET STATISTICS 0,
  ALTER COLUMN when_text SET STATISTICS 0,
  ALTER COLUMN details SET STATISTICS 0,
  ALTER COLUMN embedding SET STATISTICS 0;
ALTER TABLE procedural.reflections
  ALTER COLUMN report SET STATISTICS 0;

-- When a person did it, which it still was when it is done again.
ALTER TABLE procedural.rule_acts ADD COLUMN at timestamptz NOT NULL DEFAULT now();
