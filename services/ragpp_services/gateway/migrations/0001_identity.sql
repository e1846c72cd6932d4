CREATE SCHEMA identity;
CREATE SCHEMA audit;

CREATE TABLE identity.keys (
  key_id      text PRIMARY KEY,
  prefix      text NOT NULL UNIQUE,
  secret_hash bytea NOT NULL,
  tenant_id   text NOT NULL,
  scopes      text[] NOT NULL,
  user_id     text,
  agent_id    text,
  created_at  timestamptz NOT NULL DEFAULT now(),
  expires_at  timestamptz,
  revoked_at  timestamptz
);
ALTER TABLE identity.keys ENABLE ROW LEVEL SECURITY;
ALTER TABLE identity.keys FORCE ROW LEVEL SECURITY;
CREATE POLICY owner_only ON identity.keys TO CURRENT_USER USING (true) WITH CHECK (true);

-- The app may not read the table: it gets the one key whose prefix it already knows.
CREATE FUNCTION identity.find_key(wanted text)
RETURNS TABLE (key_id text, secret_hash bytea, tenant_id text, scopes text[], user_id text, agent_id text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog AS $$
  SELECT k.key_id, k.secret_hash, k.tenant_id, k.scopes, k.user_id, k.agent_id
    FROM identity.keys AS k
   WHERE k.prefix = wanted AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > now())
$$;
REVOKE ALL ON FUNCTION identity.find_key(text) FROM PUBLIC;
GRANT USAGE ON SCHEMA identity TO ragpp_app;
GRANT EXECUTE ON FUNCTION identity.find_key(text) TO ragpp_app;

CREATE TABLE audit.accesses (
  access_id    uuid NOT NULL,
  tenant_id    text NOT NULL,
  at           timestamptz NOT NULL,
  key_id       text NOT NULL,
  user_id      text,
  agent_id     text,
  action       text NOT NULL,
  status       int NOT NULL,
  elapsed_ms   double precision NOT NULL,
  query_sha256 text,
  items        int NOT NULL DEFAULT 0,
  PRIMARY KEY (tenant_id, access_id)
);
CREATE INDEX accesses_by_time ON audit.accesses (tenant_id, at DESC);
ALTER TABLE audit.accesses ENABLE ROW LEVEL SECURITY;
ALTER TABLE audit.accesses FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON audit.accesses TO ragpp_app
  USING (tenant_id = current_setting('ragpp.tenant_id', true))
  WITH CHECK (tenant_id = current_setting('ragpp.tenant_id', true));
GRANT USAGE ON SCHEMA audit TO ragpp_app;
GRANT SELECT, INSERT ON audit.accesses TO ragpp_app;
