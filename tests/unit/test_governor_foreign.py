"""The governor and the code of others: whatever a chooser, a responder or a memory raises, and however long it answers,
is told in a few words and takes no answer with it."""

import asyncio
import itertools
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence

import pytest

from ragpp.api import MessageIn, StoreRequest
from ragpp.api.hooks import MAX_REQUESTED, TurnCatalog
from ragpp.errors import MemorySystemError, TierUnavailable
from ragpp_services.governor.choosing import Chooser, asking, chosen_of
from ragpp_services.governor.errors import ResponderFailed
from ragpp_services.governor.foreign import MAX_WORDS, words_of
from ragpp_services.governor.graph import Governor, replay
from ragpp_services.governor.outbox import Outbox
from ragpp_services.governor.responders import Responder
from ragpp_services.governor.tool_values import ToolCall
from ragpp_services.governor.values import (
    Invocation,
    Prompt,
    Record,
    Reply,
    Transition,
    TurnResult,
)
from tests.support.choosing import CatalogMemory, id_of
from tests.support.each import each_case
from tests.support.governor import NOON, PATIENT, WEATHER, Asked, KeepingMemory, heard, says

KEY = "The spare key is under the blue pot."
SONG = "Noor sings in a choir."
ASKED = "Where is the spare key?"
SOON_S = 20.0
"""In which a turn ends whose limits are a few ms; that long is waited for one that does not."""
LONE = "\ud800"


class Unspeakable(Exception):
    """An error that cannot tell what it is."""

    def __str__(self) -> str:
        raise RuntimeError("no words")

    __repr__ = __str__


class UnspeakableFull(Unspeakable, OSError):
    """The same of a disk."""


TOLD: Sequence[tuple[Exception, str]] = (
    (Unspeakable(), "Unspeakable"),
    (RuntimeError(LONE), "RuntimeError: ?"),
    (RuntimeError("long " * 100_000), "RuntimeError: long long"),
    (KeyError("x"), "KeyError: 'x'"),
)


def choosing(
    choose: Chooser, memory: CatalogMemory | None = None, records: list[Record] | None = None, **limits: int
) -> Governor:
    keep = (lambda _record: None) if records is None else records.append
    patient = PATIENT.model_copy(update=limits)
    known = memory or CatalogMemory(KEY, SONG)
    return Governor(
        known, says("hello"), mode="catalog", choose=choose, limits=patient, clock=lambda: NOON, on_record=keep
    )


def raising(error: BaseException) -> Callable[..., Awaitable[tuple[str, ...]]]:
    async def call(*_args: object) -> tuple[str, ...]:
        raise error

    return call


async def turn_of(governor: Governor) -> TurnResult:
    async with asyncio.timeout(SOON_S):
        return await governor.turn(Invocation(event=heard(ASKED)))


def choice_in(result: TurnResult) -> Transition:
    return next(step for step in result.transitions if step.node == "choose")


async def offered(*texts: str) -> TurnCatalog:
    result: list[TurnCatalog] = []

    def choose(catalog: TurnCatalog, _message: str) -> tuple[str, ...]:
        result.append(catalog)
        return ()

    await turn_of(choosing(choose, CatalogMemory(*texts)))
    return result[0]


def endless(catalog: TurnCatalog, _message: str) -> Iterator[str]:
    return itertools.cycle([catalog.catalog[0].handle])


async def endless_too(catalog: TurnCatalog, message: str) -> Iterator[str]:
    return endless(catalog, message)


@each_case("choose", [endless, endless_too])
async def test_of_an_endless_choice_as_many_are_taken_as_may_be_requested(choose: Chooser) -> None:
    result = await turn_of(choosing(choose))
    assert result.catalog is not None
    assert result.catalog.chosen == (id_of(KEY),)
    assert choice_in(result).outcome == "ok"


async def test_of_a_long_list_as_many_are_looked_at_as_may_be_requested() -> None:
    catalog = await offered(KEY)
    names = ["m9"] * MAX_REQUESTED
    assert await chosen_of(lambda *_: [*names, "m1"], catalog, ASKED) == ((), MAX_REQUESTED)
    assert (await chosen_of(lambda *_: [*names[1:], "m1"], catalog, ASKED)).ids == (id_of(KEY),)


async def test_a_choice_that_stops_on_its_way_is_waited_for_no_longer_than_for_a_chooser() -> None:
    go_on = threading.Event()

    async def choose(_catalog: TurnCatalog, _message: str) -> Iterator[str]:
        def names() -> Iterator[str]:
            yield "m1"
            go_on.wait(2 * SOON_S)

        return names()

    try:
        result = await turn_of(choosing(choose, choose_ms=20))
    finally:
        go_on.set()
    assert (choice_in(result).outcome, choice_in(result).detail) == ("fallback", "no choice within 20 ms")


async def test_a_choice_is_read_in_a_thread_and_what_it_raises_is_told() -> None:
    threads = []

    async def choose(_catalog: TurnCatalog, _message: str) -> Iterator[str]:
        def names() -> Iterator[str]:
            threads.append(threading.current_thread())
            yield "m1"
            raise RuntimeError("out of tokens")

        return names()

    result = await turn_of(choosing(choose))
    assert choice_in(result).detail == "RuntimeError: out of tokens"
    assert threads != [threading.current_thread()]


@each_case("names", [["m1"], ("m1",), {"m1"}, frozenset({"m1"}), iter(["m1"])])
async def test_a_choice_is_a_list_a_tuple_a_set_or_what_is_read_one_by_one(names: list[str]) -> None:
    assert (await chosen_of(lambda *_: names, await offered(KEY), ASKED)).ids == (id_of(KEY),)


class Counting:
    """Goes on for ever, and is no iterator itself."""

    def __getitem__(self, place: int) -> str:
        return f"m{place}"

    def __iter__(self) -> Iterator[str]:
        return itertools.repeat("m1")


@each_case("names", ["m1", b"m1", None, 7, {"m1": 1}, Counting(), [7], iter([7])])
async def test_what_else_is_answered_is_unreadable_and_what_is_recommended_is_taken(names: object) -> None:
    result = await turn_of(choosing(lambda *_: names))  # type: ignore[arg-type]  # as nobody checks it
    assert choice_in(result).outcome == "fallback"
    assert (choice_in(result).detail or "").startswith("TypeError: the chooser answered ")
    assert result.catalog is not None
    assert result.catalog.chosen == (id_of(KEY),)


async def test_a_model_that_writes_for_ever_chooses_nothing_and_answers_nothing() -> None:
    async def respond(_prompt: Prompt) -> AsyncIterator[str]:
        while True:
            yield ""

    result = await turn_of(choosing(asking(respond), choose_ms=20))
    assert choice_in(result).outcome == "fallback"
    governor = Governor(KeepingMemory(), respond, limits=PATIENT.model_copy(update={"respond_ms": 20}))
    with pytest.raises(ResponderFailed, match="no answer within"):
        await turn_of(governor)


@each_case(("error", "told"), TOLD)
async def test_whatever_a_chooser_raises_is_told_in_a_few_words_that_can_be_kept(error: Exception, told: str) -> None:
    records: list[Record] = []
    result = await turn_of(choosing(raising(error), records=records))
    step = choice_in(result)
    assert step.outcome == "fallback"
    assert (step.detail or "").startswith(told)
    assert len(step.detail or "") <= MAX_WORDS
    assert result.response.text == "hello"
    assert replay(Record.model_validate_json(records[0].model_dump_json())) == result


@each_case(("error", "told"), TOLD)
async def test_whatever_a_responder_raises_is_told_in_a_few_words_that_can_be_kept(error: Exception, told: str) -> None:
    with pytest.raises(ResponderFailed) as failed:
        await turn_of(Governor(KeepingMemory(), raising(error), limits=PATIENT))
    assert failed.value.message.startswith(told)
    assert len(failed.value.message) <= MAX_WORDS
    failed.value.message.encode()


@each_case("hook", ["pre_prompt", "memory_request", "post_response", "post_message"])
async def test_whatever_a_hook_raises_is_told_in_a_few_words_that_can_be_kept(hook: str) -> None:
    """Catches an error of a hook that is swallowed, told at length, or in words that no record can hold."""
    errors = (*TOLD, (TierUnavailable(LONE), "MEM-010 ?"), (TierUnavailable("x" * 900), "MEM-010 x"))
    offenders = []
    for error, told in errors:
        memory, records = CatalogMemory(KEY), []  # type: tuple[CatalogMemory, list[Record]]
        memory.troubles[hook] = error
        result = await turn_of(choosing(lambda *_: ["m1"], memory, records))
        short = [problem for problem in result.problems if told in problem and len(problem) < 2 * MAX_WORDS]
        if len(short) != 1 or len(result.problems) != 1 or not _can_be_kept(records[0]):
            offenders.append(f"{type(error).__name__}: {told!r} is expected, came {result.problems!r:.400}")
    assert not offenders, "\n".join(offenders)


def _can_be_kept(record: Record) -> bool:
    try:
        record.model_dump_json()
    except ValueError:  # a lone surrogate
        return False
    return True


@each_case("error", [Unspeakable(), RuntimeError(LONE), TierUnavailable(LONE)])
async def test_whatever_the_memory_raises_the_turn_is_answered_and_recorded(error: Exception) -> None:
    memory, records = KeepingMemory(), []  # type: tuple[KeepingMemory, list[Record]]
    memory.fails = error
    governor = Governor(memory, says("hello"), limits=PATIENT, on_record=records.append)
    assert (await turn_of(governor)).response.text == "hello"
    await governor.aclose(patience_s=0)
    records[0].model_dump_json()


async def test_a_write_that_is_refused_in_words_that_no_log_can_hold_lets_those_behind_it_pass() -> None:
    class Refused(MemorySystemError, code="MEM-999", status=400, title="Refused"):
        """Not retried."""

    memory = KeepingMemory()
    memory.fails = TierUnavailable("away")
    governor = Governor(memory, says("hello"), limits=PATIENT)
    try:
        await turn_of(governor)
        memory.fails = Refused(LONE)
        assert await governor.aclose(patience_s=SOON_S) == ()
    finally:
        del MemorySystemError.by_code["MEM-999"]


async def test_a_record_that_cannot_be_written_for_what_cannot_be_told_costs_no_answer() -> None:
    def full(_record: Record) -> None:
        raise UnspeakableFull

    governor = Governor(KeepingMemory(), says("hello"), limits=PATIENT, on_record=full)
    assert (await turn_of(governor)).response.text == "hello"


def test_an_error_is_told_by_its_type_where_it_says_nothing() -> None:
    assert words_of(RuntimeError()) == "RuntimeError"
    assert words_of(Unspeakable()) == "Unspeakable"
    assert len(words_of(type("E" * 900, (Exception,), {})("x"))) == MAX_WORDS


async def test_a_chooser_that_says_it_was_cancelled_when_nobody_did_so_has_failed() -> None:
    result = await turn_of(choosing(raising(asyncio.CancelledError())))
    assert choice_in(result).outcome == "fallback"
    assert "CancelledError" in (choice_in(result).detail or "")
    assert result.response.text == "hello"


def cancelled_in_a_thread(*_args: object) -> list[str]:
    raise asyncio.CancelledError


async def test_one_that_says_so_in_a_thread_has_failed_as_well() -> None:
    assert choice_in(await turn_of(choosing(cancelled_in_a_thread))).outcome == "fallback"


@each_case("respond", [raising(asyncio.CancelledError()), cancelled_in_a_thread])
async def test_a_responder_that_says_it_was_cancelled_when_nobody_did_so_has_failed(respond: Responder) -> None:
    with pytest.raises(ResponderFailed, match="CancelledError"):
        await turn_of(Governor(KeepingMemory(), respond, limits=PATIENT))


async def test_a_memory_that_says_it_was_cancelled_when_nobody_did_so_is_away() -> None:
    class Cancelling(KeepingMemory):
        times = 3

        async def _misbehave(self) -> None:
            self.times -= 1
            if self.times >= 0:
                raise asyncio.CancelledError

    async def at_once(_seconds: float) -> None:
        await asyncio.sleep(0)

    memory = Cancelling()
    governor = Governor(memory, says("hello"), limits=PATIENT, outbox=Outbox(memory, pause=at_once))
    result = await turn_of(governor)
    assert result.response.text == "hello"
    assert result.memory == "degraded"
    assert await governor.aclose(patience_s=SOON_S) == ()


async def test_a_write_behind_the_scenes_that_says_it_was_cancelled_is_sent_again() -> None:
    class Cancelling(KeepingMemory):
        async def _misbehave(self) -> None:
            if len(self.calls) == 1:
                raise asyncio.CancelledError

    async def at_once(_seconds: float) -> None:
        await asyncio.sleep(0)

    memory = Cancelling()
    outbox = Outbox(memory, pause=at_once)
    message = MessageIn(id="m-1", role="user", content=ASKED)
    outbox.put([StoreRequest(user_id="u1", messages=(message,))])
    assert await outbox.aclose(patience_s=SOON_S) == ()
    assert len(memory.of("u1")) == 1


@each_case("who", ["chooser", "responder", "hook"])
async def test_a_turn_that_is_cancelled_ends_whoever_is_waited_for(who: str) -> None:
    began, memory = asyncio.Event(), CatalogMemory(KEY)

    async def waits(*_args: object) -> tuple[str, ...]:
        began.set()
        await asyncio.Event().wait()
        return ()

    if who == "hook":
        memory.troubles["post_message"] = asyncio.Event()
        memory.on_stored = lambda: began.set() if len(memory.kept) == 2 else None
    governor = Governor(
        memory,
        waits if who == "responder" else says("hello"),
        mode="catalog",
        choose=waits if who == "chooser" else None,
        limits=PATIENT,
    )
    task = asyncio.create_task(governor.turn(Invocation(event=heard(ASKED))))
    async with asyncio.timeout(SOON_S):
        await began.wait()
        await asyncio.sleep(0.05)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task


async def test_what_a_chooser_does_to_the_catalog_changes_neither_the_turn_nor_its_record() -> None:
    def choose(catalog: TurnCatalog, _message: str) -> list[str]:
        for line in catalog.catalog:
            line.explain["mine"] = 1.0
        return ["m1"]

    records: list[Record] = []
    result = await turn_of(choosing(choose, records=records))
    catalog = records[0].answers["offer"].offered
    assert catalog is not None
    assert [line.explain for line in catalog.catalog] == [{}, {}]
    assert replay(Record.model_validate_json(records[0].model_dump_json())) == result


async def test_what_a_responder_does_to_its_prompt_changes_neither_the_turn_nor_its_record() -> None:
    def respond(prompt: Prompt) -> str:
        prompt.tools[0].parameters["mine"] = 1
        prompt.messages[1].tool_calls[0].arguments["mine"] = 1
        return "hello"

    calls = (ToolCall(id="c1", name="weather"),)
    records: list[Record] = []
    called = await Governor(KeepingMemory(), Asked(Reply(tool_calls=calls)), limits=PATIENT).turn(
        Invocation(event=heard(ASKED), available_tools=(WEATHER.model_copy(deep=True),))
    )
    event = heard("rain", message_type="tool_result", metadata={"tool_call_id": "c1"})
    given = Invocation(state=called.state, event=event, available_tools=(WEATHER.model_copy(deep=True),))
    governor = Governor(KeepingMemory(), respond, limits=PATIENT, on_record=records.append)
    result = await governor.turn(given)
    assert given.available_tools == (WEATHER,)
    assert replay(Record.model_validate_json(records[0].model_dump_json())) == result
