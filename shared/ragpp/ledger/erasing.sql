-- What an erasure asks of the ledger and, by functions of theirs, of the schemas `identity` and `audit`.

-- name: lately_kept
-- What the ledger keeps of a user beside events. As the app.
-- $1 tenant_id text, $2 user_id text
SELECT (SELECT count(*) FROM ledger.user_settings WHERE tenant_id = $1 AND user_id = $2)
       + (SELECT count(*) FROM ledger.personal_policies WHERE tenant_id = $1 AND user_id = $2) AS settings,
       (SELECT count(*) FROM ledger.pins WHERE tenant_id = $1 AND user_id = $2) AS pins,
       (SELECT count(*) FROM ledger.debounce WHERE tenant_id = $1 AND user_id = $2)
       + (SELECT count(*) FROM ledger.unreflected WHERE tenant_id = $1 AND user_id = $2)
       + (SELECT count(*) FROM ledger.upkeep WHERE tenant_id = $1 AND user_id = $2)
       + (SELECT count(*) FROM ledger.windows WHERE tenant_id = $1 AND user_id = $2)
       + (SELECT count(*) FROM ledger.again WHERE tenant_id = $1 AND user_id = $2) AS schedule;

-- name: drop_kept
-- The same, and let it go. As the app, under the user's lock: what is noted of later messages stays.
-- $1 tenant_id text, $2 user_id text
WITH settings AS (DELETE FROM ledger.user_settings WHERE tenant_id = $1 AND user_id = $2 RETURNING 1),
policies AS (DELETE FROM ledger.personal_policies WHERE tenant_id = $1 AND user_id = $2 RETURNING 1),
pins AS (DELETE FROM ledger.pins WHERE tenant_id = $1 AND user_id = $2 RETURNING 1),
debounced AS (DELETE FROM ledger.debounce WHERE tenant_id = $1 AND user_id = $2 RETURNING 1),
unreflected AS (DELETE FROM ledger.unreflected WHERE tenant_id = $1 AND user_id = $2 RETURNING 1),
kept_up AS (DELETE FROM ledger.upkeep WHERE tenant_id = $1 AND user_id = $2 RETURNING 1),
read AS (DELETE FROM ledger.windows WHERE tenant_id = $1 AND user_id = $2 RETURNING 1),
unread AS (DELETE FROM ledger.again WHERE tenant_id = $1 AND user_id = $2 RETURNING 1)
SELECT (SELECT count(*) FROM settings) + (SELECT count(*) FROM policies) AS settings, (SELECT count(*) FROM pins) AS pins,
       (SELECT count(*) FROM debounced) + (SELECT count(*) FROM unreflected) + (SELECT count(*) FROM kept_up)
       + (SELECT count(*) FROM read) + (SELECT count(*) FROM unread) AS schedule;

-- name: tell
-- What came of a work so far, while it is being done.
-- $1 event_id bigint, $2 stage text, $3 owner text, $4 result json as text
UPDATE ledger.work SET result = $4::text::json, updated_at = statement_timestamp()
 WHERE event_id = $1 AND stage = $2 AND state = 'leased' AND lease_owner = $3;

-- name: progress
-- How far a work is, while it is being done. $1 event_id bigint, $2 stage text, $3 owner text, $4 progress int
UPDATE ledger.work SET progress = $4, updated_at = statement_timestamp()
 WHERE event_id = $1 AND stage = $2 AND state = 'leased' AND lease_owner = $3;

-- name: jobs_before
-- How many jobs of the user there are of before an event; erasures that wait are none of them. Each half is read
-- through an index of its own.
-- $1 tenant_id text, $2 user_id text, $3 event_id bigint
SELECT (SELECT count(*) FROM ledger.work
         WHERE tenant_id = $1 AND user_id = $2 AND state IN ('pending', 'leased') AND event_id < $3
           AND stage <> 'erase')
       + (SELECT count(*) FROM ledger.work
           WHERE tenant_id = $1 AND user_id = $2 AND state IN ('done', 'failed', 'cancelled') AND event_id < $3) AS jobs;

-- name: span
-- Where to begin and end to look for a user's events.
SELECT min(event_id) AS first, max(event_id) AS last FROM ledger.events;

-- name: erase_events
-- Under the user's lock: the user's events between two ids, with their work, but for erasures that are still to be done,
-- and what was recorded after $5 and has consumers. Workers that had begun before record what they learned until they are
-- refused, which has none, and ask for what follows it, which goes. There is no index by user, which every write would
-- pay for: the whole ledger is read once, a part at a time.
-- $1 tenant_id text, $2 user_id text, $3 first event_id bigint, $4 before event_id bigint, $5 event_id bigint
DELETE FROM ledger.events
 WHERE event_id >= $3 AND event_id < $4 AND tenant_id = $1 AND user_id = $2
   AND (kind IN ('extract.requested', 'reflect.requested')
        AND subject_id LIKE ANY ('{incremental:%,earlier:%,again:%}'::text[])
        OR NOT EXISTS (SELECT FROM ledger.work
                        WHERE work.event_id = events.event_id
                          AND (events.event_id > $5 OR work.stage = 'erase' AND work.state IN ('pending', 'leased'))));

-- name: conclude
-- An erasure is done, and kept under another name than its user's. No row where another holds it by now.
-- $1 event_id bigint, $2 owner text, $3 name text, $4 result json as text
WITH concluded AS (
  UPDATE ledger.work
     SET state = 'done', user_id = $3, lease_owner = NULL, lease_until = NULL, last_error = NULL,
         updated_at = statement_timestamp(), result = $4::text::json
   WHERE event_id = $1 AND stage = 'erase' AND state = 'leased' AND lease_owner = $2
  RETURNING event_id)
UPDATE ledger.events SET user_id = $3, correlation_id = NULL, traceparent = NULL FROM concluded WHERE events.event_id = concluded.event_id
RETURNING events.event_id;

-- name: drop_rests
-- Under the user's lock: windows that works of before looked at, erasures of before that wait to be tried again, for
-- which nothing is left, and views, unless there is anything again that not all agents may see. $1 tenant_id text, $2 user_id text, $3 event_id bigint
WITH looked AS (DELETE FROM ledger.windows WHERE tenant_id = $1 AND user_id = $2 AND event_id < $3),
again AS (DELETE FROM ledger.again WHERE tenant_id = $1 AND user_id = $2),
seen AS (DELETE FROM ledger.views
          WHERE tenant_id = $1 AND user_id = $2
            AND NOT EXISTS (SELECT FROM ledger.views AS since
                             WHERE since.tenant_id = $1 AND since.user_id = $2 AND since.latest >= $3))
DELETE FROM ledger.events
 WHERE event_id IN (SELECT event_id FROM ledger.work
                     WHERE tenant_id = $1 AND user_id = $2 AND state IN ('pending', 'leased') AND stage = 'erase'
                       AND event_id < $3);

-- name: leave_lines
-- Under the user's lock: out of every line in which the user waits for nothing.
-- $1 tenant_id text, $2 user_id text
DELETE FROM ledger.queues AS line
 WHERE line.tenant_id = $1 AND line.user_id = $2
   AND NOT EXISTS (SELECT FROM ledger.work
                    WHERE work.tenant_id = $1 AND work.user_id = $2 AND work.stage = line.stage
                      AND work.state IN ('pending', 'leased'));

-- name: drop_progress
-- $1 tenant_id text, $2 user_id text
DELETE FROM ledger.progress WHERE tenant_id = $1 AND user_id = $2;

-- name: known_elsewhere
-- Keys that are bound to the user, and audit entries that name the user, until a moment.
-- $1 tenant_id text, $2 user_id text, $3 until timestamptz
SELECT keys, accesses FROM audit.known_of_user($1, $2, $3);

-- name: erase_elsewhere
-- Delete the keys, and let $5 audit entries at most name the user by another name; how many there were of both.
-- $1 tenant_id text, $2 user_id text, $3 name text, $4 until timestamptz, $5 most int
SELECT keys, accesses FROM audit.erase_user($1, $2, $3, $4, $5);

-- name: drop_marked_ids
-- $1 tenant_id text, $2 user_id text
DELETE FROM ledger.marked_ids WHERE tenant_id = $1 AND user_id = $2;

-- name: want_cleaning
-- What is wanted already, and not begun, stays as it is.
-- $1 names text[]
INSERT INTO ledger.cleaning AS known (name, wanted_at)
SELECT name, clock_timestamp() FROM unnest($1::text[]) AS name ORDER BY name
ON CONFLICT (name) DO UPDATE SET wanted_at = excluded.wanted_at
 WHERE known.wanted_at <= GREATEST(known.begun_at, known.done_at);

-- name: begin_cleaning
-- What is wanted and was not begun in the last $1 seconds; it is begun with this.
-- $1 seconds float8
UPDATE ledger.cleaning SET begun_at = clock_timestamp()
 WHERE wanted_at > done_at AND begun_at <= clock_timestamp() - make_interval(secs => $1)
RETURNING name, begun_at;

-- name: end_cleaning
-- $1 name text, $2 begun_at timestamptz
UPDATE ledger.cleaning SET done_at = $2 WHERE name = $1;

-- name: stored_since
-- Resources of the catalog that were stored by later events. $1 tenant_id text, $2 user_id text, $3 event_id bigint
SELECT subject_id FROM ledger.events
 WHERE tenant_id = $1 AND user_id = $2 AND kind = 'memory.resource_stored' AND kind LIKE 'memory.%' AND event_id > $3;

-- name: drop_results
-- $1 tenant_id text, $2 user_id text
SELECT ledger.drop_results($1, $2);

-- name: partitions_of
-- The partitions that hold the user's rows. $1 user_id text, $2 partitioned tables text[]
SELECT format('%s_%s', parent, remainder) AS name
  FROM unnest($2::text[]) AS parent, generate_series(0, 15) AS remainder
 WHERE satisfies_hash_partition(parent::regclass, 16, remainder, $1::text);
