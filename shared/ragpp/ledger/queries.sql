-- name: lock_user
-- Taken by whoever records events of a user, until the transaction ends: event ids of one user then grow in the
-- order in which their changes become visible. Two users that share a lock by chance only wait for each other. The time
-- in which the transaction must end counts from when the lock was given.
-- $1 tenant_id text, $2 user_id text
SELECT pg_advisory_xact_lock(hashtextextended($1::text || chr(31) || $2::text, 0)),
       set_config('transaction_timeout', current_setting('ragpp.longest_hold', true), true);

-- name: record
-- Events in the order of the arrays, and one row of work for each stage of their kind.
-- $1 tenant_id text, $2 user_id text, $3 kinds text[], $4 subject ids text[], $5 payloads json[],
-- $6 occurred_at timestamptz[], $7 now timestamptz, $8 and $9 kind and stage of the work, text[] in parallel,
-- $10 correlation id text or null, $11 traceparent text or null,
-- $12 timestamptz: interactions of before it are not noted for a nightly reflection
-- What was stored is noted for the schedule in the same breath: one row a user, and one a quarter of an hour.
-- The user joins the line of each stage unless it stands there, behind those who asked for less as if they had come so
-- many seconds earlier (see `queues` in the migration 0008): its row is left alone then, so that it is locked only
-- for a moment and leasing need not wait for a writer. Whoever takes it out of the line holds the user's lock, as does
-- whoever records, so neither misses what the other did.
WITH recorded AS (
  INSERT INTO ledger.events (
    tenant_id, user_id, kind, subject_id, payload, occurred_at, created_at, correlation_id, traceparent)
  SELECT $1, $2, new.kind, new.subject_id, new.payload, new.occurred_at, $7, $10::text, $11::text
    FROM unnest($3::text[], $4::text[], $5::json[], $6::timestamptz[])
         WITH ORDINALITY AS new (kind, subject_id, payload, occurred_at, position)
   ORDER BY new.position
  RETURNING event_id, kind, occurred_at),
stored AS (
  SELECT count(*)::int AS interactions, min(occurred_at) AS occurred_from, max(occurred_at) AS occurred_to
    FROM recorded WHERE kind = 'interaction.stored' HAVING count(*) > 0),
debounced AS (
  INSERT INTO ledger.debounce AS noted
         (tenant_id, user_id, first_at, last_at, interactions, occurred_from, occurred_to)
  SELECT $1, $2, $7, $7, interactions, occurred_from, occurred_to FROM stored
  ON CONFLICT (tenant_id, user_id) DO UPDATE
     SET last_at = GREATEST(noted.last_at, excluded.last_at), interactions = noted.interactions + excluded.interactions,
         occurred_from = LEAST(noted.occurred_from, excluded.occurred_from),
         occurred_to = GREATEST(noted.occurred_to, excluded.occurred_to)),
kept_up AS (
  INSERT INTO ledger.upkeep AS noted (tenant_id, user_id, stored_at, maintained_on)
  SELECT $1, $2, $7, date '0001-01-01' FROM stored
  ON CONFLICT (tenant_id, user_id) DO UPDATE SET stored_at = excluded.stored_at
   WHERE noted.stored_at < excluded.stored_at - interval '1 hour'),
unreflected AS (
  INSERT INTO ledger.unreflected (tenant_id, user_id, quarter)
  SELECT DISTINCT $1::text, $2::text, date_bin('15 minutes', occurred_at, timestamptz '2000-01-01 00:00+00')
    FROM recorded WHERE kind = 'interaction.stored' AND occurred_at >= $12::timestamptz
  ON CONFLICT DO NOTHING),
due AS (
  INSERT INTO ledger.work (event_id, stage, tenant_id, user_id, due_at, updated_at)
  SELECT recorded.event_id, stages.stage, $1, $2, now(), $7
    FROM recorded JOIN unnest($8::text[], $9::text[]) AS stages (kind, stage) USING (kind)
   ORDER BY recorded.event_id, stages.stage
  RETURNING stage),
queued AS (
  INSERT INTO ledger.queues AS known (stage, tenant_id, user_id, due_at, turn)
  SELECT stage, $1, $2, now(), now() + LEAST(count(*) - 1, 60) * interval '1 second' FROM due
   WHERE NOT EXISTS (SELECT FROM ledger.queues AS waiting
                      WHERE waiting.stage = due.stage AND waiting.tenant_id = $1 AND waiting.user_id = $2
                        AND waiting.due_at <= now())
   GROUP BY stage ORDER BY stage
  ON CONFLICT (stage, tenant_id, user_id) DO UPDATE
     SET due_at = excluded.due_at, turn = GREATEST(known.turn, excluded.turn))
SELECT event_id FROM recorded ORDER BY event_id;

-- name: record_others
-- The same for events of other kinds than interaction.stored, of which the schedule takes no note, but of what somebody
-- puts into the catalog.
-- $1 tenant_id text, $2 user_id text, $3 kinds text[], $4 subject ids text[], $5 payloads json[],
-- $6 occurred_at timestamptz[], $7 now timestamptz, $8 and $9 kind and stage of the work, text[] in parallel,
-- $10 correlation id text or null of those that have none of their own, $11 traceparent text or null,
-- $12 session ids text[], $13 correlation ids text[], $14 kinds of which the schedule takes note text[]
WITH recorded AS (
  INSERT INTO ledger.events (
    tenant_id, user_id, kind, subject_id, payload, occurred_at, created_at, session_id, correlation_id, traceparent)
  SELECT $1, $2, new.kind, new.subject_id, new.payload, new.occurred_at, $7, new.session_id,
         COALESCE(new.correlation_id, $10::text), $11::text
    FROM unnest($3::text[], $4::text[], $5::json[], $6::timestamptz[], $12::text[], $13::text[])
         WITH ORDINALITY AS new (kind, subject_id, payload, occurred_at, session_id, correlation_id, position)
   ORDER BY new.position
  RETURNING event_id, kind, occurred_at),
kept_up AS (
  INSERT INTO ledger.upkeep AS noted (tenant_id, user_id, stored_at, maintained_on, catalog)
  SELECT $1, $2, $7, date '0001-01-01', true FROM recorded WHERE kind = ANY ($14::text[]) LIMIT 1
  ON CONFLICT (tenant_id, user_id) DO UPDATE SET catalog = true WHERE NOT noted.catalog),
due AS (
  INSERT INTO ledger.work (event_id, stage, tenant_id, user_id, due_at, updated_at)
  SELECT recorded.event_id, stages.stage, $1, $2, now(), $7
    FROM recorded JOIN unnest($8::text[], $9::text[]) AS stages (kind, stage) USING (kind)
   ORDER BY recorded.event_id, stages.stage
  RETURNING stage),
queued AS (
  INSERT INTO ledger.queues AS known (stage, tenant_id, user_id, due_at, turn)
  SELECT stage, $1, $2, now(), now() + LEAST(count(*) - 1, 60) * interval '1 second' FROM due
   WHERE NOT EXISTS (SELECT FROM ledger.queues AS waiting
                      WHERE waiting.stage = due.stage AND waiting.tenant_id = $1 AND waiting.user_id = $2
                        AND waiting.due_at <= now())
   GROUP BY stage ORDER BY stage
  ON CONFLICT (stage, tenant_id, user_id) DO UPDATE
     SET due_at = excluded.due_at, turn = GREATEST(known.turn, excluded.turn))
SELECT event_id FROM recorded ORDER BY event_id;

-- name: catalog_events
-- What happened to the catalog, newest first, as far as a view shows it: what only one agent may see names that agent.
-- $1 tenant_id text, $2 user ids text[], $3 kind text or null, $4 subject_id text or null, $5 session_id text or null,
-- $6 before this event_id bigint, or null, $7 limit int, $8 view text or null
SELECT event_id, kind, payload, created_at, session_id, correlation_id
  FROM ledger.events
 WHERE tenant_id = $1 AND user_id = ANY ($2::text[]) AND kind LIKE 'memory.%'
   AND ($3::text IS NULL OR kind = $3) AND ($4::text IS NULL OR subject_id = $4)
   AND ($5::text IS NULL OR session_id = $5) AND ($6::bigint IS NULL OR event_id < $6)
   AND ($8::text IS NULL OR payload ->> 'seen_by' IS NULL OR payload ->> 'seen_by' = $8)
 ORDER BY event_id DESC LIMIT $7;

-- name: category_hint
-- The category that was asked for when the resource was extracted last at somebody's wish.
-- $1 tenant_id text, $2 user_id text, $3 resource_id text
SELECT payload ->> 'category_hint' FROM ledger.events
 WHERE tenant_id = $1 AND user_id = $2 AND kind = 'catalog.requested' AND payload ->> 'resource_id' = $3
   AND payload ->> 'task' = 'extract' AND payload ->> 'again' IS NULL
 ORDER BY event_id DESC LIMIT 1;

-- name: drop_results
-- Of what was done about the user's catalog. $1 tenant_id text, $2 user_id text
SELECT ledger.drop_results($1, $2);

-- name: drop_metadata_keys
-- Of what is told of resources that go. $1 tenant_id text, $2 user_id text, $3 resource ids text[]
SELECT ledger.drop_metadata_keys($1, $2, $3::text[]);

-- name: pending
-- Read through the index of waiting work, so its cost is the user's backlog (`+ 0` keeps the planner from the primary
-- key, along which it would read everybody's).
-- $1 tenant_id text, $2 user_id text, $3 first event bigint or null, $4 last event bigint or null
SELECT count(DISTINCT event_id)
  FROM ledger.work
 WHERE tenant_id = $1 AND user_id = $2 AND state IN ('pending', 'leased')
   AND stage NOT IN ('extract', 'reflect', 'maintain', 'catalog')
   AND event_id + 0 >= COALESCE($3::bigint, 0) AND event_id + 0 <= COALESCE($4::bigint, 9223372036854775807);

-- name: stages_due
-- Those of the stages for which somebody waits whom nobody works for. The order is that of an index, which keeps the
-- planner from reading all who wait for another stage. $1 stages text[]
SELECT asked.stage
  FROM unnest($1::text[]) AS asked (stage)
 CROSS JOIN LATERAL (
   SELECT 1 FROM ledger.queues AS waiting
    WHERE waiting.stage = asked.stage AND waiting.due_at <= statement_timestamp()
      AND NOT EXISTS (SELECT FROM ledger.work AS held
                       WHERE held.stage = asked.stage AND held.tenant_id = waiting.tenant_id
                         AND held.user_id = waiting.user_id AND held.state = 'leased'
                         AND held.lease_until > statement_timestamp())
    ORDER BY waiting.due_at LIMIT 1) AS first;

-- name: round
-- The tenant that was served last. Leases of one stage are given out one caller at a time. A lease that is lost with the
-- server is given out again, so nobody who waits for the locks of this transaction need wait for the disk. learns: whether
-- nobody who copies the stores keeps learning from beginning.
-- $1 stage text, $2 key of the lock that who copies them holds bigint
WITH locked AS MATERIALIZED (SELECT tenant_id FROM ledger.rounds WHERE stage = $1 FOR UPDATE)
SELECT tenant_id, pg_try_advisory_xact_lock_shared($2) AS learns, set_config('synchronous_commit', 'off', true),
       set_config('transaction_timeout', current_setting('ragpp.longest_hold', true), true)
  FROM locked;

-- name: fail_exhausted
-- A lease that ran out is an attempt: what kills its worker every time must not circle for ever. A forgetting or erasure
-- is never given up: it is handed out alone.
-- $1 stage text, $2 most attempts int
UPDATE ledger.work
   SET state = 'failed', lease_owner = NULL, lease_until = NULL, updated_at = statement_timestamp(),
       last_error = COALESCE(last_error || '; then ', '') || 'the lease ran out at attempt ' || attempts
 WHERE stage = $1 AND state = 'leased' AND lease_until <= statement_timestamp() AND attempts >= $2
   AND NOT ledger.must_be_done(stage, event_id);

-- name: whose_turn
-- Who waits for the stage and whom nobody works for: tenants in turn from the one after $2 on, then the users of each,
-- whose clock is furthest behind first. A step of the recursion finds the next tenant in the order of an index, and
-- begins again at the first one ($2 itself comes last), so that its cost does not grow with those who wait.
-- $1 stage text, $2 tenant that was served last text, $3 how many int
WITH RECURSIVE waiting AS NOT MATERIALIZED (
  SELECT queue.tenant_id, queue.user_id, queue.due_at, queue.turn
    FROM ledger.queues AS queue
   WHERE queue.stage = $1 AND queue.due_at <= statement_timestamp()
     AND NOT EXISTS (SELECT FROM ledger.work AS held
                      WHERE held.stage = $1 AND held.tenant_id = queue.tenant_id AND held.user_id = queue.user_id
                        AND held.state = 'leased' AND held.lease_until > statement_timestamp())),
tenants (tenant_id, lap, place) AS (
  SELECT $2::text, 0, 0
  UNION ALL
  SELECT following.tenant_id, following.lap, tenants.place + 1
    FROM tenants CROSS JOIN LATERAL (
      (SELECT waiting.tenant_id, tenants.lap FROM waiting
        WHERE waiting.tenant_id > tenants.tenant_id AND (tenants.lap = 0 OR waiting.tenant_id <= $2)
        ORDER BY waiting.tenant_id LIMIT 1)
      UNION ALL
      (SELECT waiting.tenant_id, 1 FROM waiting
        WHERE tenants.lap = 0 AND waiting.tenant_id <= $2
        ORDER BY waiting.tenant_id LIMIT 1)
      ORDER BY lap LIMIT 1) AS following
   WHERE tenants.place < $3)
SELECT tenants.tenant_id, first.user_id, first.due_at
  FROM tenants CROSS JOIN LATERAL (
    SELECT waiting.user_id, waiting.due_at, row_number() OVER (ORDER BY waiting.turn, waiting.user_id) AS nth
      FROM waiting
     WHERE waiting.tenant_id = tenants.tenant_id
     ORDER BY waiting.turn, waiting.user_id LIMIT $3) AS first
 WHERE tenants.place > 0
 ORDER BY first.nth, tenants.place
 LIMIT $3;

-- name: lease
-- The oldest due works of the first of these users that have any, each user's in the order of its events, but for those
-- put back for a later attempt. What looks at many interactions waits for those before it to be observed, and a
-- reflection for the extraction before it, also for what was put back untried by an outage; not for what has been tried
-- and waits to be tried again, so that nothing poisoned holds it up. Whatever was recorded after an erasure was asked for
-- waits for it, so that what it teaches is not erased with the rest; another forgetting need not.
-- Whoever cancels, finishes or renews one of them at the same moment has it: the condition is asked of the row again.
-- `attempts` counts the one under way. What has failed, or taken its worker with it, again and again is given out alone:
-- should it do so for ever, it fails alone.
-- $1 stage text, $2 tenant ids text[], $3 user ids text[], $4 most users int, $5 most works int, $6 owner text,
-- $7 lease in s float8, $8 attempts that make suspect int
WITH found AS MATERIALIZED (
  SELECT looked.position, works.event_id, works.attempts, dense_rank() OVER (ORDER BY looked.position) AS nth
    FROM unnest($2::text[], $3::text[]) WITH ORDINALITY AS looked (tenant_id, user_id, position)
    CROSS JOIN LATERAL (
      SELECT due.event_id, due.attempts
        FROM ledger.work AS due
       WHERE due.stage = $1 AND due.tenant_id = looked.tenant_id AND due.user_id = looked.user_id
         AND due.state IN ('pending', 'leased')
         AND (due.state = 'pending' AND due.due_at <= statement_timestamp()
              OR due.state = 'leased' AND due.lease_until <= statement_timestamp())
         AND ($1 NOT IN ('extract', 'reflect', 'maintain') OR NOT EXISTS (
               SELECT FROM ledger.work AS earlier
                WHERE earlier.tenant_id = due.tenant_id AND earlier.user_id = due.user_id
                  AND earlier.event_id < due.event_id AND earlier.stage IN ('observe', 'forget', 'extract')
                  AND (earlier.state = 'leased' AND (earlier.lease_until > statement_timestamp() OR earlier.attempts < $8)
                       OR earlier.state = 'pending' AND earlier.attempts = 0)))
         AND ($1 IN ('forget', 'erase') OR NOT EXISTS (
               SELECT FROM ledger.work AS erasing
                WHERE erasing.tenant_id = due.tenant_id AND erasing.user_id = due.user_id
                  AND erasing.stage = 'erase' AND erasing.event_id < due.event_id
                  AND erasing.state IN ('pending', 'leased')))
       ORDER BY due.event_id
       LIMIT $5) AS works),
chosen AS MATERIALIZED (
  SELECT event_id, attempts
    FROM (SELECT found.*, row_number() OVER (PARTITION BY position ORDER BY event_id) AS number
            FROM found WHERE nth <= $4) AS shared
   ORDER BY number, position
   LIMIT $5),
leased AS (
  UPDATE ledger.work AS work
     SET state = 'leased', attempts = chosen.attempts + 1, lease_owner = $6,
         lease_until = statement_timestamp() + make_interval(secs => $7), updated_at = statement_timestamp()
    FROM chosen
   WHERE work.event_id = chosen.event_id AND work.stage = $1
     AND (work.state = 'pending' OR work.state = 'leased' AND work.lease_until <= statement_timestamp())
     AND COALESCE(chosen.event_id = (SELECT min(event_id) FROM chosen WHERE attempts >= $8), true)
  RETURNING work.event_id, work.stage, work.attempts, work.result, work.progress)
SELECT event_id, leased.stage, leased.attempts, leased.result, leased.progress, events.tenant_id, events.user_id,
       events.kind, events.subject_id, events.payload, events.occurred_at, events.created_at, events.correlation_id,
       events.traceparent
  FROM leased JOIN ledger.events USING (event_id);

-- name: try_lock_users
-- Those of the users whose locks could be had at once: nobody records for them until this transaction ends.
-- $1 tenant ids text[], $2 user ids text[]
SELECT tenant_id, user_id
  FROM unnest($1::text[], $2::text[]) AS served (tenant_id, user_id)
 WHERE pg_try_advisory_xact_lock(hashtextextended(tenant_id || chr(31) || user_id, 0));

-- name: after_turn
-- Moves on the clocks of those whose turn it was, and when they are to be looked at next: as soon as somebody has done
-- what was handed out where more is due; when what waits falls due; in $7 seconds where what is due has to wait for
-- something else; never, until something is recorded, for whom nothing waits. Whose lock is not held is looked at again
-- in $7 seconds at the latest: what is being recorded for him is not seen here, and whoever records it sees him in line.
-- A row that has changed since it was read is left as it is.
-- $1 stage text, $2 tenant ids text[], $3 user ids text[], $4 due_at that were read timestamptz[], $5 works that each was
-- handed int[], $6 whether the lock is held bool[], $7 seconds float8
WITH served AS MATERIALIZED (
  SELECT looked.*, COALESCE(
    (SELECT work.due_at FROM ledger.work
      WHERE work.stage = $1 AND work.tenant_id = looked.tenant_id AND work.user_id = looked.user_id
        AND work.state = 'pending' AND work.due_at <= statement_timestamp() LIMIT 1),
    (SELECT min(CASE work.state WHEN 'pending' THEN work.due_at ELSE work.lease_until END) FROM ledger.work
      WHERE work.stage = $1 AND work.tenant_id = looked.tenant_id AND work.user_id = looked.user_id
        AND work.state IN ('pending', 'leased'))) AS next_at
    FROM unnest($2::text[], $3::text[], $4::timestamptz[], $5::int[], $6::boolean[])
         AS looked (tenant_id, user_id, due_at, works, locked))
UPDATE ledger.queues AS queue
   SET turn = LEAST(GREATEST(queue.turn, statement_timestamp()) + make_interval(secs => served.works),
                    GREATEST(queue.turn, statement_timestamp() + interval '1 minute')),
       due_at = CASE WHEN served.works > 0 AND served.next_at <= statement_timestamp() THEN queue.due_at
                     WHEN NOT served.locked THEN statement_timestamp() + make_interval(secs => $7)
                     WHEN served.next_at IS NOT NULL
                     THEN GREATEST(served.next_at, statement_timestamp() + make_interval(secs => $7)) END
  FROM served
 WHERE queue.stage = $1 AND queue.tenant_id = served.tenant_id AND queue.user_id = served.user_id
   AND queue.due_at = served.due_at;

-- name: end_round
-- $1 stage text, $2 tenant that was served last text
UPDATE ledger.rounds SET tenant_id = $2 WHERE stage = $1;

-- name: renew
-- $1 event ids bigint[], $2 stages text[], $3 owner text, $4 lease in s float8
UPDATE ledger.work AS work
   SET lease_until = statement_timestamp() + make_interval(secs => $4), updated_at = statement_timestamp()
  FROM unnest($1::bigint[], $2::text[]) AS held (event_id, stage)
 WHERE work.event_id = held.event_id AND work.stage = held.stage AND work.state = 'leased' AND work.lease_owner = $3
RETURNING work.event_id, work.stage;

-- name: finish
-- $1 event ids bigint[], $2 stages text[], $3 owner text, $4 results text[], JSON or null
WITH finished AS (
  UPDATE ledger.work AS work
     SET state = 'done', lease_owner = NULL, lease_until = NULL, last_error = NULL,
         updated_at = statement_timestamp(), result = held.result::json
    FROM unnest($1::bigint[], $2::text[], $4::text[]) AS held (event_id, stage, result)
   WHERE work.event_id = held.event_id AND work.stage = held.stage AND work.state = 'leased' AND work.lease_owner = $3
  RETURNING work.event_id, work.stage, work.tenant_id, work.user_id),
progressed AS (
  INSERT INTO ledger.progress AS known (tenant_id, user_id, stage, last_success_at, last_event_id)
  SELECT tenant_id, user_id, stage, statement_timestamp(), max(event_id) FROM finished
   GROUP BY tenant_id, user_id, stage ORDER BY tenant_id, user_id, stage
  ON CONFLICT (tenant_id, user_id, stage) DO UPDATE
     SET last_success_at = GREATEST(known.last_success_at, excluded.last_success_at),
         last_event_id = GREATEST(known.last_event_id, excluded.last_event_id))
SELECT event_id, stage FROM finished;

-- name: fail
-- A forgetting or erasure is never given up, whatever keeps it from being done.
-- $1 event_id bigint, $2 stage text, $3 owner text, $4 error text, $5 may be retried bool, $6 most attempts int,
-- $7 first delay in s float8, $8 longest delay in s float8, $9 jitter float8
WITH failed AS (
  UPDATE ledger.work
     SET state = CASE WHEN ledger.must_be_done(stage, event_id) OR $5 AND attempts < $6 THEN 'pending' ELSE 'failed' END,
         due_at = statement_timestamp()
                  + make_interval(secs => LEAST($7 * power(2, LEAST(attempts - 1, 30)), $8) * $9::float8),
         lease_owner = NULL, lease_until = NULL, last_error = $4, updated_at = statement_timestamp()
   WHERE event_id = $1 AND stage = $2 AND state = 'leased' AND lease_owner = $3
  RETURNING state, stage, tenant_id, user_id, due_at),
queued AS (
  UPDATE ledger.queues AS queue SET due_at = LEAST(queue.due_at, failed.due_at)
    FROM failed
   WHERE failed.state = 'pending' AND queue.stage = failed.stage AND queue.tenant_id = failed.tenant_id
     AND queue.user_id = failed.user_id)
SELECT state FROM failed;

-- name: postpone
-- The attempt under way does not count: what it met was nobody's fault.
-- $1 event ids bigint[], $2 stages text[], $3 owner text, $4 delay in s float8, $5 why text
WITH postponed AS (
  UPDATE ledger.work AS work
     SET state = 'pending', attempts = GREATEST(work.attempts - 1, 0),
         due_at = statement_timestamp() + make_interval(secs => $4), lease_owner = NULL, lease_until = NULL,
         last_error = $5, updated_at = statement_timestamp()
    FROM unnest($1::bigint[], $2::text[]) AS held (event_id, stage)
   WHERE work.event_id = held.event_id AND work.stage = held.stage AND work.state = 'leased' AND work.lease_owner = $3
  RETURNING work.event_id, work.stage, work.tenant_id, work.user_id, work.due_at),
queued AS (
  UPDATE ledger.queues AS queue SET due_at = LEAST(queue.due_at, waiting.due_at)
    FROM (SELECT DISTINCT stage, tenant_id, user_id, due_at FROM postponed) AS waiting
   WHERE queue.stage = waiting.stage AND queue.tenant_id = waiting.tenant_id AND queue.user_id = waiting.user_id)
SELECT event_id, stage FROM postponed;

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

-- name: pin
-- $1 tenant_id text, $2 user_id text, $3 tier text, $4 item_id text, $5 now timestamptz
INSERT INTO ledger.pins (tenant_id, user_id, tier, item_id, pinned_at)
VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING;

-- name: unpin
-- $1 tenant_id text, $2 user_id text, $3 tier text, $4 item ids text[]
DELETE FROM ledger.pins
 WHERE tenant_id = $1 AND user_id = $2 AND tier = $3 AND item_id = ANY ($4)
RETURNING item_id;

-- name: pinned
-- $1 tenant_id text, $2 user_id text, $3 tier text
SELECT item_id FROM ledger.pins WHERE tenant_id = $1 AND user_id = $2 AND tier = $3;

-- name: note_views
-- $1 tenant_id text, $2 user_id text, $3 views text[], $4 event_id bigint
INSERT INTO ledger.views (tenant_id, user_id, view, latest)
SELECT $1, $2, view, $4 FROM unnest($3::text[]) AS noted (view)
ON CONFLICT (tenant_id, user_id, view) DO UPDATE SET latest = greatest(views.latest, excluded.latest);

-- name: views
-- $1 tenant_id text, $2 user_id text
SELECT view, built FROM ledger.views WHERE tenant_id = $1 AND user_id = $2 ORDER BY view;

-- name: built
-- $1 tenant_id text, $2 user_id text, $3 view text
UPDATE ledger.views SET built = true WHERE tenant_id = $1 AND user_id = $2 AND view = $3;

-- name: unbuild
-- $1 tenant_id text, $2 user_id text
UPDATE ledger.views SET built = false WHERE tenant_id = $1 AND user_id = $2;

-- name: unbuilt
-- Whose views wait to be built, whoever's. $1 limit int
SELECT DISTINCT tenant_id, user_id FROM ledger.views WHERE NOT built LIMIT $1;

-- name: requested
-- $1 tenant_id text, $2 user_id text, $3 kind text, $4 subject_id text
-- The kinds are named so that the partial index on requests is used whatever $3 is.
SELECT event_id FROM ledger.events
 WHERE tenant_id = $1 AND user_id = $2 AND kind = $3 AND subject_id = $4
   AND kind IN ('extract.requested', 'reflect.requested', 'maintain.requested', 'catalog.requested');

-- name: waiting_request
-- $1 tenant_id text, $2 user_id text, $3 stage text, $4 beginning of the subject_id text
-- The oldest request that no worker has begun; read through the index of waiting work, so its cost is the user's backlog
-- (`+ 0`: see `pending`).
SELECT event_id + 0 AS event_id
  FROM ledger.work JOIN ledger.events USING (event_id)
 WHERE work.tenant_id = $1 AND work.user_id = $2 AND work.stage = $3 AND work.state = 'pending'
   AND starts_with(events.subject_id, $4)
 ORDER BY 1 LIMIT 1;

-- name: request_state
-- $1 tenant_id text, $2 user_id text, $3 kind text, $4 subject_id text
-- What became of a request; none where nobody asked.
SELECT work.state FROM ledger.events JOIN ledger.work USING (event_id)
 WHERE events.tenant_id = $1 AND events.user_id = $2 AND kind = $3 AND subject_id = $4
   AND kind IN ('extract.requested', 'reflect.requested', 'maintain.requested', 'catalog.requested');

-- name: jobs
-- Newest first. Planned for its parameters (`plan_cache_mode`), so that those which are null cost nothing and the
-- partial indexes on waiting, failed and rare work are used. What waits and what has ended are read apart, since each
-- has an index of its own: one on both would be as good to the planner for what waits as the small one.
-- $1 tenant_id text, $2 user_id text or null, $3 stage text or null, $4 state text or null,
-- $5 and $6 before this event_id bigint and stage text, or null, $7 limit int, $8 asked for by which agent, or null
SELECT work.event_id, work.stage, work.user_id, events.kind, events.subject_id, work.state, work.attempts,
       events.created_at, work.due_at, work.updated_at, work.last_error, work.result,
       work.progress
  FROM (SELECT * FROM (
          (SELECT * FROM ledger.work AS waiting
            WHERE tenant_id = $1 AND ($2::text IS NULL OR user_id = $2) AND ($3::text IS NULL OR stage = $3)
              AND state IN ('pending', 'leased') AND ($4::text IS NULL OR state = $4)
              AND ($5::bigint IS NULL OR (event_id, stage) < ($5, $6::text))
              AND ($8::text IS NULL
                   OR event_id IN (SELECT event_id FROM ledger.events
                                    WHERE tenant_id = $1 AND user_id = $2 AND payload ->> 'agent_id' = $8
                                      AND kind IN ('extract.requested', 'reflect.requested', 'maintain.requested',
                                                   'catalog.requested'))
                   OR stage = 'erase' AND $8 = (SELECT payload ->> 'agent_id' FROM ledger.events
                                                 WHERE events.event_id = waiting.event_id))
            ORDER BY event_id DESC, stage DESC LIMIT $7)
          UNION ALL
          (SELECT * FROM ledger.work AS ended
            WHERE tenant_id = $1 AND ($2::text IS NULL OR user_id = $2) AND ($3::text IS NULL OR stage = $3)
              AND state IN ('done', 'failed', 'cancelled') AND ($4::text IS NULL OR state = $4)
              AND ($5::bigint IS NULL OR (event_id, stage) < ($5, $6::text))
              AND ($8::text IS NULL
                   OR event_id IN (SELECT event_id FROM ledger.events
                                    WHERE tenant_id = $1 AND user_id = $2 AND payload ->> 'agent_id' = $8
                                      AND kind IN ('extract.requested', 'reflect.requested', 'maintain.requested',
                                                   'catalog.requested'))
                   OR stage = 'erase' AND $8 = (SELECT payload ->> 'agent_id' FROM ledger.events
                                                 WHERE events.event_id = ended.event_id))
            ORDER BY event_id DESC, stage DESC LIMIT $7)) AS either
         ORDER BY event_id DESC, stage DESC LIMIT $7) AS work
  JOIN ledger.events USING (event_id)
 ORDER BY work.event_id DESC, work.stage DESC;

-- name: job
-- $1 tenant_id text, $2 event_id bigint, $3 stage text
SELECT work.event_id, work.stage, work.user_id, events.kind, events.subject_id, work.state, work.attempts,
       events.created_at, work.due_at, work.updated_at, work.last_error, work.result,
       work.progress, events.payload ->> 'agent_id' AS asked_by, events.payload ->> 'key_id' AS asked_with
  FROM ledger.work JOIN ledger.events USING (event_id)
 WHERE work.tenant_id = $1 AND work.event_id = $2 AND work.stage = $3;

-- name: retry_job
-- $1 tenant_id text, $2 event_id bigint, $3 stage text
WITH retried AS (
  UPDATE ledger.work
     SET state = 'pending', attempts = 0, due_at = statement_timestamp(), updated_at = statement_timestamp()
   WHERE tenant_id = $1 AND event_id = $2 AND stage = $3 AND state IN ('failed', 'cancelled')
  RETURNING stage, tenant_id, user_id, due_at),
queued AS (
  UPDATE ledger.queues AS queue SET due_at = LEAST(queue.due_at, retried.due_at)
    FROM retried
   WHERE queue.stage = retried.stage AND queue.tenant_id = retried.tenant_id AND queue.user_id = retried.user_id)
SELECT count(*) FROM retried;

-- name: cancel_job
-- $1 tenant_id text, $2 event_id bigint, $3 stage text
UPDATE ledger.work SET state = 'cancelled', updated_at = statement_timestamp()
 WHERE tenant_id = $1 AND event_id = $2 AND stage = $3 AND state = 'pending'
   AND NOT ledger.must_be_done(stage, event_id);

-- name: tenant_lag
-- $1 tenant_id text, $2 user_id text or null
SELECT work.stage, work.state, count(*) AS works, min(events.created_at) AS oldest_at
  FROM ledger.work JOIN ledger.events USING (event_id)
 WHERE work.tenant_id = $1 AND ($2::text IS NULL OR work.user_id = $2)
   AND work.state IN ('pending', 'leased', 'failed')
 GROUP BY work.stage, work.state;

-- name: tenant_progress
-- $1 tenant_id text, $2 user_id text or null
SELECT stage, max(last_success_at) AS last_success_at FROM ledger.progress
 WHERE tenant_id = $1 AND ($2::text IS NULL OR user_id = $2)
 GROUP BY stage;

-- name: user_settings
-- $1 tenant_id text, $2 user_id text
SELECT time_zone, reflect_at, plan FROM ledger.user_settings WHERE tenant_id = $1 AND user_id = $2;

-- name: set_user_settings
-- $1 tenant_id text, $2 user_id text, $3 time_zone text, $4 reflect_at int, $5 plan text, $6 now timestamptz
INSERT INTO ledger.user_settings AS known (tenant_id, user_id, time_zone, reflect_at, plan, updated_at)
VALUES ($1, $2, $3, $4, $5, $6)
ON CONFLICT (tenant_id, user_id) DO UPDATE
   SET time_zone = excluded.time_zone, reflect_at = excluded.reflect_at, plan = excluded.plan,
       updated_at = excluded.updated_at;

-- name: user_choices
-- The user's time zone, and the policy for personal data that holds for the user: the user's own, else the tenant's.
-- $1 tenant_id text, $2 user_id text
SELECT settings.time_zone, policy.mode, policy.kinds, policy.keeps_passwords
  FROM (SELECT $1::text AS tenant_id, $2::text AS user_id) AS asked
  LEFT JOIN ledger.user_settings AS settings USING (tenant_id, user_id)
  LEFT JOIN LATERAL (
    SELECT mode, kinds, keeps_passwords FROM ledger.personal_policies AS one
     WHERE one.tenant_id = asked.tenant_id AND one.user_id IN (asked.user_id, '')
     ORDER BY one.user_id DESC LIMIT 1) AS policy ON true;

-- name: personal_policy
-- $1 tenant_id text, $2 user_id text: empty for the tenant's
SELECT mode, kinds, keeps_passwords FROM ledger.personal_policies WHERE tenant_id = $1 AND user_id = $2;

-- name: set_personal_policy
-- $1 tenant_id text, $2 user_id text, $3 mode text, $4 kinds text[] or null, $5 keeps_passwords boolean,
-- $6 now timestamptz
INSERT INTO ledger.personal_policies AS known (tenant_id, user_id, mode, kinds, keeps_passwords, updated_at)
VALUES ($1, $2, $3, $4, $5, $6)
ON CONFLICT (tenant_id, user_id) DO UPDATE
   SET mode = excluded.mode, kinds = excluded.kinds, keeps_passwords = excluded.keeps_passwords,
       updated_at = excluded.updated_at;

-- name: drop_personal_policy
-- $1 tenant_id text, $2 user_id text: empty for the tenant's
DELETE FROM ledger.personal_policies WHERE tenant_id = $1 AND user_id = $2;

-- name: users_to_extract
-- Users whose last messages have settled, or are many, or are waiting for long; none whose last extraction has not
-- been done: its window would only be cut in pieces.
-- $1 quiet since timestamptz, $2 interactions int, $3 first since timestamptz, $4 limit int
SELECT tenant_id, user_id FROM ledger.debounce AS noted
 WHERE (last_at <= $1 OR interactions >= $2 OR first_at <= $3)
   AND NOT EXISTS (SELECT FROM ledger.work
                    WHERE work.tenant_id = noted.tenant_id AND work.user_id = noted.user_id
                      AND work.stage = 'extract' AND work.state IN ('pending', 'leased'))
 ORDER BY first_at
 LIMIT $4;

-- name: take_debounce
-- The same conditions again, now that nobody else changes the row.
-- $1 tenant_id text, $2 user_id text, $3 quiet since timestamptz, $4 interactions int, $5 first since timestamptz
DELETE FROM ledger.debounce
 WHERE tenant_id = $1 AND user_id = $2 AND (last_at <= $3 OR interactions >= $4 OR first_at <= $5)
RETURNING interactions, occurred_from, occurred_to;

-- name: users_to_reflect
-- The first quarter of an hour of each user that no reflection was asked for, if it may be of a day that has ended.
-- $1 latest quarter timestamptz, $2 limit int
SELECT noted.tenant_id, noted.user_id, min(noted.quarter) AS first_quarter,
       COALESCE(max(settings.time_zone), 'UTC') AS time_zone, COALESCE(max(settings.reflect_at), 3) AS reflect_at
  FROM ledger.unreflected AS noted LEFT JOIN ledger.user_settings AS settings USING (tenant_id, user_id)
 WHERE noted.quarter <= $1
 GROUP BY noted.tenant_id, noted.user_id
 ORDER BY first_quarter
 LIMIT $2;

-- name: quarters
-- $1 tenant_id text, $2 user_id text
SELECT quarter FROM ledger.unreflected WHERE tenant_id = $1 AND user_id = $2 ORDER BY quarter;

-- name: drop_quarters
-- $1 tenant_id text, $2 user_id text, $3 quarters timestamptz[]
DELETE FROM ledger.unreflected WHERE tenant_id = $1 AND user_id = $2 AND quarter = ANY ($3::timestamptz[])
RETURNING quarter;

-- name: users_to_maintain
-- $1 today date, $2 limit int
SELECT tenant_id, user_id, stored_at, catalog FROM ledger.upkeep WHERE maintained_on < $1 ORDER BY maintained_on LIMIT $2;

-- name: maintained
-- $1 tenant_id text, $2 user_id text, $3 today date
UPDATE ledger.upkeep SET maintained_on = $3 WHERE tenant_id = $1 AND user_id = $2;

-- name: hold
-- What one worker at a time does is done by who holds it: its owner, until it has not said so for a while.
-- $1 name text, $2 owner text, $3 for how long in s float8
INSERT INTO ledger.holders AS holder (name, owner, held_until)
VALUES ($1, $2, statement_timestamp() + make_interval(secs => $3))
ON CONFLICT (name) DO UPDATE SET owner = excluded.owner, held_until = excluded.held_until
 WHERE holder.owner = excluded.owner OR holder.held_until <= statement_timestamp()
RETURNING owner;

-- name: let_go
-- $1 name text, $2 owner text
DELETE FROM ledger.holders WHERE name = $1 AND owner = $2;

-- name: prune
-- Events of before $1 about which nothing is left to be done, and nothing has failed, oldest first; their work goes with
-- them. $1 created before timestamptz, $2 most int
DELETE FROM ledger.events
 WHERE event_id IN (
   SELECT event_id FROM ledger.events
    WHERE created_at < $1
      AND NOT EXISTS (SELECT FROM ledger.work
                       WHERE work.event_id = events.event_id AND work.state IN ('pending', 'leased', 'failed'))
    ORDER BY event_id LIMIT $2);

-- name: epoch
-- The user's epoch of forgetting; no row where nothing was forgotten.
-- $1 tenant_id text, $2 user_id text
SELECT epoch FROM ledger.epochs WHERE tenant_id = $1 AND user_id = $2;

-- name: raise_epoch
-- By the clock, and by one at least: what was an epoch once never is one again.
-- $1 tenant_id text, $2 user_id text
INSERT INTO ledger.epochs AS known (tenant_id, user_id, epoch)
VALUES ($1, $2, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint)
    ON CONFLICT (tenant_id, user_id) DO UPDATE SET epoch = GREATEST(known.epoch + 1, excluded.epoch);

-- name: add_forgotten
-- A mark is a keyed hash of tenant, user and id: it is nobody's else, and tells not whose. $1 tenant_id text,
-- $2 marks text[], $3 at timestamptz
INSERT INTO ledger.forgotten (tenant_id, mark, at)
SELECT $1, mark, $3 FROM unnest($2::text[]) AS mark ON CONFLICT DO NOTHING;

-- name: forgotten
-- Those of the marks that are of something forgotten.
-- $1 tenant_id text, $2 marks text[]
SELECT mark FROM ledger.forgotten WHERE tenant_id = $1 AND mark = ANY ($2::text[]);

-- name: prune_forgotten
-- Marks of what was forgotten before $1, the oldest first, and what a restore was told of that time.
-- $1 forgotten before timestamptz, $2 most int
WITH told AS (DELETE FROM ledger.told WHERE at < $1)
DELETE FROM ledger.forgotten
 WHERE (tenant_id, mark) IN (SELECT tenant_id, mark FROM ledger.forgotten WHERE at < $1 ORDER BY at LIMIT $2);

-- name: prune_marked_ids
-- Which memories marks are of that were returned for the first time before $1: when they are again, it is known again.
-- $1 before timestamptz, $2 most int
DELETE FROM ledger.marked_ids
 WHERE (tenant_id, user_id, mark) IN (
   SELECT tenant_id, user_id, mark FROM ledger.marked_ids WHERE at < $1 ORDER BY at LIMIT $2);

-- name: prune_audit
-- $1 before timestamptz, $2 deletions before timestamptz, $3 most int
SELECT audit.prune($1, $2, $3);

-- name: is_known
-- $1 event_id bigint, $2 stage text
SELECT EXISTS (SELECT FROM ledger.work WHERE event_id = $1 AND stage = $2);

-- name: note_window
-- Once for its event, and for none of an event that was erased meanwhile.
-- $1 tenant_id text, $2 user_id text, $3 event_id bigint, $4 stage text, $5 start timestamptz, $6 end timestamptz,
-- $7 local day date or null, $8 payload json
INSERT INTO ledger.windows (tenant_id, user_id, event_id, stage, start_at, end_at, day, payload)
SELECT $1, $2, $3, $4, $5, $6, $7, $8 WHERE EXISTS (SELECT FROM ledger.work WHERE event_id = $3 AND stage = $4)
ON CONFLICT DO NOTHING;

-- name: windows
-- In the order of their events. $1 tenant_id text, $2 user_id text
SELECT event_id, stage, start_at, end_at, day, payload FROM ledger.windows
 WHERE tenant_id = $1 AND user_id = $2 ORDER BY event_id, stage;

-- name: drop_window
-- $1 tenant_id text, $2 user_id text, $3 event_id bigint, $4 stage text
DELETE FROM ledger.windows WHERE tenant_id = $1 AND user_id = $2 AND event_id = $3 AND stage = $4;

-- name: look_again
-- A moment that is noted again is one that nobody has read yet.
-- $1 tenant_id text, $2 user_id text, $3 gone boolean, $4 moments timestamptz[]
INSERT INTO ledger.again (tenant_id, user_id, gone, at)
SELECT DISTINCT $1::text, $2::text, $3::boolean, at FROM unnest($4::timestamptz[]) AS at
ON CONFLICT (tenant_id, user_id, gone, at) DO UPDATE SET number = excluded.number;

-- name: again
-- $1 tenant_id text, $2 user_id text
SELECT gone, at, number FROM ledger.again WHERE tenant_id = $1 AND user_id = $2 ORDER BY at;

-- name: looked_again
-- Up to the number that was read. $1 tenant_id text, $2 user_id text, $3 number bigint
DELETE FROM ledger.again WHERE tenant_id = $1 AND user_id = $2 AND number <= $3;

-- name: to_look_again
-- The number of what is to be asked for: none where no window reaches beyond the first moment that is noted, and none
-- where it is asked for already and nobody has begun. The stage is no constant, which keeps the planner from the index of
-- rare stages, in which everybody's are.
-- $1 tenant_id text, $2 user_id text, $3 stage text
WITH waiting AS MATERIALIZED (
  SELECT event_id FROM ledger.work
   WHERE tenant_id = $1 AND user_id = $2 AND stage = $3 AND state = 'pending' AND attempts = 0)
SELECT max(noted.number) AS number, max(noted.at) AS latest
  FROM ledger.again AS noted
 WHERE noted.tenant_id = $1 AND noted.user_id = $2
   AND NOT EXISTS (SELECT FROM waiting JOIN ledger.events USING (event_id) WHERE events.subject_id LIKE 'again:%')
HAVING EXISTS (SELECT FROM ledger.windows
                WHERE windows.tenant_id = $1 AND windows.user_id = $2 AND windows.end_at > min(noted.at));

-- name: looked_at_by_none
-- What is noted though no window reaches beyond it. $1 tenant_id text, $2 user_id text
DELETE FROM ledger.again AS noted
 WHERE noted.tenant_id = $1 AND noted.user_id = $2
   AND NOT EXISTS (SELECT FROM ledger.windows
                    WHERE windows.tenant_id = $1 AND windows.user_id = $2 AND windows.end_at > noted.at);
