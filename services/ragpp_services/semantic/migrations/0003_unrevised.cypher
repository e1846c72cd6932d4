// (:Unrevised {scope, thing})        what has lost evidence and does not say so yet: [entity id], or [source id, type,
//                                    target id] of a relationship
CREATE INDEX unrevised_scope IF NOT EXISTS FOR (n:Unrevised) ON (n.scope);
