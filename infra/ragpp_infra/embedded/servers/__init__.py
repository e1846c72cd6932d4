"""PostgreSQL, Valkey and Neo4j: what one `Server` each needs to be started, asked and stopped."""
