"""RAG++: the memory of AI agents. Start with a client, and say what is to be remembered:

    from ragpp import MemoryClient

    with MemoryClient() as memory:  # AsyncMemoryClient where a loop runs; `ragpp up` starts what both ask
        memory.remember("My sister Elena moved to Porto.", user="ana")
        print(memory.recall("Where does my sister live?", user="ana").context)

`MemoryClient`: help(ragpp.MemoryClient) has all methods; remember, recall, conversation and profile come first.
`remembering`: gives a memory to a client of OpenAI's or Anthropic's library.
`errors`: all that is raised, below MemorySystemError, each with `message` and `suggestions`.
`ragpp.api`: the models of requests and answers; methods take their fields by keyword, too.
`MemoryManager`, `MemoryCatalog`: the catalog of documents and of what was taken from them; its values and errors, such
as `Resource` and `ResourceNotFoundError`, are here, too.

What is named here is imported when it is asked for, and not before.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from ragpp import errors
    from ragpp.client import AsyncMemoryClient, MemoryClient, remembering
    from ragpp.errors import (
        CategoryExistsError,
        CategoryNotFoundError,
        ConsolidationError,
        EmbeddingError,
        ExtractionError,
        MemorySystemError,
        ResourceNotFoundError,
        RetrievalError,
        StorageError,
        VectorIndexError,
    )
    from ragpp.memory import (
        MemoryCatalog,
        MemoryCategory,
        MemoryConfig,
        MemoryEvent,
        MemoryEventType,
        MemoryItem,
        MemoryLevel,
        MemoryManager,
        MemoryRetryConfig,
        MemoryStats,
        Resource,
        RetrievalMode,
        RetrievalResult,
        TDLambdaLearner,
        generate_memory_key,
    )
    from ragpp.retrieval import BaseRetriever, ConfidenceScorer, HybridRetriever, LLMRetriever, RAGRetriever

__all__ = [
    "AsyncMemoryClient",
    "BaseRetriever",
    "CategoryExistsError",
    "CategoryNotFoundError",
    "ConfidenceScorer",
    "ConsolidationError",
    "EmbeddingError",
    "ExtractionError",
    "HybridRetriever",
    "LLMRetriever",
    "MemoryCatalog",
    "MemoryCategory",
    "MemoryClient",
    "MemoryConfig",
    "MemoryEvent",
    "MemoryEventType",
    "MemoryItem",
    "MemoryLevel",
    "MemoryManager",
    "MemoryRetryConfig",
    "MemoryStats",
    "MemorySystemError",
    "RAGRetriever",
    "Resource",
    "ResourceNotFoundError",
    "RetrievalError",
    "RetrievalMode",
    "RetrievalResult",
    "StorageError",
    "TDLambdaLearner",
    "VectorIndexError",
    "errors",
    "generate_memory_key",
    "remembering",
]
_PLACES: Final = {
    "client": frozenset({"AsyncMemoryClient", "MemoryClient", "remembering"}),
    "errors": frozenset(
        {
            "CategoryExistsError",
            "CategoryNotFoundError",
            "ConsolidationError",
            "EmbeddingError",
            "ExtractionError",
            "MemorySystemError",
            "ResourceNotFoundError",
            "RetrievalError",
            "StorageError",
            "VectorIndexError",
        }
    ),
    "retrieval": frozenset({"BaseRetriever", "ConfidenceScorer", "HybridRetriever", "LLMRetriever", "RAGRetriever"}),
}
"""The module of each name that is not of `ragpp.memory`."""

if not TYPE_CHECKING:  # a checker would take whatever is misspelt for an object

    def __getattr__(name: str) -> object:
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        if name == "errors":
            return import_module("ragpp.errors")
        place = next((place for place, names in _PLACES.items() if name in names), "memory")
        return getattr(import_module(f"ragpp.{place}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
