"""The three ways to find items, on one base, each over a source that is asked."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Protocol

from ragpp.catalog import DEFAULT_K, MAX_CANDIDATES, MAX_K, RetrievalMode, RetrievalResult
from ragpp.errors import ConfigurationError, InvalidInput, RetrievalError
from ragpp.retrieval.confidence import ESCALATION_THRESHOLD, SCORED, VARIANCE_THRESHOLD, ConfidenceScorer
from ragpp.retrieval.reasoning import asks_for_reasoning

_ELSEWHERE: Final = {
    "embedding_service": "The servers embed: set EMBEDDING_PROVIDER and EMBEDDING_MODEL for them.",
    "model": "The servers ask the language model: set LLM_RETRIEVAL for them.",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question to a source. `mode`: `rag` or `llm`. `max_candidates`: how many of what words and meaning find a
    language model chooses from, 1 to MAX_CANDIDATES. `similarity_threshold`: what is less similar is left out."""

    query: str
    mode: RetrievalMode
    k: int = DEFAULT_K
    category_filter: str | None = None
    similarity_threshold: float | None = None
    as_of: datetime | None = None
    max_candidates: int = MAX_CANDIDATES


class Source(Protocol):
    """Where items are: `MemoryManager.item_layer`, which asks the gateway, or, inside of that, the tier."""

    async def ask(self, question: Question) -> RetrievalResult:
        """Items that answer a question, with their similarities. Raises InvalidInput, CategoryNotFoundError,
        EmbeddingError; RetrievalError where a language model was to choose and did not."""
        ...


class BaseRetriever(ABC):
    """A way to find items. Raises from `retrieve` what its source raises; an InvalidInput is a ValueError."""

    @abstractmethod
    async def retrieve(
        self, query: str, k: int = DEFAULT_K, *, category_filter: str | None = None, as_of: datetime | None = None
    ) -> RetrievalResult:
        """The best `k` items (1 to 100), each with its score. `as_of`: nothing that occurred later is seen."""


class RAGRetriever(BaseRetriever):
    """Finds by words and by meaning: fast, and the order is theirs."""

    def __init__(
        self, item_layer: Source, embedding_service: object = None, similarity_threshold: float | None = None
    ) -> None:
        """`similarity_threshold`: a cosine; what is less similar to a question is left out, nothing where it is None.
        Raises ConfigurationError for an `embedding_service`, which is the servers'."""
        _refuse("embedding_service", embedding_service)
        self._items, self._least = item_layer, similarity_threshold

    async def retrieve(
        self,
        query: str,
        k: int = DEFAULT_K,
        category_filter: str | None = None,
        *,
        as_of: datetime | None = None,
    ) -> RetrievalResult:
        return await self._items.ask(
            Question(
                query=query,
                mode=RetrievalMode.RAG,
                k=k,
                category_filter=category_filter,
                similarity_threshold=self._least,
                as_of=as_of,
            )
        )


class LLMRetriever(BaseRetriever):
    """Has a language model choose and order, of what words and meaning find. Raises RetrievalError, when it does not
    even after it was tried again."""

    def __init__(
        self,
        item_layer: Source,
        model: object = None,
        max_candidates: int = MAX_CANDIDATES,
        *,
        similarity_threshold: float | None = None,
    ) -> None:
        """`max_candidates`: 1 to MAX_CANDIDATES. Raises ConfigurationError for a `model`, which is the servers';
        InvalidInput, a ValueError."""
        _refuse("model", model)
        if not 1 <= max_candidates <= MAX_CANDIDATES:
            raise InvalidInput(f"max_candidates: {max_candidates} is not between 1 and {MAX_CANDIDATES}")
        self._items, self._most, self._least = item_layer, max_candidates, similarity_threshold

    async def retrieve(
        self,
        query: str,
        k: int = DEFAULT_K,
        category_filter: str | None = None,
        *,
        as_of: datetime | None = None,
    ) -> RetrievalResult:
        return await self._items.ask(
            Question(
                query=query,
                mode=RetrievalMode.LLM,
                k=k,
                category_filter=category_filter,
                similarity_threshold=self._least,
                as_of=as_of,
                max_candidates=self._most,
            )
        )


class HybridRetriever(BaseRetriever):
    """Finds by words and meaning, and has a language model choose where that is not sure or the question wants
    reasoning. Where the model fails, what words and meaning found is the answer, with the reason."""

    def __init__(
        self,
        rag_retriever: RAGRetriever,
        llm_retriever: LLMRetriever,
        escalation_threshold: float = ESCALATION_THRESHOLD,
        variance_threshold: float = VARIANCE_THRESHOLD,
    ) -> None:
        """Both thresholds are 0 to 1, see ConfidenceScorer. Raises InvalidInput, a ValueError."""
        self._rag, self._llm = rag_retriever, llm_retriever
        self._threshold = _share("escalation_threshold", escalation_threshold)
        self._scorer = ConfidenceScorer(_share("variance_threshold", variance_threshold))

    async def retrieve(
        self,
        query: str,
        k: int = DEFAULT_K,
        escalation_threshold: float | None = None,
        category_filter: str | None = None,
        *,
        as_of: datetime | None = None,
    ) -> RetrievalResult:
        """See BaseRetriever. `escalation_threshold`: of this question; 0 escalates for reasoning alone, 1 whenever the
        confidence is not whole. `mode_used` and `escalated` say who answered, `escalation_reason` why."""
        threshold = _share(
            "escalation_threshold", self._threshold if escalation_threshold is None else escalation_threshold
        )
        asked = k if not 1 <= k <= MAX_K else max(k, SCORED)
        wide = await self._rag.retrieve(query, asked, category_filter, as_of=as_of)
        found = _first(wide, k)
        reason = self.reason(query, wide, threshold)
        if reason is None or not found.items:
            return found
        try:
            chosen = await self._llm.retrieve(query, k, category_filter, as_of=as_of)
        except RetrievalError as error:
            return _explained(found, f"{reason}; answered by words and meaning: {error.message}")
        if not chosen.items:
            return _explained(found, f"{reason}; answered by words and meaning: the language model chose nothing")
        spent_ms = found.search_time_ms + chosen.search_time_ms
        return chosen.model_copy(update={"escalated": True, "escalation_reason": reason, "search_time_ms": spent_ms})

    def reason(self, query: str, found: RetrievalResult, threshold: float) -> str | None:
        """Why a language model should choose, as `escalation_reason` has it; None where none has to. `found`: by words
        and meaning, at least SCORED of them where there are so many."""
        wanted = asks_for_reasoning(query)
        if wanted is not None:
            return wanted
        confidence = self._scorer.of_similarities(found.similarities)
        if confidence >= threshold:
            return None
        said = f"the confidence {confidence:.2f} is below {threshold:.2f}"
        if self._scorer.excess(found.similarities) > 0:
            return f"{said}: the similarities of what was found vary"
        return said


def _first(found: RetrievalResult, k: int) -> RetrievalResult:
    cut = {
        "items": found.items[:k],
        "confidence_scores": found.confidence_scores[:k],
        "similarities": found.similarities[:k],
    }
    return found.model_copy(update=cut)


def _explained(found: RetrievalResult, reason: str) -> RetrievalResult:
    return found.model_copy(update={"escalation_reason": reason})


def _share(name: str, given: float) -> float:
    if not 0 <= given <= 1:
        raise InvalidInput(f"{name}: {given} is not between 0 and 1")
    return given


def _refuse(name: str, given: object) -> None:
    if given is not None:
        raise ConfigurationError(f"a retriever has no {name} of its own", suggestions=(_ELSEWHERE[name],))
