-- name: find_key
-- One function call by primary information of the key; the table itself is closed to the app.
-- $1 prefix text
SELECT key_id, secret_hash, tenant_id, scopes, user_id, agent_id, visibility FROM identity.find_key($1);

-- name: insert_accesses
-- Audit entries of one tenant; one that was written before a crash is not written again.
-- $1 access_id uuid[], $2 tenant_id text, $3 at timestamptz[], $4 key_id text[], $5 user_id text[], $6 agent_id text[],
-- $7 action text[], $8 status int[], $9 elapsed_ms float8[], $10 query_sha256 text[], $11 items int[], $12 details text[]
INSERT INTO audit.accesses
       (access_id, tenant_id, at, key_id, user_id, agent_id, action, status, elapsed_ms, query_sha256, items, details)
SELECT access_id, $2::text, at, key_id, user_id, agent_id, action, status, elapsed_ms, query_sha256, items,
       details::jsonb
  FROM unnest($1::uuid[], $3::timestamptz[], $4::text[], $5::text[], $6::text[], $7::text[], $8::int[], $9::float8[],
              $10::text[], $11::int[], $12::text[])
       AS entry (access_id, at, key_id, user_id, agent_id, action, status, elapsed_ms, query_sha256, items, details)
ON CONFLICT DO NOTHING;

-- name: add_refused
-- Requests without a valid key, which are nobody's: the application may add them and not read them.
-- $1 access_id uuid[], $2 at timestamptz[], $3 key_id text[], $4 action text[], $5 attempts int[]
SELECT audit.add_refused($1::uuid[], $2::timestamptz[], $3::text[], $4::text[], $5::int[]);

-- name: look_at_erased
-- Until the transaction ends, nobody of the tenant is erased: whoever was is seen by the next statement.
-- $1 tenant_id text
SELECT pg_advisory_xact_lock_shared(hashtextextended('audit' || $1::text, 0));

-- name: erased
-- $1 tenant_id text, $2 names text[]
SELECT name, until FROM audit.erased WHERE tenant_id = $1 AND name = ANY ($2::text[]);

-- name: create_key
-- As the owner.
-- $1 key_id text, $2 prefix text, $3 secret_hash bytea, $4 tenant_id text, $5 scopes text[], $6 user_id text,
-- $7 agent_id text, $8 expires_at timestamptz, $9 visibility text
INSERT INTO identity.keys (key_id, prefix, secret_hash, tenant_id, scopes, user_id, agent_id, expires_at, visibility)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9);

-- name: list_keys
-- As the owner; $1 tenant_id text, null for all.
SELECT key_id, prefix, tenant_id, scopes, user_id, agent_id, created_at, expires_at, revoked_at, visibility
  FROM identity.keys
 WHERE $1::text IS NULL OR tenant_id = $1
 ORDER BY created_at, key_id;

-- name: revoke_key
-- As the owner; $1 key_id text.
UPDATE identity.keys SET revoked_at = now() WHERE key_id = $1 AND revoked_at IS NULL;

-- name: create_key_for
-- No row where the key that asks may not make this one, or its tenant has `most` of them; 0 is no limit.
-- $1 asking key_id text, $2 key_id text, $3 prefix text, $4 secret_hash bytea, $5 scopes text[], $6 user_id text,
-- $7 agent_id text, $8 expires_at timestamptz, $9 visibility text, $10 most int
SELECT * FROM identity.create_key($1, $2, $3, $4, $5, $6, $7, $8, $9, $10);

-- name: count_keys_for
-- Valid ones of its tenant. $1 asking key_id text
SELECT identity.count_keys($1);

-- name: list_keys_for
-- What the key that asks may see, oldest first.
-- $1 asking key_id text, $2 after_moment timestamptz, $3 after_id text, $4 limit int
SELECT * FROM identity.list_keys($1, $2, $3, $4, NULL);

-- name: revoke_key_for
-- No row where there is none that the key that asks may see.
-- $1 asking key_id text, $2 key_id text, $3 even_last boolean
SELECT * FROM identity.revoke_key($1, $2, $3);
