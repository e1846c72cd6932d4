-- A forgetting is never given up: those that were are tried again.
ALTER TABLE ledger.work NO FORCE ROW LEVEL SECURITY;
ALTER TABLE ledger.queues NO FORCE ROW LEVEL SECURITY;
WITH again AS (
  UPDATE ledger.work SET state = 'pending', due_at = now(), updated_at = now()
   WHERE stage = 'forget' AND state = 'failed'
  RETURNING tenant_id, user_id)
INSERT INTO ledger.queues (stage, tenant_id, user_id, due_at, turn)
SELECT DISTINCT 'forget', tenant_id, user_id, now(), now() FROM again
ON CONFLICT (stage, tenant_id, user_id) DO UPDATE SET due_at = excluded.due_at;
ALTER TABLE ledger.queues FORCE ROW LEVEL SECURITY;
ALTER TABLE ledger.work FORCE ROW LEVEL SECURITY;
