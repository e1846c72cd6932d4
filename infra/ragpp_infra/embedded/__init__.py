"""The embedded stack: PostgreSQL, Valkey and Neo4j as child processes, from installed packages alone."""
