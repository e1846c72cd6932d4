-- One append-only event for each change, and what is still to be done about it.
CREATE SCHEMA ledger;

CREATE TABLE ledger.events (
  event_id    bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  tenant_id   text        NOT NULL,
  user_id     text        NOT NULL,
  kind        text        NOT NULL,
  subject_id  text        NOT NULL,
  payload     json        NOT NULL,
  occurred_at timestamptz NOT NULL,
  created_at  timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE ledger.work (
  event_id    bigint      NOT NULL REFERENCES ledger.events ON DELETE CASCADE,
  stage       text        NOT NULL,
  tenant_id   text        NOT NULL,
  user_id     text        NOT NULL,
  state       text        NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'leased', 'done', 'failed')),
  attempts    int         NOT NULL DEFAULT 0,
  due_at      timestamptz NOT NULL,
  lease_owner text,
  lease_until timestamptz,
  last_error  text,
  updated_at  timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (event_id, stage)
) WITH (fillfactor = 80);

-- Finished work leaves both indexes, so they stay as small as the backlog.
CREATE INDEX work_unfinished ON ledger.work (stage, event_id) WHERE state <> 'done';
CREATE INDEX work_unfinished_by_user ON ledger.work (tenant_id, user_id, event_id) WHERE state <> 'done';

ALTER TABLE ledger.events ENABLE ROW LEVEL SECURITY;
ALTER TABLE ledger.events FORCE ROW LEVEL SECURITY;
ALTER TABLE ledger.work ENABLE ROW LEVEL SECURITY;
ALTER TABLE ledger.work FORCE ROW LEVEL SECURITY;

CREATE POLICY own_tenant ON ledger.events TO ragpp_app
  USING (tenant_id = NULLIF(current_setting('ragpp.tenant_id', true), ''));
CREATE POLICY own_tenant ON ledger.work TO ragpp_app
  USING (tenant_id = NULLIF(current_setting('ragpp.tenant_id', true), ''));
CREATE POLICY every_tenant ON ledger.events TO ragpp_relay USING (true);
CREATE POLICY every_tenant ON ledger.work TO ragpp_relay USING (true);

GRANT USAGE ON SCHEMA ledger TO ragpp_app, ragpp_relay;
GRANT SELECT, INSERT ON ledger.events, ledger.work TO ragpp_app;
GRANT SELECT ON ledger.events TO ragpp_relay;
GRANT SELECT, UPDATE ON ledger.work TO ragpp_relay;
