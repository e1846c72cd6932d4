-- An ending that a language model read. What the two statements amount to by themselves neither makes nor ends it; it
-- goes with either of them.
ALTER TABLE procedural.finding_endings ADD COLUMN is_read boolean NOT NULL DEFAULT false;

-- Few users have any: who has none is told so at once.
CREATE INDEX finding_evidence_read ON procedural.finding_evidence (tenant_id, user_id) WHERE details ? 'read_by';
