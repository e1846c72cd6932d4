"""The short-term tier beside a model of it: whatever is done in whatever order, both hold the same."""

import asyncio
from collections.abc import Coroutine, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final, Literal, TypeVar

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from ragpp.errors import Conflict
from ragpp.models import InteractionEntry
from ragpp_infra.embedded.stack import Endpoints
from ragpp_services.short_term.quoting import SummaryMessage
from ragpp_services.short_term.settings import ShortTermSettings
from tests.support.scopes import new_scope
from tests.support.short_term import COUNTER, NOON, short_term_entry, short_term_tier

pytestmark = pytest.mark.server

WINDOW: Final = ShortTermSettings(max_tokens=100, keep_messages=3, summary_tokens=60, hard_cap_factor=2)
SESSIONS: Final = ("s1", "s2")
LINES: Final = 6
"""That the summariser below keeps; they always fit into its budget."""

T = TypeVar("T")
ids = st.integers(0, 25).map(lambda n: f"m{n}")


class LastLines:
    """A summariser that keeps one line for each of the last messages."""

    async def summarise(self, previous: str, messages: Sequence[SummaryMessage], max_tokens: int) -> str:
        lines = [*previous.split("\n"), *(f"{message.said_by}: {message.content}" for message in messages)]
        text = "\n".join([line for line in lines if line][-LINES:])
        assert COUNTER.count(text) <= max_tokens
        return text


@dataclass
class ModelMessage:
    """A message, as the model keeps it."""

    id: str
    content: str
    occurred_at: datetime
    sequence: int


@dataclass
class ModelSession:
    """A session without Redis: raw messages, summary lines by message id, and what became of each id."""

    raw: list[ModelMessage] = field(default_factory=list)
    summary: list[tuple[str, str]] = field(default_factory=list)
    content: dict[str, str | None] = field(default_factory=dict)
    sequence: int = 0
    torn: bool = False

    @property
    def tokens(self) -> int:
        """As they were counted when they were written."""
        return 10 * len(self.raw) + sum(COUNTER.count(line) for _, line in self.summary)

    @property
    def shown_tokens(self) -> int:
        """As they are counted where they are read."""
        lines = [*(line for _, line in self.summary), *(f"user: {message.content}" for message in self.raw)]
        return COUNTER.count("".join(f"{line}\n" for line in lines))

    def append(self, entry: InteractionEntry) -> None:
        self.sequence += 1
        content = entry.interaction.content
        self.content[entry.id] = content
        self.raw.append(ModelMessage(entry.id, content, entry.interaction.occurred_at, self.sequence))
        self.raw.sort(key=lambda message: (message.occurred_at, message.sequence))

    def compact(self) -> bool:
        moved = self.raw[: -WINDOW.keep_messages]
        if self.tokens <= WINDOW.max_tokens or not moved:
            return False
        self.raw = self.raw[-WINDOW.keep_messages :]
        self.summary = [*self.summary, *((message.id, f"user: {message.content}") for message in moved)][-LINES:]
        return True


class Model(RuleBasedStateMachine):
    """Both sides, and the steps that are taken on them."""

    def __init__(self, endpoints: Endpoints) -> None:
        super().__init__()
        self.endpoints = endpoints
        self.runner = asyncio.Runner(loop_factory=asyncio.new_event_loop)
        self.stack = AsyncExitStack()
        self.scope = new_scope()
        self.sessions: dict[str, ModelSession] = {}
        self.gone: dict[str, set[str]] = {session_id: set() for session_id in SESSIONS}
        self.forgotten: set[str] = set()

    def run(self, call: Coroutine[object, object, T]) -> T:
        return self.runner.run(call)

    @initialize()
    def open(self) -> None:
        opening = short_term_tier(self.endpoints, window=WINDOW, summariser=LastLines())
        self.tier = self.run(self.stack.enter_async_context(opening))

    def teardown(self) -> None:
        self.run(self.stack.aclose())
        self.runner.close()

    @rule(
        mode=st.sampled_from(["store", "rebuild"]),
        session_id=st.sampled_from(SESSIONS),
        batch=st.lists(st.tuples(ids, st.integers(0, 5), st.sampled_from(["", " again"])), min_size=1, max_size=8),
    )
    def write(self, mode: Literal["store", "rebuild"], session_id: str, batch: list[tuple[str, int, str]]) -> None:
        entries = [
            short_term_entry(
                f"fact {identifier}{more} stands",
                id=identifier,
                occurred_at=NOON + timedelta(minutes=minutes),
                session_id=session_id,
                tokens=10,
            )
            for identifier, minutes, more in batch
        ]
        model = self.sessions.get(session_id) or ModelSession(content=dict.fromkeys(self.gone[session_id]))
        known = dict(model.content)
        fresh: list[InteractionEntry] = []
        conflicts = []
        for index, entry in enumerate(entries):
            content = entry.interaction.content
            if entry.id in self.forgotten:
                continue
            if entry.id not in known:
                known[entry.id] = content
                fresh.append(entry)
            elif known[entry.id] not in {content, None}:
                conflicts.append(index)
        if mode == "rebuild":
            assert self.run(self.tier.rebuild(self.scope, entries)) == len(fresh)
        elif conflicts:
            with pytest.raises(Conflict) as caught:
                self.run(self.tier.store(self.scope, entries))
            assert caught.value.details["indexes"] == conflicts
            return
        else:
            stored = self.run(self.tier.store(self.scope, entries))
            assert sum(not found.duplicate for found in stored) == len(fresh)
        for entry in fresh:
            model.append(entry)
        if fresh:
            self.sessions[session_id] = model
        if model.tokens > WINDOW.max_tokens * WINDOW.hard_cap_factor:
            model.compact()

    @rule(session_id=st.sampled_from(SESSIONS))
    def compact(self, session_id: str) -> None:
        model = self.sessions.get(session_id, ModelSession())
        assert self.run(self.tier.compact(self.scope.in_session(session_id))) == model.compact()

    @rule(gone=st.sets(ids, min_size=1, max_size=4))
    def forget(self, gone: set[str]) -> None:
        found = set()
        self.forgotten |= gone
        for session_id, model in list(self.sessions.items()):
            here = {identifier for identifier in gone if model.content.get(identifier) is not None}
            found |= here
            model.content.update(dict.fromkeys(gone & model.content.keys()))
            model.raw = [message for message in model.raw if message.id not in gone]
            left = [line for line in model.summary if line[0] not in gone]
            model.torn |= left != model.summary
            model.summary = left
            to_be_told_again = model.torn and model.content.keys() - self.forgotten
            if here and not (model.raw or model.summary or to_be_told_again):
                self.gone[session_id] |= set(model.content)
                del self.sessions[session_id]
        assert self.run(self.tier.forget(self.scope, gone)) == len(found)

    @rule(session_id=st.sampled_from(SESSIONS))
    def delete(self, session_id: str) -> None:
        model = self.sessions.pop(session_id, None)
        self.gone[session_id] |= set(model.content if model else ())
        assert self.run(self.tier.delete_session(self.scope.in_session(session_id))) == (model is not None)

    @rule(session_id=st.sampled_from(SESSIONS), budget=st.integers(0, 150))
    def read_within_a_budget(self, session_id: str, budget: int) -> None:
        view = self.run(self.tier.read(self.scope.in_session(session_id), budget))
        assert view.tokens <= budget

    @invariant()
    def both_hold_the_same(self) -> None:
        for session_id in SESSIONS:
            model = self.sessions.get(session_id, ModelSession())
            view = self.run(self.tier.read(self.scope.in_session(session_id), 10_000))
            assert [(message.id, message.content, message.sequence) for message in view.messages] == [
                (message.id, message.content, message.sequence) for message in model.raw
            ]
            assert view.summary == "\n".join(line for _, line in model.summary)
            assert view.tokens == model.shown_tokens
        listed = self.run(self.tier.list_sessions(self.scope)).items
        assert {session.session_id: (session.messages, session.tokens) for session in listed} == {
            session_id: (len(model.raw), model.tokens) for session_id, model in self.sessions.items()
        }


def test_whatever_is_done_the_tier_and_its_model_hold_the_same(endpoints: Endpoints) -> None:
    class OnThisStack(Model):
        def __init__(self) -> None:
            super().__init__(endpoints)

    run_state_machine_as_test(
        OnThisStack,
        settings=settings(
            max_examples=25, stateful_step_count=25, deadline=None, suppress_health_check=list(HealthCheck)
        ),
    )
