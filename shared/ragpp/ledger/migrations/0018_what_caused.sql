-- What an event was caused by, so that who digests it can say so: the request's id is correlation_id, which events of
-- the catalog had; traceparent is the span that recorded it, where that is traced. Both go with the event, and of an
-- erasure, whose record stays, once it is done.
ALTER TABLE ledger.events ADD COLUMN traceparent text;
GRANT UPDATE (correlation_id, traceparent) ON ledger.events TO ragpp_relay;
