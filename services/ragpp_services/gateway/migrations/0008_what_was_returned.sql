-- Which memories an access returned or changed, each by its mark. What the marks are of is in ledger.marked_ids, until
-- anything of the user is forgotten.
ALTER TABLE audit.accesses ADD COLUMN memories uuid[];

-- The mark of ragpp.stores.forgetting: HMAC-SHA256 (RFC 2104) with a key that is nowhere here. A statement brings its two
-- blocks, so that a recall pays for no hash. U+001F parts ids, and is escaped within one.
CREATE FUNCTION audit.mark(inner_block bytea, outer_block bytea, tenant_id text, user_id text, id text) RETURNS uuid
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN substr(encode(sha256(outer_block || sha256(inner_block || convert_to(
    replace(replace(tenant_id, E'\x1e', E'\x1e0'), E'\x1f', E'\x1e1') || E'\x1f'
    || replace(replace(user_id, E'\x1e', E'\x1e0'), E'\x1f', E'\x1e1') || E'\x1f'
    || replace(replace(id, E'\x1e', E'\x1e0'), E'\x1f', E'\x1e1'), 'UTF8'))), 'hex'), 1, 32)::uuid;
REVOKE ALL ON FUNCTION audit.mark FROM PUBLIC;
GRANT EXECUTE ON FUNCTION audit.mark TO ragpp_app;

-- Newest first, of a tenant, a user of it, or a key.
DROP INDEX audit.accesses_by_time, audit.accesses_by_user;
CREATE INDEX accesses_by_time ON audit.accesses (tenant_id, at DESC, access_id DESC);
CREATE INDEX accesses_by_user ON audit.accesses (tenant_id, user_id, at DESC, access_id DESC);
CREATE INDEX accesses_by_key ON audit.accesses (tenant_id, key_id, at DESC, access_id DESC);

-- Requests that were refused for the key that they came with, as far as that is one which the asking key may see: they
-- are nobody's, and whoever administers a key is told that somebody else tries it, or a revoked one.
CREATE FUNCTION audit.refused_for(of_key text)
RETURNS TABLE (access_id uuid, at timestamptz, key_id text, action text, status int, details jsonb)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = ''
BEGIN ATOMIC
  SELECT one.access_id, one.at, one.key_id, one.action, one.status, one.details
    FROM identity.administrator(of_key) AS asker
    JOIN identity.keys AS k ON k.tenant_id = asker.tenant_id
     AND (asker.user_id IS NULL OR k.user_id = asker.user_id) AND (asker.agent_id IS NULL OR k.agent_id = asker.agent_id)
    JOIN audit.accesses AS one ON one.tenant_id = '' AND one.key_id = k.key_id;
END;
REVOKE ALL ON FUNCTION audit.refused_for FROM PUBLIC;
GRANT EXECUTE ON FUNCTION audit.refused_for TO ragpp_app;

-- Entries of before a moment, the oldest of each tenant first; what was deleted is told until a later one, for a restore
-- asks for it. The setting lets the owner see those of every tenant, while the function runs.
CREATE POLICY owner_prunes ON audit.accesses TO CURRENT_USER
  USING (at < NULLIF(current_setting('ragpp.pruned_before', true), '')::timestamptz);
CREATE FUNCTION audit.prune(before timestamptz, deletions_before timestamptz, most int) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
  pruned bigint;
BEGIN
  PERFORM pg_catalog.set_config('ragpp.pruned_before', before::text, true);
  DELETE FROM audit.accesses AS old
   WHERE (old.tenant_id, old.access_id) IN (
     SELECT one.tenant_id, one.access_id FROM audit.accesses AS one
      WHERE one.at < before AND (one.details IS NULL OR NOT one.details ? 'deleted' OR one.at < deletions_before)
      LIMIT most);
  GET DIAGNOSTICS pruned = ROW_COUNT;
  PERFORM pg_catalog.set_config('ragpp.pruned_before', '', true);
  RETURN pruned;
END
$$;
REVOKE ALL ON FUNCTION audit.prune FROM PUBLIC;
GRANT EXECUTE ON FUNCTION audit.prune TO ragpp_relay;
