-- The catalog's events, which are read by whoever may read what they are about, and its slow work, which is asked for.
-- session_id: the conversation that it came from; correlation_id: what links events of one request or job.
ALTER TABLE ledger.events ADD COLUMN session_id text, ADD COLUMN correlation_id text;
CREATE INDEX events_of_catalog ON ledger.events (tenant_id, user_id, event_id) WHERE kind LIKE 'memory.%';

DROP INDEX ledger.events_requested;
CREATE UNIQUE INDEX events_requested ON ledger.events (tenant_id, user_id, kind, subject_id)
  WHERE kind IN ('extract.requested', 'reflect.requested', 'maintain.requested', 'catalog.requested');
DROP INDEX ledger.work_of_rare_stages;
CREATE INDEX work_of_rare_stages ON ledger.work (tenant_id, event_id)
  WHERE stage IN ('extract', 'reflect', 'maintain', 'catalog');

-- Looking again at what a forgetting took from is never given up and cannot be cancelled, in the catalog neither: until
-- then the items of what is left are missing.
CREATE OR REPLACE FUNCTION ledger.must_be_done(of_stage text, of_event bigint) RETURNS boolean LANGUAGE sql STABLE
RETURN of_stage IN ('forget', 'erase')
       OR of_stage IN ('extract', 'catalog')
          AND EXISTS (SELECT FROM ledger.events WHERE event_id = of_event AND subject_id LIKE 'again:%');

-- The owner, too, is shown no rows unless it is let for a moment, which nobody else sees.
ALTER TABLE ledger.rounds NO FORCE ROW LEVEL SECURITY;
INSERT INTO ledger.rounds (stage, tenant_id) VALUES ('catalog', '');
ALTER TABLE ledger.rounds FORCE ROW LEVEL SECURITY;

-- Whoever keeps something in the catalog is looked after each day; what all users of a tenant share, under no user's id.
ALTER TABLE ledger.upkeep ADD COLUMN catalog boolean NOT NULL DEFAULT false;
GRANT INSERT ON ledger.upkeep TO ragpp_relay;

-- Resources may be pinned like what the tiers keep.
ALTER TABLE ledger.pins DROP CONSTRAINT pins_tier_check,
  ADD CONSTRAINT pins_tier_check CHECK (tier IN ('episodic', 'semantic', 'procedural', 'catalog'));

-- Results of the catalog's work name what it made. The application cannot change what came of a work: it can only have
-- all of a user's go, of its tenant, when something of the catalog is deleted.
CREATE INDEX work_that_names ON ledger.work (tenant_id, user_id) WHERE stage = 'catalog' AND result IS NOT NULL;
CREATE POLICY owner_in_tenant ON ledger.work TO CURRENT_USER
  USING (tenant_id = NULLIF(current_setting('ragpp.tenant_id', true), ''));
CREATE FUNCTION ledger.drop_results(of_tenant text, of_user text) RETURNS bigint
LANGUAGE sql SECURITY DEFINER SET search_path = ''
BEGIN ATOMIC
  WITH dropped AS (
    UPDATE ledger.work SET result = NULL
     WHERE tenant_id = of_tenant AND user_id = of_user AND stage = 'catalog' AND state = 'done' AND result IS NOT NULL
    RETURNING 1)
  SELECT count(*) FROM dropped;
END;
REVOKE ALL ON FUNCTION ledger.drop_results FROM PUBLIC;
GRANT EXECUTE ON FUNCTION ledger.drop_results TO ragpp_app, ragpp_relay;

-- The names of a resource's metadata are whatever somebody wrote there: they go from what is told of it when it goes. Of
-- what happened the application can change nothing else.
CREATE INDEX events_of_resources ON ledger.events (tenant_id, user_id, subject_id)
  WHERE kind = 'memory.resource_stored';
CREATE POLICY owner_in_tenant ON ledger.events TO CURRENT_USER
  USING (tenant_id = NULLIF(current_setting('ragpp.tenant_id', true), ''));
CREATE FUNCTION ledger.drop_metadata_keys(of_tenant text, of_user text, resource_ids text[]) RETURNS bigint
LANGUAGE sql SECURITY DEFINER SET search_path = ''
BEGIN ATOMIC
  WITH dropped AS (
    UPDATE ledger.events SET payload = (payload::jsonb - 'metadata_keys')::json
     WHERE tenant_id = of_tenant AND user_id = of_user AND kind = 'memory.resource_stored'
       AND subject_id = ANY (resource_ids)
    RETURNING 1)
  SELECT count(*) FROM dropped;
END;
REVOKE ALL ON FUNCTION ledger.drop_metadata_keys FROM PUBLIC;
GRANT EXECUTE ON FUNCTION ledger.drop_metadata_keys TO ragpp_app, ragpp_relay;
