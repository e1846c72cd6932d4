-- name: schema_size
-- About how many rows each table of a schema has, of all tenants, and the bytes it takes with its indexes: what the
-- server keeps count of, so no row is read, and no right is needed. Partitions count as their table. What was counted
-- since the last look at the table (ANALYZE) is lost with a server that crashed, so the larger of both is taken.
-- $1 schema text
SELECT COALESCE(root.relname, tables.relname)::text AS kind,
       sum(GREATEST(tables.reltuples::bigint, pg_stat_get_live_tuples(tables.oid), 0))::bigint AS rows,
       sum(pg_total_relation_size(tables.oid))::bigint AS bytes
  FROM pg_catalog.pg_class AS tables
  LEFT JOIN LATERAL (SELECT pg_partition_root(tables.oid::regclass) AS oid WHERE tables.relispartition) AS top ON true
  LEFT JOIN pg_catalog.pg_class AS root ON root.oid = top.oid
 WHERE tables.relnamespace = (SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = $1::text) AND tables.relkind = 'r'
 GROUP BY 1 ORDER BY 1;
