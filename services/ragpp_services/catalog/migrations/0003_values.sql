-- What items are worth to a user for a goal, 0 to 1, as use has shown; nothing for what was never used for it. item_id: of
-- the row that stands for the item, the user's own or everybody's.
CREATE TABLE catalog.goal_values (
  tenant_id    text COLLATE "C" NOT NULL,
  user_id      text COLLATE "C" NOT NULL,
  item_id      text COLLATE "C" NOT NULL,
  goal         text COLLATE "C" NOT NULL,
  value        float8      NOT NULL CHECK (value BETWEEN 0 AND 1),
  last_updated timestamptz NOT NULL,
  PRIMARY KEY (tenant_id, user_id, item_id, goal)
);
CREATE INDEX goal_values_by_value ON catalog.goal_values (tenant_id, user_id, goal, value DESC, item_id);

-- Runs of use that have not ended. seen_by: the only agent that may go on with it. since_event: the user's last event
-- when it began, so that an erasure knows what is from before it.
CREATE TABLE catalog.episodes (
  tenant_id   text COLLATE "C" NOT NULL,
  user_id     text COLLATE "C" NOT NULL,
  id          text COLLATE "C" NOT NULL,
  domain      text,
  goal        text COLLATE "C" NOT NULL,
  seen_by     text COLLATE "C",
  since_event bigint      NOT NULL,
  begun_at    timestamptz NOT NULL,
  PRIMARY KEY (tenant_id, user_id, id)
);

-- What was used in them, in order. value: what it was worth then.
CREATE TABLE catalog.accesses (
  tenant_id   text COLLATE "C" NOT NULL,
  user_id     text COLLATE "C" NOT NULL,
  episode_id  text COLLATE "C" NOT NULL,
  number      int    NOT NULL,
  item_id     text COLLATE "C" NOT NULL,
  value       float8 NOT NULL,
  step_reward float8 NOT NULL,
  PRIMARY KEY (tenant_id, user_id, episode_id, number)
);
CREATE INDEX accesses_of_item ON catalog.accesses (tenant_id, user_id, item_id);

-- By what a content is called, and for lists of a domain or a kind of task.
CREATE INDEX items_by_key ON catalog.items (tenant_id, user_id, memory_key);
CREATE INDEX items_by_domain ON catalog.items (tenant_id, user_id, domain, task_type, ordinal) WHERE one_with IS NULL;

DO $$
DECLARE
  name text;
BEGIN
  FOREACH name IN ARRAY '{goal_values,episodes,accesses}'::text[] LOOP
    EXECUTE format('ALTER TABLE catalog.%I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('ALTER TABLE catalog.%I FORCE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY own_tenant ON catalog.%I TO ragpp_app
                    USING (tenant_id = NULLIF(current_setting(''ragpp.tenant_id'', true), ''''))', name);
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON catalog.%I TO ragpp_app', name);
    EXECUTE format('GRANT MAINTAIN ON catalog.%I TO ragpp_relay', name);
  END LOOP;
END
$$;

-- What rests on an item goes with it, whoever deletes it; of everybody's item what any user of the tenant learned of it.
CREATE FUNCTION catalog.drop_values_of_gone() RETURNS trigger LANGUAGE plpgsql SET search_path = '' AS $$
BEGIN
  DELETE FROM catalog.goal_values AS known USING gone
   WHERE known.tenant_id = gone.tenant_id AND known.item_id = gone.id
     AND (gone.user_id = '' OR known.user_id = gone.user_id);
  DELETE FROM catalog.accesses AS known USING gone
   WHERE known.tenant_id = gone.tenant_id AND known.item_id = gone.id
     AND (gone.user_id = '' OR known.user_id = gone.user_id);
  RETURN NULL;
END
$$;
CREATE TRIGGER values_of_gone AFTER DELETE ON catalog.items
  REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION catalog.drop_values_of_gone();
