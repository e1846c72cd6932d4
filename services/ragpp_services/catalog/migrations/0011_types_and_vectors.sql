-- Types of resources are the operator's to add to: whoever takes one in knows which there are.
ALTER TABLE catalog.resources
  DROP CONSTRAINT resources_resource_type_check,
  ADD CONSTRAINT resources_resource_type_check CHECK (resource_type ~ '^[a-z][a-z0-9_]{0,63}$');

-- vectors_dropped: its chunks have none and get none, and are found by words alone.
ALTER TABLE catalog.resources ADD COLUMN vectors_dropped boolean NOT NULL DEFAULT false;
ALTER TABLE catalog.resource_chunks ADD COLUMN vectors_dropped boolean NOT NULL DEFAULT false;
DROP INDEX catalog.passages_to_embed;
CREATE INDEX passages_to_embed ON catalog.resource_chunks (tenant_id, user_id, resource, part)
  WHERE passage AND embedding IS NULL AND NOT vectors_dropped;
