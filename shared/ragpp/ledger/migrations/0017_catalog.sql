-- The catalog's events, which are read by whoever may read what they are about, and its slow work, which is asked for.
-- session_id: the conversation that it came from; correlation_id: what links events of one request or job.
ALTER TABLE ledger.events ADD COLUMN session_id text, ADD COLUMN correlation_id text;
CREATE INDEX events_of_catalog ON ledger.events (tenant_id, user_id, event_id) WHERE kind LIKE 'memory.%';

DROP INDEX ledger.events_requested;
CREATE UNIQUE INDEX events_requested ON ledger.events (tenant_id, user_id, kind, subject_id)
  WHERE kind IN ('extract.requested', 'reflect.requested', 'maintain.requested', 'catalog.requested');
DROP INDEX ledger.work_of_rare_stages;
CREATE INDEX work_of_rare_stages ON ledger.work (tenant_id, event_id)
  WHERE stage IN ('extract', 'reflect', 'maintain', 'catalog');

-- The owner, too, is shown no rows unless it is let for a moment, which nobody else sees.
ALTER TABLE ledger.rounds NO FORCE ROW LEVEL SECURITY;
INSERT INTO ledger.rounds (stage, tenant_id) VALUES ('catalog', '');
ALTER TABLE ledger.rounds FORCE ROW LEVEL SECURITY;
