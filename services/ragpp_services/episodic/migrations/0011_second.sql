-- Beside its sentences a chunk has one vector of its index line by the second encoder (`ragpp.embedding.second`), where there
-- is one: the row of number -1 in episodic.sentences, of 384 dimensions whatever the others have.
-- second_turn, second_part: the last of a user's chunks up to which all have it. Whoever has no such encoder leaves them.
ALTER TABLE episodic.sentenced
  ADD COLUMN second_turn bigint NOT NULL DEFAULT 0,
  ADD COLUMN second_part int    NOT NULL DEFAULT -1;
