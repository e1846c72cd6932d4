-- Erasing a session, a user, or interactions that were chosen is work of a stage of its own.
-- The owner, too, is shown no rows unless it is let for a moment, which nobody else sees.
ALTER TABLE ledger.rounds NO FORCE ROW LEVEL SECURITY;
INSERT INTO ledger.rounds (stage, tenant_id) VALUES ('erase', '');
ALTER TABLE ledger.rounds FORCE ROW LEVEL SECURITY;
CREATE INDEX work_of_erasures ON ledger.work (tenant_id, event_id) WHERE stage = 'erase';

-- What the ledger keeps of a user beside events goes in the transaction that asks for it, so that what is noted of later
-- messages stays.
GRANT DELETE ON ledger.user_settings, ledger.debounce, ledger.unreflected, ledger.upkeep TO ragpp_app;

-- What is finished and old may go, and what an erasure under way is about, and nothing else, whatever statement asks.
DROP POLICY finished_and_old ON ledger.events;
CREATE POLICY finished_and_old_or_erased ON ledger.events AS RESTRICTIVE FOR DELETE TO ragpp_relay
  USING (created_at < now() - interval '10 days'
         AND NOT EXISTS (SELECT FROM ledger.work
                          WHERE work.event_id = events.event_id AND work.state IN ('pending', 'leased', 'failed'))
         OR EXISTS (SELECT FROM ledger.work AS erasing
                     WHERE erasing.tenant_id = events.tenant_id AND erasing.user_id = events.user_id
                       AND erasing.stage = 'erase' AND erasing.state = 'leased'
                       AND (erasing.event_id > events.event_id
                            OR NOT EXISTS (SELECT FROM ledger.work WHERE work.event_id = events.event_id))));
GRANT DELETE ON ledger.queues, ledger.progress TO ragpp_relay;

-- The record of an erasure is kept under a keyed hash of its user.
GRANT UPDATE (user_id) ON ledger.events TO ragpp_relay;

-- What a store shall clean up behind erasures, by its name: a table to be vacuumed, a file to be rewritten. It is wanted
-- where wanted_at is after done_at, and begun again no sooner than a while after begun_at, however much is erased.
CREATE TABLE ledger.cleaning (
  name      text PRIMARY KEY,
  wanted_at timestamptz NOT NULL,
  begun_at  timestamptz NOT NULL DEFAULT '-infinity',
  done_at   timestamptz NOT NULL DEFAULT '-infinity'
);
ALTER TABLE ledger.cleaning ENABLE ROW LEVEL SECURITY;
ALTER TABLE ledger.cleaning FORCE ROW LEVEL SECURITY;
CREATE POLICY every_tenant ON ledger.cleaning TO ragpp_relay USING (true);
GRANT SELECT, INSERT, UPDATE ON ledger.cleaning TO ragpp_relay;
GRANT MAINTAIN ON ledger.events, ledger.work TO ragpp_relay;
