"""What a parsed sentence says: its clauses, whether it means them, and the phrases in them."""
