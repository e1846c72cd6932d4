-- Whether the owner of a lease has begun. What only waited in the broker until its lease ran out was not tried: it is
-- not counted as an attempt.
ALTER TABLE ledger.work ADD COLUMN begun boolean NOT NULL DEFAULT false;
