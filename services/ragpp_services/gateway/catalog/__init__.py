"""What routes of the catalog have in common: whose a thing is, what it rests on, and work that is asked for."""
