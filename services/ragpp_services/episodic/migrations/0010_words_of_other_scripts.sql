-- What has words in Arabic, Korean, or a script without spaces is found by more than it was stored with: it counts as not
-- read, and is read again when the sentences of its user are looked at, which begins anew. The bit is Trait.READ. A packed
-- text cannot be looked into here.
ALTER TABLE episodic.interactions NO FORCE ROW LEVEL SECURITY;
ALTER TABLE episodic.chunks NO FORCE ROW LEVEL SECURITY;
ALTER TABLE episodic.sentenced NO FORCE ROW LEVEL SECURITY;

UPDATE episodic.chunks AS known SET traits = known.traits & ~1024::smallint
  FROM episodic.interactions AS said
 WHERE said.tenant_id = known.tenant_id AND said.user_id = known.user_id AND said.ordinal = known.turn
   AND known.traits & 1024::smallint <> 0
   AND (octet_length(said.packed) > 0
        OR concat(said.name, ' ', said.content) ~ '[\u0600-\u06ff\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]'
        OR concat(said.name, ' ', said.content) ~ '[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3\uf900-\ufdff]'
        OR concat(said.name, ' ', said.content) ~ '[\ufe70-\ufeff\uff65-\uffdc\U00020000-\U0003ffff]');

UPDATE episodic.sentenced AS known SET turn = first.turn, part = -1
  FROM (SELECT tenant_id, user_id, min(turn) AS turn
          FROM episodic.chunks WHERE traits & 1024::smallint = 0 GROUP BY tenant_id, user_id) AS first
 WHERE first.tenant_id = known.tenant_id AND first.user_id = known.user_id AND first.turn <= known.turn;

ALTER TABLE episodic.sentenced FORCE ROW LEVEL SECURITY;
ALTER TABLE episodic.chunks FORCE ROW LEVEL SECURITY;
ALTER TABLE episodic.interactions FORCE ROW LEVEL SECURITY;
