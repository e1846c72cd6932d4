-- An activation is what the host reports as one; so far each outcome was counted as one, and no other was known of.
-- The owner sees rows of all tenants only while row-level security does not bind it.
ALTER TABLE procedural.rules     NO FORCE ROW LEVEL SECURITY;
ALTER TABLE procedural.rule_acts NO FORCE ROW LEVEL SECURITY;
UPDATE procedural.rules     SET activations = 0 WHERE activations <> 0;
UPDATE procedural.rule_acts SET activations = 0 WHERE activations <> 0;
ALTER TABLE procedural.rules     FORCE ROW LEVEL SECURITY;
ALTER TABLE procedural.rule_acts FORCE ROW LEVEL SECURITY;
