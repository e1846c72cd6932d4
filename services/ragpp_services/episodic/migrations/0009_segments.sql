-- Rows of large scopes by what finds them (`ragpp.ranking.segments`): interactions from first to last by their ordinals,
-- all that there are, a row for each chunk.
-- Packed columns, little-endian, one entry a row: ordinals and moments (µs since 2000) of 8 bytes, session_of of 2 (which of
-- the sessions, of 8), viewers of 2 (which of the agents alone may see it, -1 for all), starts of 4 (its first vector);
-- bits: the first 64 dimensions of each vector, the next ones, and so on.
CREATE TABLE episodic.segments (
  tenant_id  text COLLATE "C" NOT NULL,
  user_id    text COLLATE "C" NOT NULL,
  first      bigint NOT NULL,
  last       bigint NOT NULL,
  ordinals   bytea  NOT NULL,
  moments    bytea  NOT NULL,
  sessions   bytea  NOT NULL,
  session_of bytea  NOT NULL,
  viewers    bytea  NOT NULL,
  agents     text[] NOT NULL,
  starts     bytea  NOT NULL,
  vectors    int    NOT NULL,
  bits       bytea  NOT NULL,
  PRIMARY KEY (tenant_id, user_id, first)
);

-- entries: of each row that holds the term, which of the segment's it is (2 bytes) and its weight (half precision).
CREATE TABLE episodic.segment_terms (
  tenant_id text COLLATE "C" NOT NULL,
  user_id   text COLLATE "C" NOT NULL,
  first     bigint NOT NULL,
  term      int    NOT NULL,
  entries   bytea  NOT NULL,
  PRIMARY KEY (tenant_id, user_id, first, term)
);

ALTER TABLE episodic.segments
  ALTER COLUMN ordinals SET STORAGE EXTERNAL, ALTER COLUMN moments SET STORAGE EXTERNAL,
  ALTER COLUMN bits SET STORAGE EXTERNAL,
  ALTER COLUMN ordinals SET STATISTICS 0, ALTER COLUMN moments SET STATISTICS 0, ALTER COLUMN sessions SET STATISTICS 0,
  ALTER COLUMN session_of SET STATISTICS 0, ALTER COLUMN viewers SET STATISTICS 0, ALTER COLUMN agents SET STATISTICS 0,
  ALTER COLUMN starts SET STATISTICS 0, ALTER COLUMN bits SET STATISTICS 0;
ALTER TABLE episodic.segment_terms ALTER COLUMN entries SET STATISTICS 0;

DO $$
DECLARE
  name text;
BEGIN
  FOREACH name IN ARRAY '{segments,segment_terms}'::text[] LOOP
    EXECUTE format('ALTER TABLE episodic.%I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('ALTER TABLE episodic.%I FORCE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY own_tenant ON episodic.%I TO ragpp_app
                    USING (tenant_id = NULLIF(current_setting(''ragpp.tenant_id'', true), ''''))', name);
    EXECUTE format('GRANT SELECT, INSERT, DELETE ON episodic.%I TO ragpp_app', name);
    EXECUTE format('GRANT MAINTAIN ON episodic.%I TO ragpp_relay', name);
  END LOOP;
END
$$;

-- Whatever changes what a segment says drops it in the same transaction, also what nobody has thought of yet.
CREATE FUNCTION episodic.drop_segments_of_gone() RETURNS trigger LANGUAGE plpgsql SET search_path = '' AS $$
BEGIN
  WITH dropped AS (
    DELETE FROM episodic.segments AS known
     WHERE EXISTS (SELECT FROM gone
                    WHERE gone.tenant_id = known.tenant_id AND gone.user_id = known.user_id
                      AND gone.turn BETWEEN known.first AND known.last)
    RETURNING tenant_id, user_id, first
  )
  DELETE FROM episodic.segment_terms AS held USING dropped
   WHERE held.tenant_id = dropped.tenant_id AND held.user_id = dropped.user_id AND held.first = dropped.first;
  RETURN NULL;
END
$$;
CREATE TRIGGER segments_of_gone AFTER DELETE ON episodic.chunks
  REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION episodic.drop_segments_of_gone();
CREATE TRIGGER segments_of_gone AFTER DELETE ON episodic.sentences
  REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION episodic.drop_segments_of_gone();

CREATE FUNCTION episodic.drop_segment_of_changed() RETURNS trigger LANGUAGE plpgsql SET search_path = '' AS $$
BEGIN
  WITH dropped AS (
    DELETE FROM episodic.segments AS known
     WHERE known.tenant_id = NEW.tenant_id AND known.user_id = NEW.user_id
       AND NEW.turn BETWEEN known.first AND known.last
    RETURNING tenant_id, user_id, first
  )
  DELETE FROM episodic.segment_terms AS held USING dropped
   WHERE held.tenant_id = dropped.tenant_id AND held.user_id = dropped.user_id AND held.first = dropped.first;
  RETURN NULL;
END
$$;
CREATE TRIGGER segment_of_changed AFTER UPDATE OF turn, occurred_at, seen_by, embedding, lexical ON episodic.chunks
  FOR EACH ROW EXECUTE FUNCTION episodic.drop_segment_of_changed();
