-- name: lock_user
-- Taken by whoever records events of a user, until the transaction ends: event ids of one user then grow in the
-- order in which their changes become visible. Two users that share a lock by chance only wait for each other.
-- $1 tenant_id text, $2 user_id text
SELECT pg_advisory_xact_lock(hashtextextended($1::text || chr(31) || $2::text, 0));

-- name: record
-- Events in the order of the arrays, and one row of work for each stage of their kind.
-- $1 tenant_id text, $2 user_id text, $3 kinds text[], $4 subject ids text[], $5 payloads json[],
-- $6 occurred_at timestamptz[], $7 due_at timestamptz, $8 and $9 kind and stage of the work, text[] in parallel
WITH recorded AS (
  INSERT INTO ledger.events (tenant_id, user_id, kind, subject_id, payload, occurred_at, created_at)
  SELECT $1, $2, new.kind, new.subject_id, new.payload, new.occurred_at, $7
    FROM unnest($3::text[], $4::text[], $5::json[], $6::timestamptz[])
         WITH ORDINALITY AS new (kind, subject_id, payload, occurred_at, position)
   ORDER BY new.position
  RETURNING event_id, kind),
due AS (
  INSERT INTO ledger.work (event_id, stage, tenant_id, user_id, due_at, updated_at)
  SELECT recorded.event_id, stages.stage, $1, $2, $7, $7
    FROM recorded JOIN unnest($8::text[], $9::text[]) AS stages (kind, stage) USING (kind)
   ORDER BY recorded.event_id, stages.stage)
SELECT event_id FROM recorded ORDER BY event_id;

-- name: pending
-- Read through the index of waiting work, so its cost is the user's backlog.
-- $1 tenant_id text, $2 user_id text, $3 first event bigint or null, $4 last event bigint or null
SELECT count(DISTINCT event_id)
  FROM ledger.work
 WHERE tenant_id = $1 AND user_id = $2 AND state IN ('pending', 'leased')
   AND event_id >= COALESCE($3::bigint, 0) AND event_id <= COALESCE($4::bigint, 9223372036854775807);

-- name: lock_stage
-- Leases of one stage are given out one caller at a time, so that no two owners get events of one user. Without sorts
-- the oldest events are read in the order of their index, and no more than the limit of them.
-- $1 stage text
SELECT pg_advisory_xact_lock(hashtextextended('lease' || chr(31) || $1::text, 0)),
       set_config('enable_sort', 'off', true);

-- name: fail_exhausted
-- A lease that ran out counts as an attempt: what kills its worker every time must not circle for ever.
-- $1 stage text, $2 now timestamptz, $3 most attempts int
UPDATE ledger.work
   SET state = 'failed', lease_owner = NULL, lease_until = NULL, updated_at = $2,
       last_error = COALESCE(last_error || '; then ', '') || 'the lease ran out at attempt ' || attempts
 WHERE stage = $1 AND state = 'leased' AND lease_until <= $2 AND attempts >= $3;

-- name: lease
-- The oldest due work of users whom no other owner is working for, each user's in the order of its events. Forgetting
-- also waits for what is being done about the user's earlier events: it would be undone by a step that still holds
-- what was forgotten. A later step finds it gone.
-- $1 stage text, $2 now timestamptz, $3 owner text, $4 lease_until timestamptz, $5 limit int
-- A table that is empty most of the time has statistics that say so: NOT IN is hashed whatever they say, where NOT
-- EXISTS became a loop over the whole backlog for each of its rows (1.3 s instead of 5 ms at 2,665 events).
WITH taken AS MATERIALIZED (
  SELECT tenant_id, user_id FROM ledger.work
   WHERE stage = $1 AND state = 'leased' AND lease_until > $2 AND lease_owner <> $3
   GROUP BY tenant_id, user_id),
chosen AS MATERIALIZED (
  SELECT event_id, stage FROM ledger.work AS due
   WHERE stage = $1 AND state IN ('pending', 'leased')
     AND (state = 'pending' AND due_at <= $2 OR state = 'leased' AND lease_until <= $2)
     AND (due.tenant_id, due.user_id) NOT IN (SELECT tenant_id, user_id FROM taken)
     AND ($1 <> 'forget' OR NOT EXISTS (
           SELECT FROM ledger.work AS earlier
            WHERE earlier.tenant_id = due.tenant_id AND earlier.user_id = due.user_id
              AND earlier.event_id < due.event_id AND earlier.stage <> 'forget'
              AND earlier.state = 'leased' AND earlier.lease_until > $2))
   ORDER BY event_id
   LIMIT $5
   FOR UPDATE SKIP LOCKED),
leased AS (
  UPDATE ledger.work AS work
     SET state = 'leased', attempts = attempts + 1, lease_owner = $3, lease_until = $4, updated_at = $2
    FROM chosen
   WHERE work.event_id = chosen.event_id AND work.stage = chosen.stage
  RETURNING work.event_id, work.stage, work.attempts)
SELECT event_id, leased.stage, leased.attempts, events.tenant_id, events.user_id, events.kind, events.subject_id,
       events.payload, events.occurred_at
  FROM leased JOIN ledger.events USING (event_id);

-- name: renew
-- $1 event ids bigint[], $2 stages text[], $3 owner text, $4 now timestamptz, $5 lease_until timestamptz
UPDATE ledger.work AS work
   SET lease_until = $5, updated_at = $4
  FROM unnest($1::bigint[], $2::text[]) AS held (event_id, stage)
 WHERE work.event_id = held.event_id AND work.stage = held.stage AND work.state = 'leased' AND work.lease_owner = $3
RETURNING work.event_id, work.stage;

-- name: finish
-- $1 event ids bigint[], $2 stages text[], $3 owner text, $4 now timestamptz
UPDATE ledger.work AS work
   SET state = 'done', lease_owner = NULL, lease_until = NULL, last_error = NULL, updated_at = $4
  FROM unnest($1::bigint[], $2::text[]) AS held (event_id, stage)
 WHERE work.event_id = held.event_id AND work.stage = held.stage AND work.state = 'leased' AND work.lease_owner = $3
RETURNING work.event_id, work.stage;

-- name: fail
-- $1 event_id bigint, $2 stage text, $3 owner text, $4 now timestamptz, $5 error text, $6 may be retried bool,
-- $7 most attempts int, $8 first delay in s float8, $9 longest delay in s float8, $10 jitter float8
UPDATE ledger.work
   SET state = CASE WHEN $6 AND attempts < $7 THEN 'pending' ELSE 'failed' END,
       due_at = $4::timestamptz + make_interval(secs => LEAST($8 * power(2, LEAST(attempts - 1, 30)), $9) * $10::float8),
       lease_owner = NULL, lease_until = NULL, last_error = $5, updated_at = $4
 WHERE event_id = $1 AND stage = $2 AND state = 'leased' AND lease_owner = $3
RETURNING state;

-- name: postpone
-- The attempt under way does not count: what it met was nobody's fault.
-- $1 event ids bigint[], $2 stages text[], $3 owner text, $4 now timestamptz, $5 due_at timestamptz, $6 why text
UPDATE ledger.work AS work
   SET state = 'pending', attempts = GREATEST(work.attempts - 1, 0), due_at = $5, lease_owner = NULL,
       lease_until = NULL, last_error = $6, updated_at = $4
  FROM unnest($1::bigint[], $2::text[]) AS held (event_id, stage)
 WHERE work.event_id = held.event_id AND work.stage = held.stage AND work.state = 'leased' AND work.lease_owner = $3
RETURNING work.event_id, work.stage;

-- name: retry
-- $1 stage text or null for all, $2 event ids bigint[] or null for all, $3 now timestamptz
UPDATE ledger.work
   SET state = 'pending', attempts = 0, due_at = $3, updated_at = $3
 WHERE state = 'failed'
   AND ($1::text IS NULL OR stage = $1) AND ($2::bigint[] IS NULL OR event_id = ANY ($2));

-- name: lag
-- What is done is not counted: it only grows. Each half is read through an index of its own.
SELECT work.stage, work.state, count(*) AS works, min(events.created_at) AS oldest_at
  FROM (SELECT event_id, stage, state FROM ledger.work WHERE state IN ('pending', 'leased')
        UNION ALL
        SELECT event_id, stage, state FROM ledger.work WHERE state = 'failed') AS work
  JOIN ledger.events USING (event_id)
 GROUP BY work.stage, work.state;

-- name: sessions_since
-- Read when short-term memory has lost everything; events lie in the order of their time, which a BRIN index needs.
-- $1 created since timestamptz
SELECT DISTINCT tenant_id, user_id, payload ->> 'session_id' AS session_id
  FROM ledger.events
 WHERE kind = 'interaction.stored' AND created_at >= $1 AND payload ->> 'session_id' IS NOT NULL;

-- name: failures
-- $1 limit int
SELECT work.event_id, work.stage, work.attempts, work.last_error, work.updated_at,
       events.tenant_id, events.user_id, events.kind, events.subject_id
  FROM ledger.work JOIN ledger.events USING (event_id)
 WHERE work.state = 'failed'
 ORDER BY work.event_id
 LIMIT $1;
