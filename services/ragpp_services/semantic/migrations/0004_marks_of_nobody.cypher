// (:Forgotten {mark, at})   a source that was forgotten: the mark (ragpp.forgetting) is a keyed hash of tenant, user and
//                           id, so it stands without the scope, whose user it may outlive, and goes when it is old
DROP CONSTRAINT forgotten_mark IF EXISTS;
MATCH (f:Forgotten) REMOVE f.scope;
CREATE CONSTRAINT forgotten_once IF NOT EXISTS FOR (f:Forgotten) REQUIRE f.mark IS UNIQUE;
CREATE INDEX forgotten_at IF NOT EXISTS FOR (f:Forgotten) ON (f.at);
