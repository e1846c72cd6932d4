"""Relationships read from clauses by a table of verbs: what people do, have and are."""
