-- When an activation with an id was counted, so that the id is not kept for ever.
-- The owner sees rows of all tenants only while row-level security does not bind it.
ALTER TABLE procedural.applied ADD COLUMN counted_at timestamptz;
ALTER TABLE procedural.applied NO FORCE ROW LEVEL SECURITY;
UPDATE procedural.applied SET counted_at = now()
 WHERE kind = 'rule' AND subject_id IS NOT NULL AND starts_with(entry_id, 'own-');
DELETE FROM procedural.applied WHERE kind = 'rule' AND subject_id IS NULL AND starts_with(entry_id, 'own-');
ALTER TABLE procedural.applied FORCE ROW LEVEL SECURITY;
CREATE INDEX applied_counted ON procedural.applied (tenant_id, user_id, subject_id, counted_at)
 WHERE counted_at IS NOT NULL;
