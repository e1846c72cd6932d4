-- What statements look at instead of a whole table (`ragpp.stores.queries.instead_of_all`); no statements by themselves.

-- name: chosen_items
-- What `scan_chosen_items` looks at instead of all; the parameters of `scan_items`, and $21 ordinals bigint[], and with
-- them all that lies in gaps: $22 users text[], $23 after ordinals bigint[], $24 until ordinals bigint[]
SELECT items.* FROM catalog.items AS items
 WHERE items.tenant_id = $1 AND items.user_id = ANY ($2::text[]) AND items.ordinal = ANY ($21::bigint[])
UNION ALL
SELECT items.*
  FROM unnest($22::text[], $23::bigint[], $24::bigint[]) AS gap (user_id, after, until)
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
-- What `scan_around_chosen_items` looks at instead of all; the parameters of `scan_around_items`, and $16 ordinals of the
-- items that may be lent to bigint[]: their resources', and those of resources that no item was taken from.
SELECT chunks.*
  FROM (SELECT DISTINCT lending.user_id, lending.ordinal
          FROM catalog.items AS items
          JOIN catalog.resources AS lending
            ON lending.tenant_id = $1 AND lending.user_id = ANY ($2::text[])
           AND lending.user_id = items.user_id AND lending.id = items.resource_id
         WHERE items.tenant_id = $1 AND items.user_id = ANY ($2::text[]) AND items.ordinal = ANY ($16::bigint[])
        UNION ALL
        SELECT bare.user_id, bare.ordinal
          FROM catalog.resources AS bare
         WHERE bare.tenant_id = $1 AND bare.user_id = ANY ($2::text[])
           AND ($3::text IS NULL OR bare.seen_by IS NULL OR bare.seen_by = $3)
           AND NOT EXISTS (SELECT FROM catalog.items AS taken
                            WHERE taken.tenant_id = $1 AND taken.user_id = ANY ($2::text[])
                              AND taken.user_id = bare.user_id AND taken.resource_id = bare.id)) AS chosen
  JOIN catalog.resource_chunks AS chunks
    ON chunks.tenant_id = $1 AND chunks.user_id = ANY ($2::text[])
   AND chunks.user_id = chosen.user_id AND chunks.resource = chosen.ordinal;
