-- What all users of a tenant share was returned to many of them, and is known to the audit by its id under each: that goes
-- with it, as a user's own goes with the user's forgetting.
CREATE FUNCTION catalog.drop_marked_ids_of_gone() RETURNS trigger LANGUAGE plpgsql SET search_path = '' AS $$
BEGIN
  DELETE FROM ledger.marked_ids AS known USING gone
   WHERE gone.user_id = '' AND known.tenant_id = gone.tenant_id AND known.id = gone.id;
  RETURN NULL;
END
$$;
CREATE TRIGGER marked_ids_of_gone AFTER DELETE ON catalog.items
  REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION catalog.drop_marked_ids_of_gone();
CREATE TRIGGER marked_ids_of_gone AFTER DELETE ON catalog.resources
  REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION catalog.drop_marked_ids_of_gone();
CREATE TRIGGER marked_ids_of_gone AFTER DELETE ON catalog.categories
  REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION catalog.drop_marked_ids_of_gone();
