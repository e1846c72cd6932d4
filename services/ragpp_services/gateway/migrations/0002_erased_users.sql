-- Users who were erased, by a keyed hash, and until when: audit entries of before that have the hash in the user's place,
-- those included that arrive late from a journal.
CREATE TABLE audit.erased (
  tenant_id text        NOT NULL,
  name      text        NOT NULL,
  until     timestamptz NOT NULL,
  PRIMARY KEY (tenant_id, name)
);
ALTER TABLE audit.erased ENABLE ROW LEVEL SECURITY;
ALTER TABLE audit.erased FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON audit.erased TO ragpp_app
  USING (tenant_id = NULLIF(current_setting('ragpp.tenant_id', true), ''));
GRANT SELECT ON audit.erased TO ragpp_app;

CREATE INDEX accesses_by_user ON audit.accesses (tenant_id, user_id);

-- Of the tenant that the transaction has set, as for the application: what runs as the owner is confined too.
CREATE POLICY owner_in_tenant ON audit.erased TO CURRENT_USER
  USING (tenant_id = NULLIF(current_setting('ragpp.tenant_id', true), ''));
CREATE POLICY owner_in_tenant ON audit.accesses TO CURRENT_USER
  USING (tenant_id = NULLIF(current_setting('ragpp.tenant_id', true), ''));

CREATE FUNCTION audit.known_of_user(of_tenant text, of_user text, until_moment timestamptz)
RETURNS TABLE (keys bigint, accesses bigint)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = ''
BEGIN ATOMIC
  SELECT (SELECT count(*) FROM identity.keys AS k WHERE k.tenant_id = of_tenant AND k.user_id = of_user),
         (SELECT count(*) FROM audit.accesses AS a
           WHERE a.tenant_id = of_tenant AND a.user_id = of_user AND a.at <= until_moment);
END;

-- The lock lets no entry of the tenant in that was looked at before the user was erased.
CREATE FUNCTION audit.erase_user(of_tenant text, of_user text, its_name text, until_moment timestamptz, most int)
RETURNS TABLE (keys bigint, accesses bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
  PERFORM pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtextextended('audit' || of_tenant, 0));
  INSERT INTO audit.erased AS known (tenant_id, name, until) VALUES (of_tenant, its_name, until_moment)
  ON CONFLICT (tenant_id, name) DO UPDATE SET until = GREATEST(known.until, excluded.until);
  DELETE FROM identity.keys AS k WHERE k.tenant_id = of_tenant AND k.user_id = of_user;
  GET DIAGNOSTICS keys = ROW_COUNT;
  UPDATE audit.accesses AS a SET user_id = its_name
   WHERE a.tenant_id = of_tenant AND a.access_id IN (
     SELECT one.access_id FROM audit.accesses AS one
      WHERE one.tenant_id = of_tenant AND one.user_id = of_user AND one.at <= until_moment LIMIT most);
  GET DIAGNOSTICS accesses = ROW_COUNT;
  RETURN NEXT;
END
$$;
REVOKE ALL ON FUNCTION audit.known_of_user, audit.erase_user FROM PUBLIC;
GRANT USAGE ON SCHEMA audit TO ragpp_relay;
GRANT EXECUTE ON FUNCTION audit.known_of_user, audit.erase_user TO ragpp_relay;
