"""The systems, and what each is set up with."""

from dataclasses import dataclass
from typing import Final, Literal

Surroundings = Literal["memory", "postgres", "ragpp"]
"""The servers that are started for a system: none, PostgreSQL, or the whole embedded stack."""


@dataclass(frozen=True)
class Entry:
    """One row of the table. `module`: its adapter in `systems`. `requirements`: the file
    that its environment is made of; empty for the project's own environment. `package`: whose version is told.
    `endpoint`: it takes its vectors from the endpoint. `keeps`: what was written is there after a restart.
    `python`: the only version that it runs on; empty for the project's own."""

    name: str
    title: str
    module: str
    requirements: str
    package: str
    surroundings: Surroundings
    endpoint: bool = True
    keeps: bool = True
    python: str = ""


ENTRIES: Final = (
    Entry("ragpp", "RAG++, as shipped", "ragpp", "", "ragpp", "ragpp", endpoint=False),
    Entry("ragpp-endpoint", "RAG++, vectors from the endpoint", "ragpp", "", "ragpp", "ragpp"),
    Entry("mem0", "Mem0 on pgvector", "mem0_pgvector", "mem0", "mem0ai", "postgres"),
    Entry(
        "langgraph",
        "LangGraph AsyncPostgresStore",
        "langgraph_store",
        "langgraph",
        "langgraph-checkpoint-postgres",
        "postgres",
    ),
    Entry("hindsight", "Hindsight, no model", "hindsight_server", "hindsight", "hindsight-api-slim", "postgres"),
    Entry(
        "agent-memory",
        "redis agent-memory-server",
        "agent_memory",
        "agent-memory",
        "agent-memory-server",
        "memory",
        python="3.12",
    ),
    Entry("pgvector", "bare pgvector, exact", "pgvector_exact", "pgvector", "pgvector", "postgres"),
    Entry("pgvector-hnsw", "bare pgvector, HNSW", "pgvector_hnsw", "pgvector", "pgvector", "postgres"),
    Entry("bm25", "BM25 in memory", "bm25_memory", "bm25", "bm25s", "memory", endpoint=False, keeps=False),
)
NAMES: Final = tuple(entry.name for entry in ENTRIES)
