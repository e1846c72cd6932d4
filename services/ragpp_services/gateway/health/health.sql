-- Health reports, in transactions of the scratch tenant.

-- name: keep_report
-- $1 tenant_id text, $2 at timestamptz, $3 report json as text, $4 how many are kept
WITH older AS (
  DELETE FROM audit.health_reports AS old
   WHERE tenant_id = $1 AND at < (SELECT min(at) FROM (
     SELECT at FROM audit.health_reports WHERE tenant_id = $1 ORDER BY at DESC LIMIT $4 - 1) AS latest))
INSERT INTO audit.health_reports (tenant_id, at, report) VALUES ($1, $2, $3::text::jsonb)
ON CONFLICT (tenant_id, at) DO NOTHING;

-- name: last_report
-- $1 tenant_id text
SELECT report::text AS report FROM audit.health_reports WHERE tenant_id = $1 ORDER BY at DESC LIMIT 1;

-- name: report_to_compare
-- The latest that is a day old, else the oldest.
-- $1 tenant_id text, $2 at timestamptz
SELECT report::text AS report FROM audit.health_reports WHERE tenant_id = $1
 ORDER BY at <= $2 DESC, CASE WHEN at <= $2 THEN at END DESC, at LIMIT 1;
