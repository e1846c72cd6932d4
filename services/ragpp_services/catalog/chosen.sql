-- What statements look at instead of a whole table (`ragpp.stores.queries.instead_of_all`); no statements by themselves.

-- name: chosen_items
-- What `scan_chosen_items` looks at instead of all; the parameters of `scan_items`, and $19 ordinals bigint[], and with
-- them all that lies in gaps: $20 users text[], $21 after ordinals bigint[], $22 until ordinals bigint[]
SELECT items.* FROM catalog.items AS items
 WHERE items.tenant_id = $1 AND items.user_id = ANY ($2::text[]) AND items.ordinal = ANY ($19::bigint[])
UNION ALL
SELECT items.*
  FROM unnest($20::text[], $21::bigint[], $22::bigint[]) AS gap (user_id, after, until)
  JOIN catalog.items AS items
    ON items.tenant_id = $1 AND items.user_id = gap.user_id AND items.ordinal > gap.after AND items.ordinal <= gap.until;

-- name: items_of_view
-- What `scan_view_items` looks at instead of all: each half by the index of views.
SELECT items.* FROM catalog.items AS items
 WHERE items.tenant_id = $1 AND items.user_id = ANY ($2::text[]) AND items.seen_by = $3
UNION ALL
SELECT items.* FROM catalog.items AS items
 WHERE items.tenant_id = $1 AND items.user_id = ANY ($2::text[]) AND items.seen_by IS NULL;

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
