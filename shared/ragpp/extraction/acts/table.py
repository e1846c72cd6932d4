"""The table of acts: `acts.txt`, read once; what its columns mean is said there."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import resources
from itertools import groupby
from types import MappingProxyType
from typing import Final

from ragpp.fading import LASTING
from ragpp.text.english import word_set

COLUMNS: Final = 6


@dataclass(frozen=True, slots=True)
class Act:
    """One line of the table; `verbs` holds (lemma, particle) pairs, `but` what the object must not be."""

    kind: str
    verbs: tuple[tuple[str, str], ...]
    where: frozenset[str]
    takes: frozenset[str]
    but: frozenset[str]
    flags: frozenset[str]
    example: str

    @property
    def lasting(self) -> bool:
        """True where it fades slowly."""
        return self.kind in LASTING


def act(line: str) -> Act:
    """One line of the table. ValueError where it has other than six columns."""
    columns = [column.strip() for column in line.split("|", 3)]
    if len(columns) == 4:
        columns = [*columns[:3], *(column.strip() for column in columns[3].rsplit(" | ", 2))]
    if len(columns) != COLUMNS:
        raise ValueError(f"an act has six columns, and this has {len(columns)}: {line}")
    kind, verbs, where, what, flags, example = columns
    takes, _, but = what.partition(" -")
    pairs = ((verb.partition("_")[0], verb.partition("_")[2]) for verb in verbs.split())
    return Act(
        kind,
        tuple(pairs),
        word_set(where),
        frozenset(takes.split("|")),
        frozenset(but.split("|")) - {""},
        word_set(flags),
        example,
    )


def _lines() -> Iterator[Act]:
    text = resources.files("ragpp.extraction.acts").joinpath("acts.txt").read_text(encoding="utf-8")
    for line in text.splitlines():
        if line and not line.startswith("#"):
            yield act(line)


ACTS: Final = tuple(_lines())
_PAIRS: Final = sorted(((lemma, number) for number, one in enumerate(ACTS) for lemma, _ in one.verbs))
BY_VERB: Final[Mapping[str, tuple[Act, ...]]] = MappingProxyType(
    {
        lemma: tuple(ACTS[number] for number in dict.fromkeys(number for _, number in pairs))
        for lemma, pairs in groupby(_PAIRS, key=lambda pair: pair[0])
    }
)
"""Lemma → the lines that begin with it, in their order."""
