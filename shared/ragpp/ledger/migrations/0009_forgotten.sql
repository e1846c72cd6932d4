-- Which epoch of forgetting each user's memory is in, for the tiers of this database together. It is the time of the last
-- forgetting in microseconds, so that no epoch comes back with a database that is restored; no row: nothing was forgotten.
CREATE TABLE ledger.epochs (
  tenant_id text   NOT NULL,
  user_id   text   NOT NULL,
  epoch     bigint NOT NULL,
  PRIMARY KEY (tenant_id, user_id)
);

-- Interactions that were forgotten, by keyed hashes (ragpp.forgetting): what rests on them alone is not learned, whenever
-- it arrives.
CREATE TABLE ledger.forgotten (
  tenant_id text        NOT NULL,
  user_id   text        NOT NULL,
  mark      text        NOT NULL,
  at        timestamptz NOT NULL,
  PRIMARY KEY (tenant_id, user_id, mark)
);

ALTER TABLE ledger.epochs    ENABLE ROW LEVEL SECURITY;
ALTER TABLE ledger.epochs    FORCE  ROW LEVEL SECURITY;
ALTER TABLE ledger.forgotten ENABLE ROW LEVEL SECURITY;
ALTER TABLE ledger.forgotten FORCE  ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON ledger.epochs TO ragpp_app
  USING (tenant_id = NULLIF(current_setting('ragpp.tenant_id', true), ''));
CREATE POLICY own_tenant ON ledger.forgotten TO ragpp_app
  USING (tenant_id = NULLIF(current_setting('ragpp.tenant_id', true), ''));
GRANT SELECT, INSERT, UPDATE ON ledger.epochs TO ragpp_app;
GRANT SELECT, INSERT ON ledger.forgotten TO ragpp_app;
