-- False for what is found by recall and never learned from.
ALTER TABLE episodic.interactions ADD COLUMN learn boolean NOT NULL DEFAULT true;
