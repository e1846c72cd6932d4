-- What becomes of personal data that comes in: of a user, or, under the empty id, of all users of the tenant who have no
-- policy of their own. `kinds`: those that it holds for; NULL for all that there are.
CREATE TABLE ledger.personal_policies (
  tenant_id       text        NOT NULL,
  user_id         text        NOT NULL,
  mode            text        NOT NULL CHECK (mode IN ('keep', 'mask', 'refuse')),
  kinds           text[]      CHECK (cardinality(kinds) > 0),
  keeps_passwords boolean     NOT NULL,
  updated_at      timestamptz NOT NULL,
  PRIMARY KEY (tenant_id, user_id)
);

ALTER TABLE ledger.personal_policies ENABLE ROW LEVEL SECURITY;
ALTER TABLE ledger.personal_policies FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON ledger.personal_policies TO ragpp_app, ragpp_relay
  USING (tenant_id = NULLIF(current_setting('ragpp.tenant_id', true), ''));
GRANT SELECT, INSERT, UPDATE, DELETE ON ledger.personal_policies TO ragpp_app;
GRANT SELECT ON ledger.personal_policies TO ragpp_relay;
GRANT MAINTAIN ON ledger.personal_policies TO ragpp_relay;
