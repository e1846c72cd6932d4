-- Whose forgettings these stores know all of: a random name, which every backup carries. A restore believes the stores that
-- it replaces only where theirs is the same, and gives another one to whatever does not know all that was forgotten since.
CREATE TABLE ledger.lineage (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  id       text    NOT NULL
);
INSERT INTO ledger.lineage (id) VALUES (gen_random_uuid()::text);

-- What a restore was told was forgotten, and what nothing else here tells: deletions of which the audit was lost with what
-- was replaced, and revoked keys that the backup did not have. Keyed hashes and ids of keys; they go when they are old.
CREATE TABLE ledger.told (
  tenant_id text        NOT NULL,
  kind      text        NOT NULL,
  what      text        NOT NULL,
  agent_id  text        NOT NULL,
  mark      text        NOT NULL,
  at        timestamptz NOT NULL,
  PRIMARY KEY (tenant_id, kind, what, mark, agent_id, at)
);
CREATE INDEX told_at ON ledger.told (at);
ALTER TABLE ledger.told ENABLE ROW LEVEL SECURITY;
ALTER TABLE ledger.told FORCE  ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON ledger.told TO ragpp_app
  USING (tenant_id = NULLIF(current_setting('ragpp.tenant_id', true), ''));
CREATE POLICY every_tenant ON ledger.told TO ragpp_relay USING (true);
GRANT SELECT, DELETE ON ledger.told TO ragpp_relay;
