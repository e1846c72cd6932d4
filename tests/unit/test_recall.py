"""A recall answers in time with what it has, says what it has not, and never shows what it was told to leave out."""

import asyncio
import threading
from collections.abc import Sequence
from datetime import UTC, datetime

import pytest

from ragpp.api import RecallRequest, RecallResponse
from ragpp.embedding import Embedder, FloatMatrix, SecondEncoder
from ragpp.embedding.hashing import HashingEmbedder
from ragpp.errors import InvalidInput
from ragpp.fields import TokenizerName
from ragpp.models import Interaction, InteractionEntry, Memory, MemoryQuery, Scope, TierName
from ragpp.testing.tiers import InMemoryTier
from ragpp.text.port import ReaderMeter
from ragpp.text.readers import BytesBound, Tokenizers
from ragpp_services.gateway.assembly.relevance import names_something
from ragpp_services.gateway.recall import CANDIDATES, NOT_OFFERED, Recaller
from tests.support.each import each_case
from tests.support.embedding import LostEmbedder
from tests.support.scopes import new_scope
from tests.support.second import HashingSecond
from tests.support.tokens import TOKENIZERS

NOW = datetime(2026, 1, 1, tzinfo=UTC)


class Words:
    def count(self, text: str) -> int:
        return len(text.split())

    def truncate(self, text: str, max_tokens: int) -> str:
        return " ".join(text.split()[:max_tokens])


class Episodic(InMemoryTier):
    """With a backlog that shrinks by one each time it is asked for."""

    def __init__(self, backlog: int = 0) -> None:
        super().__init__("episodic")
        self.backlog = backlog

    async def pending(self, scope: Scope, first_event: int | None = None, last_event: int | None = None) -> int:
        del scope, first_event, last_event
        self._reach()
        self.backlog = max(0, self.backlog - 1)
        return self.backlog


class HangingLedger(Episodic):
    """A PostgreSQL that takes questions and answers none."""

    async def pending(self, scope: Scope, first_event: int | None = None, last_event: int | None = None) -> int:
        del scope, first_event, last_event
        await asyncio.Event().wait()
        raise AssertionError("unreachable")

    async def retrieve(self, query: MemoryQuery) -> list[Memory]:
        return await Hanging.retrieve(Hanging("episodic"), query)


class SlowLedger(Episodic):
    """One that counts only many turns of the event loop later."""

    async def pending(self, scope: Scope, first_event: int | None = None, last_event: int | None = None) -> int:
        await turns()
        return await super().pending(scope, first_event, last_event)


class Reached(InMemoryTier):
    """A tier that is asked over a network: its answer takes some turns of the event loop."""

    async def retrieve(self, query: MemoryQuery) -> list[Memory]:
        await turns(5)
        return await super().retrieve(query)


async def turns(count: int = 100) -> None:
    for _ in range(count):
        await asyncio.sleep(0)


class Hanging(InMemoryTier):
    """A tier that never answers."""

    async def retrieve(self, query: MemoryQuery) -> list[Memory]:
        del query
        await asyncio.Event().wait()
        raise AssertionError("unreachable")


class Diary(Episodic):
    """Finds `text` by what stands at `focus`."""

    def __init__(self, text: str, focus: int) -> None:
        super().__init__()
        self._text, self._focus = text, focus

    async def retrieve(self, query: MemoryQuery) -> list[Memory]:
        del query
        return [Memory(id="m0", tier="episodic", kind="interaction", text=self._text, focus=self._focus, score=0.8)]


class Judged(InMemoryTier):
    """Knows of a job that a person rejected, and nothing else."""

    def __init__(self, *sources: str) -> None:
        super().__init__("semantic")
        self._sources = sources

    async def retrieve(self, query: MemoryQuery) -> list[Memory]:
        verdict = {"verdict": "rejected"}
        job = Memory(id="r", tier="semantic", kind="relationship", text="user WORKS_AT Brightline", score=0.5)
        wrong = job.model_copy(update={"confidence": 0.0, "sources": self._sources, "metadata": verdict})
        return [wrong] if query.rejected else []


class Buggy(InMemoryTier):
    async def retrieve(self, query: MemoryQuery) -> list[Memory]:
        raise KeyError(query.text)


class Told(Episodic):
    """Finds one message that is so alike to any question, and holds that share of it."""

    def __init__(self, similarity: float, coverage: float) -> None:
        super().__init__()
        self._found = {"similarity": similarity, "coverage": coverage}

    async def retrieve(self, query: MemoryQuery) -> list[Memory]:
        given = {"id": "m0", "tier": "episodic", "kind": "interaction", "text": "the boat is blue", "score": 0.8}
        found = dict(self._found, similarity=None) if query.mode == "lexical" else self._found
        return [Memory.model_validate(given | found)]


class Counting(BytesBound):
    """Remembers in which threads it counted texts."""

    def __init__(self) -> None:
        self.threads: set[int] = set()

    def count(self, text: str) -> int:
        if text:
            self.threads.add(threading.get_ident())
        return super().count(text)


class OneMeter(Tokenizers):
    """Counts with `meter` whatever is named."""

    def __init__(self, meter: ReaderMeter) -> None:
        super().__init__()
        self._meter = meter

    def named(self, name: TokenizerName | None = None) -> ReaderMeter:
        del name
        return self._meter


def recaller(
    episodic: Episodic,
    *others: InMemoryTier,
    embedder: Embedder | None = None,
    tokenizers: Tokenizers | None = None,
    second: SecondEncoder | None = None,
) -> Recaller:
    tiers: dict[TierName, InMemoryTier] = {tier.name: tier for tier in (episodic, *others)}
    return Recaller(
        tiers,
        episodic,  # type: ignore[arg-type]  # the double has the verbs that a recall uses
        embedder or HashingEmbedder(),
        lambda _text: (),
        tokenizers or TOKENIZERS,
        lambda: NOW,
        deadline_ms=200,
        token_budget=200,
        second=second,
    )


@each_case(
    ("brought", "inline"),
    [
        ({"persona": "Be kind."}, True),
        ({"persona": "p" * 20_000, "tools": ["t" * 4_000] * 20, "situation": "s" * 20_000}, False),
        ({"tools": ["t" * 4_000] * 30}, False),
        ({"tools": ["t" * 4_000] * 22, "situation": {"a": "s" * 15_000}}, False),
    ],
)
async def test_what_the_caller_brings_is_counted_beside_the_event_loop_where_it_is_long(
    brought: dict[str, object], inline: bool
) -> None:
    scope, episodic, meter = new_scope(), Episodic(), Counting()
    await filled(episodic, scope, ["the boat is blue"])
    request = RecallRequest.model_validate({"user_id": scope.user_id, "query": "blue boat", **brought})
    answer = await recaller(episodic, tokenizers=OneMeter(meter)).recall(scope, request)
    assert answer.status == "complete"
    assert (threading.get_ident() in meter.threads) is inline


def measured() -> LostEmbedder:
    """One that passes for the model whose similarities were measured."""
    embedder = LostEmbedder()
    embedder.model = "sentence-transformers/all-MiniLM-L6-v2"  # type: ignore[misc]  # final where it is no double
    return embedder


async def filled(tier: InMemoryTier, scope: Scope, contents: Sequence[str]) -> None:
    entries = [
        InteractionEntry(interaction=Interaction(id=f"m{number}", content=content, name="Ada", occurred_at=NOW))
        for number, content in enumerate(contents)
    ]
    await tier.store(scope, entries)


async def test_what_is_found_is_ranked_and_stands_in_the_context() -> None:
    scope, episodic = new_scope(), Episodic()
    await filled(episodic, scope, ["the boat is blue", "the cat is grey"])
    response = await recaller(episodic).recall(scope, RecallRequest(user_id=scope.user_id, query="blue boat"))
    assert response.status == "complete"
    assert response.memories[0].text == "the boat is blue"
    assert response.memories[0].in_context
    assert "the boat is blue" in response.context
    assert response.tiers["episodic"].hits == 1


async def test_a_tier_that_is_down_late_or_broken_makes_the_answer_partial_and_is_named() -> None:
    scope, episodic = new_scope(), Episodic()
    await filled(episodic, scope, ["the boat is blue"])
    down = InMemoryTier("semantic")
    down.available = False
    answer = await recaller(episodic, down, Hanging("procedural"), Buggy("short_term")).recall(
        scope, RecallRequest(user_id=scope.user_id, query="blue boat")
    )
    assert answer.status == "partial"
    assert {name: tier.status for name, tier in answer.tiers.items()} == {
        "short_term": "error",
        "episodic": "ok",
        "semantic": "unavailable",
        "procedural": "timeout",
    }
    assert "the boat is blue" in answer.context


async def test_the_deadline_bounds_the_whole_answer() -> None:
    scope, episodic = new_scope(), Episodic()
    answer = await recaller(episodic, Hanging("semantic")).recall(
        scope, RecallRequest(user_id=scope.user_id, query="x", deadline_ms=80)
    )
    assert answer.tiers["semantic"].status == "timeout"
    assert answer.elapsed_ms < 5_000  # generous: the machine may be busy, but an unbounded wait would never end


async def test_a_recall_after_a_receipt_waits_until_that_write_is_digested() -> None:
    scope, episodic = new_scope(), Episodic(backlog=3)
    answer = await recaller(episodic).recall(
        scope, RecallRequest(user_id=scope.user_id, query="x", after="r1.1.5", deadline_ms=5_000)
    )
    assert answer.receipt_pending == 0


async def test_a_recall_does_not_wait_past_its_deadline_and_says_how_much_is_pending() -> None:
    scope, episodic = new_scope(), Episodic(backlog=1_000_000)
    answer = await recaller(episodic).recall(
        scope, RecallRequest(user_id=scope.user_id, query="x", after="r1.1.5", deadline_ms=60)
    )
    assert answer.receipt_pending > 0


async def test_what_is_not_digested_is_told_also_where_every_tier_was_faster() -> None:
    scope = new_scope()
    answer = await recaller(SlowLedger(backlog=4), InMemoryTier("short_term")).recall(
        scope, RecallRequest(user_id=scope.user_id, query="x", tiers=("short_term",), deadline_ms=5_000)
    )
    assert answer.receipt_pending == 3


async def test_waiting_for_a_ledger_that_hangs_leaves_the_running_conversation_its_time() -> None:
    scope, conversation = new_scope(), Reached("short_term")
    await filled(conversation, scope, ["the boat is blue"])
    answer = await recaller(HangingLedger(), conversation).recall(
        scope, RecallRequest(user_id=scope.user_id, query="blue boat", after="r1.1.5", deadline_ms=200)
    )
    assert {name: tier.status for name, tier in answer.tiers.items()} == {"short_term": "ok", "episodic": "timeout"}
    assert "the boat is blue" in answer.context
    assert answer.receipt_pending == -1
    assert answer.elapsed_ms < 5_000  # generous, as above


async def test_a_text_that_is_no_receipt_is_refused() -> None:
    scope = new_scope()
    with pytest.raises(InvalidInput):
        await recaller(Episodic()).recall(scope, RecallRequest(user_id=scope.user_id, query="x", after="yesterday"))


async def test_an_unknown_backlog_is_minus_one_not_zero() -> None:
    scope, episodic = new_scope(), Episodic()
    episodic.available = False
    answer = await recaller(episodic, InMemoryTier("semantic")).recall(
        scope, RecallRequest(user_id=scope.user_id, query="x")
    )
    assert answer.receipt_pending == -1
    assert answer.status == "partial"


async def test_a_tier_that_is_not_installed_is_skipped_when_asked_for() -> None:
    scope = new_scope()
    answer = await recaller(Episodic()).recall(
        scope, RecallRequest(user_id=scope.user_id, query="x", tiers=("catalog", "episodic"))
    )
    assert answer.tiers["catalog"].status == "skipped"
    assert answer.status == "complete"


async def test_a_limit_cuts_the_ranking_and_never_the_context() -> None:
    scope, episodic = new_scope(), Episodic()
    await filled(episodic, scope, [f"the boat number {number}" for number in range(300)])

    async def asked(limit: int, budget: int) -> RecallResponse:
        request = RecallRequest(user_id=scope.user_id, query="boat", limit=limit, token_budget=budget)
        return await recaller(episodic).recall(scope, request)

    for budget in (60, 2_000, 100_000):
        one, few, many = [await asked(limit, budget) for limit in (1, 5, 200)]
        assert [len(answer.memories) for answer in (one, few, many)] == [1, 5, 200]
        assert one.context == few.context == many.context
        assert one.sections == few.sections == many.sections
        shown = set(one.sections[0].memories)
        for answer in (one, few, many):
            assert [memory.in_context for memory in answer.memories] == [m.id in shown for m in answer.memories]
    assert one.context.count("the boat number") == 200  # the last and largest budget has room for all candidates


async def test_an_embedder_that_hangs_costs_meaning_and_not_the_answer() -> None:
    class HangingEmbedder(HashingEmbedder):
        async def embed(self, texts: Sequence[str]) -> FloatMatrix:
            del texts
            await asyncio.Event().wait()
            raise AssertionError("unreachable")

    scope, episodic, short_term = new_scope(), Episodic(), InMemoryTier("short_term")
    await filled(episodic, scope, ["the boat is blue"])
    await filled(short_term, scope, ["the boat is blue"])
    recall = recaller(episodic, short_term)
    recall._embedder = HangingEmbedder()
    answer = await recall.recall(scope, RecallRequest(user_id=scope.user_id, query="blue boat"))
    assert answer.status == "partial"
    assert {name: tier.status for name, tier in answer.tiers.items()} == {"short_term": "ok", "episodic": "ok"}
    assert "words alone" in (answer.tiers["episodic"].detail or "")
    assert "the boat is blue" in answer.context


class Asked(Episodic):
    """Keeps the queries that it is asked."""

    def __init__(self, name: TierName = "episodic") -> None:
        super().__init__()
        self.name = name
        self.queries: list[MemoryQuery] = []

    async def retrieve(self, query: MemoryQuery) -> list[Memory]:
        self.queries.append(query)
        return await super().retrieve(query)


async def test_the_episodic_tier_alone_gets_the_questions_vector_by_the_second_encoder() -> None:
    scope, episodic, semantic, second = new_scope(), Asked(), Asked("semantic"), HashingSecond()
    request = RecallRequest(user_id=scope.user_id, query="blue boat")
    answer = await recaller(episodic, semantic, second=second).recall(scope, request)
    assert answer.status == "complete"
    [vector] = (await second.encode_questions(["blue boat"])).tolist()
    assert [query.second for query in (*episodic.queries, *semantic.queries)] == [tuple(vector), None]
    assert all(query.embedding is not None for query in (*episodic.queries, *semantic.queries))


class HangingSecond(HashingSecond):
    async def encode_questions(self, texts: Sequence[str]) -> FloatMatrix:
        del texts
        await asyncio.Event().wait()
        raise AssertionError("unreachable")


class LostSecond(HashingSecond):
    def __init__(self) -> None:
        super().__init__()
        self.is_lost = True


@each_case("second", [HangingSecond(), LostSecond()])
async def test_a_second_encoder_that_fails_or_hangs_is_done_without(second: HashingSecond) -> None:
    scope, episodic = new_scope(), Asked()
    await filled(episodic, scope, ["the boat is blue"])
    request = RecallRequest(user_id=scope.user_id, query="blue boat")
    answer = await recaller(episodic, second=second).recall(scope, request)
    assert answer.status == "complete"
    assert answer.tiers["episodic"].detail is None
    assert [query.second for query in episodic.queries] == [None]
    assert "the boat is blue" in answer.context


async def test_long_texts_are_packed_without_counting_what_cannot_fit() -> None:
    scope, episodic = new_scope(), Episodic()
    await filled(episodic, scope, [f"boat {number} " + "word " * 19_000 for number in range(10)])
    answer = await recaller(episodic).recall(
        scope, RecallRequest(user_id=scope.user_id, query="boat", token_budget=300, deadline_ms=5_000)
    )
    assert answer.tokens <= 300
    assert "boat" in answer.context


@each_case("where", [0, 25_000, 54_990])
async def test_a_long_memory_is_answered_as_the_part_that_was_found(where: int) -> None:
    scope, text = new_scope(), " ".join(f"entry {number:05}" for number in range(4_600))
    answer = await recaller(Diary(text, where)).recall(scope, RecallRequest(user_id=scope.user_id, query="entry"))
    (memory,) = answer.memories
    assert memory.is_excerpt
    assert len(memory.text) == 2_000
    assert memory.text[memory.focus :] == text[where:][: 2_000 - memory.focus]
    assert memory.focus == 0 or memory.focus >= 200


async def test_a_rejected_relationship_is_counted_nowhere_and_marks_what_it_was_learned_from() -> None:
    scope, episodic = new_scope(), Episodic()
    await filled(episodic, scope, ["my work badge is from Brightline", "the work is done"])
    asked = RecallRequest(user_id=scope.user_id, query="work badge", explain=True)
    answer = await recaller(episodic, Judged("m0")).recall(scope, asked)
    assert [(memory.id, memory.corrected_by) for memory in answer.memories] == [("m1", None), ("m0", "r")]
    assert answer.tiers["semantic"].hits == 0
    assert "WORKS_AT" not in answer.context
    assert "[since corrected]: my work badge" in answer.context
    (last,) = [memory.explain for memory in answer.memories if memory.id == "m0"]
    assert last is not None
    assert last["rank_in_tier"] == 2
    alone = await recaller(episodic, Judged("m0")).recall(scope, asked.model_copy(update={"tiers": ("episodic",)}))
    assert [(memory.id, memory.corrected_by) for memory in alone.memories] == [("m0", None), ("m1", None)]


async def test_an_explained_answer_says_of_what_stands_too_far_behind_that_it_was_never_offered() -> None:
    scope, episodic = new_scope(), Episodic()
    await filled(episodic, scope, [f"the car is on level {number}" for number in range(60)])
    asked = RecallRequest(user_id=scope.user_id, query="car", limit=60, token_budget=500, explain=True)
    answer = await recaller(episodic).recall(scope, asked)
    reasons = [memory.explain and memory.explain.get("cut") for memory in answer.memories]
    assert reasons[CANDIDATES:] == [NOT_OFFERED] * (60 - CANDIDATES)
    assert NOT_OFFERED not in reasons[:CANDIDATES]


async def test_an_explained_answer_says_why_a_memory_was_cut() -> None:
    scope = new_scope()
    episodic = Episodic()
    await filled(episodic, scope, ["the car is on level three", "the car is blue and rather small"])
    asked = RecallRequest(user_id=scope.user_id, query="car", token_budget=32, explain=True)
    answer = await recaller(episodic).recall(scope, asked)
    reasons = {memory.in_context: memory.explain and memory.explain.get("cut") for memory in answer.memories}
    assert reasons == {True: None, False: "no room left in the token budget"}


async def test_of_a_question_about_everything_only_the_budget_cuts() -> None:
    """What is said to be beside the question was not looked at by that."""
    scope = new_scope()
    episodic = Episodic()
    others = [f"what is known, as number {number} of many words" for number in range(9)]
    await filled(episodic, scope, ["what do you know about me", *others])
    asked = RecallRequest(user_id=scope.user_id, query="What do you know about me?", token_budget=40, explain=True)
    answer = await recaller(episodic).recall(scope, asked)
    reasons = {memory.explain["cut"] for memory in answer.memories if memory.explain and not memory.in_context}
    assert reasons == {"no room left in the token budget"}


@each_case(
    ("query", "narrow"),
    [
        ("What do you know about me?", False),
        ("Summarise what we talked about", False),
        ("Tell me something about myself", False),
        ("Where did I park the car?", True),
        ("Wo wohne ich?", True),
    ],
)
def test_a_question_about_everything_is_known(query: str, *, narrow: bool) -> None:
    assert names_something(query) == narrow


async def test_an_answer_says_whether_anything_it_found_is_about_the_question() -> None:
    scope = new_scope()
    request = RecallRequest(user_id=scope.user_id, query="Where is the blue boat?")
    levels = [
        (await recaller(Told(similarity, coverage), embedder=measured()).recall(scope, request)).relevance
        for similarity, coverage in ((0.15, 0.05), (0.5, 0.1), (0.7, 0.6))
    ]
    assert levels == ["none", "some", "clear"]
    assert (await recaller(Episodic(), embedder=measured()).recall(scope, request)).relevance == "none"


async def test_an_answer_without_room_for_what_it_found_never_says_that_something_is_about_the_question() -> None:
    scope = new_scope()
    for similarity, coverage, told in ((0.15, 0.05, "none"), (0.5, 0.1, None), (0.7, 0.6, None)):
        for budget in (0, 3):
            request = RecallRequest(
                user_id=scope.user_id, query="Where is the blue boat?", token_budget=budget, persona="I am Ada."
            )
            answer = await recaller(Told(similarity, coverage), embedder=measured()).recall(scope, request)
            assert answer.relevance == told
            assert answer.memories


async def test_an_answer_that_lacks_something_never_says_that_nothing_is_about_the_question() -> None:
    scope, down = new_scope(), InMemoryTier("semantic")
    down.available = False
    request = RecallRequest(user_id=scope.user_id, query="Where is the blue boat?")
    beside, lost = Told(0.15, 0.05), measured()
    lost.is_lost = True
    for partial in (recaller(beside, down, embedder=measured()), recaller(beside, embedder=lost), recaller(beside)):
        assert (await partial.recall(scope, request)).relevance is None
    alone = request.model_copy(update={"tiers": ("semantic",)})
    other = recaller(beside, InMemoryTier("semantic"), embedder=measured())
    assert (await other.recall(scope, alone)).relevance is None
    answer = await recaller(Told(0.7, 0.6), down, embedder=measured()).recall(scope, request)
    assert (answer.status, answer.relevance) == ("partial", "clear")
