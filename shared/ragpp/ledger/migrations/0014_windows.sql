-- What was looked at together, so that it is looked at again, in the order of its events, when something in it was
-- forgotten. Events are pruned; windows stay as long as what they taught.
CREATE TABLE ledger.windows (
  tenant_id text        NOT NULL,
  user_id   text        NOT NULL,
  event_id  bigint      NOT NULL,
  stage     text        NOT NULL CHECK (stage IN ('extract', 'reflect')),
  start_at  timestamptz NOT NULL,
  end_at    timestamptz NOT NULL,
  day       date,
  payload   json        NOT NULL,
  PRIMARY KEY (tenant_id, user_id, event_id, stage)
);

-- Those of the events that are still there. The owner, too, is shown no rows unless it is let for a moment, which nobody
-- else sees.
ALTER TABLE ledger.events        NO FORCE ROW LEVEL SECURITY;
ALTER TABLE ledger.work          NO FORCE ROW LEVEL SECURITY;
ALTER TABLE ledger.user_settings NO FORCE ROW LEVEL SECURITY;
WITH asked AS (
  SELECT events.tenant_id, events.user_id, event_id, work.stage, payload, payload ->> 'kind' AS kind,
         COALESCE(payload ->> 'time_zone', settings.time_zone, 'UTC') AS zone,
         CASE WHEN payload ->> 'date' ~ '^\d{4}-\d{2}-\d{2}$' THEN (payload ->> 'date')::date END AS day,
         (payload ->> 'start')::timestamptz AS start_at, (payload ->> 'end')::timestamptz AS end_at
    FROM ledger.events JOIN ledger.work USING (event_id)
    LEFT JOIN ledger.user_settings AS settings
      ON (settings.tenant_id, settings.user_id) = (events.tenant_id, events.user_id)
   WHERE events.kind IN ('extract.requested', 'reflect.requested') AND work.state = 'done')
INSERT INTO ledger.windows (tenant_id, user_id, event_id, stage, start_at, end_at, day, payload)
SELECT tenant_id, user_id, event_id, stage, start_at, end_at,
       CASE stage WHEN 'reflect' THEN (end_at AT TIME ZONE zone)::date END,
       json_build_object('kind', kind, 'time_zone', zone, 'start', start_at, 'end', end_at)
  FROM asked WHERE start_at < end_at AND kind IS DISTINCT FROM 'daily'
UNION ALL
SELECT tenant_id, user_id, event_id, stage, day::timestamp AT TIME ZONE zone, (day + 1)::timestamp AT TIME ZONE zone, day,
       json_build_object('kind', kind, 'time_zone', zone, 'date', day)
  FROM asked WHERE day IS NOT NULL AND kind = 'daily';
ALTER TABLE ledger.user_settings FORCE ROW LEVEL SECURITY;
ALTER TABLE ledger.work          FORCE ROW LEVEL SECURITY;
ALTER TABLE ledger.events        FORCE ROW LEVEL SECURITY;

-- Since when windows are to be looked at again: what was said at `at` was forgotten (`gone`), or what was first taught
-- then was dropped. `number` tells which of them a worker has read.
CREATE SEQUENCE ledger.again_numbers;
CREATE TABLE ledger.again (
  tenant_id text        NOT NULL,
  user_id   text        NOT NULL,
  gone      boolean     NOT NULL,
  at        timestamptz NOT NULL,
  number    bigint      NOT NULL DEFAULT nextval('ledger.again_numbers'),
  PRIMARY KEY (tenant_id, user_id, gone, at)
);

ALTER TABLE ledger.windows ENABLE ROW LEVEL SECURITY;
ALTER TABLE ledger.windows FORCE  ROW LEVEL SECURITY;
ALTER TABLE ledger.again   ENABLE ROW LEVEL SECURITY;
ALTER TABLE ledger.again   FORCE  ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON ledger.windows TO ragpp_app
  USING (tenant_id = NULLIF(current_setting('ragpp.tenant_id', true), ''));
CREATE POLICY own_tenant ON ledger.again TO ragpp_app
  USING (tenant_id = NULLIF(current_setting('ragpp.tenant_id', true), ''));
CREATE POLICY every_tenant ON ledger.windows TO ragpp_relay USING (true);
CREATE POLICY every_tenant ON ledger.again TO ragpp_relay USING (true);
GRANT SELECT, DELETE ON ledger.windows TO ragpp_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON ledger.again TO ragpp_app, ragpp_relay;
GRANT SELECT, INSERT, DELETE ON ledger.windows TO ragpp_relay;
GRANT USAGE ON SEQUENCE ledger.again_numbers TO ragpp_app, ragpp_relay;
