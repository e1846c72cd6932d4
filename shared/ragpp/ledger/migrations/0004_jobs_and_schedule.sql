-- Work as jobs that can be looked at, cancelled and asked for; and what a schedule must know about each user.
ALTER TABLE ledger.work DROP CONSTRAINT work_state_check;
ALTER TABLE ledger.work ADD CONSTRAINT work_state_check
  CHECK (state IN ('pending', 'leased', 'done', 'failed', 'cancelled'));
ALTER TABLE ledger.work ADD COLUMN result json;

-- A user's jobs, newest first. Those of a whole tenant are read along the primary key, the rare stages along their own.
CREATE INDEX work_ended_by_user ON ledger.work (tenant_id, user_id, event_id)
  WHERE state IN ('done', 'failed', 'cancelled');
CREATE INDEX work_of_rare_stages ON ledger.work (tenant_id, event_id) WHERE stage IN ('extract', 'reflect', 'maintain');
CREATE INDEX work_with_result ON ledger.work (tenant_id, user_id, event_id) WHERE result IS NOT NULL;

-- What is asked for by name is asked for once, however many ask.
CREATE UNIQUE INDEX events_requested ON ledger.events (tenant_id, user_id, kind, subject_id)
  WHERE kind IN ('extract.requested', 'reflect.requested', 'maintain.requested');

CREATE TABLE ledger.user_settings (
  tenant_id  text        NOT NULL,
  user_id    text        NOT NULL,
  time_zone  text        NOT NULL,
  reflect_at int         NOT NULL CHECK (reflect_at BETWEEN 0 AND 23),
  plan       text        NOT NULL,
  updated_at timestamptz NOT NULL,
  PRIMARY KEY (tenant_id, user_id)
);

-- When each stage last succeeded for a user.
CREATE TABLE ledger.progress (
  tenant_id       text        NOT NULL,
  user_id         text        NOT NULL,
  stage           text        NOT NULL,
  last_success_at timestamptz NOT NULL,
  last_event_id   bigint      NOT NULL,
  PRIMARY KEY (tenant_id, user_id, stage)
) WITH (fillfactor = 80);

-- What was stored since the user's last extraction was asked for: how much, when, and about which time.
CREATE TABLE ledger.debounce (
  tenant_id     text        NOT NULL,
  user_id       text        NOT NULL,
  first_at      timestamptz NOT NULL,
  last_at       timestamptz NOT NULL,
  interactions  int         NOT NULL,
  occurred_from timestamptz NOT NULL,
  occurred_to   timestamptz NOT NULL,
  PRIMARY KEY (tenant_id, user_id)
) WITH (fillfactor = 80);

-- In which quarters of an hour something was said on days that no nightly reflection was asked for yet: every time
-- zone's days are made of whole quarters. Days long past are not noted: they are reflected upon on demand.
CREATE TABLE ledger.unreflected (
  tenant_id text        NOT NULL,
  user_id   text        NOT NULL,
  quarter   timestamptz NOT NULL,
  PRIMARY KEY (tenant_id, user_id, quarter)
);

-- The day in UTC on which a user's memory was last looked after.
CREATE TABLE ledger.upkeep (
  tenant_id     text        NOT NULL,
  user_id       text        NOT NULL,
  stored_at     timestamptz NOT NULL,
  maintained_on date        NOT NULL,
  PRIMARY KEY (tenant_id, user_id)
) WITH (fillfactor = 80);
CREATE INDEX upkeep_due ON ledger.upkeep (maintained_on);

-- The owner, too, is shown no rows unless it is let for a moment, which nobody else sees.
ALTER TABLE ledger.events NO FORCE ROW LEVEL SECURITY;
INSERT INTO ledger.upkeep (tenant_id, user_id, stored_at, maintained_on)
SELECT tenant_id, user_id, max(created_at), '1970-01-01' FROM ledger.events
 WHERE kind = 'interaction.stored' GROUP BY tenant_id, user_id;
ALTER TABLE ledger.events FORCE ROW LEVEL SECURITY;

ALTER TABLE ledger.user_settings ENABLE ROW LEVEL SECURITY;
ALTER TABLE ledger.user_settings FORCE ROW LEVEL SECURITY;
ALTER TABLE ledger.progress ENABLE ROW LEVEL SECURITY;
ALTER TABLE ledger.progress FORCE ROW LEVEL SECURITY;
ALTER TABLE ledger.debounce ENABLE ROW LEVEL SECURITY;
ALTER TABLE ledger.debounce FORCE ROW LEVEL SECURITY;
ALTER TABLE ledger.unreflected ENABLE ROW LEVEL SECURITY;
ALTER TABLE ledger.unreflected FORCE ROW LEVEL SECURITY;
ALTER TABLE ledger.upkeep ENABLE ROW LEVEL SECURITY;
ALTER TABLE ledger.upkeep FORCE ROW LEVEL SECURITY;

CREATE POLICY own_tenant ON ledger.user_settings TO ragpp_app
  USING (tenant_id = NULLIF(current_setting('ragpp.tenant_id', true), ''));
CREATE POLICY own_tenant ON ledger.progress TO ragpp_app
  USING (tenant_id = NULLIF(current_setting('ragpp.tenant_id', true), ''));
CREATE POLICY own_tenant ON ledger.debounce TO ragpp_app
  USING (tenant_id = NULLIF(current_setting('ragpp.tenant_id', true), ''));
CREATE POLICY own_tenant ON ledger.unreflected TO ragpp_app
  USING (tenant_id = NULLIF(current_setting('ragpp.tenant_id', true), ''));
CREATE POLICY own_tenant ON ledger.upkeep TO ragpp_app
  USING (tenant_id = NULLIF(current_setting('ragpp.tenant_id', true), ''));
CREATE POLICY every_tenant ON ledger.user_settings TO ragpp_relay USING (true);
CREATE POLICY every_tenant ON ledger.progress TO ragpp_relay USING (true);
CREATE POLICY every_tenant ON ledger.debounce TO ragpp_relay USING (true);
CREATE POLICY every_tenant ON ledger.unreflected TO ragpp_relay USING (true);
CREATE POLICY every_tenant ON ledger.upkeep TO ragpp_relay USING (true);

GRANT UPDATE (state, attempts, due_at, last_error, result, updated_at) ON ledger.work TO ragpp_app;
GRANT SELECT, INSERT, UPDATE ON ledger.user_settings, ledger.debounce, ledger.upkeep TO ragpp_app;
GRANT SELECT ON ledger.progress TO ragpp_app;
GRANT SELECT, INSERT ON ledger.unreflected TO ragpp_app;
GRANT INSERT ON ledger.events, ledger.work TO ragpp_relay;
GRANT SELECT ON ledger.user_settings TO ragpp_relay;
GRANT SELECT, INSERT, UPDATE ON ledger.progress TO ragpp_relay;
GRANT SELECT, DELETE ON ledger.debounce, ledger.unreflected TO ragpp_relay;
GRANT SELECT, UPDATE ON ledger.upkeep TO ragpp_relay;
