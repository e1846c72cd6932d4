-- What was deleted, by keyed hashes and counts; how often a key was refused.
ALTER TABLE audit.accesses ADD COLUMN details jsonb;

-- Requests without a valid key are nobody's: their tenant is empty, and no tenant sees them. The setting is empty, too,
-- in a session that had a tenant before.
DROP POLICY tenant ON audit.accesses;
CREATE POLICY tenant ON audit.accesses TO ragpp_app
  USING (tenant_id = NULLIF(current_setting('ragpp.tenant_id', true), ''))
  WITH CHECK (tenant_id = NULLIF(current_setting('ragpp.tenant_id', true), ''));
CREATE POLICY owner_of_refused ON audit.accesses TO CURRENT_USER USING (tenant_id = '') WITH CHECK (tenant_id = '');

-- The application adds them and cannot read them. What is older than a month goes: who asks without a key decides how
-- many there are.
CREATE FUNCTION audit.add_refused(ids uuid[], moments timestamptz[], keys text[], actions text[], attempts int[])
RETURNS void LANGUAGE sql SECURITY DEFINER SET search_path = ''
BEGIN ATOMIC
  INSERT INTO audit.accesses (access_id, tenant_id, at, key_id, action, status, elapsed_ms, details)
  SELECT one.id, '', one.at, one.key, one.action, 401, 0, pg_catalog.jsonb_build_object('attempts', one.attempts)
    FROM unnest(ids, moments, keys, actions, attempts) AS one (id, at, key, action, attempts)
  ON CONFLICT DO NOTHING;
  DELETE FROM audit.accesses AS old WHERE old.tenant_id = '' AND old.at < pg_catalog.now() - INTERVAL '30 days';
END;
REVOKE ALL ON FUNCTION audit.add_refused FROM PUBLIC;
GRANT EXECUTE ON FUNCTION audit.add_refused TO ragpp_app;
