"""Bringing short-term memory back: everything that can be, whatever one session does."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Final

import pytest

from ragpp.errors import Outdated, StorageError, TierUnavailable
from ragpp.models import Interaction, InteractionEntry, Scope
from ragpp_services.workers.parts import WorkerParts
from ragpp_services.workers.stages.repair import rebuild_short_term
from tests.support.workers import parts_with

NOON: Final = datetime(2025, 1, 1, 12, tzinfo=UTC)


@dataclass
class Ledger:
    """Knows three sessions of one user."""

    async def sessions_since(self, moment: datetime) -> list[Scope]:
        assert moment < NOON
        return [Scope(tenant_id="t", user_id="u", session_id=session) for session in ("s1", "s2", "s3")]


@dataclass
class Episodic:
    """`error` is raised for session s2."""

    error: Exception

    async def session_tail(self, scope: Scope, limit: int) -> list[Interaction]:
        if scope.session_id == "s2":
            raise self.error
        return [Interaction(id=f"m-{scope.session_id}", content="hello", occurred_at=NOON)][:limit]


@dataclass
class ShortTerm:
    """Has lost everything until it is marked. So many rebuilds are `outdated`."""

    marked: bool = False
    outdated: int = 0
    rebuilt: list[str] = field(default_factory=list)

    async def is_blank(self) -> bool:
        return not self.marked

    async def mark(self) -> None:
        self.marked = True

    async def epoch(self, scope: Scope) -> int:
        del scope
        return 1

    async def rebuild(self, scope: Scope, entries: Sequence[InteractionEntry], epoch: int) -> int:
        del scope
        assert epoch == 1
        if self.outdated:
            self.outdated -= 1
            raise Outdated("something was forgotten")
        self.rebuilt += [entry.id for entry in entries]
        return len(entries)

    async def torn_summary(self, scope: Scope) -> None:
        del scope

    async def compact(self, scope: Scope, epoch: int) -> bool:
        del scope, epoch
        return False


def parts_of(short_term: ShortTerm, error: Exception) -> WorkerParts:
    return parts_with(short_term=short_term, episodic=Episodic(error), ledger=Ledger(), clock=lambda: NOON)


async def test_a_session_that_nothing_can_be_made_of_costs_none_of_the_others() -> None:
    short_term = ShortTerm()
    assert await rebuild_short_term(parts_of(short_term, StorageError("a row that cannot be read"))) == 2
    assert short_term.rebuilt == ["m-s1", "m-s3"]
    assert short_term.marked


async def test_a_session_of_which_something_is_forgotten_meanwhile_is_read_again() -> None:
    short_term = ShortTerm(outdated=2)
    assert await rebuild_short_term(parts_of(short_term, StorageError("a row that cannot be read"))) == 2
    assert short_term.rebuilt == ["m-s1", "m-s3"]


async def test_an_outage_ends_the_attempt_and_leaves_no_mark_so_that_it_begins_again() -> None:
    short_term = ShortTerm()
    with pytest.raises(TierUnavailable):
        await rebuild_short_term(parts_of(short_term, TierUnavailable("down")))
    assert not short_term.marked
