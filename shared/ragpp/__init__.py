"""RAG++: the memory of AI agents. What is named here is imported when it is asked for, and not before."""

from importlib import import_module
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from ragpp import errors
    from ragpp.client import AsyncMemoryClient, MemoryClient, remembering
    from ragpp.memory import (
        MemoryCatalog,
        MemoryConfig,
        MemoryManager,
        MemoryRetryConfig,
        RetrievalMode,
        TDLambdaLearner,
    )
    from ragpp.retrieval import BaseRetriever, ConfidenceScorer, HybridRetriever, LLMRetriever, RAGRetriever

__all__ = [
    "AsyncMemoryClient",
    "BaseRetriever",
    "ConfidenceScorer",
    "HybridRetriever",
    "LLMRetriever",
    "MemoryCatalog",
    "MemoryClient",
    "MemoryConfig",
    "MemoryManager",
    "MemoryRetryConfig",
    "RAGRetriever",
    "RetrievalMode",
    "TDLambdaLearner",
    "errors",
    "remembering",
]
_CLIENT: Final = frozenset({"AsyncMemoryClient", "MemoryClient", "remembering"})
_MEMORY: Final = frozenset(
    {"MemoryCatalog", "MemoryConfig", "MemoryManager", "MemoryRetryConfig", "RetrievalMode", "TDLambdaLearner"}
)

if not TYPE_CHECKING:  # a checker would take whatever is misspelt for an object

    def __getattr__(name: str) -> object:
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        if name == "errors":
            return import_module("ragpp.errors")
        place = "client" if name in _CLIENT else "memory" if name in _MEMORY else "retrieval"
        return getattr(import_module(f"ragpp.{place}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
