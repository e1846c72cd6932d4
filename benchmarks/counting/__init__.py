"""The cost of fixed requests in numbers that no other load changes: statements, bytes, calls, objects."""
