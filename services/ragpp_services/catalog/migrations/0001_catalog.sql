-- Curated knowledge: resources as they came, the items taken from them, and the pages made of these. What all users of a
-- tenant share lives under the empty user id; `contributor` then says whose it is.
CREATE SCHEMA catalog;
GRANT USAGE ON SCHEMA catalog TO ragpp_app, ragpp_relay;

-- The model whose vectors the items hold. No tenant's data: it is reached through the function alone.
CREATE TABLE catalog.embedding (
  only_row  boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  model     text NOT NULL,
  dimension int  NOT NULL
);

CREATE FUNCTION catalog.record_embedding(wanted_model text, wanted_dimension int)
RETURNS TABLE (model text, dimension int)
LANGUAGE sql SECURITY DEFINER SET search_path = ''
BEGIN ATOMIC
  INSERT INTO catalog.embedding (model, dimension) VALUES (wanted_model, wanted_dimension) ON CONFLICT DO NOTHING;
  SELECT recorded.model, recorded.dimension FROM catalog.embedding AS recorded;
END;
REVOKE ALL ON FUNCTION catalog.record_embedding FROM PUBLIC;
GRANT EXECUTE ON FUNCTION catalog.record_embedding TO ragpp_app;

-- ordinal: order of arrival, and the short key that chunks refer to.
CREATE SEQUENCE catalog.ordinals;
GRANT USAGE ON SEQUENCE catalog.ordinals TO ragpp_app;

-- packed: content deflated (RFC 1950) where that was worth it, and content is empty then; empty: it was not worth it.
-- seen_by: the only agent that may see it; null for all of the user's agents. is_stub: its content is gone for good.
-- messages: of a conversation, offsets into content. extracted_at: when its items were taken from it last.
-- vacated: ordinals of items that were taken from it before it lost a part, for those that are taken from it anew.
CREATE TABLE catalog.resources (
  tenant_id     text COLLATE "C" NOT NULL,
  user_id       text COLLATE "C" NOT NULL,
  id            text COLLATE "C" NOT NULL,
  ordinal       bigint      NOT NULL,
  event_id      bigint      NOT NULL,
  resource_type text        NOT NULL CHECK (resource_type IN ('conversation', 'document', 'config', 'feedback')),
  content       text        NOT NULL,
  packed        bytea,
  content_hash  bytea       NOT NULL,
  metadata      json        NOT NULL,
  messages      json        NOT NULL,
  occurred_at   timestamptz NOT NULL,
  created_at    timestamptz NOT NULL,
  extracted_at  timestamptz,
  vacated       bigint[]    NOT NULL DEFAULT '{}',
  session_id    text,
  agent_id      text,
  seen_by       text COLLATE "C",
  contributor   text COLLATE "C" NOT NULL,
  redactions    int         NOT NULL,
  tokens        int         NOT NULL,
  is_stub       boolean     NOT NULL DEFAULT false,
  PRIMARY KEY (tenant_id, user_id, id)
) PARTITION BY HASH (user_id);
CREATE UNIQUE INDEX resources_in_order ON catalog.resources (tenant_id, user_id, ordinal);

-- What full-text search reads of a resource.
CREATE TABLE catalog.resource_chunks (
  tenant_id     text COLLATE "C" NOT NULL,
  user_id       text COLLATE "C" NOT NULL,
  resource      bigint NOT NULL,
  part          int    NOT NULL,
  start         int    NOT NULL,
  "end"         int    NOT NULL,
  resource_type text   NOT NULL,
  seen_by       text COLLATE "C",
  lexical       sparsevec(1048576) NOT NULL,
  PRIMARY KEY (tenant_id, user_id, resource, part)
) PARTITION BY HASH (user_id);

-- Which interactions of the episodic tier a resource holds.
CREATE TABLE catalog.resource_turns (
  tenant_id      text COLLATE "C" NOT NULL,
  user_id        text COLLATE "C" NOT NULL,
  interaction_id text COLLATE "C" NOT NULL,
  resource_id    text COLLATE "C" NOT NULL,
  PRIMARY KEY (tenant_id, user_id, interaction_id, resource_id)
) PARTITION BY HASH (user_id);

-- Every statement that was taken from a resource or stored by somebody, each with one source. one_with: the id of the
-- first that says the same in its category and visibility, which stands for it; null for that one itself. moved: taken
-- from the ordinals when it came into its category, where that was later than its own: somebody moved it there, or it
-- was taken anew from its resource, in the place of what that lost; else 0.
CREATE TABLE catalog.items (
  tenant_id    text COLLATE "C" NOT NULL,
  user_id      text COLLATE "C" NOT NULL,
  id           text COLLATE "C" NOT NULL,
  ordinal      bigint      NOT NULL,
  moved        bigint      NOT NULL DEFAULT 0,
  event_id     bigint      NOT NULL,
  one_with     text COLLATE "C",
  resource_id  text COLLATE "C" NOT NULL,
  sources      text[]      NOT NULL,
  content      text        NOT NULL,
  memory_key   text COLLATE "C" NOT NULL,
  item_kind    text        NOT NULL,
  category     text COLLATE "C",
  confidence   float8      NOT NULL CHECK (confidence BETWEEN 0 AND 1),
  importance   text        NOT NULL CHECK (importance IN ('low', 'normal', 'high')),
  level        text        NOT NULL,
  domain       text,
  task_type    text,
  agent_id     text,
  metadata     json        NOT NULL,
  occurred_at  timestamptz NOT NULL,
  created_at   timestamptz NOT NULL,
  seen_by      text COLLATE "C",
  contributor  text COLLATE "C" NOT NULL,
  by_hand      boolean     NOT NULL,
  tokens       int         NOT NULL,
  embedding    halfvec     NOT NULL,
  lexical      sparsevec(1048576) NOT NULL,
  PRIMARY KEY (tenant_id, user_id, id)
) PARTITION BY HASH (user_id);
CREATE UNIQUE INDEX items_in_order ON catalog.items (tenant_id, user_id, ordinal);
CREATE INDEX items_of_resource ON catalog.items (tenant_id, user_id, resource_id);
CREATE INDEX items_of_category ON catalog.items (tenant_id, user_id, category, ordinal);
CREATE INDEX items_one_with ON catalog.items (tenant_id, user_id, one_with) WHERE one_with IS NOT NULL;

-- page_until: the last ordinal, of arrival or of a move, of items that the page was made of. page_resources: which
-- resources its footnotes name. edited: a person wrote the page as it is. stale: it lost something that went, so it has
-- to be made anew. version: which page it is, counted.
CREATE TABLE catalog.categories (
  tenant_id       text COLLATE "C" NOT NULL,
  user_id         text COLLATE "C" NOT NULL,
  id              text COLLATE "C" NOT NULL,
  name            text COLLATE "C" NOT NULL,
  event_id        bigint      NOT NULL,
  description     text        NOT NULL,
  embedding       halfvec     NOT NULL,
  markdown        text        NOT NULL,
  page_until      bigint      NOT NULL DEFAULT 0,
  page_resources  text[]      NOT NULL DEFAULT '{}',
  edited          boolean     NOT NULL DEFAULT false,
  stale           boolean     NOT NULL DEFAULT false,
  version         int         NOT NULL DEFAULT 0,
  contributor     text COLLATE "C" NOT NULL,
  created_at      timestamptz NOT NULL,
  updated_at      timestamptz NOT NULL,
  consolidated_at timestamptz,
  PRIMARY KEY (tenant_id, user_id, id)
) PARTITION BY HASH (user_id);
CREATE UNIQUE INDEX categories_by_name ON catalog.categories (tenant_id, user_id, name);

-- A policy on the parent does not hold for whoever reads a partition by its own name, so each one is closed too.
-- Vectors stay inside their rows up to half a page: fetched from a side table they make a scan ten times slower.
-- What is never looked for by its value needs no statistics, which would keep words that were forgotten.
DO $$
DECLARE
  parent text;
BEGIN
  FOREACH parent IN ARRAY '{resources,resource_chunks,resource_turns,items,categories}'::text[] LOOP
    EXECUTE format('ALTER TABLE catalog.%I ENABLE ROW LEVEL SECURITY', parent);
    EXECUTE format('ALTER TABLE catalog.%I FORCE ROW LEVEL SECURITY', parent);
    EXECUTE format('CREATE POLICY own_tenant ON catalog.%I TO ragpp_app
                    USING (tenant_id = NULLIF(current_setting(''ragpp.tenant_id'', true), ''''))', parent);
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON catalog.%I TO ragpp_app', parent);
    FOR remainder IN 0..15 LOOP
      EXECUTE format('CREATE TABLE catalog.%I PARTITION OF catalog.%I
                      FOR VALUES WITH (MODULUS 16, REMAINDER %s) WITH (toast_tuple_target = 4080)',
                     parent || '_' || remainder, parent, remainder);
      EXECUTE format('ALTER TABLE catalog.%I ENABLE ROW LEVEL SECURITY', parent || '_' || remainder);
      EXECUTE format('ALTER TABLE catalog.%I FORCE ROW LEVEL SECURITY', parent || '_' || remainder);
      EXECUTE format('GRANT MAINTAIN ON catalog.%I TO ragpp_relay', parent || '_' || remainder);
    END LOOP;
  END LOOP;
END
$$;
ALTER TABLE catalog.resources
  ALTER COLUMN content SET STATISTICS 0, ALTER COLUMN packed SET STATISTICS 0, ALTER COLUMN content_hash SET STATISTICS 0,
  ALTER COLUMN packed SET STORAGE EXTERNAL;
ALTER TABLE catalog.resource_chunks ALTER COLUMN lexical SET STATISTICS 0;
ALTER TABLE catalog.items
  ALTER COLUMN content SET STATISTICS 0, ALTER COLUMN embedding SET STATISTICS 0, ALTER COLUMN lexical SET STATISTICS 0;
ALTER TABLE catalog.categories
  ALTER COLUMN description SET STATISTICS 0, ALTER COLUMN markdown SET STATISTICS 0,
  ALTER COLUMN embedding SET STATISTICS 0;
