"""Common parts of the catalog's routes: whose a thing is, what it rests on, and work that is asked for."""
