-- What failed for good stays until someone looks; whoever leases or waits must not read past it each time.
CREATE INDEX work_waiting ON ledger.work (stage, event_id) WHERE state IN ('pending', 'leased');
CREATE INDEX work_waiting_by_user ON ledger.work (tenant_id, user_id, event_id) WHERE state IN ('pending', 'leased');
CREATE INDEX work_failed ON ledger.work (event_id) WHERE state = 'failed';
DROP INDEX ledger.work_unfinished;
DROP INDEX ledger.work_unfinished_by_user;

-- Events are appended in the order of their time: a few pages of index tell which part of the table is recent.
CREATE INDEX events_created ON ledger.events USING brin (created_at) WITH (autosummarize = on);
