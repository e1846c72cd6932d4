"""Messages to agents with the memories that fit them, and answers with a memory that they used or not: the files of
`data/agents`, and what is counted of them.

A world is what one agent keeps. Of `fitting`, every memory of its world that a good answer to the message takes into
account. Of a pair of a memory and an answer, `used`: whether the answer rests on the memory. The blind half was written
without sight of the code; where its files are missing it is left out.
"""

import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeVar

from pydantic import AwareDatetime, BaseModel, ConfigDict

from benchmarks.sealed import sealed
from ragpp.catalog import ItemKind

DATA: Final = Path(__file__).parent / "data" / "agents"
HALVES: Final = {"development": "", "blind": "_blind"}
"""By name the end of their files' names."""
SURE: Final = 0.5
"""From here on a memory counts as used."""


class _Line(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Memory(_Line):
    """A memory of a world."""

    id: str
    world: str
    type: ItemKind
    occurred_at: AwareDatetime
    content: str


class Asked(_Line):
    """A message, and the ids of the memories that fit it."""

    id: str
    world: str
    message: str
    fitting: tuple[str, ...]


class Use(_Line):
    """An answer, and whether it used a memory."""

    memory: str
    response: str
    used: bool


L = TypeVar("L", bound=_Line)


@dataclass(frozen=True)
class Half:
    """One half of the labels. `worlds`: the memories of each by its name."""

    name: str
    worlds: dict[str, list[Memory]]
    messages: list[Asked]
    uses: list[Use]


@dataclass(frozen=True)
class Chosen:
    """The memories chosen for a message, by the ids of the labels; and each one's relevance, where it is known."""

    asked: Asked
    ids: frozenset[str]
    relevance: tuple[float, ...] = ()

    @property
    def right(self) -> int:
        """How many of them fit."""
        return len(self.ids & set(self.asked.fitting))


@dataclass(frozen=True)
class Judged:
    """How useful a memory is taken to be, and whether it was used."""

    use: Use
    useful: float


def halves() -> list[Half]:
    """The halves whose files are there. ValueError for a blind file that was changed since it was written."""
    return [half(name, end) for name, end in HALVES.items() if (DATA / f"messages{end}.jsonl").exists()]


def half(name: str, end: str = "") -> Half:
    """The half whose files' names end so."""

    def lines(of: str, line: type[L]) -> list[L]:
        path = DATA / f"{of}{end}.jsonl"
        return [line.model_validate_json(text) for text in sealed(path).splitlines()] if path.exists() else []

    worlds: dict[str, list[Memory]] = {}
    for memory in lines("memories", Memory):
        worlds.setdefault(memory.world, []).append(memory)
    return Half(name, worlds, lines("messages", Asked), lines("uses", Use))


def shares_of(chosen: Sequence[Chosen]) -> dict[str, float]:
    """`n`: messages; `chosen`: memories; `precision`: the share of these that fit; `recall`: of those that fit, how
    many are chosen; `hit`: of the messages that a memory fits, for how many one is; `quiet`: of those that none fits,
    for how many none is; `relevance`: of what was chosen, the mean."""
    asking = [one for one in chosen if one.asked.fitting]
    idle = [one for one in chosen if not one.asked.fitting]
    right, relevance = sum(one.right for one in chosen), [each for one in chosen for each in one.relevance]
    numbers: dict[str, float] = {"n": len(chosen), "chosen": sum(len(one.ids) for one in chosen)}
    numbers["precision"] = right / max(1, numbers["chosen"])
    numbers["recall"] = right / max(1, sum(len(one.asked.fitting) for one in chosen))
    numbers["hit"] = _share(asking, lambda one: one.right > 0)
    numbers["quiet"] = _share(idle, lambda one: not one.ids)
    return numbers | ({"relevance": statistics.fmean(relevance)} if relevance else {})


def uses_of(judged: Sequence[Judged]) -> dict[str, float]:
    """`n`: pairs; `AUC`: how often a memory that was used is taken to be more useful than one that was not; `accuracy`:
    the share that is on the right side of SURE; `used`, `not used`: the means of both."""
    used = [one.useful for one in judged if one.use.used]
    unused = [one.useful for one in judged if not one.use.used]
    pairs = [(more > less) + (more == less) / 2 for more in used for less in unused]
    return {
        "n": len(judged),
        "AUC": statistics.fmean(pairs),
        "accuracy": _share(judged, lambda one: (one.useful >= SURE) == one.use.used),
        "used": statistics.fmean(used),
        "not used": statistics.fmean(unused),
    }


T = TypeVar("T")


def _share(of: Sequence[T], holds: Callable[[T], bool]) -> float:
    return statistics.fmean(map(holds, of)) if of else 0.0
