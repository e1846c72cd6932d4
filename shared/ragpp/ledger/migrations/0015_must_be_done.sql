-- Which work is never given up and cannot be cancelled: a forgetting, an erasure, and looking again at what a forgetting
-- took from.
CREATE FUNCTION ledger.must_be_done(of_stage text, of_event bigint) RETURNS boolean LANGUAGE sql STABLE
RETURN of_stage IN ('forget', 'erase')
       OR of_stage = 'extract'
          AND EXISTS (SELECT FROM ledger.events WHERE event_id = of_event AND subject_id LIKE 'again:%');

-- How many of its interactions an erasure has done; what else it tells is written once, and may be large.
ALTER TABLE ledger.work ADD COLUMN progress integer;
GRANT UPDATE (progress) ON ledger.work TO ragpp_relay;

GRANT MAINTAIN ON ledger.windows, ledger.again, ledger.queues, ledger.progress, ledger.user_settings, ledger.debounce,
  ledger.unreflected, ledger.upkeep, ledger.pins TO ragpp_relay;

-- As before (0012), and what works of before an erasure led to while it waited.
DROP POLICY finished_and_old_or_erased ON ledger.events;
CREATE POLICY finished_and_old_or_erased ON ledger.events AS RESTRICTIVE FOR DELETE TO ragpp_relay
  USING (created_at < now() - interval '10 days'
         AND NOT EXISTS (SELECT FROM ledger.work
                          WHERE work.event_id = events.event_id AND work.state IN ('pending', 'leased', 'failed'))
         OR EXISTS (SELECT FROM ledger.work AS erasing
                     WHERE erasing.tenant_id = events.tenant_id AND erasing.user_id = events.user_id
                       AND erasing.stage = 'erase' AND erasing.state = 'leased'
                       AND (erasing.event_id > events.event_id
                            OR subject_id LIKE ANY ('{incremental:%,earlier:%,again:%}'::text[])
                            OR NOT EXISTS (SELECT FROM ledger.work WHERE work.event_id = events.event_id))));

-- What is never looked for by its value needs no statistics, which would keep values that were forgotten.
ALTER TABLE ledger.events ALTER COLUMN payload SET STATISTICS 0;
ALTER TABLE ledger.work ALTER COLUMN result SET STATISTICS 0, ALTER COLUMN last_error SET STATISTICS 0;
