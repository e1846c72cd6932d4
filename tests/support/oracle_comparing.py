"""Where two snapshots of memories differ, and how that is told."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from tests.support.oracle_snapshot import Fields, Snapshot

SHOWN_CHARS: Final = 400
_VECTORS: Final = frozenset({"embedding", "sketch", "lexical", "id"})
_STORES: Final = {
    "episodic": "PostgreSQL",
    "procedural": "PostgreSQL",
    "catalog": "PostgreSQL",
    "ledger": "PostgreSQL",
    "report": "PostgreSQL",
    "st:": "Valkey",
    "recall": "recalls",
    "jobs": "jobs",
    "dump": "a dump of every store",
}


@dataclass(frozen=True)
class Difference:
    """`place`: the table, label, type or area; `field`: None where the thing is in one memory alone."""

    user: str
    place: str
    thing: str
    field: str | None
    here: object
    witness: object

    @property
    def store(self) -> str:
        """Which store it is in."""
        return next((store for prefix, store in _STORES.items() if self.place.startswith(prefix)), "Neo4j")

    def __str__(self) -> str:
        what = f"{self.user}: {self.store}, {self.place}: {self.thing}"
        if self.field is not None:
            what = f"{what}: {self.field}"
        if isinstance(self.here, list) and isinstance(self.witness, list):
            here, witness = _apart(self.here, self.witness), _apart(self.witness, self.here)
            if not here and not witness:
                return f"{what}: the same in another order"
            return f"{what}\n      here:    {_shown(here)}\n      witness: {_shown(witness)}"
        return f"{what}\n      here:    {_shown(self.here)}\n      witness: {_shown(self.witness)}"


def differences(user: str, here: Snapshot, witness: Snapshot) -> list[Difference]:
    """All of them, by place and thing. A report that an earlier reflection made and that is gone is none: it rested on
    what was forgotten; one that the witness has not, is."""
    return list(_differences(user, here, witness))


def _differences(user: str, here: Snapshot, witness: Snapshot) -> Iterator[Difference]:
    for place in sorted(here.keys() | witness.keys()):
        if place in _REPORTS:
            continue
        ours, theirs = here.get(place, {}), witness.get(place, {})
        for thing in sorted(ours.keys() | theirs.keys()):
            if thing not in ours or thing not in theirs:
                yield Difference(user, place, thing, None, ours.get(thing, "–"), theirs.get(thing, "–"))
                continue
            one, other = ours[thing], theirs[thing]
            for field in sorted(one.keys() | other.keys()):
                if one.get(field) != other.get(field):
                    yield Difference(user, place, thing, field, one.get(field), other.get(field))
    for place in _REPORTS:
        ours, theirs = here.get(place, {}), witness.get(place, {})
        known = {_unnumbered(thing, fields) for thing, fields in theirs.items()}
        for thing, fields in sorted(ours.items()):
            if _unnumbered(thing, fields) not in known:
                near = [one for name, one in theirs.items() if name.partition(" #")[0] == thing.partition(" #")[0]]
                yield Difference(user, place, thing, None, fields, near or "–")
        for thing in sorted(theirs.keys() - ours.keys()):
            if " #" not in thing and not _is_empty(theirs[thing]):
                yield Difference(user, place, thing, None, "–", theirs[thing])


_REPORTS: Final = ("report", "procedural.reflections")
"""Compared in one direction; the last one of each day, which is made at the moment of comparison, is in both."""


def _is_empty(report: Fields) -> bool:
    """True where a report is of nothing: of a window forgotten whole nothing is kept, but the witness looked at it."""
    return report.get("status") == "no_interactions" or report.get("sources") == []


def _unnumbered(thing: str, fields: object) -> str:
    return f"{thing.partition(' #')[0]} {fields}"


def _apart(one: Sequence[object], other: Sequence[object]) -> list[object]:
    """The elements of `one` that are not in `other`."""
    return [element for element in one if element not in other]


def _shown(value: object) -> str:
    """`value`, cut; of a thing without its vectors."""
    if isinstance(value, dict):
        value = {name: field for name, field in sorted(value.items()) if name not in _VECTORS}
    text = str(value)
    return text if len(text) <= SHOWN_CHARS else f"{text[:SHOWN_CHARS]}… ({len(text)} characters)"


def places_of_differences(found: Sequence[Difference]) -> list[str]:
    """Each place once, with how many."""
    counted: dict[str, int] = {}
    for one in found:
        counted[one.place] = counted.get(one.place, 0) + 1
    return [f"{place}: {count}" for place, count in sorted(counted.items())]
