-- A key has a default visibility for what is written with it, and one with the scope `admin` makes, lists and revokes
-- others: of its own tenant, user and agent, with no scope and no day more than it has. The application may do that
-- through these functions alone, each of which looks at the key on whose behalf it is asked.
ALTER TABLE identity.keys ADD COLUMN visibility text CHECK (visibility IN ('agent', 'shared'));

DROP FUNCTION identity.find_key(text);
CREATE FUNCTION identity.find_key(wanted text)
RETURNS TABLE (key_id text, secret_hash bytea, tenant_id text, scopes text[], user_id text, agent_id text,
               visibility text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog AS $$
  SELECT k.key_id, k.secret_hash, k.tenant_id, k.scopes, k.user_id, k.agent_id, k.visibility
    FROM identity.keys AS k
   WHERE k.prefix = wanted AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > now())
$$;

-- A key without the hash of its secret.
CREATE TYPE identity.listing AS (
  key_id text, prefix text, tenant_id text, scopes text[], user_id text, agent_id text,
  created_at timestamptz, expires_at timestamptz, revoked_at timestamptz, visibility text
);

CREATE FUNCTION identity.administrator(of_key text)
RETURNS TABLE (key_id text, tenant_id text, scopes text[], user_id text, agent_id text, expires_at timestamptz)
LANGUAGE sql STABLE SET search_path = ''
BEGIN ATOMIC
  SELECT k.key_id, k.tenant_id, k.scopes, k.user_id, k.agent_id, k.expires_at
    FROM identity.keys AS k
   WHERE k.key_id = of_key AND 'admin' = ANY (k.scopes)
     AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > pg_catalog.now());
END;

-- Oldest first, behind the one that was made at that moment and has that id; all, or the one that is wanted.
CREATE FUNCTION identity.list_keys(of_key text, after_moment timestamptz, after_id text, most int, wanted text)
RETURNS SETOF identity.listing
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = ''
BEGIN ATOMIC
  SELECT k.key_id, k.prefix, k.tenant_id, k.scopes, k.user_id, k.agent_id, k.created_at, k.expires_at, k.revoked_at,
         k.visibility
    FROM identity.administrator(of_key) AS asker
    JOIN identity.keys AS k ON k.tenant_id = asker.tenant_id
     AND (asker.user_id IS NULL OR k.user_id = asker.user_id) AND (asker.agent_id IS NULL OR k.agent_id = asker.agent_id)
   WHERE (after_moment IS NULL OR (k.created_at, k.key_id) > (after_moment, after_id))
     AND (wanted IS NULL OR k.key_id = wanted)
   ORDER BY k.created_at, k.key_id LIMIT most;
END;

CREATE INDEX keys_by_tenant ON identity.keys (tenant_id);

-- How many valid keys the tenant of that key has, whatever they are bound to.
CREATE FUNCTION identity.count_keys(of_key text) RETURNS bigint
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = ''
BEGIN ATOMIC
  SELECT count(*)
    FROM identity.administrator(of_key) AS asker
    JOIN identity.keys AS k ON k.tenant_id = asker.tenant_id
   WHERE k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > pg_catalog.now());
END;

-- No row where that key may not make this one, or its tenant has the `most` valid keys already; 0 is no limit. The lock,
-- that of revoke_key, lets no two that are made at once be one too many.
CREATE FUNCTION identity.create_key(
  of_key text, its_id text, its_prefix text, its_hash bytea, its_scopes text[], its_user text, its_agent text,
  until_moment timestamptz, its_visibility text, most int)
RETURNS SETOF identity.listing
LANGUAGE sql SECURITY DEFINER SET search_path = ''
BEGIN ATOMIC
  SELECT pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtextextended('keys' || asker.tenant_id, 0))
    FROM identity.administrator(of_key) AS asker;
  INSERT INTO identity.keys AS k
         (key_id, prefix, secret_hash, tenant_id, scopes, user_id, agent_id, expires_at, visibility)
  SELECT its_id, its_prefix, its_hash, maker.tenant_id, its_scopes, its_user, its_agent,
         LEAST(until_moment, maker.expires_at), its_visibility
    FROM identity.administrator(of_key) AS maker
   WHERE its_scopes <@ maker.scopes
     AND (maker.user_id IS NULL OR maker.user_id = its_user) AND (maker.agent_id IS NULL OR maker.agent_id = its_agent)
     AND (most = 0 OR identity.count_keys(of_key) < most)
  RETURNING k.key_id, k.prefix, k.tenant_id, k.scopes, k.user_id, k.agent_id, k.created_at, k.expires_at, k.revoked_at,
            k.visibility;
END;

-- The key as it is then, no row where there is none. One without which nobody could make a key like it is not revoked,
-- unless `even_last`. The lock lets no two keys that are each other's last but one revoke each other.
CREATE FUNCTION identity.revoke_key(of_key text, wanted text, even_last boolean) RETURNS SETOF identity.listing
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
  going identity.listing;
BEGIN
  PERFORM pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtextextended('keys' || asker.tenant_id, 0))
     FROM identity.administrator(of_key) AS asker;
  SELECT * INTO going FROM identity.list_keys(of_key, NULL, NULL, 1, wanted);
  IF NOT FOUND THEN
    RETURN;
  END IF;
  IF going.revoked_at IS NULL AND (even_last
      OR NOT EXISTS (SELECT FROM identity.administrator(wanted))
      OR EXISTS (SELECT FROM identity.keys AS k, identity.administrator(k.key_id) AS other
                  WHERE k.tenant_id = going.tenant_id AND k.key_id <> wanted AND going.scopes <@ other.scopes
                    AND (other.user_id IS NULL OR other.user_id = going.user_id)
                    AND (other.agent_id IS NULL OR other.agent_id = going.agent_id))) THEN
    going.revoked_at := pg_catalog.now();
    UPDATE identity.keys AS k SET revoked_at = going.revoked_at WHERE k.key_id = wanted;
  END IF;
  RETURN NEXT going;
END
$$;

REVOKE ALL ON FUNCTION identity.find_key, identity.administrator, identity.list_keys, identity.count_keys,
  identity.create_key, identity.revoke_key FROM PUBLIC;
GRANT EXECUTE ON FUNCTION identity.find_key, identity.list_keys, identity.count_keys, identity.create_key,
  identity.revoke_key TO ragpp_app;
