"""A question to the catalog, in each of the three ways: what the retrievers ask inside of the gateway."""

from time import perf_counter
from typing import Final

from ragpp.api import RetrieveRequest
from ragpp.catalog import ItemQuery, RetrievalMode, RetrievalResult
from ragpp.errors import LanguageModelError, RetrievalError
from ragpp.llm.choosing import choose_items
from ragpp.llm.port import LanguageModel
from ragpp.models import Scope, Vector
from ragpp.retrieval import BaseRetriever, HybridRetriever, LLMRetriever, Question, RAGRetriever
from ragpp.tiers import CatalogTier

NO_MODEL: Final = "no language model is configured for retrieval"
WITHOUT_A_MODEL: Final = (
    "Ask again with mode=rag, which needs no language model.",
    "Name one in LLM_RETRIEVAL for the gateway.",
)
NOT_ESCALATED: Final = f"{NO_MODEL}: searched by words and meaning alone"


class CatalogSource:
    """One question's source: the tier, and the language model on the budget of whoever asks. Implements
    `ragpp.retrieval.Source`."""

    def __init__(
        self, catalog: CatalogTier, scope: Scope, embedding: Vector | None, model: LanguageModel | None
    ) -> None:
        """`embedding`: the question's; None lets the tier make it."""
        self._catalog, self._scope, self._embedding, self._model = catalog, scope, embedding, model

    async def ask(self, question: Question) -> RetrievalResult:
        if question.mode is not RetrievalMode.LLM:
            return await self._found(question, question.k)
        if self._model is None:
            raise RetrievalError(NO_MODEL, suggestions=WITHOUT_A_MODEL)
        began = perf_counter()
        found = await self._found(question, question.max_candidates)
        try:
            chosen = await choose_items(self._model, question.query, found.items, question.k)
        except LanguageModelError as error:
            raise RetrievalError(f"the language model failed: {error.kind} ({error.code})") from error
        return RetrievalResult(
            items=tuple(found.items[one.place] for one in chosen),
            mode_used=RetrievalMode.LLM,
            total_found=found.total_found,
            search_time_ms=1_000 * (perf_counter() - began),
            confidence_scores=tuple(one.score for one in chosen),
            similarities=tuple(found.similarities[one.place] for one in chosen if one.place < len(found.similarities)),
        )

    async def _found(self, question: Question, k: int) -> RetrievalResult:
        query = ItemQuery(
            text=question.query,
            embedding=self._embedding,
            k=k,
            category=question.category_filter,
            similarity_threshold=question.similarity_threshold,
            as_of=question.as_of,
        )
        return await self._catalog.search_items(self._scope, query)


async def retrieved(source: CatalogSource, asked: RetrieveRequest, *, has_model: bool) -> RetrievalResult:
    """The answer in the way that was asked for; without a model `hybrid` is `rag`, and says so. Raises RetrievalError
    of `llm`, CategoryNotFoundError, EmbeddingError."""
    by_words = RAGRetriever(source, similarity_threshold=asked.similarity_threshold)
    by_model = LLMRetriever(
        source, max_candidates=asked.max_candidates, similarity_threshold=asked.similarity_threshold
    )
    retriever: BaseRetriever = by_words
    if asked.mode is RetrievalMode.LLM:
        retriever = by_model
    elif asked.mode is RetrievalMode.HYBRID and has_model:
        threshold = asked.escalation_threshold
        hybrid = HybridRetriever(by_words, by_model)
        return await hybrid.retrieve(asked.query, asked.k, threshold, asked.category_filter, as_of=asked.as_of)
    found = await retriever.retrieve(asked.query, asked.k, category_filter=asked.category_filter, as_of=asked.as_of)
    if asked.mode is RetrievalMode.HYBRID:
        return found.model_copy(update={"escalation_reason": NOT_ESCALATED})
    return found
