-- What is left in the ledger of a user of the scratch tenant. As the app, in a transaction of that tenant. Its id stands
-- in what reads events and work, by which their partial indexes are found.

-- name: left_behind
-- Users of whom the ledger has events, or epochs, the latest of them older than a moment.
-- $1 tenant_id text, $2 before timestamptz, $3 before bigint: the same in microseconds
SELECT user_id FROM (
  SELECT user_id, max(created_at) < $2 AS old FROM ledger.events WHERE tenant_id = 'ragpp:health' GROUP BY user_id
  UNION ALL
  SELECT user_id, epoch < $3 AS old FROM ledger.epochs WHERE tenant_id = $1) AS known
 GROUP BY user_id HAVING bool_and(old) ORDER BY user_id LIMIT 100;

-- name: under_way
-- Works of the user that somebody does just now.
-- $1 user_id text
SELECT count(*) FROM ledger.work
 WHERE tenant_id = 'ragpp:health' AND user_id = $1 AND state = 'leased' AND lease_until > clock_timestamp();

-- name: waiting
-- Works of the user that are not done.
-- $1 user_id text
SELECT stage, state, max(last_error) AS error, count(*) AS works FROM ledger.work
 WHERE tenant_id = 'ragpp:health' AND user_id = $1 AND state IN ('pending', 'leased', 'failed') GROUP BY stage, state
 ORDER BY stage, state;

-- name: drop_work
-- All but the epoch, by which a later report finds the user, and the marks.
-- $1 tenant_id text, $2 user_id text
WITH work AS (DELETE FROM ledger.work WHERE tenant_id = 'ragpp:health' AND user_id = $2),
queues AS (DELETE FROM ledger.queues WHERE tenant_id = $1 AND user_id = $2),
progress AS (DELETE FROM ledger.progress WHERE tenant_id = $1 AND user_id = $2),
settings AS (DELETE FROM ledger.user_settings WHERE tenant_id = $1 AND user_id = $2),
debounced AS (DELETE FROM ledger.debounce WHERE tenant_id = $1 AND user_id = $2),
unreflected AS (DELETE FROM ledger.unreflected WHERE tenant_id = $1 AND user_id = $2),
kept_up AS (DELETE FROM ledger.upkeep WHERE tenant_id = $1 AND user_id = $2),
read AS (DELETE FROM ledger.windows WHERE tenant_id = $1 AND user_id = $2),
unread AS (DELETE FROM ledger.again WHERE tenant_id = $1 AND user_id = $2)
DELETE FROM ledger.events WHERE tenant_id = 'ragpp:health' AND user_id = $2;

-- name: sweep
-- $1 tenant_id text, $2 user_id text, $3 marks text[]
WITH marks AS (DELETE FROM ledger.forgotten WHERE tenant_id = $1 AND mark = ANY ($3::text[]))
DELETE FROM ledger.epochs WHERE tenant_id = $1 AND user_id = $2;

-- name: tombstones
-- $1 tenant_id text, $2 user_id text, $3 marks text[]
SELECT (SELECT count(*) FROM ledger.events WHERE tenant_id = 'ragpp:health' AND user_id = $2)
     + (SELECT count(*) FROM ledger.work WHERE tenant_id = 'ragpp:health' AND user_id = $2)
     + (SELECT count(*) FROM ledger.epochs WHERE tenant_id = $1 AND user_id = $2)
     + (SELECT count(*) FROM ledger.forgotten WHERE tenant_id = $1 AND mark = ANY ($3::text[]))
     + (SELECT count(*) FROM ledger.queues WHERE tenant_id = $1 AND user_id = $2)
     + (SELECT count(*) FROM ledger.progress WHERE tenant_id = $1 AND user_id = $2);
