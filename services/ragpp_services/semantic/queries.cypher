// Every statement on users' graphs. Parameters are $scope (text) and the map $given, whose fields are named above each
// statement: Neo4j keeps one plan for each size class of each list or text among the parameters, and looks not into a
// map, so that one plan serves a query of any length and a batch of any size. Moments are microseconds since 1970.
// Each index that is sought in is named (USING INDEX SEEK). Else a server that has not yet counted what is there, or does
// so just then, may plan to read the index as a whole, everyone's, for good (`replan=skip`); such a scan ends, without an
// error, at what somebody has just deleted (Neo4j 2026.08).
// What the properties mean is said in migrations/0001_graph.cypher; since then there are also, absent on older edges,
// (:Entity)-[:RELATES_TO {…, believed, believed_at, valid_from, valid_to, ended_by, archived_at, verdict, shown_until}]
//   believed, believed_at: what the evidence left; confidence, confidence_at: that, faded to where decay was persisted
//   valid_to, ended_by: absent while it holds; archived_at: since when it is not shown, having faded
//   verdict: confirmed or rejected, by a person; shown_until: from when on it is not current, absent while it is
//   verb: the one that said so last, absent where none did
// (:Applied)-[:STATES {…, act, verb}]->(:Entity)   act: absent where it is said that the relationship holds; otherwise ends,
//   mirrors (an ending, said of its other end), confirmed, rejected or restored
// (:Applied {event_id: 'v:…'})               a person's word about a relationship, kept as its evidence
// (:Applied {event_id: 'n:…'})-[:MENTIONS]->()  a person's word on what an entity is called, which is no mention of it
// (:Entity {…, former_labels})               what it was taken for before a person said what it is
// (:User {…, consolidated})                  the place in the order of arrival that came next at each consolidation
// (:Entity)-[:MERGED_INTO {…, gained, apart, after}]->()  former labels, and ids to be kept apart from, that it brought;
//   which place came next
// (:User {…, epoch}), (:Forgotten {mark, at})   see migrations/0002_forgotten.cypher and 0006_marks_of_nobody.cypher
// (:Unrevised {scope, thing})                what has lost evidence and does not say so yet

// name: retrieve
// What a query names ($keys) or means ($embedding, null for neither), the relationships of these seeds and, one hop
// further, of the best entities beside them. Edges of one entity are cut to the $first_hop or $second_hop mentioned
// last, of those known at $as_of, before they are ranked: of what a hub has beyond, two moments are read, which costs
// half a millisecond for 1,000 edges, and what it is and of whom, by which equal ones are told apart whoever's they are. Evidence is read only for what was mentioned
// or named after $as_of, where the state says too much; it is reached from its entity (`+ ''` keeps the planner from
// the index on what is stated, which it once scanned whole: everyone's, for each edge). Meaning is an exact cosine over the $shortlist entities whose
// sketches are nearest, of $scanned that were known at $as_of; which ones, where a user has more, is left to the graph,
// because to order 5,000 by their last mention takes 7 ms. Reading 64 numbers a node takes a fifth of the time that 384
// take. (A vector index would be faster above some 1,000 entities, but a search of it that is filtered by scope fails
// inside Lucene, in Neo4j 2026.08, when what it finds in a segment has been deleted since.)
// $keys list<text>, $embedding list<float> | null, $sketch list<float> | null, $scanned int, $shortlist int,
// $near int, $floor float, $seeds int, $as_of int (what was
// said later is not seen), $now int (decay is counted to it),
// $first_hop int, $second_hop int, $bridges int, $candidates int, $rates {of, lasting, ties, passing}: see rows.rate_table,
// $exclusive list<text>: types of which a later relationship may end an earlier one; $rejected int: at most so many of
// the relationships of the seeds that a person rejected, whenever that was, without the sources that deny them
CALL () {
  UNWIND $given.keys AS key
  MATCH (e:Entity {scope: $scope, name_key: key})
   USING INDEX SEEK e:Entity(scope, name_key, label)
   WHERE e.label IS NOT NULL
  RETURN e, 1.0 AS nearness
  UNION ALL
  UNWIND $given.keys AS key
  MATCH (k:Alias {scope: $scope, key: key})-[:OF]->(e:Entity {scope: $scope})
   USING INDEX SEEK k:Alias(scope, key)
  RETURN e, 1.0 AS nearness
  UNION ALL
  MATCH (u:User {scope: $scope})-[:KNOWS]->(e)
   USING INDEX SEEK u:User(scope)
   WHERE $given.sketch IS NOT NULL AND e.first_mention <= $given.as_of
  WITH e LIMIT $given.scanned
  WITH e, vector.similarity.cosine(e.sketch, $given.sketch) AS likeness
  ORDER BY likeness DESC LIMIT $given.shortlist
  WITH e, 2.0 * vector.similarity.cosine(e.embedding, $given.embedding) - 1.0 AS nearness
   WHERE nearness >= $given.floor
  RETURN e, nearness ORDER BY nearness DESC, e.name_key, e.label LIMIT $given.near
}
WITH e, max(nearness) AS nearness
 WHERE e.first_mention <= $given.as_of
WITH e, nearness ORDER BY nearness DESC, e.mentions DESC, e.name_key, e.label LIMIT $given.seeds
WITH collect({node: e, nearness: nearness}) AS seeds, collect(e) AS nodes
CALL (seeds, nodes) {
  UNWIND seeds AS seed
  WITH seed.node AS e, seed.nearness AS nearness
  CALL (e) {
    MATCH (e)-[r:RELATES_TO]-(o)
     WHERE r.first_mention <= $given.as_of AND coalesce(r.shown_until > $given.as_of, true)
    RETURN r, o ORDER BY r.last_mention DESC, r.type, o.name_key LIMIT $given.first_hop
  }
  WITH r, o, nearness,
       r.weight * CASE WHEN $given.now < r.confidence_at THEN coalesce(r.believed, r.confidence) ELSE r.confidence END
         * CASE WHEN r.lasting THEN $given.rates.lasting
                WHEN r.type ENDS WITH '_OF' THEN coalesce($given.rates.of[r.type], $given.rates.ties)
                ELSE coalesce($given.rates.of[r.type], $given.rates.passing) END
         ^ (CASE WHEN $given.now > r.confidence_at THEN $given.now - r.confidence_at
                 WHEN $given.now > r.believed_at THEN $given.now - r.believed_at ELSE 0 END / 86400000000.0) AS strength
  WITH r, collect(o) AS others, strength, max(nearness + CASE WHEN o IN nodes THEN 1.0 ELSE 0.0 END) AS nearness
  ORDER BY nearness * (0.5 + strength / (1.0 + strength)) DESC, r.last_mention DESC, r.type,
           startNode(r).name_key, endNode(r).name_key
  LIMIT $given.candidates
  RETURN collect({edge: r, others: others, nearness: nearness}) AS first
}
CALL (nodes, first) {
  UNWIND first[..$given.bridges * 3] AS found
  UNWIND found.others AS bridge
  WITH nodes, bridge, max(found.nearness) AS nearness
   WHERE NOT bridge IN nodes
  WITH bridge, nearness ORDER BY nearness DESC, bridge.name_key, bridge.label LIMIT $given.bridges
  CALL (bridge) {
    MATCH (bridge)-[r:RELATES_TO]-(o)
     WHERE r.first_mention <= $given.as_of AND coalesce(r.shown_until > $given.as_of, true)
    RETURN r ORDER BY r.last_mention DESC, r.type, o.name_key LIMIT $given.second_hop
  }
  WITH r, max(nearness) AS nearness
  RETURN collect({edge: r, nearness: nearness}) AS second
}
WITH seeds, nodes, first, second, [found IN first | found.edge] AS edges
CALL (first, second, edges) {
  CALL (first, second, edges) {
    UNWIND first AS found
    RETURN found.edge AS r, found.nearness AS nearness, 1 AS hops
    UNION ALL
    UNWIND second AS found
    WITH found, edges WHERE NOT found.edge IN edges
    RETURN found.edge AS r, found.nearness AS nearness, 2 AS hops
  }
  WITH r, nearness, hops, startNode(r) AS s, endNode(r) AS t
  CALL (r, s, t) {
    WITH r, s, t
     WHERE r.last_mention > $given.as_of OR r.believed_at > $given.as_of
        OR s.named_at > $given.as_of OR t.named_at > $given.as_of
    MATCH (s)<-[said:STATES]-(a:Applied {scope: $scope})
     WHERE (said.relationship + '' = r.id OR r.type IN $given.exclusive AND said.type = r.type)
       AND (a.occurred_at <= $given.as_of OR said.act IN ['confirmed', 'rejected'])
    RETURN collect([a.event_id, a.occurred_at, a.sequence, a.sources, said.type, said.target, said.source_name,
                    said.target_name, said.lasting, said.context, said.source_path, said.target_path, said.act,
                    s.id, said.verb]) AS evidence
  }
  RETURN collect([nearness, hops, s.id, s.name, t.id, t.name, r.type, r.weight, r.confidence, r.confidence_at,
                  r.lasting, r.first_mention, r.last_mention, r.context, r.sources, r.source_times, r.believed,
                  r.believed_at, r.valid_from, evidence, r.verb]) AS relationships
}
CALL (seeds) {
  UNWIND seeds AS seed
  WITH seed.node AS e, seed.nearness AS nearness
  CALL (e) {
    WITH e WHERE e.last_mention > $given.as_of
    MATCH (e)<-[said:MENTIONS]-(a:Applied {scope: $scope})
     WHERE a.occurred_at <= $given.as_of
    RETURN collect([a.event_id, a.occurred_at, a.sequence, a.sources, said.name, said.aliases, said.path]) AS evidence
  }
  RETURN collect([nearness, e.id, e.name, e.label, e.aliases, e.mentions, e.first_mention, e.last_mention, e.named_at,
                  e.sources, e.source_times, evidence]) AS entities
}
CALL (nodes) {
  UNWIND CASE WHEN $given.rejected > 0 THEN nodes ELSE [] END AS e
  MATCH (e)-[r:RELATES_TO]-()
   WHERE r.verdict = 'rejected' AND r.first_mention <= $given.as_of
  WITH DISTINCT r ORDER BY r.last_mention DESC, r.type, startNode(r).name_key, endNode(r).name_key
   LIMIT $given.rejected
  WITH r, startNode(r) AS s
  CALL (r, s) {
    WITH r, s WHERE r.valid_to IS NOT NULL
    MATCH (s)<-[said:STATES]-(a:Applied {scope: $scope})
     WHERE said.relationship + '' = r.id AND said.act IN ['ends', 'mirrors']
    UNWIND a.sources AS source
    RETURN collect(source) AS denied
  }
  RETURN collect([r.id, s.name, r.type, endNode(r).name, [one IN r.sources WHERE NOT one IN denied]]) AS rejected
}
RETURN entities, relationships, rejected

// name: claim
// Take the user's lock and mark events as applied. Writers of one user wait here for one another; what follows in
// the transaction sees all that the others wrote, so that reading, deciding and writing need no further care.
// `fresh` is false for an event that was applied before, unless all are to be applied `again`: each in its old place. Of
// one that rests on a forgotten source neither sources nor names are kept; `forgotten` has the marks of those. `epoch`:
// the user's, by which the caller tells whether the transaction may go on.
// $rows list<{event_id, hash, occurred_at, sources, marks, namings}>: a mark for each source; $marks list<text>: all of
// them, $again bool, $now int
MERGE (u:User {scope: $scope})
SET u.locked_at = $given.now
WITH u
SET u.sequence = coalesce(u.sequence, 0) + size($given.rows)
WITH u.sequence - size($given.rows) AS base, coalesce(u.epoch, 0) AS epoch,
     COLLECT { UNWIND $given.marks AS mark
               MATCH (f:Forgotten {mark: mark})
                USING INDEX SEEK f:Forgotten(mark)
               RETURN f.mark } AS forgotten
UNWIND range(0, size($given.rows) - 1) AS position
WITH position, base + position AS sequence, $given.rows[position] AS row, epoch, forgotten,
     any(mark IN $given.rows[position].marks WHERE mark IN forgotten) AS gone
MERGE (a:Applied {scope: $scope, event_id: row.event_id})
ON CREATE SET a.hash = row.hash, a.occurred_at = row.occurred_at, a.sequence = sequence
WITH position, row, gone, epoch, forgotten, a, a.sequence = sequence OR $given.again AS fresh
FOREACH (_ IN CASE WHEN fresh THEN [1] ELSE [] END |
  SET a.sources = CASE WHEN gone THEN [] ELSE row.sources END,
      a.namings = CASE WHEN gone THEN null ELSE row.namings END)
RETURN position, a.sequence AS sequence, fresh, a.hash = row.hash AS same, epoch, forgotten
ORDER BY position

// name: lock
// The user's lock alone, and the epoch; no row for a user who has no graph.
// $now int
MATCH (u:User {scope: $scope})
 USING INDEX SEEK u:User(scope)
SET u.locked_at = $given.now
WITH u
RETURN coalesce(u.epoch, 0) AS epoch

// name: epoch
// The user's epoch of forgetting; no row for a user who has no graph.
MATCH (u:User {scope: $scope})
 USING INDEX SEEK u:User(scope)
RETURN coalesce(u.epoch, 0) AS epoch

// name: raise_epoch
// By the clock, and by one at least: what was an epoch once never is one again. Also of a user who has no graph, since
// what is on its way may begin one. Takes the user's lock. $now int
MERGE (u:User {scope: $scope})
SET u.locked_at = $given.now
WITH u
SET u.epoch = CASE WHEN u.epoch >= $given.now THEN u.epoch + 1 ELSE $given.now END

// name: add_forgotten
// A mark is a keyed hash of tenant, user and id: it is nobody's else, and tells not whose. $marks list<text>, $now int
MATCH (u:User {scope: $scope})
 USING INDEX SEEK u:User(scope)
UNWIND $given.marks AS mark
MERGE (f:Forgotten {mark: mark})
ON CREATE SET f.at = $given.now

// name: sweep
// What forgetting and erasing leave of a user of the scratch tenant. $marks list<text>
OPTIONAL MATCH (u:User {scope: $scope})
 USING INDEX SEEK u:User(scope)
DETACH DELETE u
WITH count(*) AS done
UNWIND $given.marks AS mark
MATCH (f:Forgotten {mark: mark})
 USING INDEX SEEK f:Forgotten(mark)
DELETE f

// name: entities_by_keys
// Entities of any of these names or aliases.
// $keys list<text>
CALL () {
  UNWIND $given.keys AS key
  MATCH (e:Entity {scope: $scope, name_key: key})
   USING INDEX SEEK e:Entity(scope, name_key, label)
   WHERE e.label IS NOT NULL
  RETURN e
  UNION
  UNWIND $given.keys AS key
  MATCH (k:Alias {scope: $scope, key: key})-[:OF]->(e:Entity {scope: $scope})
   USING INDEX SEEK k:Alias(scope, key)
  RETURN e
}
RETURN e {.id, .name, .label, .aliases, .mentions, .first_mention, .last_mention, .named_at, .sources, .source_times,
          .kept_apart, .former_labels, merged_from: []} AS entity

// name: entities_by_ids
// $ids list<text>
UNWIND $given.ids AS id
MATCH (e:Entity {scope: $scope, id: id})
 USING INDEX SEEK e:Entity(scope, id)
RETURN e {.id, .name, .label, .aliases, .mentions, .first_mention, .last_mention, .named_at, .sources, .source_times,
          .kept_apart, .former_labels, merged_from: COLLECT { MATCH (m:Merge {scope: $scope})-[into:MERGED_INTO]->(e)
                                              RETURN m.id ORDER BY into.at, m.id }} AS entity

// name: list_entities
// By name, after the position of a cursor; an empty $after_key begins.
// $after_key text, $after_id text, $label text | null, $limit int
MATCH (e:Entity {scope: $scope})
 USING INDEX SEEK e:Entity(scope, name_key, label)
 WHERE e.name_key >= $given.after_key AND e.label IS NOT NULL
   AND (e.name_key > $given.after_key OR e.id > $given.after_id) AND ($given.label IS NULL OR e.label = $given.label)
WITH e ORDER BY e.name_key, e.id LIMIT $given.limit
RETURN e {.id, .name, .label, .aliases, .mentions, .first_mention, .last_mention, .named_at, .sources, .source_times,
          .kept_apart, .former_labels, merged_from: COLLECT { MATCH (m:Merge {scope: $scope})-[into:MERGED_INTO]->(e)
                                              RETURN m.id ORDER BY into.at, m.id }} AS entity
ORDER BY e.name_key, e.id

// name: relationships_by_ids
// $ids list<text>
UNWIND $given.ids AS id
MATCH (s:Entity {scope: $scope})-[r:RELATES_TO {id: id}]->(t:Entity {scope: $scope})
 USING INDEX SEEK r:RELATES_TO(id)
RETURN r {.type, .weight, .believed, .believed_at, .confidence, .confidence_at, .lasting, .first_mention,
          .last_mention, .context, .verb, .sources, .source_times, .valid_from, .valid_to, .ended_by, .archived_at, .verdict,
          source_id: s.id, source: s.name, target_id: t.id, target: t.name,
          source_named_at: s.named_at, target_named_at: t.named_at} AS relationship

// name: list_relationships
// Of one entity or of all, oldest first, as far as they had been mentioned at $as_of. $state is as of then; what was
// said or judged after $as_of comes along whatever its state is by now, since only its evidence tells what it was.
// What is known only to have ended, said of its other end, is listed under `all` alone.
// $entity_id text | null, $state text, $as_of int, $after_first int, $after_id text, $limit int
MATCH (u:User {scope: $scope})-[:KNOWS]->(s:Entity {scope: $scope})-[r:RELATES_TO]->(t:Entity {scope: $scope})
 USING INDEX SEEK u:User(scope)
 WHERE r.first_mention <= $given.as_of AND ($given.entity_id IS NULL OR s.id = $given.entity_id OR t.id = $given.entity_id)
   AND (r.first_mention > $given.after_first OR (r.first_mention = $given.after_first AND r.id > $given.after_id))
WITH s, r, t,
     CASE WHEN r.verdict = 'rejected' THEN 'rejected' WHEN r.valid_to <= $given.as_of THEN 'ended'
          WHEN r.archived_at <= $given.as_of THEN 'archived' ELSE 'current' END AS state
 WHERE $given.state = 'all' OR $given.state = state AND (r.weight > 0 OR state = 'rejected')
    OR r.last_mention > $given.as_of OR r.believed_at > $given.as_of
WITH s, r, t ORDER BY r.first_mention, r.id LIMIT $given.limit
RETURN r {.type, .weight, .believed, .believed_at, .confidence, .confidence_at, .lasting, .first_mention,
          .last_mention, .context, .verb, .sources, .source_times, .valid_from, .valid_to, .ended_by, .archived_at, .verdict,
          source_id: s.id, source: s.name, target_id: t.id, target: t.name,
          source_named_at: s.named_at, target_named_at: t.named_at} AS relationship
ORDER BY r.first_mention, r.id

// name: doubtful
// Current relationships that nobody has judged and that are believed less than $below at $now, the surest first.
// $below float, $now int, $limit int, $rates {of, lasting, ties, passing}: see rows.rate_table
MATCH (u:User {scope: $scope})-[:KNOWS]->(s:Entity {scope: $scope})-[r:RELATES_TO]->(t:Entity {scope: $scope})
 USING INDEX SEEK u:User(scope)
 WHERE coalesce(r.shown_until > $given.now, true) AND r.verdict IS NULL AND r.weight > 0
WITH s, r, t,
     r.confidence
       * CASE WHEN r.lasting THEN $given.rates.lasting
              WHEN r.type ENDS WITH '_OF' THEN coalesce($given.rates.of[r.type], $given.rates.ties)
              ELSE coalesce($given.rates.of[r.type], $given.rates.passing) END
       ^ (CASE WHEN $given.now > r.confidence_at THEN ($given.now - r.confidence_at) / 86400000000.0 ELSE 0.0 END) AS sure
 WHERE sure < $given.below
WITH s, r, t, sure ORDER BY sure DESC, s.name_key, r.type, t.name_key, r.id LIMIT $given.limit
RETURN r {.type, .weight, .believed, .believed_at, .confidence, .confidence_at, .lasting, .first_mention,
          .last_mention, .context, .verb, .sources, .source_times, .valid_from, .valid_to, .ended_by, .archived_at, .verdict,
          source_id: s.id, source: s.name, target_id: t.id, target: t.name,
          source_named_at: s.named_at, target_named_at: t.named_at} AS relationship
ORDER BY sure DESC, s.name_key, r.type, t.name_key, r.id

// name: rivals
// The relationships of these sources and types. $rows list<{source_id, type}>
UNWIND $given.rows AS row
MATCH (s:Entity {scope: $scope, id: row.source_id})-[r:RELATES_TO]->(t:Entity {scope: $scope})
 USING INDEX SEEK s:Entity(scope, id)
 WHERE r.type = row.type
RETURN r {.type, .weight, .believed, .believed_at, .confidence, .confidence_at, .lasting, .first_mention,
          .last_mention, .context, .verb, .sources, .source_times, .valid_from, .valid_to, .ended_by, .archived_at, .verdict,
          source_id: s.id, source: s.name, target_id: t.id, target: t.name,
          source_named_at: s.named_at, target_named_at: t.named_at} AS relationship

// name: fading
// Current relationships whose decay was last persisted before $now. $now int, $limit int
MATCH (u:User {scope: $scope})-[:KNOWS]->(s:Entity {scope: $scope})-[r:RELATES_TO]->(t:Entity {scope: $scope})
 USING INDEX SEEK u:User(scope)
 WHERE r.confidence_at < $given.now AND r.shown_until IS NULL
WITH s, r, t LIMIT $given.limit
RETURN r {.type, .weight, .believed, .believed_at, .confidence, .confidence_at, .lasting, .first_mention,
          .last_mention, .context, .verb, .sources, .source_times, .valid_from, .valid_to, .ended_by, .archived_at, .verdict,
          source_id: s.id, source: s.name, target_id: t.id, target: t.name,
          source_named_at: s.named_at, target_named_at: t.named_at} AS relationship

// name: names_of_entities
// What all of a user's entities are called, after a position: enough to tell which are the same.
// $after_key text, $after_id text, $limit int
MATCH (e:Entity {scope: $scope})
 USING INDEX SEEK e:Entity(scope, name_key, label)
 WHERE e.name_key >= $given.after_key AND e.label IS NOT NULL
   AND (e.name_key > $given.after_key OR e.id > $given.after_id)
WITH e ORDER BY e.name_key, e.id LIMIT $given.limit
RETURN e {.id, .name, .label, .aliases, .mentions, .first_mention, .last_mention, .named_at, .kept_apart,
          .former_labels, sources: [], source_times: [], merged_from: []} AS entity
ORDER BY e.name_key, e.id

// name: write_entities
// $rows list<{id, state: {…}, alias_keys}>
MATCH (u:User {scope: $scope})
 USING INDEX SEEK u:User(scope)
UNWIND $given.rows AS row
MERGE (e:Entity {scope: $scope, id: row.id})
SET e += row.state
MERGE (u)-[:KNOWS]->(e)
WITH e, row
UNWIND row.alias_keys AS key
MERGE (k:Alias {scope: $scope, key: key})
MERGE (k)-[:OF]->(e)

// name: relabel
// Say what an entity is; its name is free until it is written again. $id text, $label text, $former_labels list<text>
MATCH (e:Entity {scope: $scope, id: $given.id})
 USING INDEX SEEK e:Entity(scope, id)
SET e.label = $given.label, e.former_labels = $given.former_labels, e.name_key = $given.id

// name: relabelled
// What people said that an entity is called, or is, in the order in which they did.
CALL () {
  MATCH (a:Applied {scope: $scope})
   USING INDEX SEEK a:Applied(scope, event_id)
   WHERE a.event_id STARTS WITH 'n:'
  MATCH (a)-[said:MENTIONS]->(e:Entity {scope: $scope})
   WHERE e.label IS NOT NULL
  RETURN e, a.sequence AS sequence, [said.name] + coalesce(said.aliases, []) AS names
  UNION ALL
  MATCH (e:Entity {scope: $scope})
   USING INDEX SEEK e:Entity(scope, name_key, label)
   WHERE e.name_key >= '' AND e.label IS NOT NULL AND size(coalesce(e.former_labels, [])) > 0
  RETURN e, 0 AS sequence, [] AS names
}
WITH e, sequence, names ORDER BY sequence
WITH e, max(sequence) AS sequence, collect(names) AS namings ORDER BY sequence, e.id
RETURN {name: e.name, label: e.label, former_labels: coalesce(e.former_labels, []),
        former_names: reduce(names = [], naming IN namings | names + naming)} AS relabelled

// name: free_names
// Until they are written again, or absorbed. $ids list<text>
UNWIND $given.ids AS id
MATCH (e:Entity {scope: $scope, id: id})
 USING INDEX SEEK e:Entity(scope, id)
SET e.name_key = id

// name: drop_aliases
// Take away the aliases that an entity has no more. $rows list<{id, alias_keys}>
UNWIND $given.rows AS row
MATCH (k:Alias {scope: $scope})-[of:OF]->(e:Entity {scope: $scope, id: row.id})
 USING INDEX SEEK e:Entity(scope, id)
 WHERE NOT k.key IN row.alias_keys
DELETE of
WITH DISTINCT k
 WHERE NOT EXISTS { (k)-[:OF]->() }
DELETE k

// name: write_mentions
// $rows list<{event_id, entity_id, said: {name, aliases, path}}>
UNWIND $given.rows AS row
MATCH (a:Applied {scope: $scope, event_id: row.event_id})
 USING INDEX SEEK a:Applied(scope, event_id)
MATCH (e:Entity {scope: $scope, id: row.entity_id})
 USING INDEX SEEK e:Entity(scope, id)
CREATE (a)-[said:MENTIONS]->(e)
SET said = row.said

// name: write_relationships
// $rows list<{id, source_id, target_id, state: {…}}>
UNWIND $given.rows AS row
MATCH (s:Entity {scope: $scope, id: row.source_id})
 USING INDEX SEEK s:Entity(scope, id)
MATCH (t:Entity {scope: $scope, id: row.target_id})
 USING INDEX SEEK t:Entity(scope, id)
MERGE (s)-[r:RELATES_TO {id: row.id}]->(t)
SET r += row.state

// name: persist_decay
// $rows list<{id, state: {believed, believed_at, confidence, confidence_at, archived_at, shown_until}}>
UNWIND $given.rows AS row
MATCH (:Entity {scope: $scope})-[r:RELATES_TO {id: row.id}]->()
 USING INDEX SEEK r:RELATES_TO(id)
SET r += row.state

// name: drop_relationships
// Take edges away, not what they rest on. $ids list<text>
UNWIND $given.ids AS id
MATCH (:Entity {scope: $scope})-[r:RELATES_TO {id: id}]->()
 USING INDEX SEEK r:RELATES_TO(id)
DELETE r

// name: write_statements
// $rows list<{event_id, source_id, said: {…}}>
UNWIND $given.rows AS row
MATCH (a:Applied {scope: $scope, event_id: row.event_id})
 USING INDEX SEEK a:Applied(scope, event_id)
MATCH (e:Entity {scope: $scope, id: row.source_id})
 USING INDEX SEEK e:Entity(scope, id)
CREATE (a)-[said:STATES]->(e)
SET said = row.said

// name: mentions_of
// All the evidence of an entity. $id text
MATCH (a:Applied {scope: $scope})-[said:MENTIONS]->(e:Entity {scope: $scope, id: $given.id})
 USING INDEX SEEK e:Entity(scope, id)
RETURN [a.event_id, a.occurred_at, a.sequence, a.sources, said.name, said.aliases, said.path] AS mention

// name: names_of
// What entities were called, each once, with the earliest place of it. $ids list<text>
UNWIND $given.ids AS id
MATCH (a:Applied {scope: $scope})-[said:MENTIONS]->(e:Entity {scope: $scope, id: id})
 USING INDEX SEEK e:Entity(scope, id)
RETURN id AS entity, said.name AS name, coalesce(said.aliases, []) AS aliases, min(a.sequence) AS first

// name: statements_of
// All the evidence of relationships. $ids list<text>
UNWIND $given.ids AS id
MATCH (a:Applied {scope: $scope})-[said:STATES {relationship: id}]->(e:Entity {scope: $scope})
 USING INDEX SEEK said:STATES(relationship)
RETURN [a.event_id, a.occurred_at, a.sequence, a.sources, said.type, said.target, said.source_name, said.target_name,
        said.lasting, said.context, said.source_path, said.target_path, said.act, e.id, said.verb] AS statement

// name: statements_around
// All the evidence of relationships that begin or end in an entity, also where both ends have become one. `r.id + ''`
// keeps the planner from an index of relationships, where it likes to scan everyone's. $id text
MATCH (e:Entity {scope: $scope, id: $given.id})
 USING INDEX SEEK e:Entity(scope, id)
CALL (e) {
  MATCH (a:Applied {scope: $scope})-[said:STATES]->(e)
  RETURN a, said, e AS source
  UNION
  MATCH (source:Entity {scope: $scope})-[r:RELATES_TO]->(e)
  MATCH (a:Applied {scope: $scope})-[said:STATES]->(source)
   WHERE said.relationship + '' = r.id + ''
  RETURN a, said, source
}
RETURN [a.event_id, a.occurred_at, a.sequence, a.sources, said.type, said.target, said.source_name, said.target_name,
        said.lasting, said.context, said.source_path, said.target_path, said.act, source.id, said.verb] AS statement

// name: stated_by
// What an event states, and of when. $event_id text
MATCH (a:Applied {scope: $scope, event_id: $given.event_id})
 USING INDEX SEEK a:Applied(scope, event_id)
RETURN a.occurred_at AS occurred_at,
       COLLECT { MATCH (a)-[s:STATES]->(e:Entity {scope: $scope}) RETURN [e.id, s.type, s.target] } AS keys

// name: stated
// What entries state that rest on no message, with the labels that its ends have now.
MATCH (a:Applied {scope: $scope})
 USING INDEX SEEK a:Applied(scope, event_id)
 WHERE a.event_id STARTS WITH 'e:' AND size(a.sources) = 0
MATCH (a)-[said:STATES]->(s:Entity {scope: $scope})
 WHERE coalesce(said.act, 'says') IN ['says', 'ends']
WITH a, said, s, said.target AS target
MATCH (t:Entity {scope: $scope, id: target})
 USING INDEX SEEK t:Entity(scope, id)
WITH a, said, s, t ORDER BY a.sequence
RETURN {event_id: a.event_id, occurred_at: a.occurred_at, source: said.source_name, source_label: s.label,
        type: said.type, target: said.target_name, target_label: t.label, lasting: said.lasting,
        context: said.context, verb: said.verb, act: said.act} AS stated

// name: drop_mentions
// $rows list<{event_id, entity_id}>
UNWIND $given.rows AS row
MATCH (:Applied {scope: $scope, event_id: row.event_id})-[said:MENTIONS]->(e:Entity {scope: $scope, id: row.entity_id})
 USING INDEX SEEK e:Entity(scope, id)
DELETE said

// name: drop_statements
// $ids list<text>: of relationships
UNWIND $given.ids AS id
MATCH (:Applied {scope: $scope})-[said:STATES {relationship: id}]->(:Entity {scope: $scope})
 USING INDEX SEEK said:STATES(relationship)
DELETE said

// name: absorb
// Put an entity away as a merge into another: what it looked like stays, its name and edges are free. Whom a person split
// from it stays apart from both; who are one again are apart no more.
// `after`: the place in the order of arrival that comes next; what a person does has that place for itself. What is done
// `again` keeps its own.
// $keep_id text, $absorb_id text, $name_key text, $now int, $automatic bool, $again bool, $after int or null
MATCH (u:User {scope: $scope})
 USING INDEX SEEK u:User(scope)
MATCH (k:Entity {scope: $scope, id: $given.keep_id})
 USING INDEX SEEK k:Entity(scope, id)
MATCH (e:Entity {scope: $scope, id: $given.absorb_id})
 USING INDEX SEEK e:Entity(scope, id)
OPTIONAL MATCH (e)-[held:KNOWS|RELATES_TO|OF]-()
DELETE held
WITH DISTINCT u, k, e
WITH u, k, e, coalesce(k.kept_apart, []) AS known,
     COLLECT { MATCH (part:Merge {scope: $scope})-[:MERGED_INTO]->{1,20}(k) RETURN part.id } AS parts
WITH u, k, e, [id IN known WHERE id <> e.id] AS known, coalesce(u.sequence, 0) AS next,
     [label IN coalesce(e.former_labels, [])
             WHERE label <> k.label AND NOT label IN coalesce(k.former_labels, [])] AS gained,
     [id IN coalesce(e.kept_apart, []) WHERE id <> k.id AND NOT id IN known AND NOT id IN parts] AS apart
SET e:Merge
REMOVE e:Entity
SET u.sequence = next + CASE WHEN $given.automatic OR $given.again THEN 0 ELSE 1 END
SET e.name_key = $given.name_key
SET k.former_labels = CASE WHEN size(gained) > 0 THEN coalesce(k.former_labels, []) + gained ELSE k.former_labels END,
    k.kept_apart = known + apart, e.kept_apart = [id IN coalesce(e.kept_apart, []) WHERE id <> k.id]
CREATE (e)-[:MERGED_INTO {at: $given.now, after: CASE WHEN $given.again THEN $given.after ELSE next END,
                          automatic: $given.automatic, gained: gained, apart: apart}]->(k)

// name: restore
// Bring an absorbed entity back, without its evidence; the two never become one by themselves again. What only that one
// was taken for goes with it.
// $keep_id text, $absorb_id text
MATCH (u:User {scope: $scope})
 USING INDEX SEEK u:User(scope)
MATCH (m:Merge {scope: $scope, id: $given.absorb_id})-[into:MERGED_INTO]->(k:Entity {scope: $scope, id: $given.keep_id})
 USING INDEX SEEK m:Merge(scope, id)
WITH u, m, k, into,
     [label IN coalesce(k.former_labels, []) WHERE NOT label IN coalesce(into.gained, [])] AS own,
     COLLECT { MATCH (other:Merge {scope: $scope})-[:MERGED_INTO]->(k)
                WHERE other <> m
               UNWIND coalesce(other.former_labels, []) AS label
               RETURN DISTINCT label ORDER BY label } AS others,
     [id IN coalesce(k.kept_apart, []) WHERE NOT id IN coalesce(into.apart, [])] AS apart
WITH u, m, k, into, apart, own + [label IN others WHERE label <> k.label AND NOT label IN own] AS former
SET k.former_labels = CASE WHEN size(former) > 0 THEN former END
DELETE into
SET m:Entity, k.kept_apart = apart + $given.absorb_id,
    m.kept_apart = coalesce(m.kept_apart, []) + $given.keep_id
REMOVE m:Merge
CREATE (u)-[:KNOWS]->(m)

// name: merges_of
// What entities have absorbed, and what that had. $ids list<text>
UNWIND $given.ids AS id
MATCH (e:Entity {scope: $scope, id: id})
 USING INDEX SEEK e:Entity(scope, id)
MATCH (m:Merge {scope: $scope})-[into:MERGED_INTO]->{1,20}(e)
RETURN e.id AS entity, size(into) AS depth, endNode(into[0]).id AS kept, into[0].at AS at,
       coalesce(into[0].automatic, false) AS automatic, into[0].after AS after,
       coalesce(into[0].gained, []) AS gained, coalesce(into[0].apart, []) AS apart,
       m {.id, .name, .label, .aliases, .mentions, .first_mention, .last_mention, .named_at, .sources, .source_times,
          .kept_apart, .former_labels, merged_from: []} AS was

// name: note_consolidation
// The place in the order of arrival that comes next, where those that are plainly the same become one; the latest such.
// $most int
MATCH (u:User {scope: $scope})
 USING INDEX SEEK u:User(scope)
 WHERE u.sequence > coalesce(u.consolidated[-1], 0)
SET u.consolidated = (coalesce(u.consolidated, []) + u.sequence)[-$given.most..]

// name: consolidations
// Those places.
MATCH (u:User {scope: $scope})
 USING INDEX SEEK u:User(scope)
RETURN coalesce(u.consolidated, []) AS places

// name: rewrite_merge
// $id text, $state {name, name_key, label, aliases, alias_keys, mentions, first_mention, last_mention, named_at, sources,
// source_times} and, where the name is another, {embedding, sketch}
MATCH (m:Merge {scope: $scope, id: $given.id})
 USING INDEX SEEK m:Merge(scope, id)
SET m += $given.state

// name: drop_merge
// And what it brought to what it became part of. $id text
MATCH (m:Merge {scope: $scope, id: $given.id})
 USING INDEX SEEK m:Merge(scope, id)
OPTIONAL MATCH (m)-[into:MERGED_INTO]->(k)
WITH m, k, [label IN coalesce(k.former_labels, []) WHERE NOT label IN coalesce(into.gained, [])] AS former,
     [id IN coalesce(k.kept_apart, []) WHERE NOT id IN coalesce(into.apart, [])] AS apart
SET k.former_labels = CASE WHEN size(former) > 0 THEN former END,
    k.kept_apart = CASE WHEN size(apart) > 0 THEN apart END
DETACH DELETE m

// name: events_of_sources
// The events that came from any of these interactions. $ids list<text>
MATCH (a:Applied {scope: $scope})
 USING INDEX SEEK a:Applied(scope, event_id)
 WHERE a.event_id IS NOT NULL AND any(source IN a.sources WHERE source IN $given.ids)
RETURN a.event_id AS event_id

// name: evidence_of_events
// What events are evidence of. $ids list<text>
UNWIND $given.ids AS id
MATCH (a:Applied {scope: $scope, event_id: id})
 USING INDEX SEEK a:Applied(scope, event_id)
RETURN id AS event_id, a.sequence AS sequence,
       COLLECT { MATCH (a)-[said:MENTIONS]->(e:Entity {scope: $scope})
                 RETURN [e.id, [said.name] + coalesce(said.aliases, [])] } AS mentions,
       COLLECT { MATCH (a)-[s:STATES]->(e:Entity {scope: $scope}) RETURN [e.id, s.type, s.target] } AS relationships

// name: withdraw_events
// Take away what events are evidence of. An observation stays marked as applied, so that a late repetition teaches
// nothing; an entry may be stored again. $ids list<text>
UNWIND $given.ids AS id
MATCH (a:Applied {scope: $scope, event_id: id})
 USING INDEX SEEK a:Applied(scope, event_id)
OPTIONAL MATCH (a)-[said:MENTIONS|STATES]->()
DELETE said
WITH DISTINCT a
SET a.sources = [], a.namings = null
WITH a WHERE a.event_id STARTS WITH 'e:'
DELETE a

// name: empty_events
// Take away what events are evidence of; they stay marked as applied, entries as well. $ids list<text>
UNWIND $given.ids AS id
MATCH (a:Applied {scope: $scope, event_id: id})
 USING INDEX SEEK a:Applied(scope, event_id)
OPTIONAL MATCH (a)-[said:MENTIONS|STATES]->()
DELETE said
WITH DISTINCT a
SET a.sources = [], a.namings = null

// name: unapply_events
// Let observations be applied again that are evidence of nothing any more. $ids list<text>
UNWIND $given.ids AS id
MATCH (a:Applied {scope: $scope, event_id: id})
 USING INDEX SEEK a:Applied(scope, event_id)
 WHERE NOT EXISTS { (a)-[:MENTIONS|STATES]->() }
DELETE a

// name: add_unrevised
// $rows list<{thing, first, keys}>: of [entity id] what it has lost; of [source id, type, target id] the rest is
// absent
UNWIND $given.rows AS row
MERGE (n:Unrevised {scope: $scope, thing: row.thing})
SET n.first = CASE WHEN n.first < row.first THEN n.first ELSE row.first END,
    n.keys = coalesce(n.keys, []) + row.keys

// name: take_unrevised
// What was noted before there were `first` and `keys` may have lost anything.
MATCH (n:Unrevised {scope: $scope})
 USING INDEX SEEK n:Unrevised(scope)
WITH n, n.thing AS thing, coalesce(n.first, 0) AS first, coalesce(n.keys, ['']) AS keys
DELETE n
RETURN thing, first, keys

// name: namings_around
// The names in all events that mention any of these entities. $ids list<text>
UNWIND $given.ids AS id
MATCH (a:Applied {scope: $scope})-[:MENTIONS]->(e:Entity {scope: $scope, id: id})
 USING INDEX SEEK e:Entity(scope, id)
RETURN DISTINCT a.event_id AS event_id, coalesce(a.namings, []) AS namings

// name: set_namings
// $rows list<{event_id, namings}>
UNWIND $given.rows AS row
MATCH (a:Applied {scope: $scope, event_id: row.event_id})
 USING INDEX SEEK a:Applied(scope, event_id)
SET a.namings = row.namings

// name: events_of_entity
// $id text
MATCH (a:Applied {scope: $scope})-[:MENTIONS]->(e:Entity {scope: $scope, id: $given.id})
 USING INDEX SEEK e:Entity(scope, id)
RETURN DISTINCT a.event_id AS event_id

// name: drop_entity
// An entity with its edges, aliases and what it absorbed. Run drop_statements for its edges first. $id text
MATCH (e:Entity {scope: $scope, id: $given.id})
 USING INDEX SEEK e:Entity(scope, id)
OPTIONAL MATCH (m:Merge {scope: $scope})-[:MERGED_INTO]->{1,20}(e)
DETACH DELETE m
WITH DISTINCT e
OPTIONAL MATCH (k:Alias {scope: $scope})-[of:OF]->(e)
DELETE of
WITH e, collect(k) AS keys
DETACH DELETE e
WITH keys
UNWIND keys AS k
WITH k WHERE NOT EXISTS { (k)-[:OF]->() }
DELETE k

// name: drop_spent_entries
// Entries that are evidence of nothing any more, so that they may be stored again, and verdicts on nothing any more.
// $ids list<text>
UNWIND $given.ids AS id
MATCH (a:Applied {scope: $scope, event_id: id})
 USING INDEX SEEK a:Applied(scope, event_id)
 WHERE NOT a.event_id STARTS WITH 'o:' AND NOT EXISTS { (a)-[:MENTIONS|STATES]->() }
DELETE a

// name: holdings
// How much of the user's graph there is, or rests on any of these interactions. $sources list<text> or null
RETURN COUNT {
         MATCH (e:Entity {scope: $scope})
          USING INDEX SEEK e:Entity(scope, id)
          WHERE e.id IS NOT NULL
            AND ($given.sources IS NULL OR any(source IN e.sources WHERE source IN $given.sources))
       } AS entities,
       COUNT {
         MATCH (e:Entity {scope: $scope})-[r:RELATES_TO]->()
          USING INDEX SEEK e:Entity(scope, id)
          WHERE e.id IS NOT NULL
            AND ($given.sources IS NULL OR any(source IN r.sources WHERE source IN $given.sources))
       } AS relationships,
       COUNT {
         MATCH (a:Applied {scope: $scope})
          USING INDEX SEEK a:Applied(scope, event_id)
          WHERE a.event_id IS NOT NULL
            AND ($given.sources IS NULL OR any(source IN a.sources WHERE source IN $given.sources))
       } AS observations

// name: erase_evidence
// $limit int
MATCH (a:Applied {scope: $scope})
 USING INDEX SEEK a:Applied(scope, event_id)
 WHERE a.event_id IS NOT NULL
WITH a LIMIT $given.limit
DETACH DELETE a
RETURN count(*) AS gone

// name: erase_merges
// $limit int
MATCH (m:Merge {scope: $scope})
 USING INDEX SEEK m:Merge(scope, id)
 WHERE m.id IS NOT NULL
WITH m LIMIT $given.limit
DETACH DELETE m
RETURN count(*) AS gone

// name: erase_aliases
// $limit int
MATCH (a:Alias {scope: $scope})
 USING INDEX SEEK a:Alias(scope, key)
 WHERE a.key IS NOT NULL
WITH a LIMIT $given.limit
DETACH DELETE a
RETURN count(*) AS gone

// name: erase_entities
// $limit int
MATCH (e:Entity {scope: $scope})
 USING INDEX SEEK e:Entity(scope, id)
 WHERE e.id IS NOT NULL
WITH e LIMIT $given.limit
DETACH DELETE e
RETURN count(*) AS gone

// name: erase_unrevised
// And when the consolidations were. $limit int
OPTIONAL MATCH (u:User {scope: $scope})
 USING INDEX SEEK u:User(scope)
SET u.consolidated = null
WITH count(*) AS users
MATCH (n:Unrevised {scope: $scope})
 USING INDEX SEEK n:Unrevised(scope)
WITH n LIMIT $given.limit
DETACH DELETE n
RETURN count(*) AS gone
