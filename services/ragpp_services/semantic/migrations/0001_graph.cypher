// The user's graph. Moments are integers: microseconds since 1970-01-01T00:00:00Z. `scope` is ragpp.neo4j.scope_key.
//
// (:User {scope, sequence})-[:KNOWS]->(:Entity)
// (:Entity {scope, id, name, name_key, label, aliases, alias_keys, mentions, first_mention, last_mention, named_at,
//           sources, source_times, kept_apart, embedding, sketch})     sketch: the embedding in 64 numbers
// (:Alias {scope, key})-[:OF]->(:Entity)
// (:Entity)-[:RELATES_TO {id, type, weight, confidence, confidence_at, lasting, first_mention, last_mention, context,
//                         sources, source_times}]->(:Entity)
// (:Merge {scope, id, …})-[:MERGED_INTO {at, automatic}]->(:Entity | :Merge)   an absorbed entity, kept for a split
//
// What it all rests on, and can be rebuilt from:
// (:Applied {scope, event_id, hash, occurred_at, sequence, sources})   one observation or entry, applied once
// (:Applied)-[:MENTIONS {name, aliases, path}]->(:Entity)              path: the entities absorbed on the way here
// (:Applied)-[:STATES {relationship, type, target, source_name, target_name, lasting, context, source_path,
//                      target_path}]->(:Entity)                        the entity is the relationship's source
CREATE CONSTRAINT user_scope IF NOT EXISTS FOR (u:User) REQUIRE u.scope IS UNIQUE;
CREATE CONSTRAINT entity_id IF NOT EXISTS FOR (e:Entity) REQUIRE (e.scope, e.id) IS UNIQUE;
CREATE CONSTRAINT entity_name IF NOT EXISTS FOR (e:Entity) REQUIRE (e.scope, e.name_key, e.label) IS UNIQUE;
CREATE CONSTRAINT alias_key IF NOT EXISTS FOR (a:Alias) REQUIRE (a.scope, a.key) IS UNIQUE;
CREATE CONSTRAINT applied_event IF NOT EXISTS FOR (a:Applied) REQUIRE (a.scope, a.event_id) IS UNIQUE;
CREATE CONSTRAINT merge_id IF NOT EXISTS FOR (m:Merge) REQUIRE (m.scope, m.id) IS UNIQUE;
CREATE CONSTRAINT relates_to_id IF NOT EXISTS FOR ()-[r:RELATES_TO]-() REQUIRE r.id IS UNIQUE;
CREATE INDEX states_relationship IF NOT EXISTS FOR ()-[s:STATES]-() ON (s.relationship);
