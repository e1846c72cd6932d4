"""Who is what to whom, who lives, works and studies where, and has what."""
