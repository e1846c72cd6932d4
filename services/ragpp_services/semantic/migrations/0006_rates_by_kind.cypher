// What stays true without being said again fades more slowly from now on (ragpp.fading), also what is there: its decay is
// counted anew from what the evidence left, what had been archived by age is shown, and what was mentioned more than once,
// between which it faded too fast, is noted to be folded again by the next consolidation.
MATCH (s:Entity)-[r:RELATES_TO]->(t:Entity)
 WHERE NOT r.lasting AND r.weight > 1
   AND (r.type ENDS WITH '_OF' OR r.type IN ['ALLERGIC_TO', 'DISLIKES', 'ENJOYS', 'FROM', 'HATES', 'KNOWS', 'LIKES', 'LIVES_IN', 'LOVES', 'MANAGES', 'MARRIED_TO', 'OWNS', 'PREFERS', 'REPORTS_TO', 'SPEAKS', 'STUDIED_AT', 'STUDIES', 'STUDIES_AT', 'SUFFERS_FROM', 'TAKES', 'TEACHES', 'WORKS_AS', 'WORKS_AT', 'WORKS_ON', 'WORKS_WITH'])
CALL (s, r, t) {
  MERGE (:Unrevised {scope: s.scope, thing: [s.id, r.type, t.id]})
} IN TRANSACTIONS OF 1000 ROWS;
MATCH (:Entity)-[r:RELATES_TO]->(:Entity)
 WHERE NOT r.lasting AND r.believed_at IS NOT NULL
   AND (r.type ENDS WITH '_OF' OR r.type IN ['ALLERGIC_TO', 'DISLIKES', 'ENJOYS', 'FROM', 'HATES', 'KNOWS', 'LIKES', 'LIVES_IN', 'LOVES', 'MANAGES', 'MARRIED_TO', 'OWNS', 'PREFERS', 'REPORTS_TO', 'SPEAKS', 'STUDIED_AT', 'STUDIES', 'STUDIES_AT', 'SUFFERS_FROM', 'TAKES', 'TEACHES', 'WORKS_AS', 'WORKS_AT', 'WORKS_ON', 'WORKS_WITH'])
CALL (r) {
  SET r.confidence = r.believed, r.confidence_at = r.believed_at, r.archived_at = null,
      r.shown_until = CASE WHEN r.verdict = 'rejected' THEN r.shown_until ELSE r.valid_to END
} IN TRANSACTIONS OF 1000 ROWS;
