-- Tokens of language models by tenant and UTC day: those used, and those set aside for calls under way.
CREATE TABLE ledger.spend (
  tenant_id text   NOT NULL,
  day       date   NOT NULL,
  tokens    bigint NOT NULL,
  PRIMARY KEY (tenant_id, day)
);

ALTER TABLE ledger.spend ENABLE ROW LEVEL SECURITY;
ALTER TABLE ledger.spend FORCE ROW LEVEL SECURITY;

CREATE POLICY own_tenant ON ledger.spend TO ragpp_app, ragpp_relay
  USING (tenant_id = NULLIF(current_setting('ragpp.tenant_id', true), ''));

GRANT SELECT, INSERT, UPDATE ON ledger.spend TO ragpp_app, ragpp_relay;
