"""When: the times that a sentence names, and whether it speaks of what was or is to come."""
