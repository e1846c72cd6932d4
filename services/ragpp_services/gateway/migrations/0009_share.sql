-- A key that is bound to an agent writes what the user's other agents see with the scope `share` alone. Those that could
-- until now still can, and so can those that make such keys, none of which gives a scope that it has not.
UPDATE identity.keys
   SET scopes = ARRAY(SELECT DISTINCT unnest(scopes || '{share}'::text[]) ORDER BY 1)
 WHERE 'write' = ANY (scopes) AND (agent_id IS NOT NULL OR 'admin' = ANY (scopes));
