-- Which version of what a user has answers rest on: another number whenever items, what is learned of their worth, or what
-- is around them in their resources changes, in the transaction that changes it. Numbers come from a sequence, so none
-- comes back. No row where nothing was ever kept, or all of it was erased.
CREATE SEQUENCE catalog.version_numbers;
GRANT USAGE ON SEQUENCE catalog.version_numbers TO ragpp_app;
CREATE TABLE catalog.versions (
  tenant_id text COLLATE "C" NOT NULL,
  user_id   text COLLATE "C" NOT NULL,
  version   bigint NOT NULL,
  PRIMARY KEY (tenant_id, user_id)
) WITH (fillfactor = 50);

ALTER TABLE catalog.versions ENABLE ROW LEVEL SECURITY;
ALTER TABLE catalog.versions FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON catalog.versions TO ragpp_app
  USING (tenant_id = NULLIF(current_setting('ragpp.tenant_id', true), ''));
GRANT SELECT, INSERT, UPDATE, DELETE ON catalog.versions TO ragpp_app;
GRANT MAINTAIN ON catalog.versions TO ragpp_relay;

-- A number of this very transaction stays: nobody else has seen it.
CREATE FUNCTION catalog.note_version() RETURNS trigger LANGUAGE plpgsql SET search_path = '' AS $$
BEGIN
  INSERT INTO catalog.versions AS known (tenant_id, user_id, version)
  SELECT whose.tenant_id, whose.user_id, nextval('catalog.version_numbers')
    FROM (SELECT DISTINCT tenant_id, user_id FROM changed) AS whose
  ON CONFLICT (tenant_id, user_id) DO UPDATE SET version = EXCLUDED.version
   WHERE known.xmin <> pg_current_xact_id()::xid;
  RETURN NULL;
END
$$;

DO $$
DECLARE
  name text;
BEGIN
  FOREACH name IN ARRAY '{items,resource_chunks,goal_values}'::text[] LOOP
    EXECUTE format('CREATE TRIGGER version_of_new AFTER INSERT ON catalog.%I
                    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION catalog.note_version()', name);
    EXECUTE format('CREATE TRIGGER version_of_changed AFTER UPDATE ON catalog.%I
                    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION catalog.note_version()', name);
  END LOOP;
  FOREACH name IN ARRAY '{items,resource_chunks}'::text[] LOOP
    EXECUTE format('CREATE TRIGGER version_of_gone AFTER DELETE ON catalog.%I
                    REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION catalog.note_version()', name);
  END LOOP;
END
$$;

-- Values that go because their item does (`values_of_gone`) are left out: the item's user has another version by then,
-- which of what all users share is everybody's, and who deletes that holds the lock of none of those who learned of it.
CREATE TRIGGER version_of_gone AFTER DELETE ON catalog.goal_values
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT WHEN (pg_trigger_depth() = 0)
  EXECUTE FUNCTION catalog.note_version();
