"""Pairs of messages of which the later one replaces the earlier, or does not: what is stored of one, and which marks of
its answer are right. Pure.

A line of a file: {"id", "question", "earlier", "later", "replaces", "name", "kind"}; `name`: of who says both, or null.
"""

import random
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict

from benchmarks.evaluation import whole
from benchmarks.sealed import sealed
from ragpp.api import MessageIn, RecallResponse
from ragpp.context.layout import CORRECTED
from ragpp.context.quoting import unmarked

DATA: Final = Path(__file__).parent / "data" / "marks"
FILLERS: Final = DATA / "fillers.txt"
Named = Literal["none", "short", "long"]
"""The name of who speaks; a long one has several words."""
NAMES: Final[Mapping[Named, str | None]] = {"none": None, "short": "Pim", "long": "Henrietta Vandenbroucke-Osei"}
EARLIER: Final = "earlier"
LATER: Final = "later"
FILLER: Final = "filler"
SESSIONS: Final = (
    (FILLER, FILLER, FILLER, EARLIER, FILLER, FILLER),
    (FILLER, FILLER, LATER, FILLER, FILLER, FILLER),
)
"""The messages of two days, an hour from one to the next."""
_START: Final = datetime(2026, 3, 2, 8, tzinfo=UTC)
_WORD: Final = re.compile(r"[^\W\d_]{4,}")


class Pair(BaseModel):
    """A line of a file."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    question: str
    earlier: str
    later: str
    replaces: bool
    name: str | None
    kind: str


@dataclass(frozen=True)
class Told:
    """A pair as it is said by somebody with a name of that length. `sessions`: in order; the ids of their messages say
    what each is."""

    pair: Pair
    named: Named
    sessions: Sequence[Sequence[MessageIn]]

    @property
    def end(self) -> datetime:
        """The midnight after all of it."""
        return _START.replace(hour=0) + timedelta(days=len(self.sessions))


@dataclass(frozen=True)
class Marked:
    """An answer's marks on a pair: on its `earlier` message, and how many `others`. `found`: that message is among the
    memories at all."""

    pair: Pair
    named: Named
    earlier: bool
    others: int
    found: bool


def read_pairs(path: Path) -> list[Pair]:
    """The pairs of a file. ValueError for a sealed one that was changed since."""
    return [Pair.model_validate_json(line) for line in sealed(path).splitlines() if line.strip()]


def length_of(name: str | None) -> Named:
    """How long a name is."""
    if not name:
        return "none"
    return "long" if " " in name.strip() else "short"


def fillers_for(pair: Pair, fillers: Sequence[str], count: int) -> list[str]:
    """`count` of the fillers that share no longer word with the pair, always the same ones of a pair. ValueError where
    there are not as many."""
    own = _words(pair.question) | _words(pair.earlier) | _words(pair.later)
    return random.Random(pair.id).sample([one for one in fillers if not _words(one) & own], count)


def _words(text: str) -> set[str]:
    return {word.casefold() for word in _WORD.findall(text)}


def told(pair: Pair, named: Named, fillers: Sequence[str]) -> Told:
    """The pair among unrelated messages of the same speaker, who has the pair's own name where that is so long."""
    name = pair.name if length_of(pair.name) == named else NAMES[named]
    between = iter(fillers_for(pair, fillers, sum(day.count(FILLER) for day in SESSIONS)))
    sessions = []
    for number, day in enumerate(SESSIONS):
        messages = []
        for hour, what in enumerate(day):
            content = {EARLIER: pair.earlier, LATER: pair.later}.get(what) or next(between)
            messages.append(
                MessageIn(
                    id=f"{what}-{number}-{hour}",
                    name=name,
                    content=content,
                    occurred_at=_START + timedelta(days=number, hours=hour),
                )
            )
        sessions.append(messages)
    return Told(pair, named, sessions)


def marked(one: Told, answer: RecallResponse) -> Marked:
    """Which messages the answer says are corrected, in its ranking or in its context."""
    by_ranking = {whole(source) for memory in answer.memories if memory.corrected_by for source in memory.sources}
    lines = [line for line in unmarked(answer.context).splitlines() if CORRECTED.strip() in line]
    by_id = {str(message.id): message.content for day in one.sessions for message in day}
    marks = {
        identifier
        for identifier, content in by_id.items()
        if identifier in by_ranking or any(content in line for line in lines)
    }
    earlier = {identifier for identifier in by_id if identifier.startswith(EARLIER)}
    found = {whole(source) for memory in answer.memories for source in memory.sources}
    return Marked(one.pair, one.named, bool(marks & earlier), len(marks - earlier), bool(found & earlier))


@dataclass(frozen=True)
class Count:
    """`kept`: pairs of which nothing is replaced, `false`: of these, how many have the earlier message marked.
    `replaced`: the other pairs, `missed`: of these, how many have it not marked. `others`: marks on any other message,
    all of them false. `unfound`: pairs whose earlier message is not found, so that nothing could mark it."""

    kept: int
    false: int
    replaced: int
    missed: int
    others: int
    unfound: int


def counted(outcomes: Iterable[Marked]) -> Count:
    """The marks of some pairs."""
    listed = list(outcomes)
    kept = [one for one in listed if not one.pair.replaces]
    replaced = [one for one in listed if one.pair.replaces]
    return Count(
        kept=len(kept),
        false=sum(one.earlier for one in kept),
        replaced=len(replaced),
        missed=sum(not one.earlier for one in replaced),
        others=sum(one.others for one in listed),
        unfound=sum(not one.found for one in listed),
    )


def counts(outcomes: Sequence[Marked]) -> Iterator[tuple[str, str, Count]]:
    """By kind of pair and length of the name; then of all kinds."""
    for kind in (*dict.fromkeys(one.pair.kind for one in outcomes), "all"):
        of_kind = [one for one in outcomes if kind in {one.pair.kind, "all"}]
        for named in (*NAMES, "all") if kind == "all" else ("all",):
            yield kind, named, counted(one for one in of_kind if named in {one.named, "all"})
