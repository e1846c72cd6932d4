-- Old raw text may be kept compressed: `packed` is then its UTF-8, deflated (RFC 1950), and `content` is empty; an empty
-- `packed` marks a text that compressing does not shorten.
ALTER TABLE episodic.interactions ADD COLUMN packed bytea;
ALTER TABLE episodic.interactions ALTER COLUMN packed SET STORAGE EXTERNAL;

-- Of the tenant that the transaction has set, as for the application: what runs as the owner is confined too.
CREATE POLICY owner_in_tenant ON episodic.interactions TO CURRENT_USER
  USING (tenant_id = NULLIF(current_setting('ragpp.tenant_id', true), ''));

-- The application still cannot update a row: it can only have a text of its tenant replaced by a shorter form, once.
CREATE FUNCTION episodic.compress(of_tenant text, of_user text, ids text[], smaller bytea[]) RETURNS bigint
LANGUAGE sql SECURITY DEFINER SET search_path = ''
BEGIN ATOMIC
  WITH done AS (
  UPDATE episodic.interactions AS stored
     SET packed = given.packed, content = CASE WHEN given.packed = ''::bytea THEN stored.content ELSE '' END
    FROM unnest(ids, smaller) AS given (id, packed)
   WHERE stored.tenant_id = of_tenant AND stored.user_id = of_user AND stored.id = given.id
     AND stored.packed IS NULL AND octet_length(given.packed) < octet_length(stored.content)
  RETURNING 1)
  SELECT count(*) FROM done;
END;
REVOKE ALL ON FUNCTION episodic.compress FROM PUBLIC;
GRANT EXECUTE ON FUNCTION episodic.compress TO ragpp_app;
