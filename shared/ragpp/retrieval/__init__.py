"""How items are found: by words and meaning, by a language model that chooses, or by the first and, where that is not
sure, the second. Pure but for the source that a retriever asks.

    memory = MemoryManager(user_id="u1")
    fast = RAGRetriever(memory.item_layer)
    careful = HybridRetriever(fast, LLMRetriever(memory.item_layer))
    result = await careful.retrieve("Why did they leave?", k=3)

The gateway answers POST /v1/retrieve by the same classes, on the tier and on its own language model.
"""

from ragpp.retrieval.calibration import Calibration
from ragpp.retrieval.confidence import ConfidenceScorer
from ragpp.retrieval.reasoning import asks_for_reasoning
from ragpp.retrieval.retrievers import (
    BaseRetriever,
    HybridRetriever,
    LLMRetriever,
    Question,
    RAGRetriever,
    Source,
)

__all__ = [
    "BaseRetriever",
    "Calibration",
    "ConfidenceScorer",
    "HybridRetriever",
    "LLMRetriever",
    "Question",
    "RAGRetriever",
    "Source",
    "asks_for_reasoning",
]
