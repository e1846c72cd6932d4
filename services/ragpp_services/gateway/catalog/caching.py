"""The candidates that were found for messages, kept for as long as they may be found again."""

import sys
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from time import monotonic
from typing import Final, Protocol, Self

from ragpp.models import Scope
from ragpp.observability.metrics import cache_asked
from ragpp_services.gateway.catalog.candidates import Candidate, Message

KEPT_S: Final = 300.0
"""Five minutes (document 001), in which a score fades by less than a thousandth."""
MOST_ANSWERS: Final = 2_000
MOST_BYTES: Final = 64_000_000
"""Some 200 answers of 50 candidates each."""
CANDIDATE_BYTES: Final = 6_000
"""Bytes of one, beside what it says: its entry, its scores and their names; measured with 5,300 for short texts, them
included."""


@dataclass(frozen=True, slots=True)
class Question:
    """All that candidates for a message depend on, but for the moment: who asks, in which view, what, and of which
    `version` of what there is (`CatalogTier.content_version`). Of the message itself nothing is kept but its hash."""

    tenant_id: str
    user_id: str
    view: str | None
    agent: str | None
    goal: str
    message_sha256: bytes
    version: str

    @classmethod
    def of(cls, scope: Scope, message: Message, version: str) -> Self:
        """That of a message in a scope."""
        return cls(
            tenant_id=scope.tenant_id,
            user_id=scope.user_id,
            view=scope.view,
            agent=message.agent,
            goal=message.aim,
            message_sha256=sha256(message.text.encode()).digest(),
            version=version,
        )


class CandidateCache(Protocol):
    """Keeps candidates for KEPT_S at most; may lose them sooner, and is never where anything is kept that is nowhere
    else."""

    async def get(self, question: Question) -> Sequence[Candidate] | None:
        """The candidates that were put under an equal question; None where they are not there any more."""
        ...

    async def put(self, question: Question, candidates: Sequence[Candidate]) -> None:
        """Keep these, which nobody changes from now on."""
        ...


@dataclass(frozen=True, slots=True)
class _Kept:
    candidates: Sequence[Candidate]
    until: float
    size: int


class InProcessCandidates:
    """In the memory of this process: the MOST_ANSWERS that were asked for last, of MOST_BYTES together at most, as they
    are estimated. What is over its time goes with the next question, whichever that is. Implements CandidateCache."""

    def __init__(
        self,
        seconds: Callable[[], float] = monotonic,
        *,
        most_answers: int = MOST_ANSWERS,
        most_bytes: int = MOST_BYTES,
    ) -> None:
        """`seconds`: a clock that only goes forward."""
        self._seconds, self._most_answers, self._most_bytes = seconds, most_answers, most_bytes
        self._kept: OrderedDict[Question, _Kept] = OrderedDict()
        self._size = 0

    async def get(self, question: Question) -> Sequence[Candidate] | None:
        """See the port."""
        self._let_go_of_old()
        kept = self._kept.get(question)
        cache_asked("candidates", hits=kept is not None, misses=kept is None)
        if kept is None:
            return None
        self._kept.move_to_end(question)
        return kept.candidates

    async def put(self, question: Question, candidates: Sequence[Candidate]) -> None:
        """See the port. An answer that alone is too large is not kept."""
        self._let_go_of_old()
        self._drop(question)
        size = sum(map(size_of, candidates))
        if size > self._most_bytes:
            return
        self._kept[question] = _Kept(tuple(candidates), self._seconds() + KEPT_S, size)
        self._size += size
        while len(self._kept) > self._most_answers or self._size > self._most_bytes:
            self._drop(next(iter(self._kept)))

    def __len__(self) -> int:
        """How many answers are kept."""
        return len(self._kept)

    def _let_go_of_old(self) -> None:
        now = self._seconds()
        for question in [question for question, kept in self._kept.items() if kept.until <= now]:
            self._drop(question)

    def _drop(self, question: Question) -> None:
        kept = self._kept.pop(question, None)
        if kept is not None:
            self._size -= kept.size


def size_of(candidate: Candidate) -> int:
    """About how many bytes it takes."""
    entry = candidate.found.entry
    told = (*entry.tags, *entry.references, *entry.keywords, *entry.topics, *entry.key_points, *entry.agents)
    return CANDIDATE_BYTES + sum(map(sys.getsizeof, (*candidate.forms.values(), *told)))
