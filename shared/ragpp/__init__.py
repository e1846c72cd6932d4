"""RAG++: the memory of AI agents. Start with a client, and say what is to be remembered:

    from ragpp import MemoryClient

    with MemoryClient() as memory:  # AsyncMemoryClient where a loop runs; `ragpp up` starts what both ask
        memory.remember("My sister Elena moved to Porto.", user="ana")
        print(memory.recall("Where does my sister live?", user="ana").context)

`MemoryClient`: help(ragpp.MemoryClient) has all methods; remember, recall, conversation and profile come first.
`remembering`: gives a memory to a client of OpenAI's or Anthropic's library.
`errors`: all that is raised, below MemorySystemError, each with `message` and `suggestions`.
`ragpp.api`: the models of requests and answers; methods take their fields by keyword, too.
`MemoryManager`, `MemoryCatalog`: the catalog of documents and of what was taken from them.

What is named here is imported when it is asked for, and not before.
"""

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
