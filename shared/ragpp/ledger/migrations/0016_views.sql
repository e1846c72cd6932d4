-- Which views of a user's memory are kept by themselves: of each agent to which anything was said that the others may
-- not see, and, where there is one, of what all may see, whose name is empty. Without any, all agents see all there is.
-- latest: the event that recorded the latest of what only that view, or only another than the shared one, has.
-- built: whether what was said before the view was begun has been learned in it.
CREATE TABLE ledger.views (
  tenant_id text COLLATE "C" NOT NULL,
  user_id   text COLLATE "C" NOT NULL,
  view      text COLLATE "C" NOT NULL,
  latest    bigint  NOT NULL,
  built     boolean NOT NULL DEFAULT false,
  PRIMARY KEY (tenant_id, user_id, view)
);

ALTER TABLE ledger.views ENABLE ROW LEVEL SECURITY;
ALTER TABLE ledger.views FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON ledger.views TO ragpp_app, ragpp_relay
  USING (tenant_id = NULLIF(current_setting('ragpp.tenant_id', true), ''));
CREATE POLICY to_be_built ON ledger.views FOR SELECT TO ragpp_relay USING (NOT built);
GRANT SELECT, INSERT, UPDATE (latest) ON ledger.views TO ragpp_app;
GRANT SELECT, UPDATE (built), DELETE, MAINTAIN ON ledger.views TO ragpp_relay;
