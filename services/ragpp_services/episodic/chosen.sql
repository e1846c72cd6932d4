-- What the statement `scan` looks at instead of whole tables (`ragpp.stores.queries.instead_of_all`); no statements by
-- themselves. The parameters of `scan`, and with them what was chosen, and all that lies in gaps: $21 ordinals bigint[],
-- $22 after ordinals bigint[], $23 until ordinals bigint[]

-- name: chosen_chunks
SELECT chunks.* FROM episodic.chunks
 WHERE chunks.tenant_id = $1 AND chunks.user_id = $2 AND chunks.turn = ANY ($21::bigint[])
UNION ALL
SELECT chunks.*
  FROM unnest($22::bigint[], $23::bigint[]) AS gap (after, until)
  JOIN episodic.chunks
    ON chunks.tenant_id = $1 AND chunks.user_id = $2 AND chunks.turn > gap.after AND chunks.turn <= gap.until;

-- name: chosen_sentences
SELECT sentences.* FROM episodic.sentences
 WHERE sentences.tenant_id = $1 AND sentences.user_id = $2 AND sentences.turn = ANY ($21::bigint[])
UNION ALL
SELECT sentences.*
  FROM unnest($22::bigint[], $23::bigint[]) AS gap (after, until)
  JOIN episodic.sentences
    ON sentences.tenant_id = $1 AND sentences.user_id = $2 AND sentences.turn > gap.after AND sentences.turn <= gap.until;

-- name: chosen_interactions
-- By the key that the index on time has.
SELECT said.*
  FROM (SELECT chunks.turn, chunks.occurred_at FROM episodic.chunks
         WHERE chunks.tenant_id = $1 AND chunks.user_id = $2 AND chunks.turn = ANY ($21::bigint[])
        UNION ALL
        SELECT chunks.turn, chunks.occurred_at
          FROM unnest($22::bigint[], $23::bigint[]) AS gap (after, until)
          JOIN episodic.chunks
            ON chunks.tenant_id = $1 AND chunks.user_id = $2 AND chunks.turn > gap.after AND chunks.turn <= gap.until) AS chosen
  JOIN episodic.interactions AS said
    ON said.tenant_id = $1 AND said.user_id = $2 AND said.occurred_at = chosen.occurred_at AND said.ordinal = chosen.turn;
