"""Curated knowledge from Python, as document 002 has it: resources, the facts taken from them, and pages of those.

    async with MemoryManager(user_id="u1") as memory:
        resource = await memory.store_resource("Our plans start at $99 a month.", "document")
        await memory.extract_and_store(resource.resource_id)
        result = await memory.retrieve("What does it cost?")

It needs what `ragpp.client` needs, and nothing of the servers.
"""

from ragpp.catalog import (
    CatalogEvent as MemoryEvent,
)
from ragpp.catalog import (
    MemoryCategory,
    MemoryEventType,
    MemoryItem,
    MemoryLevel,
    MemoryStats,
    Resource,
    RetrievalMode,
    RetrievalResult,
    generate_memory_key,
)
from ragpp.memory.config import MemoryConfig, MemoryRetryConfig
from ragpp.memory.health import MemoryHealth
from ragpp.memory.learning import TDLambdaLearner
from ragpp.memory.manager import MemoryManager
from ragpp.memory.memory_catalog import MemoryCatalog

__all__ = [
    "MemoryCatalog",
    "MemoryCategory",
    "MemoryConfig",
    "MemoryEvent",
    "MemoryEventType",
    "MemoryHealth",
    "MemoryItem",
    "MemoryLevel",
    "MemoryManager",
    "MemoryRetryConfig",
    "MemoryStats",
    "Resource",
    "RetrievalMode",
    "RetrievalResult",
    "TDLambdaLearner",
    "generate_memory_key",
]
