"""How much of what natural chat states is extracted: `python -m benchmarks.eval_utterances [FILE...] [--show-misses]`.

Each line of a file is an utterance with the relationships, those that ended, the preferences and the names that it
states; a third of them are traps, near to a statement that they do not make (docs/extraction.md). A relationship counts
with the same subject, a class of the same meaning and the same head of the object; a preference with the same polarity
and half of the words of what it is about. Of a file with a seal beside it totals alone are shown.
"""

import argparse
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Final, TypeVar

from pydantic import BaseModel, ConfigDict

from benchmarks.eval_extraction import DATA, same_class
from benchmarks.sealed import sealed
from ragpp.extraction import Extraction, PreferenceMention
from ragpp.extraction.phrases import singular
from ragpp.extraction.pipeline import installed_pipeline
from ragpp.extraction.spacy_extractor import SpacyExtractor
from ragpp.text.english import word_set

FILES: Final = (DATA / "utterances.jsonl", DATA / "utterances_third.jsonl", DATA / "utterances_blind.jsonl")
Statement = tuple[str, str, str]
_ARTICLES: Final = word_set("a an the my our his her their of to in on at and with")
_COMPLEMENT: Final = re.compile(r"\s(?:of|in|at|on|for|with|about|from|to)\s")
_WORD: Final = re.compile(r"[\w'-]+")
_PASSES: Final = frozenset({"LIKES", "DISLIKES"})
"""Kinds that no label has: what is mentioned together, and tastes, which are preferences."""
_ALSO: Final = {"STUDIED_AT": "STUDIES_AT", "TAKES_PART_IN": "ATTENDED"}
T = TypeVar("T")
U = TypeVar("U")


class Wish(BaseModel):
    """A labelled preference."""

    about: str
    polarity: str


class Utterance(BaseModel):
    """A labelled utterance; what is not labelled is not stated."""

    model_config = ConfigDict(frozen=True)

    id: str
    text: str
    speaker: str
    listener: str | None = None
    role: str = "user"
    said_at: datetime
    tags: tuple[str, ...] = ()
    entities: tuple[tuple[str, str], ...] = ()
    relationships: tuple[Statement, ...] = ()
    ended: tuple[Statement, ...] = ()
    preferences: tuple[Wish, ...] = ()


def read(path: Path) -> list[Utterance]:
    """The utterances of a file. ValueError where it is not the one that was sealed."""
    return [Utterance.model_validate_json(line) for line in sealed(path).splitlines()]


def head(phrase: str) -> str:
    """The noun that a phrase is about, in the singular and in lower case."""
    words = [word for word in _WORD.findall(_COMPLEMENT.split(phrase.lower())[0]) if word not in _ARTICLES]
    return singular(words[-1]) if words else ""


def same_thing(one: str, other: str) -> bool:
    """True where two phrases have one head, or one is part of the other."""
    first, second = one.lower(), other.lower()
    shorter, longer = sorted((first, second), key=len)
    return first == second or head(one) == head(other) != "" or (len(shorter) > 3 and shorter in longer)


def says_the_same(wanted: Statement, found: Statement) -> bool:
    """True where two relationships are one."""
    (source, kind, target), symmetric = same_class(_folded(wanted))
    (other_source, other_kind, other_target), _ = same_class(_folded(found))
    if kind != other_kind:
        return False
    there = same_thing(source, other_source) and same_thing(target, other_target)
    return there or (symmetric and same_thing(source, other_target) and same_thing(target, other_source))


def _folded(tie: Statement) -> Statement:
    source, kind, target = tie
    return source, _ALSO.get(kind, kind), target


def wishes_the_same(wanted: Wish, found: PreferenceMention) -> bool:
    """True where a preference is what was labelled."""
    about, said = _stems(wanted.about), _stems(f"{found.key} {found.value}")
    return wanted.polarity == found.polarity and bool(about) and len(about & said) >= max(1, (len(about) + 1) // 2)


def _stems(text: str) -> set[str]:
    words = {singular(word) for word in re.findall(r"[\w']+", text.lower())} - _ARTICLES
    return {
        word[:-3] if word.endswith("ing") and len(word) > 5 else word[:5] if len(word) > 6 else word for word in words
    }


class Tally:
    """Right, missed and extra by row, and the traps in which something was asserted."""

    def __init__(self) -> None:
        self.counts: Counter[tuple[str, str]] = Counter()
        self.traps: set[str] = set()
        self.trapped: set[str] = set()
        self.misses: list[str] = []

    def add(self, utterance: Utterance, found: Extraction) -> None:
        """Compare one utterance with what was extracted from it."""
        stated = [(one.source, one.type, one.target) for one in found.relationships if _is_told(one.source, one.type)]
        ended = [(one.source, one.type, one.target) for one in found.ended]
        wishes = [one for one in found.preferences if utterance.role != "assistant" and one.category != "identity"]
        labels = utterance.relationships
        once = [tie for number, tie in enumerate(stated) if not _is_second(tie, stated[:number], labels)]
        extra = self._count("relationships", utterance, labels, once, says_the_same)
        extra += self._count("preferences", utterance, utterance.preferences, wishes, wishes_the_same)
        self._count("ended", utterance, utterance.ended, ended, says_the_same)
        people = {utterance.speaker.casefold(), (utterance.listener or "").casefold()}
        named = [one.name for one in found.entities if one.name[:1].isupper() and "'s " not in one.name]
        names = [name for name in named if name.casefold() not in people]
        self._count("names", utterance, [name for name, _ in utterance.entities], names, _is_called)
        if "trap" in utterance.tags:
            self.traps.add(utterance.id)
            if extra:
                self.trapped.add(utterance.id)

    def _count(
        self,
        row: str,
        utterance: Utterance,
        wanted: Sequence[T],
        found: Iterable[U],
        same: Callable[[T, U], bool],
    ) -> int:
        left = list(found)
        for label in wanted:
            match = next((one for one in left if same(label, one)), None)
            if match is not None:
                left.remove(match)
            else:
                self.misses.append(f"{utterance.id} missed {label}")
            self.counts[row, "right" if match is not None else "missed"] += 1
        self.misses += [f"{utterance.id} extra  {one}" for one in left]
        self.counts[row, "extra"] += len(left)
        return len(left)

    def line(self, row: str) -> str:
        """Precision, recall and F1 of a row."""
        right, missed, extra = (self.counts[row, what] for what in ("right", "missed", "extra"))
        precision = right / (right + extra) if right + extra else 1.0
        recall = right / (right + missed) if right + missed else 1.0
        f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
        return f"{row:<14} {right + missed:>6} {precision:>10.2f} {recall:>7.2f} {f1:>6.2f}"


def _is_second(tie: Statement, before: Sequence[Statement], labels: Sequence[Statement]) -> bool:
    """True where it says in another class what one before says as labelled: a statement that fits two counts once."""
    told = any(says_the_same(label, tie) for label in labels)
    ends = [
        (source, target)
        for source, kind, target in before
        if any(says_the_same(one, (source, kind, target)) for one in labels)
    ]
    return not told and any(tie[0] == source and same_thing(tie[2], target) for source, target in ends)


def _is_told(source: str, kind: str) -> bool:
    """True where a kind is one that is labelled; of relatives without a name that they are there is not."""
    return kind not in _PASSES and not ("'s " in source and kind.endswith("_OF"))


def _is_called(wanted: str, found: str) -> bool:
    return wanted.casefold() == found.casefold()


def score(path: Path, extractor: SpacyExtractor) -> Tally:
    """The tally of what is extracted from each utterance of a file, compared with its labels."""
    tally = Tally()
    for one in read(path):
        found = extractor.extract(one.text, speaker=one.speaker, said_at=one.said_at, listener=one.listener)
        tally.add(one, found)
    return tally


def main() -> None:
    """Parse the command line and run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=Path, default=list(FILES))
    parser.add_argument("--show-misses", action="store_true", help="each thing that went wrong, but of a sealed file")
    given = parser.parse_args()
    extractor = SpacyExtractor(installed_pipeline())
    for path in given.files:
        tally = score(path, extractor)
        print(f"{path.name}\n{'':<14} {'labels':>6} {'precision':>10} {'recall':>7} {'F1':>6}")
        for row in ("relationships", "ended", "preferences", "names"):
            print(tally.line(row))
        print(f"traps in which something is asserted: {len(tally.trapped)} of {len(tally.traps)}\n")
        if given.show_misses and not path.with_suffix(".sha256").exists():
            print("\n".join(tally.misses))


if __name__ == "__main__":
    main()
