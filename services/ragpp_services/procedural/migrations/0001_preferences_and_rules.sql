-- Preferences and behavioural rules with every version of them, confined to their tenant by row-level security.

CREATE SCHEMA procedural;
GRANT USAGE ON SCHEMA procedural TO ragpp_app;

-- The embedding columns carry no dimension: it is a setting, and a migration is the same text everywhere. The model
-- and dimension that this database was first used with are recorded in procedural.embedding_model.

CREATE TABLE procedural.preferences (
  tenant_id          text        NOT NULL,
  user_id            text        NOT NULL,
  id                 text        NOT NULL,
  category           text        NOT NULL,
  key                text        NOT NULL,
  value              text        NOT NULL,
  confidence         float8      NOT NULL CHECK (confidence BETWEEN 0 AND 1),
  stated             boolean     NOT NULL,
  version            int         NOT NULL,
  occurred_at        timestamptz NOT NULL,
  updated_at         timestamptz NOT NULL,
  sources            text[]      NOT NULL,
  waiting            text,
  waiting_confidence float8,
  embedding          halfvec     NOT NULL,
  PRIMARY KEY (tenant_id, user_id, id),
  UNIQUE (tenant_id, user_id, category, key)
);

CREATE TABLE procedural.preference_versions (
  tenant_id     text        NOT NULL,
  user_id       text        NOT NULL,
  preference_id text        NOT NULL,
  version       int         NOT NULL,
  entry_id      text,
  value         text        NOT NULL,
  confidence    float8      NOT NULL,
  stated        boolean     NOT NULL,
  occurred_at   timestamptz NOT NULL,
  recorded_at   timestamptz NOT NULL,
  sources       text[]      NOT NULL,
  embedding     halfvec     NOT NULL,
  PRIMARY KEY (tenant_id, user_id, preference_id, version)
);

CREATE TABLE procedural.rules (
  tenant_id   text        NOT NULL,
  user_id     text        NOT NULL,
  id          text        NOT NULL,
  text        text        NOT NULL,
  triggers    text[]      NOT NULL,
  priority    int         NOT NULL,
  active      boolean     NOT NULL,
  activations int         NOT NULL DEFAULT 0,
  outcomes    int         NOT NULL DEFAULT 0,
  successes   int         NOT NULL DEFAULT 0 CHECK (successes BETWEEN 0 AND outcomes),
  version     int         NOT NULL,
  occurred_at timestamptz NOT NULL,
  updated_at  timestamptz NOT NULL,
  sources     text[]      NOT NULL,
  embedding   halfvec     NOT NULL,
  PRIMARY KEY (tenant_id, user_id, id)
);

CREATE TABLE procedural.rule_versions (
  tenant_id   text        NOT NULL,
  user_id     text        NOT NULL,
  rule_id     text        NOT NULL,
  version     int         NOT NULL,
  text        text        NOT NULL,
  triggers    text[]      NOT NULL,
  priority    int         NOT NULL,
  active      boolean     NOT NULL,
  occurred_at timestamptz NOT NULL,
  recorded_at timestamptz NOT NULL,
  sources     text[]      NOT NULL,
  embedding   halfvec     NOT NULL,
  PRIMARY KEY (tenant_id, user_id, rule_id, version)
);

-- Every entry that was ever applied, so that one that is delivered again changes nothing. What became of a forgotten
-- one stays here without content: its hash, which could be guessed from, is gone as well.
CREATE TABLE procedural.applied (
  tenant_id    text   NOT NULL,
  user_id      text   NOT NULL,
  entry_id     text   NOT NULL,
  kind         text   NOT NULL CHECK (kind IN ('preference', 'rule')),
  subject_id   text,
  content_hash bytea,
  event_id     bigint,
  PRIMARY KEY (tenant_id, user_id, entry_id)
);

-- Interactions that were forgotten: what rests on them alone and is delivered late is not learned.
CREATE TABLE procedural.forgotten_sources (
  tenant_id      text NOT NULL,
  user_id        text NOT NULL,
  interaction_id text NOT NULL,
  PRIMARY KEY (tenant_id, user_id, interaction_id)
);

ALTER TABLE procedural.preferences         ENABLE ROW LEVEL SECURITY;
ALTER TABLE procedural.preferences         FORCE  ROW LEVEL SECURITY;
ALTER TABLE procedural.preference_versions ENABLE ROW LEVEL SECURITY;
ALTER TABLE procedural.preference_versions FORCE  ROW LEVEL SECURITY;
ALTER TABLE procedural.rules               ENABLE ROW LEVEL SECURITY;
ALTER TABLE procedural.rules               FORCE  ROW LEVEL SECURITY;
ALTER TABLE procedural.rule_versions       ENABLE ROW LEVEL SECURITY;
ALTER TABLE procedural.rule_versions       FORCE  ROW LEVEL SECURITY;
ALTER TABLE procedural.applied             ENABLE ROW LEVEL SECURITY;
ALTER TABLE procedural.applied             FORCE  ROW LEVEL SECURITY;
ALTER TABLE procedural.forgotten_sources   ENABLE ROW LEVEL SECURITY;
ALTER TABLE procedural.forgotten_sources   FORCE  ROW LEVEL SECURITY;

CREATE POLICY tenant ON procedural.preferences
  USING (tenant_id = NULLIF(current_setting('ragpp.tenant_id', true), ''));
CREATE POLICY tenant ON procedural.preference_versions
  USING (tenant_id = NULLIF(current_setting('ragpp.tenant_id', true), ''));
CREATE POLICY tenant ON procedural.rules
  USING (tenant_id = NULLIF(current_setting('ragpp.tenant_id', true), ''));
CREATE POLICY tenant ON procedural.rule_versions
  USING (tenant_id = NULLIF(current_setting('ragpp.tenant_id', true), ''));
CREATE POLICY tenant ON procedural.applied
  USING (tenant_id = NULLIF(current_setting('ragpp.tenant_id', true), ''));
CREATE POLICY tenant ON procedural.forgotten_sources
  USING (tenant_id = NULLIF(current_setting('ragpp.tenant_id', true), ''));

GRANT SELECT, INSERT, UPDATE, DELETE ON
  procedural.preferences, procedural.preference_versions, procedural.rules, procedural.rule_versions,
  procedural.applied, procedural.forgotten_sources
  TO ragpp_app;

-- One row, reached through a function alone: it belongs to no tenant.
CREATE TABLE procedural.embedding_model (
  only_row  boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  model     text    NOT NULL,
  dimension int     NOT NULL
);
ALTER TABLE procedural.embedding_model ENABLE ROW LEVEL SECURITY;
ALTER TABLE procedural.embedding_model FORCE  ROW LEVEL SECURITY;
CREATE POLICY owner ON procedural.embedding_model TO CURRENT_USER USING (true);

CREATE FUNCTION procedural.record_embedding(configured_model text, configured_dimension int)
RETURNS TABLE (model text, dimension int)
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = '' AS $$
  INSERT INTO procedural.embedding_model (model, dimension)
  VALUES (configured_model, configured_dimension) ON CONFLICT (only_row) DO NOTHING;
  SELECT e.model, e.dimension FROM procedural.embedding_model AS e;
$$;
REVOKE ALL ON FUNCTION procedural.record_embedding(text, int) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION procedural.record_embedding(text, int) TO ragpp_app;
