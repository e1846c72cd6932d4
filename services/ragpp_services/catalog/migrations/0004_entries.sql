-- What an agent chooses an item by, made when it is written: null for one from before, until that is made up for.
-- entry: summary, abstract, keywords, topics, key points and tokens. tags: in lower case. priority: 0 to 10, where it was
-- given. expires: when it is to go, where that was given. external_id: what it is called where it was imported from.
ALTER TABLE catalog.items
  ADD COLUMN entry       json,
  ADD COLUMN tags        text[],
  ADD COLUMN priority    smallint CHECK (priority BETWEEN 0 AND 10),
  ADD COLUMN expires     timestamptz,
  ADD COLUMN external_id text COLLATE "C";
ALTER TABLE catalog.items ALTER COLUMN tags SET STATISTICS 0;
CREATE INDEX items_without_entry ON catalog.items (tenant_id, user_id, ordinal) WHERE entry IS NULL;
CREATE INDEX items_of_view ON catalog.items (tenant_id, user_id, seen_by, ordinal);
CREATE INDEX items_external ON catalog.items (tenant_id, user_id, external_id) WHERE external_id IS NOT NULL;

-- How many tokens of memory an agent is given a turn, where that was said, and what it was given in all. since_event: as
-- of episodes.
CREATE TABLE catalog.agents (
  tenant_id      text COLLATE "C" NOT NULL,
  user_id        text COLLATE "C" NOT NULL,
  agent_id       text COLLATE "C" NOT NULL,
  budget         int CHECK (budget >= 0),
  source         text NOT NULL DEFAULT 'catalog' CHECK (source IN ('file', 'parallel', 'catalog')),
  turns          bigint NOT NULL DEFAULT 0,
  catalog_tokens bigint NOT NULL DEFAULT 0,
  memory_tokens  bigint NOT NULL DEFAULT 0,
  since_event    bigint NOT NULL,
  PRIMARY KEY (tenant_id, user_id, agent_id)
);

-- The turn that an agent is in: what its catalog offers, in the order of the handles, and what of the budget is used.
CREATE TABLE catalog.turns (
  tenant_id   text COLLATE "C" NOT NULL,
  user_id     text COLLATE "C" NOT NULL,
  agent_id    text COLLATE "C" NOT NULL,
  number      bigint      NOT NULL,
  item_ids    text[]      NOT NULL,
  budget      int         NOT NULL,
  used        int         NOT NULL CHECK (used BETWEEN 0 AND budget),
  begun_at    timestamptz NOT NULL,
  since_event bigint      NOT NULL,
  PRIMARY KEY (tenant_id, user_id, agent_id)
);

-- What an agent has been shown of an item, and what came of it. offered: how often in a catalog; given: how often in a
-- prompt, of so many tokens; judged: of how many answers it is known whether it was useful, useful: the sum of that, each
-- 0 to 1; last_useful, last_turn: of the latest answer; feedback: -1 to 1, with a reason.
CREATE TABLE catalog.uses (
  tenant_id   text COLLATE "C" NOT NULL,
  user_id     text COLLATE "C" NOT NULL,
  agent_id    text COLLATE "C" NOT NULL,
  item_id     text COLLATE "C" NOT NULL,
  offered     bigint NOT NULL DEFAULT 0,
  given       bigint NOT NULL DEFAULT 0,
  tokens      bigint NOT NULL DEFAULT 0,
  judged      bigint NOT NULL DEFAULT 0,
  useful      float8 NOT NULL DEFAULT 0,
  last_useful float8,
  last_turn   bigint,
  feedback    float8 CHECK (feedback BETWEEN -1 AND 1),
  reason      text,
  last_at     timestamptz NOT NULL,
  since_event bigint NOT NULL,
  PRIMARY KEY (tenant_id, user_id, agent_id, item_id)
);
CREATE INDEX uses_of_item ON catalog.uses (tenant_id, user_id, item_id);

DO $$
DECLARE
  name text;
BEGIN
  FOREACH name IN ARRAY '{agents,turns,uses}'::text[] LOOP
    EXECUTE format('ALTER TABLE catalog.%I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('ALTER TABLE catalog.%I FORCE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY own_tenant ON catalog.%I TO ragpp_app
                    USING (tenant_id = NULLIF(current_setting(''ragpp.tenant_id'', true), ''''))', name);
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON catalog.%I TO ragpp_app', name);
    EXECUTE format('GRANT MAINTAIN ON catalog.%I TO ragpp_relay', name);
  END LOOP;
END
$$;

CREATE OR REPLACE FUNCTION catalog.drop_values_of_gone() RETURNS trigger LANGUAGE plpgsql SET search_path = '' AS $$
BEGIN
  DELETE FROM catalog.goal_values AS known USING gone
   WHERE known.tenant_id = gone.tenant_id AND known.item_id = gone.id
     AND (gone.user_id = '' OR known.user_id = gone.user_id);
  DELETE FROM catalog.accesses AS known USING gone
   WHERE known.tenant_id = gone.tenant_id AND known.item_id = gone.id
     AND (gone.user_id = '' OR known.user_id = gone.user_id);
  DELETE FROM catalog.uses AS known USING gone
   WHERE known.tenant_id = gone.tenant_id AND known.item_id = gone.id
     AND (gone.user_id = '' OR known.user_id = gone.user_id);
  RETURN NULL;
END
$$;
