"""The content of a parsed sentence: its clauses, whether it means them, and the phrases in them."""
