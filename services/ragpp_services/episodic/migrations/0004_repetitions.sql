-- Which stretches of a message only repeat what was said before, and of which messages: nothing is learned from them, also
-- when what they repeat was forgotten. Offsets and ordinals alone: nothing of what was said stays here.
-- turn: the ordinal of the message; start, "end": characters of its content; repeats: the ordinal of what it repeats,
-- 0 for what is known as a repetition by itself.
CREATE TABLE episodic.repetitions (
  tenant_id text COLLATE "C" NOT NULL,
  user_id   text COLLATE "C" NOT NULL,
  turn      bigint NOT NULL,
  start     int    NOT NULL,
  "end"     int    NOT NULL,
  repeats   bigint NOT NULL,
  PRIMARY KEY (tenant_id, user_id, turn, start, "end", repeats)
);
CREATE INDEX repetitions_of ON episodic.repetitions (tenant_id, user_id, repeats);

ALTER TABLE episodic.repetitions ENABLE ROW LEVEL SECURITY;
ALTER TABLE episodic.repetitions FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON episodic.repetitions TO ragpp_app
  USING (tenant_id = NULLIF(current_setting('ragpp.tenant_id', true), ''));
GRANT SELECT, INSERT, DELETE ON episodic.repetitions TO ragpp_app;
