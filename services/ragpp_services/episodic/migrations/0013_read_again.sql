-- Requests are read for what they tell, and a vector is of the text without its speaker's name: all that is stored is read
-- again, each user's from the beginning, when their sentences are looked at. One row a user; the chunks themselves say
-- that they were not read by their lack of Trait.READ, which is another bit than before.
GRANT UPDATE (embedding) ON episodic.chunks TO ragpp_app;

ALTER TABLE episodic.sentenced NO FORCE ROW LEVEL SECURITY;

UPDATE episodic.sentenced SET turn = 0, part = -1;

ALTER TABLE episodic.sentenced FORCE ROW LEVEL SECURITY;
