-- name: find_key
-- One function call by primary information of the key; the table itself is closed to the app.
-- $1 prefix text
SELECT key_id, secret_hash, tenant_id, scopes, user_id, agent_id, visibility FROM identity.find_key($1);

-- name: insert_accesses
-- Audit entries of one tenant; one that was written before a crash is not written again. The memories of each are kept by
-- their marks; of which memory a mark is, is known beside them, unless anything of the user, or of what all users share,
-- was forgotten since, or in the minute before: an answer may have been on its way. Under the locks of look_at_erased.
-- $1 access_id uuid[], $2 tenant_id text, $3 at timestamptz[], $4 key_id text[], $5 user_id text[], $6 agent_id text[],
-- $7 action text[], $8 status int[], $9 elapsed_ms float8[], $10 query_sha256 text[], $11 items int[], $12 details text[],
-- $13 memory ids text[], $14 of which entry each is, from 1, int[], $15 and $16 blocks of the marks' key bytea
WITH entry AS MATERIALIZED (
  SELECT *, COALESCE(user_id, '') AS whose
    FROM unnest($1::uuid[], $3::timestamptz[], $4::text[], $5::text[], $6::text[], $7::text[], $8::int[], $9::float8[],
                $10::text[], $11::int[], $12::text[]) WITH ORDINALITY
         AS entry (access_id, at, key_id, user_id, agent_id, action, status, elapsed_ms, query_sha256, items, details,
                   place)),
seen AS MATERIALIZED (
  SELECT place, at, whose, id, audit.mark($15::bytea, $16::bytea, $2::text, whose, id) AS mark, number
    FROM unnest($13::text[], $14::int[]) WITH ORDINALITY AS one (id, place, number) JOIN entry USING (place)
   WHERE whose !~ '^erased-[0-9a-f]{32}$'),
known AS (
  INSERT INTO ledger.marked_ids (tenant_id, user_id, mark, id)
  SELECT DISTINCT $2::text, whose, mark, id FROM seen
   WHERE NOT EXISTS (
     SELECT FROM ledger.epochs AS forgetting
      WHERE forgetting.tenant_id = $2::text AND forgetting.user_id IN (whose, '')
        AND seen.at <= to_timestamp(forgetting.epoch / 1000000.0) + INTERVAL '1 minute')
   ORDER BY 1, 2, 3
  ON CONFLICT DO NOTHING),
returned AS (
  SELECT place, array_agg(mark ORDER BY number) AS memories
    FROM (SELECT place, mark, min(number) AS number FROM seen GROUP BY place, mark) AS each_once
   GROUP BY place)
INSERT INTO audit.accesses
       (access_id, tenant_id, at, key_id, user_id, agent_id, action, status, elapsed_ms, query_sha256, items, details,
        memories)
SELECT access_id, $2::text, at, key_id, user_id, agent_id, action, status, elapsed_ms, query_sha256, items,
       details::jsonb, memories
  FROM entry LEFT JOIN returned USING (place)
ON CONFLICT DO NOTHING;

-- name: leave_out_deleted
-- Memories that a person deleted: what their marks are of is not known any more, whichever entry comes late.
-- $1 tenant_id text, $2 user ids text[], $3 marks text[]
INSERT INTO ledger.marked_ids AS known (tenant_id, user_id, mark)
SELECT DISTINCT $1::text, whose, mark::uuid FROM unnest($2::text[], $3::text[]) AS gone (whose, mark) ORDER BY 2, 3
ON CONFLICT (tenant_id, user_id, mark) DO UPDATE SET id = NULL WHERE known.id IS NOT NULL;

-- name: accesses
-- Newest first, planned for its parameters (`plan_cache_mode`): those of a tenant, and the refused ones that the asking key
-- may see. Whose memory a given one is, the user tells; without one, what is known of marks.
-- $1 tenant_id text, $2 asking key_id text, $3 its own user ids text[], $4 its own agent_id text, $5 user ids text[],
-- $6 key_id text, $7 action text, $8 route text, $9 least status int, $10 most status int, $11 since timestamptz,
-- $12 until timestamptz, $13 memory id text, $14 its user_id text, $15 and $16 blocks of the marks' key bytea,
-- $17 before_moment timestamptz, $18 before_id uuid, $19 limit int; each null for any
WITH sought AS MATERIALIZED (
  SELECT user_id, mark FROM ledger.marked_ids WHERE tenant_id = $1::text AND id = $13::text AND $14::text IS NULL
  UNION
  SELECT whose, audit.mark($15::bytea, $16::bytea, $1::text, COALESCE($14::text, ''), $13::text)
    FROM unnest(COALESCE($5::text[], $3::text[], '{""}')) AS whose),
of_tenant AS (
  SELECT access_id, at, key_id, user_id, agent_id, action, status, elapsed_ms, query_sha256, items, details, memories
    FROM audit.accesses AS one
   WHERE tenant_id = $1::text
     AND ($3::text[] IS NULL OR user_id = ANY ($3::text[])) AND ($4::text IS NULL OR agent_id = $4::text)
     AND ($5::text[] IS NULL OR user_id = ANY ($5::text[]))
     AND ($6::text IS NULL OR key_id = $6::text) AND ($7::text IS NULL OR action = $7::text)
     AND ($8::text IS NULL OR split_part(action, ' ', 2) = $8::text)
     AND ($9::int IS NULL OR status BETWEEN $9::int AND $10::int)
     AND ($11::timestamptz IS NULL OR at >= $11::timestamptz) AND ($12::timestamptz IS NULL OR at < $12::timestamptz)
     AND ($17::timestamptz IS NULL OR (at, access_id) < ($17::timestamptz, $18::uuid))
     AND ($13::text IS NULL
          OR (user_id = ANY (ARRAY (SELECT user_id FROM sought)) OR user_id IS NULL)
             AND EXISTS (SELECT FROM sought
                          WHERE sought.user_id = COALESCE(one.user_id, '')
                            AND (sought.mark = ANY (one.memories)
                                 OR one.details -> 'marks' ? replace(sought.mark::text, '-', ''))))
   ORDER BY at DESC, access_id DESC LIMIT $19::int),
refused AS (
  SELECT access_id, at, key_id, NULL::text, NULL::text, action, status, 0::float8, NULL::text, 0, details, NULL::uuid[]
    FROM audit.refused_for($2::text)
   WHERE $5::text[] IS NULL AND $13::text IS NULL
     AND ($6::text IS NULL OR key_id = $6::text) AND ($7::text IS NULL OR action = $7::text)
     AND ($8::text IS NULL OR split_part(action, ' ', 2) = $8::text)
     AND ($9::int IS NULL OR status BETWEEN $9::int AND $10::int)
     AND ($11::timestamptz IS NULL OR at >= $11::timestamptz) AND ($12::timestamptz IS NULL OR at < $12::timestamptz)
     AND ($17::timestamptz IS NULL OR (at, access_id) < ($17::timestamptz, $18::uuid))
   ORDER BY at DESC, access_id DESC LIMIT $19::int)
SELECT shown.access_id, shown.at, shown.key_id, shown.user_id, shown.agent_id, shown.action, shown.status,
       shown.elapsed_ms, shown.query_sha256, shown.items, shown.details::text AS details,
       ARRAY (SELECT known.id
                FROM unnest(shown.memories) WITH ORDINALITY AS one (mark, place)
                JOIN ledger.marked_ids AS known
                  ON known.tenant_id = $1::text AND known.user_id = COALESCE(shown.user_id, '') AND known.mark = one.mark
               WHERE known.id IS NOT NULL ORDER BY place) AS memory_ids,
       ARRAY (SELECT replace(one.mark::text, '-', '')
                FROM unnest(shown.memories) WITH ORDINALITY AS one (mark, place)
               WHERE NOT EXISTS (SELECT FROM ledger.marked_ids AS known
                                  WHERE known.tenant_id = $1::text AND known.user_id = COALESCE(shown.user_id, '')
                                    AND known.mark = one.mark AND known.id IS NOT NULL)
               ORDER BY place) AS marks
  FROM (SELECT * FROM of_tenant UNION ALL SELECT * FROM refused ORDER BY at DESC, access_id DESC LIMIT $19::int) AS shown
 ORDER BY shown.at DESC, shown.access_id DESC;

-- name: add_refused
-- Requests without a valid key, which are nobody's: the application may add them and not read them.
-- $1 access_id uuid[], $2 at timestamptz[], $3 key_id text[], $4 action text[], $5 attempts int[]
SELECT audit.add_refused($1::uuid[], $2::timestamptz[], $3::text[], $4::text[], $5::int[]);

-- name: look_at_erased
-- Until the transaction ends, nobody of the tenant is erased, and nothing of these users is forgotten: whoever was is seen
-- by the next statement. What all users share is of the empty user_id.
-- $1 tenant_id text, $2 user ids text[]
SELECT pg_advisory_xact_lock_shared(hashtextextended(name, 0))
  FROM (SELECT 'audit' || $1::text AS name
        UNION ALL (SELECT 'marked ids' || $1::text || chr(31) || one FROM unnest($2::text[]) AS one ORDER BY one)) AS names;

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
