-- Every interaction of every user, append-only, and the chunks by which it is found again.
CREATE SCHEMA episodic;
GRANT USAGE ON SCHEMA episodic TO ragpp_app;

-- The model whose vectors the chunks hold. No tenant's data: it is reached through the function alone.
CREATE TABLE episodic.embedding (
  only_row  boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  model     text NOT NULL,
  dimension int  NOT NULL
);

CREATE FUNCTION episodic.record_embedding(wanted_model text, wanted_dimension int)
RETURNS TABLE (model text, dimension int)
LANGUAGE sql SECURITY DEFINER SET search_path = ''
BEGIN ATOMIC
  INSERT INTO episodic.embedding (model, dimension) VALUES (wanted_model, wanted_dimension) ON CONFLICT DO NOTHING;
  SELECT recorded.model, recorded.dimension FROM episodic.embedding AS recorded;
END;
REVOKE ALL ON FUNCTION episodic.record_embedding FROM PUBLIC;
GRANT EXECUTE ON FUNCTION episodic.record_embedding TO ragpp_app;

-- ordinal: order of arrival, and the short key that chunks refer to.
CREATE SEQUENCE episodic.ordinals;
GRANT USAGE ON SEQUENCE episodic.ordinals TO ragpp_app;

CREATE TABLE episodic.interactions (
  tenant_id    text COLLATE "C" NOT NULL,
  user_id      text COLLATE "C" NOT NULL,
  id           text COLLATE "C" NOT NULL,
  ordinal      bigint      NOT NULL,
  event_id     bigint      NOT NULL,
  session_id   text        NOT NULL,
  agent_id     text,
  role         text        NOT NULL,
  name         text,
  content      text        NOT NULL,
  content_hash bytea       NOT NULL,
  occurred_at  timestamptz NOT NULL,
  message_type text        NOT NULL,
  channel      text,
  domain       text,
  task_type    text,
  metadata     json        NOT NULL,
  tokens       int         NOT NULL,
  redactions   int         NOT NULL,
  stored_at    timestamptz NOT NULL,
  PRIMARY KEY (tenant_id, user_id, id)
) PARTITION BY HASH (user_id);

CREATE UNIQUE INDEX interactions_by_time ON episodic.interactions (tenant_id, user_id, occurred_at, ordinal);

-- What a search reads of each turn stands beside the vectors, so that the scan touches this table alone.
-- session_key: a 64-bit hash of session_id. traits: 1 asks a question, 2 said by an assistant. lexical: BM25 weights by hashed term. embedding: its dimension is in
-- episodic.embedding.
CREATE TABLE episodic.chunks (
  tenant_id   text COLLATE "C" NOT NULL,
  user_id     text COLLATE "C" NOT NULL,
  turn        bigint      NOT NULL,
  part        int         NOT NULL,
  occurred_at timestamptz NOT NULL,
  session_key bigint      NOT NULL,
  traits      smallint    NOT NULL,
  start       int         NOT NULL,
  "end"       int         NOT NULL,
  tokens      int         NOT NULL,
  name        text,
  embedding   halfvec     NOT NULL,
  lexical     sparsevec(1048576) NOT NULL,
  PRIMARY KEY (tenant_id, user_id, turn, part)
) PARTITION BY HASH (user_id);

ALTER TABLE episodic.interactions ENABLE ROW LEVEL SECURITY;
ALTER TABLE episodic.interactions FORCE ROW LEVEL SECURITY;
ALTER TABLE episodic.chunks ENABLE ROW LEVEL SECURITY;
ALTER TABLE episodic.chunks FORCE ROW LEVEL SECURITY;

CREATE POLICY own_tenant ON episodic.interactions TO ragpp_app
  USING (tenant_id = NULLIF(current_setting('ragpp.tenant_id', true), ''));
CREATE POLICY own_tenant ON episodic.chunks TO ragpp_app
  USING (tenant_id = NULLIF(current_setting('ragpp.tenant_id', true), ''));

GRANT SELECT, INSERT, DELETE ON episodic.interactions, episodic.chunks TO ragpp_app;

-- A policy on the parent does not hold for whoever reads a partition by its own name, so each one is closed too.
-- Vectors stay inside their rows up to half a page: fetched from a side table they make a scan ten times slower.
DO $$
BEGIN
  FOR remainder IN 0..15 LOOP
    EXECUTE format('CREATE TABLE episodic.interactions_%s PARTITION OF episodic.interactions
                    FOR VALUES WITH (MODULUS 16, REMAINDER %s)', remainder, remainder);
    EXECUTE format('ALTER TABLE episodic.interactions_%s ENABLE ROW LEVEL SECURITY', remainder);
    EXECUTE format('ALTER TABLE episodic.interactions_%s FORCE ROW LEVEL SECURITY', remainder);
    EXECUTE format('CREATE TABLE episodic.chunks_%s PARTITION OF episodic.chunks
                    FOR VALUES WITH (MODULUS 16, REMAINDER %s) WITH (toast_tuple_target = 4080)',
                   remainder, remainder);
    EXECUTE format('ALTER TABLE episodic.chunks_%s ENABLE ROW LEVEL SECURITY', remainder);
    EXECUTE format('ALTER TABLE episodic.chunks_%s FORCE ROW LEVEL SECURITY', remainder);
  END LOOP;
END
$$;
