-- Of the clock of who said it, in minutes; null where nobody told. occurred_at stays the instant.
ALTER TABLE episodic.interactions ADD COLUMN utc_offset smallint;
