-- What statements look at instead of a whole table (`ragpp.stores.queries.instead_of_all`); no statements by themselves.

-- name: chosen_items
-- What `scan_chosen_items` looks at instead of all; the parameters of `scan_items`, and $17 ordinals bigint[], and with
-- them all that lies in gaps: $18 users text[], $19 after ordinals bigint[], $20 until ordinals bigint[]
SELECT items.* FROM catalog.items AS items
 WHERE items.tenant_id = $1 AND items.user_id = ANY ($2::text[]) AND items.ordinal = ANY ($17::bigint[])
UNION ALL
SELECT items.*
  FROM unnest($18::text[], $19::bigint[], $20::bigint[]) AS gap (user_id, after, until)
  JOIN catalog.items AS items
    ON items.tenant_id = $1 AND items.user_id = gap.user_id AND items.ordinal > gap.after AND items.ordinal <= gap.until;

-- name: chosen_chunks
-- What `scan_around_chosen_items` looks at instead of all; the parameters of `scan_around_items`, and $6 ordinals of the
-- items that may be lent to bigint[]
SELECT chunks.*
  FROM (SELECT DISTINCT items.user_id, items.resource_id FROM catalog.items AS items
         WHERE items.tenant_id = $1 AND items.user_id = ANY ($2::text[]) AND items.ordinal = ANY ($6::bigint[])) AS chosen
  JOIN catalog.resources AS lending
    ON lending.tenant_id = $1 AND lending.user_id = ANY ($2::text[])
   AND lending.user_id = chosen.user_id AND lending.id = chosen.resource_id
  JOIN catalog.resource_chunks AS chunks
    ON chunks.tenant_id = $1 AND chunks.user_id = ANY ($2::text[])
   AND chunks.user_id = lending.user_id AND chunks.resource = lending.ordinal;
