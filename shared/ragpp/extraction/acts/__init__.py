"""What people do, have and are: relationships read from clauses by a table of verbs."""
