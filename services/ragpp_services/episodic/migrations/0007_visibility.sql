-- seen_by: the only agent that may see what was said, and what was learned from it; null for all of the user's agents.
-- What was said to an agent before is that agent's.
ALTER TABLE episodic.interactions ADD COLUMN seen_by text COLLATE "C";
ALTER TABLE episodic.chunks ADD COLUMN seen_by text COLLATE "C";
-- Of the message that is repeated: to others nobody has said it.
ALTER TABLE episodic.repetitions ADD COLUMN seen_by text COLLATE "C";

ALTER TABLE episodic.interactions NO FORCE ROW LEVEL SECURITY;
ALTER TABLE episodic.chunks NO FORCE ROW LEVEL SECURITY;
UPDATE episodic.interactions SET seen_by = agent_id WHERE agent_id IS NOT NULL;
UPDATE episodic.chunks SET seen_by = said.agent_id
  FROM episodic.interactions AS said
 WHERE said.tenant_id = chunks.tenant_id AND said.user_id = chunks.user_id AND said.ordinal = chunks.turn
   AND said.agent_id IS NOT NULL;
ALTER TABLE episodic.repetitions NO FORCE ROW LEVEL SECURITY;
UPDATE episodic.repetitions AS noted SET seen_by = said.agent_id
  FROM episodic.interactions AS said
 WHERE said.tenant_id = noted.tenant_id AND said.user_id = noted.user_id AND said.ordinal = noted.repeats
   AND said.agent_id IS NOT NULL;
ALTER TABLE episodic.repetitions FORCE ROW LEVEL SECURITY;
ALTER TABLE episodic.chunks FORCE ROW LEVEL SECURITY;
ALTER TABLE episodic.interactions FORCE ROW LEVEL SECURITY;

-- The views that there are by that, to be built by the workers.
ALTER TABLE ledger.views NO FORCE ROW LEVEL SECURITY;
ALTER TABLE episodic.interactions NO FORCE ROW LEVEL SECURITY;
INSERT INTO ledger.views (tenant_id, user_id, view, latest)
SELECT tenant_id, user_id, seen.view, max(event_id)
  FROM episodic.interactions CROSS JOIN LATERAL (VALUES (seen_by), ('')) AS seen (view)
 WHERE seen_by IS NOT NULL
 GROUP BY tenant_id, user_id, seen.view;
ALTER TABLE episodic.interactions FORCE ROW LEVEL SECURITY;
ALTER TABLE ledger.views FORCE ROW LEVEL SECURITY;
