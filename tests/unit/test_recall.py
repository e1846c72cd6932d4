"""A recall answers in time with what it has, says what it has not, and never shows what it was told to leave out."""

import asyncio
import threading
from collections.abc import Sequence

import pytest

from ragpp.api import RecallRequest, RecallResponse
from ragpp.embedding import FloatMatrix
from ragpp.embedding.hashing import HashingEmbedder
from ragpp.errors import InvalidInput
from ragpp.fields import TokenizerName
from ragpp.models import Memory, MemoryQuery, TierName
from ragpp.testing.tiers import InMemoryTier
from ragpp.text.port import ReaderMeter
from ragpp.text.readers import BytesBound, Tokenizers
from ragpp_services.gateway.settings import GatewaySettings
from tests.support.each import each_case
from tests.support.recalling import Episodic, Hanging, HangingLedger, Reached, SlowLedger, filled, recaller
from tests.support.scopes import new_scope
from tests.support.second import HashingSecond


class Diary(Episodic):
    """Finds `text` by what stands at `focus`."""

    def __init__(self, text: str, focus: int) -> None:
        super().__init__()
        self._text, self._focus = text, focus

    async def retrieve(self, query: MemoryQuery) -> list[Memory]:
        del query
        return [Memory(id="m0", tier="episodic", kind="interaction", text=self._text, focus=self._focus, score=0.8)]


class Buggy(InMemoryTier):
    async def retrieve(self, query: MemoryQuery) -> list[Memory]:
        raise KeyError(query.text)


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
    await filled(episodic, scope, ["the boat is blue"])
    for asked, waits_ms in ((None, 160), (80, 60), (400, 360)):  # without one of its own the recaller's, 200 ms
        answer = await recaller(episodic, Hanging("semantic")).recall(
            scope, RecallRequest(user_id=scope.user_id, query="blue boat", deadline_ms=asked)
        )
        assert (answer.status, answer.tiers["semantic"].status) == ("partial", "timeout")
        assert "the boat is blue" in answer.context
        assert waits_ms < answer.elapsed_ms < 5_000  # generous: an unbounded wait would never end


def test_a_recall_that_names_no_deadline_has_half_a_second(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GATEWAY_DEADLINE_MS", raising=False)
    assert RecallRequest(user_id="u", query="q").deadline_ms is None
    assert GatewaySettings().deadline_ms == 500


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
