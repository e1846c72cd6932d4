-- A mark says by itself whose it is, and tells nobody: it is a keyed hash of tenant, user and id. So it stands without
-- the user, whom it may outlive, and goes when it is old. Written anew, since a column that is dropped stays in the rows.
ALTER TABLE ledger.forgotten RENAME TO forgotten_by_user;
ALTER TABLE ledger.forgotten_by_user RENAME CONSTRAINT forgotten_pkey TO forgotten_by_user_pkey;
CREATE TABLE ledger.forgotten (
  tenant_id text        NOT NULL,
  mark      text        NOT NULL,
  at        timestamptz NOT NULL,
  PRIMARY KEY (tenant_id, mark)
);
CREATE INDEX forgotten_at ON ledger.forgotten (at);

-- The owner, too, is shown no rows unless it is let for a moment, which nobody else sees.
ALTER TABLE ledger.forgotten_by_user NO FORCE ROW LEVEL SECURITY;
INSERT INTO ledger.forgotten (tenant_id, mark, at)
SELECT tenant_id, mark, at FROM ledger.forgotten_by_user ON CONFLICT DO NOTHING;
DROP TABLE ledger.forgotten_by_user;

ALTER TABLE ledger.forgotten ENABLE ROW LEVEL SECURITY;
ALTER TABLE ledger.forgotten FORCE  ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON ledger.forgotten TO ragpp_app
  USING (tenant_id = NULLIF(current_setting('ragpp.tenant_id', true), ''));
CREATE POLICY every_tenant ON ledger.forgotten TO ragpp_relay USING (true);
GRANT SELECT, INSERT ON ledger.forgotten TO ragpp_app;
GRANT SELECT, DELETE ON ledger.forgotten TO ragpp_relay;
