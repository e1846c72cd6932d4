-- What is learned over time: since when a preference holds, what a person said of it, which preferences are one;
-- findings with their evidence; reports of reflections; why a rule was put aside.

ALTER TABLE procedural.preferences
  ADD COLUMN valid_from timestamptz,
  ADD COLUMN learned_at timestamptz,
  ADD COLUMN verdict    text CHECK (verdict IN ('confirmed', 'rejected'));

-- (category, key) that a version was said under, where that was of a preference which was merged into this one.
ALTER TABLE procedural.preference_versions
  ADD COLUMN category text,
  ADD COLUMN key      text,
  ADD CHECK ((category IS NULL) = (key IS NULL));

-- The value that is current began to hold when it was first said after the last different one that could replace it.
-- The owner sees rows of all tenants only while row-level security does not bind it.
ALTER TABLE procedural.preferences         NO FORCE ROW LEVEL SECURITY;
ALTER TABLE procedural.preference_versions NO FORCE ROW LEVEL SECURITY;
UPDATE procedural.preferences AS p
   SET learned_at = coalesce(
         (SELECT min(v.occurred_at) FROM procedural.preference_versions AS v
           WHERE (v.tenant_id, v.user_id, v.preference_id) = (p.tenant_id, p.user_id, p.id) AND v.value = p.value),
         p.occurred_at),
       valid_from = coalesce(
         (SELECT min(v.occurred_at) FROM procedural.preference_versions AS v
           WHERE (v.tenant_id, v.user_id, v.preference_id) = (p.tenant_id, p.user_id, p.id) AND v.value = p.value
             AND v.stated >= p.stated
             AND NOT EXISTS
                 (SELECT FROM procedural.preference_versions AS other
                   WHERE (other.tenant_id, other.user_id, other.preference_id) = (p.tenant_id, p.user_id, p.id)
                     AND other.value <> p.value AND other.stated >= p.stated
                     AND (other.occurred_at, other.version) > (v.occurred_at, v.version)
                     AND other.occurred_at <= p.occurred_at)),
         p.occurred_at);
ALTER TABLE procedural.preferences         FORCE ROW LEVEL SECURITY;
ALTER TABLE procedural.preference_versions FORCE ROW LEVEL SECURITY;
ALTER TABLE procedural.preferences
  ALTER COLUMN valid_from SET NOT NULL,
  ALTER COLUMN learned_at SET NOT NULL;

-- What a person said about a value, by the hash of the value: it outlives what the value was learned from, so that what
-- was rejected is not learned again. It goes when the preference is forgotten by its id.
CREATE TABLE procedural.preference_verdicts (
  tenant_id     text        NOT NULL,
  user_id       text        NOT NULL,
  preference_id text        NOT NULL,
  value_hash    bytea       NOT NULL,
  verdict       text        NOT NULL CHECK (verdict IN ('confirmed', 'rejected')),
  judged_at     timestamptz NOT NULL,
  PRIMARY KEY (tenant_id, user_id, preference_id, value_hash)
);

-- Names that stand for another preference since they were merged: ids alone, which are hashes of the names.
CREATE TABLE procedural.preference_aliases (
  tenant_id     text NOT NULL,
  user_id       text NOT NULL,
  alias_id      text NOT NULL,
  preference_id text NOT NULL,
  PRIMARY KEY (tenant_id, user_id, alias_id)
);
CREATE INDEX ON procedural.preference_aliases (tenant_id, user_id, preference_id);

ALTER TABLE procedural.rules         ADD COLUMN aside text;
ALTER TABLE procedural.rule_versions ADD COLUMN aside text;

-- A finding as its evidence amounts to it.
CREATE TABLE procedural.findings (
  tenant_id      text        NOT NULL,
  user_id        text        NOT NULL,
  id             text        NOT NULL,
  finding        text        NOT NULL,
  text           text        NOT NULL,
  confidence     float8      NOT NULL CHECK (confidence BETWEEN 0 AND 1),
  when_start     timestamptz,
  when_end       timestamptz,
  when_precision text,
  when_text      text,
  first_at       timestamptz NOT NULL,
  last_at        timestamptz NOT NULL,
  sources        text[]      NOT NULL,
  details        jsonb       NOT NULL,
  embedding      halfvec     NOT NULL,
  PRIMARY KEY (tenant_id, user_id, id)
);
CREATE INDEX ON procedural.findings (tenant_id, user_id, last_at DESC, id);

-- One row for each time that a finding was made from other interactions.
CREATE TABLE procedural.finding_evidence (
  tenant_id      text        NOT NULL,
  user_id        text        NOT NULL,
  finding_id     text        NOT NULL,
  number         int         NOT NULL,
  text           text        NOT NULL,
  confidence     float8      NOT NULL,
  when_start     timestamptz,
  when_end       timestamptz,
  when_precision text,
  when_text      text,
  occurred_at    timestamptz NOT NULL,
  sources        text[]      NOT NULL,
  details        jsonb       NOT NULL,
  embedding      halfvec     NOT NULL,
  PRIMARY KEY (tenant_id, user_id, finding_id, number)
);

-- Findings that a person forgot by their id: they are not made again.
CREATE TABLE procedural.forgotten_findings (
  tenant_id  text NOT NULL,
  user_id    text NOT NULL,
  finding_id text NOT NULL,
  PRIMARY KEY (tenant_id, user_id, finding_id)
);

-- `sources`: of all themes in the report, so that forgetting one finds it.
CREATE TABLE procedural.reflections (
  tenant_id  text        NOT NULL,
  user_id    text        NOT NULL,
  id         text        NOT NULL,
  kind       text        NOT NULL,
  date       date        NOT NULL,
  created_at timestamptz NOT NULL,
  sources    text[]      NOT NULL,
  report     jsonb       NOT NULL,
  PRIMARY KEY (tenant_id, user_id, id)
);
CREATE INDEX ON procedural.reflections (tenant_id, user_id, date DESC, created_at DESC, id DESC);

ALTER TABLE procedural.preference_verdicts ENABLE ROW LEVEL SECURITY;
ALTER TABLE procedural.preference_verdicts FORCE  ROW LEVEL SECURITY;
ALTER TABLE procedural.preference_aliases  ENABLE ROW LEVEL SECURITY;
ALTER TABLE procedural.preference_aliases  FORCE  ROW LEVEL SECURITY;
ALTER TABLE procedural.findings            ENABLE ROW LEVEL SECURITY;
ALTER TABLE procedural.findings            FORCE  ROW LEVEL SECURITY;
ALTER TABLE procedural.finding_evidence    ENABLE ROW LEVEL SECURITY;
ALTER TABLE procedural.finding_evidence    FORCE  ROW LEVEL SECURITY;
ALTER TABLE procedural.forgotten_findings  ENABLE ROW LEVEL SECURITY;
ALTER TABLE procedural.forgotten_findings  FORCE  ROW LEVEL SECURITY;
ALTER TABLE procedural.reflections         ENABLE ROW LEVEL SECURITY;
ALTER TABLE procedural.reflections         FORCE  ROW LEVEL SECURITY;

CREATE POLICY tenant ON procedural.preference_verdicts
  USING (tenant_id = NULLIF(current_setting('ragpp.tenant_id', true), ''));
CREATE POLICY tenant ON procedural.preference_aliases
  USING (tenant_id = NULLIF(current_setting('ragpp.tenant_id', true), ''));
CREATE POLICY tenant ON procedural.findings
  USING (tenant_id = NULLIF(current_setting('ragpp.tenant_id', true), ''));
CREATE POLICY tenant ON procedural.finding_evidence
  USING (tenant_id = NULLIF(current_setting('ragpp.tenant_id', true), ''));
CREATE POLICY tenant ON procedural.forgotten_findings
  USING (tenant_id = NULLIF(current_setting('ragpp.tenant_id', true), ''));
CREATE POLICY tenant ON procedural.reflections
  USING (tenant_id = NULLIF(current_setting('ragpp.tenant_id', true), ''));

GRANT SELECT, INSERT, UPDATE, DELETE ON
  procedural.preference_verdicts, procedural.preference_aliases, procedural.findings, procedural.finding_evidence,
  procedural.forgotten_findings, procedural.reflections
  TO ragpp_app;
