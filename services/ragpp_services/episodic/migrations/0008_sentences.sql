-- What each chunk tells, a vector for each sentence: a long message is found by the one that answers. No text stands
-- here: it is that of the interaction, with who is spoken of written out.
-- turn, part: of the chunk; number: which of its sentences; occurred_at, seen_by: as the chunk has them.
CREATE TABLE episodic.sentences (
  tenant_id   text COLLATE "C" NOT NULL,
  user_id     text COLLATE "C" NOT NULL,
  turn        bigint      NOT NULL,
  part        int         NOT NULL,
  number      smallint    NOT NULL,
  occurred_at timestamptz NOT NULL,
  seen_by     text COLLATE "C",
  embedding   halfvec     NOT NULL,
  PRIMARY KEY (tenant_id, user_id, turn, part, number)
) PARTITION BY HASH (user_id);

-- The last of a user's chunks up to which sentences were embedded; none for a user of whom none were. A mark in the
-- chunks themselves would write each of them, with its vectors, twice.
CREATE TABLE episodic.sentenced (
  tenant_id text COLLATE "C" NOT NULL,
  user_id   text COLLATE "C" NOT NULL,
  turn      bigint NOT NULL,
  part      int    NOT NULL,
  PRIMARY KEY (tenant_id, user_id)
);

ALTER TABLE episodic.sentences ENABLE ROW LEVEL SECURITY;
ALTER TABLE episodic.sentences FORCE ROW LEVEL SECURITY;
ALTER TABLE episodic.sentenced ENABLE ROW LEVEL SECURITY;
ALTER TABLE episodic.sentenced FORCE ROW LEVEL SECURITY;

CREATE POLICY own_tenant ON episodic.sentences TO ragpp_app
  USING (tenant_id = NULLIF(current_setting('ragpp.tenant_id', true), ''));
CREATE POLICY own_tenant ON episodic.sentenced TO ragpp_app
  USING (tenant_id = NULLIF(current_setting('ragpp.tenant_id', true), ''));

GRANT SELECT, INSERT, DELETE ON episodic.sentences TO ragpp_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON episodic.sentenced TO ragpp_app;
GRANT MAINTAIN ON episodic.sentenced TO ragpp_relay;
-- What was stored before chunks were read for what they do is read again when its sentences are looked at.
GRANT UPDATE (traits, lexical) ON episodic.chunks TO ragpp_app;

-- As 0001, 0003 and 0005 do with chunks.
DO $$
BEGIN
  FOR remainder IN 0..15 LOOP
    EXECUTE format('CREATE TABLE episodic.sentences_%s PARTITION OF episodic.sentences
                    FOR VALUES WITH (MODULUS 16, REMAINDER %s) WITH (toast_tuple_target = 4080)',
                   remainder, remainder);
    EXECUTE format('ALTER TABLE episodic.sentences_%s ENABLE ROW LEVEL SECURITY', remainder);
    EXECUTE format('ALTER TABLE episodic.sentences_%s FORCE ROW LEVEL SECURITY', remainder);
    EXECUTE format('GRANT MAINTAIN ON episodic.sentences_%s TO ragpp_relay', remainder);
  END LOOP;
END
$$;
ALTER TABLE episodic.sentences ALTER COLUMN embedding SET STATISTICS 0;
