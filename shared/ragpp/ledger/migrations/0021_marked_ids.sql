-- Which memory a mark in the audit is of, as long as nothing of its user was forgotten since it was last returned. The
-- audit itself has marks alone, keyed hashes that outlive what they are of; an id may say something, and may not. What
-- rests on what is not known here, so a forgetting drops all of its user's: whatever is returned again is known again.
-- `id` null: a memory that a person deleted, which an entry that comes late does not bring back.
CREATE TABLE ledger.marked_ids (
  tenant_id text        NOT NULL,
  user_id   text        NOT NULL,
  mark      uuid        NOT NULL,
  id        text,
  at        timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant_id, user_id, mark)
);
CREATE INDEX marked_ids_by_id ON ledger.marked_ids (tenant_id, id);
CREATE INDEX marked_ids_at ON ledger.marked_ids (at);
ALTER TABLE ledger.marked_ids ENABLE ROW LEVEL SECURITY;
ALTER TABLE ledger.marked_ids FORCE  ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON ledger.marked_ids TO ragpp_app
  USING (tenant_id = NULLIF(current_setting('ragpp.tenant_id', true), ''));
CREATE POLICY every_tenant ON ledger.marked_ids TO ragpp_relay USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON ledger.marked_ids TO ragpp_app;
GRANT SELECT, DELETE, MAINTAIN ON ledger.marked_ids TO ragpp_relay;

-- Every forgetting raises its user's epoch. The lock, of which whoever adds ids holds the shared half, lets none be added
-- that was looked at before: each statement here sees what was committed before it began.
CREATE FUNCTION ledger.drop_marked_ids() RETURNS trigger LANGUAGE plpgsql SET search_path = '' AS $$
BEGIN
  PERFORM pg_catalog.pg_advisory_xact_lock(
    pg_catalog.hashtextextended('marked ids' || NEW.tenant_id || pg_catalog.chr(31) || NEW.user_id, 0));
  DELETE FROM ledger.marked_ids AS known WHERE known.tenant_id = NEW.tenant_id AND known.user_id = NEW.user_id;
  RETURN NULL;
END
$$;
CREATE TRIGGER marked_ids_of_forgotten AFTER INSERT OR UPDATE ON ledger.epochs
  FOR EACH ROW EXECUTE FUNCTION ledger.drop_marked_ids();
