-- The order of what was used in episodes that end as one; within one episode `number` tells it.
ALTER TABLE catalog.accesses ADD COLUMN used_at timestamptz NOT NULL DEFAULT clock_timestamp();
