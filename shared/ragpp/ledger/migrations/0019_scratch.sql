-- A health report sees whether all works by a memory of its own, of the tenant `ragpp:health` (ragpp.health), and leaves
-- nothing of it: the application may delete what the ledger holds of that tenant, and of no other, whatever statement
-- asks.
CREATE POLICY scratch_alone ON ledger.events AS RESTRICTIVE FOR DELETE TO ragpp_app
  USING (tenant_id = 'ragpp:health');
CREATE POLICY scratch_alone ON ledger.work AS RESTRICTIVE FOR DELETE TO ragpp_app
  USING (tenant_id = 'ragpp:health');
CREATE POLICY scratch_alone ON ledger.epochs AS RESTRICTIVE FOR DELETE TO ragpp_app
  USING (tenant_id = 'ragpp:health');
CREATE POLICY scratch_alone ON ledger.forgotten AS RESTRICTIVE FOR DELETE TO ragpp_app
  USING (tenant_id = 'ragpp:health');
CREATE POLICY scratch_alone ON ledger.queues AS RESTRICTIVE FOR DELETE TO ragpp_app
  USING (tenant_id = 'ragpp:health');
CREATE POLICY scratch_alone ON ledger.progress AS RESTRICTIVE FOR DELETE TO ragpp_app
  USING (tenant_id = 'ragpp:health');
GRANT DELETE ON ledger.events, ledger.work, ledger.epochs, ledger.forgotten, ledger.queues, ledger.progress TO ragpp_app;

-- What a report asks of it costs as much as there is of this tenant, not as the ledger has rows.
CREATE INDEX events_of_scratch ON ledger.events (user_id, created_at) WHERE tenant_id = 'ragpp:health';
CREATE INDEX work_of_scratch ON ledger.work (user_id, state) WHERE tenant_id = 'ragpp:health';

-- By which a service tells which migrations its database has.
GRANT SELECT ON public.migrations TO ragpp_app;
