-- Who waits for a stage, whose turn it is, and who ticks the schedule.

-- One row for each user and stage that ever had work. due_at: nothing can be done before it; null while nothing waits.
-- turn: a virtual clock. Each work moves it on by a second, those that are asked for at once when the user joins the
-- line, and all of them when they are handed out, never more than a minute ahead of the real one: who asks for little
-- goes before who asks for much, for a minute at most, and who asks for much takes turns. (After virtual clock
-- scheduling: Zhang, SIGCOMM 1990.)
CREATE TABLE ledger.queues (
  stage     text        NOT NULL,
  tenant_id text        NOT NULL,
  user_id   text        NOT NULL,
  due_at    timestamptz,
  turn      timestamptz NOT NULL,
  PRIMARY KEY (stage, tenant_id, user_id)
) WITH (fillfactor = 80);
CREATE INDEX queues_due ON ledger.queues (stage, due_at) WHERE due_at IS NOT NULL;
-- due_at comes last, where it is no order but spares reading the rows of those who are not due.
CREATE INDEX queues_in_turn ON ledger.queues (stage, tenant_id, turn, user_id, due_at) WHERE due_at IS NOT NULL;

-- The tenant that a stage served last; whoever leases locks the row, so leases of a stage are given out one at a time.
CREATE TABLE ledger.rounds (
  stage     text PRIMARY KEY,
  tenant_id text NOT NULL
);
INSERT INTO ledger.rounds (stage, tenant_id)
SELECT stage, '' FROM unnest('{observe,short_term,forget,extract,reflect,maintain}'::text[]) AS stage;

-- Who does what one worker at a time does, and until when unless renewed.
CREATE TABLE ledger.holders (
  name       text PRIMARY KEY,
  owner      text        NOT NULL,
  held_until timestamptz NOT NULL
);

-- The owner, too, is shown no rows unless it is let for a moment, which nobody else sees.
ALTER TABLE ledger.work NO FORCE ROW LEVEL SECURITY;
INSERT INTO ledger.queues (stage, tenant_id, user_id, due_at, turn)
SELECT stage, tenant_id, user_id, CASE WHEN bool_or(state IN ('pending', 'leased')) THEN now() END, now()
  FROM ledger.work GROUP BY stage, tenant_id, user_id;
ALTER TABLE ledger.work FORCE ROW LEVEL SECURITY;

-- A lease is taken when its work begins.
ALTER TABLE ledger.work DROP COLUMN begun;

-- Works are looked for by their user, not through a whole backlog.
CREATE INDEX work_in_turn ON ledger.work (tenant_id, user_id, stage, event_id) WHERE state IN ('pending', 'leased');
DROP INDEX ledger.work_waiting;
DROP INDEX ledger.work_waiting_by_user;

ALTER TABLE ledger.queues ENABLE ROW LEVEL SECURITY;
ALTER TABLE ledger.queues FORCE ROW LEVEL SECURITY;
ALTER TABLE ledger.rounds ENABLE ROW LEVEL SECURITY;
ALTER TABLE ledger.rounds FORCE ROW LEVEL SECURITY;
ALTER TABLE ledger.holders ENABLE ROW LEVEL SECURITY;
ALTER TABLE ledger.holders FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON ledger.queues TO ragpp_app
  USING (tenant_id = NULLIF(current_setting('ragpp.tenant_id', true), ''));
CREATE POLICY every_tenant ON ledger.queues TO ragpp_relay USING (true);
CREATE POLICY every_tenant ON ledger.rounds TO ragpp_relay USING (true);
CREATE POLICY every_tenant ON ledger.holders TO ragpp_relay USING (true);
GRANT SELECT, INSERT, UPDATE ON ledger.queues TO ragpp_app, ragpp_relay;
GRANT SELECT, UPDATE ON ledger.rounds TO ragpp_relay;
GRANT SELECT, INSERT, UPDATE, DELETE ON ledger.holders TO ragpp_relay;

-- What is finished and old may go, and nothing else, whatever statement asks for it.
CREATE POLICY finished_and_old ON ledger.events AS RESTRICTIVE FOR DELETE TO ragpp_relay
  USING (created_at < now() - interval '10 days'
         AND NOT EXISTS (SELECT FROM ledger.work
                          WHERE work.event_id = events.event_id AND work.state IN ('pending', 'leased', 'failed')));
GRANT DELETE ON ledger.events TO ragpp_relay;
