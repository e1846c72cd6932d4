-- A preference may be set to any JSON value; what was a text is that text as JSON. `json`, which keeps a value as it was
-- given: `jsonb` would make an integer of 1e30 and lose the order of keys.
ALTER TABLE procedural.preferences
  ALTER COLUMN value   TYPE json USING to_json(value),
  ALTER COLUMN waiting TYPE json USING to_json(waiting);
ALTER TABLE procedural.preference_versions
  ALTER COLUMN value TYPE json USING to_json(value);
