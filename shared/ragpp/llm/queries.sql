-- name: reserve_tokens
-- Looked at and set aside in one step, so that calls made at once never overspend; no row when too little is left.
-- $1 tenant_id text, $2 day date, $3 tokens bigint, $4 limit bigint or null
INSERT INTO ledger.spend AS spend (tenant_id, day, tokens)
SELECT $1::text, $2::date, $3::bigint
 WHERE $4::bigint IS NULL OR $3::bigint <= $4::bigint
ON CONFLICT (tenant_id, day) DO UPDATE
   SET tokens = spend.tokens + EXCLUDED.tokens
 WHERE $4::bigint IS NULL OR spend.tokens + EXCLUDED.tokens <= $4::bigint
RETURNING tokens;

-- name: settle_tokens
-- What was used, less what was set aside for it.
-- $1 tenant_id text, $2 day date, $3 difference bigint
UPDATE ledger.spend SET tokens = greatest(0, tokens + $3::bigint) WHERE tenant_id = $1 AND day = $2;

-- name: spent_tokens
-- $1 tenant_id text, $2 day date
SELECT tokens FROM ledger.spend WHERE tenant_id = $1 AND day = $2;
