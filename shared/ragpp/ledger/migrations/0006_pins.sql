-- What a user or operator keeps whatever retention says. Workers read it as the relay, with the tenant set.
CREATE TABLE ledger.pins (
  tenant_id text        NOT NULL,
  user_id   text        NOT NULL,
  tier      text        NOT NULL CHECK (tier IN ('episodic', 'semantic', 'procedural')),
  item_id   text        NOT NULL,
  pinned_at timestamptz NOT NULL,
  PRIMARY KEY (tenant_id, user_id, tier, item_id)
);

ALTER TABLE ledger.pins ENABLE ROW LEVEL SECURITY;
ALTER TABLE ledger.pins FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON ledger.pins TO ragpp_app, ragpp_relay
  USING (tenant_id = NULLIF(current_setting('ragpp.tenant_id', true), ''));
GRANT SELECT, INSERT, DELETE ON ledger.pins TO ragpp_app;
GRANT SELECT, DELETE ON ledger.pins TO ragpp_relay;
