// (:User {scope, epoch})             which epoch of forgetting the user's graph is in; absent while nothing was forgotten
// (:Forgotten {scope, mark, at})     a source that was forgotten, by its keyed hash (ragpp.forgetting)
CREATE CONSTRAINT forgotten_mark IF NOT EXISTS FOR (f:Forgotten) REQUIRE (f.scope, f.mark) IS UNIQUE;
