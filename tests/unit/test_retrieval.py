"""How items are found in three ways, whatever stands behind the source: when a language model is asked, and what the
answer is where it fails."""

from dataclasses import dataclass, field
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragpp import ConfidenceScorer, HybridRetriever, LLMRetriever, MemoryManager, RAGRetriever, RetrievalMode
from ragpp.catalog import MAX_CANDIDATES, MemoryItem, RetrievalResult
from ragpp.client import AsyncMemoryClient
from ragpp.errors import CategoryNotFoundError, ConfigurationError, InvalidInput, RetrievalError
from ragpp.retrieval import Calibration, Question, asks_for_reasoning
from ragpp.retrieval.calibration import FEWEST_PAIRS
from tests.support import values
from tests.support.each import each_case
from tests.support.episodic import NOON
from tests.support.knowing import KnowingGateway

SURE: Final = (0.9, 0.3, 0.3, 0.3, 0.3)
UNSURE: Final = (0.4, 0.4, 0.4, 0.4, 0.4)
EVEN: Final = (0.7, 0.7, 0.7, 0.7, 0.7)
PLAIN: Final = "What does Pro cost?"
MINI_LM: Final = "sentence-transformers/all-MiniLM-L6-v2"
shares = st.floats(0, 1)


def item(number: int) -> MemoryItem:
    return values.item(NOON, f"Fact number {number}.", item_id=f"i{number}")


@dataclass
class Kept:
    """A source with items as similar as it is told; the model turns them round, or is away. Keeps the questions."""

    similarities: tuple[float, ...] = SURE
    away: bool = False
    chooses: bool = True
    asked: list[Question] = field(default_factory=list)

    async def ask(self, question: Question) -> RetrievalResult:
        self.asked.append(question)
        if question.category_filter == "nothing":
            raise CategoryNotFoundError("nothing")
        items = [item(number) for number in range(len(self.similarities))]
        scores = self.similarities
        if question.mode is RetrievalMode.LLM:
            if self.away:
                raise RetrievalError("the language model failed: unavailable (MEM-041)")
            items, scores = (items[::-1], (0.7,) * len(items)) if self.chooses else ([], ())
        return RetrievalResult(
            items=tuple(items[: question.k]),
            mode_used=question.mode,
            total_found=len(items),
            search_time_ms=2.0,
            confidence_scores=scores[: question.k],
            similarities=self.similarities[: min(question.k, len(items))],
        )

    @property
    def modes(self) -> list[str]:
        return [one.mode.value for one in self.asked]


def hybrid(source: Kept, **thresholds: float) -> HybridRetriever:
    return HybridRetriever(RAGRetriever(source), LLMRetriever(source), **thresholds)


def ids(found: RetrievalResult) -> list[str]:
    return [one.item_id for one in found.items]


async def test_each_retriever_is_usable_alone() -> None:
    source = Kept()
    fast = await RAGRetriever(source, similarity_threshold=0.2).retrieve(PLAIN, 2, "prices")
    assert (ids(fast), fast.mode_used) == (["i0", "i1"], "rag")
    careful = await LLMRetriever(source, max_candidates=7).retrieve(PLAIN, 2)
    assert (ids(careful), careful.mode_used) == (["i4", "i3"], "llm")
    assert [(one.similarity_threshold, one.category_filter) for one in source.asked] == [(0.2, "prices"), (None, None)]
    assert source.asked[1].max_candidates == 7
    assert LLMRetriever(source)._most == MAX_CANDIDATES == 50


async def test_what_is_sure_asks_no_model() -> None:
    source = Kept(SURE)
    found = await hybrid(source).retrieve(PLAIN, 2)
    assert (ids(found), found.mode_used, found.escalated, found.escalation_reason) == (["i0", "i1"], "rag", False, None)
    assert source.modes == ["rag"]


@each_case(
    ("query", "similarities", "reason"),
    [
        (PLAIN, UNSURE, "the confidence 0.40 is below 0.60"),
        (
            PLAIN,
            (0.3, 0.9, 0.1, 0.1, 0.1),
            "the confidence 0.00 is below 0.60: the similarities of what was found vary",
        ),
        ("Why did Oakhurst cancel?", SURE, "the question asks why"),
        ("How does Pro compare? Compare Basic with Pro.", SURE, "the question asks to compare"),
        ("Summarise what we know of Oakhurst.", SURE, "the question asks to summarise"),
        ("Who leads the team and where does she live?", SURE, "the question has several clauses"),
    ],
)
async def test_each_reason_to_escalate_fires_and_is_shown(
    query: str, similarities: tuple[float, ...], reason: str
) -> None:
    source = Kept(similarities)
    found = await hybrid(source).retrieve(query, 2)
    assert (ids(found), found.mode_used, found.escalated) == (["i4", "i3"], "llm", True)
    assert found.escalation_reason == reason
    assert source.modes == ["rag", "llm"]
    assert found.search_time_ms == 4.0


async def test_confidence_does_not_depend_on_how_many_are_wanted() -> None:
    for k in (1, 3, 5):
        found = await hybrid(Kept((0.55, 0.5, 0.5, 0.5, 0.5))).retrieve(PLAIN, k)
        assert (len(found.items), found.escalated, found.escalation_reason) == (k, False, None)


async def test_the_threshold_is_the_retrievers_or_the_questions() -> None:
    assert (await hybrid(Kept(UNSURE), escalation_threshold=0.3).retrieve(PLAIN)).escalated is False
    assert (await hybrid(Kept(UNSURE)).retrieve(PLAIN, 5, 0.3)).escalated is False
    assert (await hybrid(Kept(EVEN), escalation_threshold=0.3).retrieve(PLAIN, escalation_threshold=1.0)).escalated
    varied = (0.8, 0.8, 0.0, 0.0, 0.0)
    assert (await hybrid(Kept(varied), variance_threshold=0.1).retrieve(PLAIN)).escalated
    assert (await hybrid(Kept(varied), variance_threshold=1.0).retrieve(PLAIN)).escalated is False


async def test_where_the_model_fails_words_and_meaning_answer_and_the_reason_says_so() -> None:
    found = await hybrid(Kept(UNSURE, away=True)).retrieve(PLAIN, 2)
    assert (ids(found), found.mode_used, found.escalated) == (["i0", "i1"], "rag", False)
    assert str(found.escalation_reason).startswith("the confidence 0.40 is below 0.60; answered by words and meaning")
    assert "MEM-041" in str(found.escalation_reason)
    nothing = await hybrid(Kept(UNSURE, chooses=False)).retrieve(PLAIN, 2)
    assert (ids(nothing), nothing.escalated) == (["i0", "i1"], False)
    assert "chose nothing" in str(nothing.escalation_reason)


async def test_alone_a_model_that_fails_is_an_error() -> None:
    with pytest.raises(RetrievalError):
        await LLMRetriever(Kept(away=True)).retrieve(PLAIN)


async def test_where_nothing_is_found_no_model_is_asked() -> None:
    source = Kept(())
    found = await hybrid(source).retrieve("Why is that so?")
    assert (found.items, found.escalated, source.modes) == ((), False, ["rag"])


async def test_what_is_wrong_with_the_question_itself_is_no_reason_to_fall_back() -> None:
    with pytest.raises(CategoryNotFoundError):
        await hybrid(Kept()).retrieve(PLAIN, category_filter="nothing")


def test_what_the_servers_decide_is_refused_by_name() -> None:
    with pytest.raises(ConfigurationError, match="embedding_service"):
        RAGRetriever(Kept(), object())
    with pytest.raises(ConfigurationError, match="model") as caught:
        LLMRetriever(Kept(), "anthropic:any")
    assert "LLM_RETRIEVAL" in caught.value.suggestions[0]


@each_case("threshold", [-0.1, 1.1, float("nan")])
async def test_thresholds_are_shares(threshold: float) -> None:
    for wrong in ("escalation_threshold", "variance_threshold"):
        with pytest.raises(ValueError, match=wrong):
            hybrid(Kept(), **{wrong: threshold})
    with pytest.raises(ValueError, match="escalation_threshold"):
        await hybrid(Kept()).retrieve(PLAIN, escalation_threshold=threshold)
    with pytest.raises(InvalidInput):
        LLMRetriever(Kept(), max_candidates=51)


async def test_retrievers_ask_the_gateway_through_a_managers_items() -> None:
    async with AsyncMemoryClient("http://gateway", "k", retries=0, transport=KnowingGateway()) as client:
        memory = MemoryManager(client=client, user_id="u1")
        stored = await memory.store_resource("Basic costs $99.\nPro costs $299.", "document")
        await memory.extract_and_store(stored.resource_id)
        found = await hybrid_of(memory).retrieve(PLAIN, k=1)
        assert len(found.items) == 1
        with pytest.raises(InvalidInput):
            await RAGRetriever(memory.item_layer).retrieve("", k=1)
        with pytest.raises(InvalidInput):
            await hybrid_of(memory).retrieve(PLAIN, k=0)


def hybrid_of(memory: MemoryManager) -> HybridRetriever:
    return HybridRetriever(RAGRetriever(memory.item_layer), LLMRetriever(memory.item_layer))


def test_confidence_is_what_the_first_has_and_its_lead_and_less_where_they_vary() -> None:
    scorer = ConfidenceScorer()
    scored = [(item(place), similarity) for place, similarity in enumerate((0.5, 0.4, 0.4, 0.4, 0.4))]
    assert scorer.score(scored, PLAIN) == pytest.approx(0.6)
    assert scorer.score([], PLAIN) == 0.0
    assert scorer.score(scored[:1], PLAIN) == 0.5
    assert scorer.of_similarities((0.5, 0.1, 0.1)) == pytest.approx(0.7 - (0.1886 - 0.15), abs=1e-4)
    assert scorer.of_similarities((0.4, 0.5)) == pytest.approx(0.3)


@given(st.lists(shares, max_size=8))
def test_confidence_is_a_share_of_the_first_five(similarities: list[float]) -> None:
    scorer = ConfidenceScorer()
    assert 0 <= scorer.of_similarities(similarities) <= 1
    assert scorer.of_similarities(similarities) == scorer.of_similarities(similarities[:5])


@given(st.floats(-1, 1), st.floats(-1, 1))
def test_a_scale_keeps_the_order_of_cosines(one: float, other: float) -> None:
    scale = Calibration.of_model(MINI_LM)
    assert scale is not None
    low, high = sorted((one, other))
    assert 0 <= scale.of(low) <= scale.of(high) <= 1


def test_what_nobody_measured_is_scaled_by_pairs_of_its_own_items() -> None:
    measured = Calibration.of_model(MINI_LM)
    assert measured is not None
    assert Calibration.of_model("somebody/else") is None
    narrow = Calibration.of_pairs([0.7] * FEWEST_PAIRS)
    assert (narrow.of(0.7), narrow.of(1.0), narrow.of(None)) == (0.0, 1.0, 0.0)
    like = Calibration.of_pairs([measured.unrelated] * FEWEST_PAIRS)
    assert like.of(0.6) == pytest.approx(measured.of(0.6), abs=0.01)
    assert Calibration.of_pairs([0.9]).of(0.5) > 0.5
    with pytest.raises(ValueError, match="no scale"):
        Calibration(0.5, 0.5)


@each_case(
    "query",
    [
        "What did the Team plan cost per month before June?",
        "do non-profits get a discount",
        "Who takes over Lotte's customers when she leaves?",
        "What is the name of the showroom?",
    ],
)
def test_a_question_for_one_fact_asks_for_no_reasoning(query: str) -> None:
    assert asks_for_reasoning(query) is None
