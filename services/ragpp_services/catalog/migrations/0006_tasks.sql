-- For lists of a kind of task in whichever domain; those of a domain are by `items_by_domain`.
CREATE INDEX items_by_task ON catalog.items (tenant_id, user_id, task_type, ordinal)
 WHERE one_with IS NULL AND task_type IS NOT NULL;
