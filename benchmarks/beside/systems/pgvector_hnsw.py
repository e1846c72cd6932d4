"""A bare table with pgvector's HNSW index over all users, searched iteratively until enough rows are the user's."""

from typing import Final

from benchmarks.beside.system import System
from benchmarks.beside.systems.pgvector_exact import Table

TABLE: Final = """
CREATE EXTENSION IF NOT EXISTS vector;
CREATE TABLE IF NOT EXISTS messages (
    row bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    user_id text NOT NULL, id text NOT NULL, content text NOT NULL, embedding vector({dimension}) NOT NULL
)
"""
INDEX: Final = "CREATE INDEX IF NOT EXISTS messages_hnsw ON messages USING hnsw (embedding vector_cosine_ops)"
SESSION: Final = {"hnsw.iterative_scan": "relaxed_order", "hnsw.ef_search": "100"}


def make() -> System:
    """The system that `benchmarks.beside.load` drives: no index by user, or PostgreSQL rightly prefers it and this one
    is never asked."""
    return Table(TABLE, (INDEX,), SESSION)
