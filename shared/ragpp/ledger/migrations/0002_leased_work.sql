-- What is leased is little, however long the backlog: whoever leases looks through it for each batch.
CREATE INDEX work_leased ON ledger.work (stage, tenant_id, user_id) WHERE state = 'leased';
