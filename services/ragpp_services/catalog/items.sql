-- Every statement runs in a transaction confined to one tenant. How each begins: `statements.Statements`.

-- name: record_embedding
-- The model and dimension that this database holds vectors of: the first caller's.
-- $1 model text, $2 dimension int
SELECT model, dimension FROM catalog.record_embedding($1, $2);
