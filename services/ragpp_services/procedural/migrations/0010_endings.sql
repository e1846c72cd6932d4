-- What the second encoder makes of a statement in its message, less its mean, of length 1; null without that encoder.
ALTER TABLE procedural.findings         ADD COLUMN meaning halfvec;
ALTER TABLE procedural.finding_evidence ADD COLUMN meaning halfvec;
ALTER TABLE procedural.findings         ALTER COLUMN meaning SET STATISTICS 0;
ALTER TABLE procedural.finding_evidence ALTER COLUMN meaning SET STATISTICS 0;

-- With two vectors a row is near the size from which the largest columns are kept elsewhere, the first of them first; the
-- one that every recall reads stays.
ALTER TABLE procedural.findings ALTER COLUMN embedding SET STORAGE MAIN;

-- A projection: which findings say, with what odds, that another holds no more, if they were said later, and whether that
-- is sure enough to hold it for ended. A row follows from what the two say alone.
CREATE TABLE procedural.finding_endings (
  tenant_id  text   NOT NULL,
  user_id    text   NOT NULL,
  finding_id text   NOT NULL,
  ended_by   text   NOT NULL,
  odds       float8 NOT NULL CHECK (odds BETWEEN 0 AND 1),
  is_sure    boolean NOT NULL,
  PRIMARY KEY (tenant_id, user_id, finding_id, ended_by)
);
CREATE INDEX ON procedural.finding_endings (tenant_id, user_id, ended_by);
ALTER TABLE procedural.finding_endings ENABLE ROW LEVEL SECURITY;
ALTER TABLE procedural.finding_endings FORCE  ROW LEVEL SECURITY;
CREATE POLICY tenant ON procedural.finding_endings
  USING (tenant_id = NULLIF(current_setting('ragpp.tenant_id', true), ''));
GRANT SELECT, INSERT, UPDATE, DELETE ON procedural.finding_endings TO ragpp_app;
GRANT MAINTAIN ON procedural.finding_endings TO ragpp_relay;
