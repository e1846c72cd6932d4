-- What an agent's file would have given it beside what the catalog gave, over the turns that were compared since
-- compared_since. compared: how many turns; equal: of them with the same memories; by file, by catalog and by both: how
-- many memories in all, with the tokens of each.
ALTER TABLE catalog.agents
  ADD COLUMN compared_since  timestamptz,
  ADD COLUMN compared        bigint NOT NULL DEFAULT 0,
  ADD COLUMN compared_equal  bigint NOT NULL DEFAULT 0,
  ADD COLUMN file_memories   bigint NOT NULL DEFAULT 0,
  ADD COLUMN chosen_memories bigint NOT NULL DEFAULT 0,
  ADD COLUMN both_memories   bigint NOT NULL DEFAULT 0,
  ADD COLUMN file_tokens     bigint NOT NULL DEFAULT 0,
  ADD COLUMN chosen_tokens   bigint NOT NULL DEFAULT 0;

-- In how many of these turns an item was given by the file alone, by the catalog alone, and by both.
ALTER TABLE catalog.uses
  ADD COLUMN by_file    bigint NOT NULL DEFAULT 0,
  ADD COLUMN by_catalog bigint NOT NULL DEFAULT 0,
  ADD COLUMN by_both    bigint NOT NULL DEFAULT 0;

-- epoch: of forgetting, the user's and everybody's together, when the turn began; doubtful_until: until then an answer may
-- rest on something that was forgotten since it was given in an earlier turn.
ALTER TABLE catalog.turns
  ADD COLUMN epoch          bigint NOT NULL DEFAULT 0,
  ADD COLUMN doubtful_until timestamptz;
