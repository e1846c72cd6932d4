"""How much of what labelled sentences say is extracted: `python -m benchmarks.eval_extraction [--show-misses] FILE...`.

The format of the files and what counts as found are in docs/extraction.md. Read with the trained pipeline where it is
installed, as the workers do.
"""

import argparse
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Final, Literal, TypeVar

from pydantic import BaseModel, ConfigDict

from ragpp.extraction import DateMention, Extraction, Extractor, RelationshipMention
from ragpp.extraction.phrases import singular
from ragpp.extraction.pipeline import installed_pipeline
from ragpp.extraction.spacy_extractor import SpacyExtractor
from ragpp.models import FindingKind
from ragpp.names import SPEAKER
from ragpp.text.english import word_set
from ragpp.text.kinship import CANONICAL

DATA: Final = Path(__file__).parent.parent / "tests" / "data"
FILES: Final = (DATA / "extraction.jsonl", DATA / "extraction_blind.jsonl")
_WORD: Final = re.compile(r"[^\W_]+(?:'[^\W_]+)*")
_STOP_WORDS: Final = word_set(
    "a an the my our your his her its their this that these those i me we of in on at by for from with to and or as is "
    "are was be being more most very really so not no do does don't"
)
_STRAIGHT: Final = str.maketrans({"’": "'", "‘": "'"})

SAME_TYPE: Final[Mapping[str, tuple[str, ...]]] = {
    "PARENT_OF": ("MOTHER_OF", "FATHER_OF", "<CHILD_OF", "<SON_OF", "<DAUGHTER_OF"),
    "GRANDPARENT_OF": ("GRANDMOTHER_OF", "GRANDFATHER_OF", "<GRANDCHILD_OF", "<GRANDSON_OF", "<GRANDDAUGHTER_OF"),
    "AUNT_OR_UNCLE_OF": ("AUNT_OF", "UNCLE_OF", "<NIECE_OF", "<NEPHEW_OF"),
    "STEPPARENT_OF": ("STEPMOTHER_OF", "STEPFATHER_OF", "<STEPCHILD_OF", "<STEPSON_OF", "<STEPDAUGHTER_OF"),
    "PARENT_IN_LAW_OF": ("MOTHER_IN_LAW_OF", "FATHER_IN_LAW_OF", "<SON_IN_LAW_OF", "<DAUGHTER_IN_LAW_OF"),
    "SIBLING_IN_LAW_OF=": ("SISTER_IN_LAW_OF", "BROTHER_IN_LAW_OF"),
    "SIBLING_OF=": ("SISTER_OF", "BROTHER_OF", "TWIN_OF", "HALF_SISTER_OF", "HALF_BROTHER_OF"),
    "COUSIN_OF=": (),
    "SPOUSE_OF=": ("MARRIED_TO", "HUSBAND_OF", "WIFE_OF"),
    "PARTNER_OF=": ("GIRLFRIEND_OF", "BOYFRIEND_OF", "FIANCE_OF", "FIANCEE_OF", "FIANCÉ_OF", "DATING", "ENGAGED_TO"),
    "FRIEND_OF=": ("BEST_FRIEND_OF", "FRIENDS_WITH"),
    "COLLEAGUE_OF=": ("COWORKER_OF", "CO_WORKER_OF", "WORKS_WITH", "TEAMMATE_OF"),
    "NEIGHBOUR_OF=": ("NEIGHBOR_OF",),
    "FLATMATE_OF=": ("ROOMMATE_OF", "HOUSEMATE_OF", "LIVES_WITH"),
    "CLASSMATE_OF=": (),
    "MANAGES": ("BOSS_OF", "MANAGER_OF", "SUPERVISOR_OF", "<REPORTS_TO", "<MANAGED_BY"),
    "TEACHER_OF": ("TUTOR_OF", "COACH_OF", "TEACHES", "<STUDENT_OF", "<PUPIL_OF"),
    "DOCTOR_OF": ("THERAPIST_OF", "DENTIST_OF", "<PATIENT_OF"),
    "LANDLORD_OF": ("LANDLADY_OF", "<TENANT_OF"),
    "OWNS": ("HAS_PET", "HAS", "<PET_OF", "<OWNED_BY"),
    "WORKS_AT": ("WORKS_FOR", "EMPLOYED_BY", "<EMPLOYS"),
    "STUDIES_AT": ("ATTENDS",),
    "LIVES_IN": ("RESIDES_IN",),
    "FROM": ("BORN_IN", "GREW_UP_IN"),
    "MEMBER_OF": ("PLAYS_FOR", "SINGS_IN", "PLAYS_IN"),
    "VISITED": ("TRAVELLED_TO", "TRAVELED_TO"),
    "LIKES": ("LOVES", "FAN_OF"),
    "DISLIKES": ("HATES",),
}  # fmt: skip
"""Types that mean the same; `=`: in both directions; `<`: with its ends exchanged."""
_CLASSES: Final = {
    kind.removeprefix("<"): (name.removesuffix("="), kind.startswith("<"), name.endswith("="))
    for name, kinds in SAME_TYPE.items()
    for kind in (name.removesuffix("="), *kinds)
}
_TASTES: Final = frozenset({"LIKES", "DISLIKES"})

Row = Literal[
    "entities", "relationships", "strict", "ended", "preferences",
    "decisions", "plans", "errors", "insights", "patterns", "dates",
]  # fmt: skip
FINDINGS: Final[Mapping[Row, FindingKind]] = {
    "decisions": "decision", "plans": "plan", "errors": "error", "insights": "insight", "patterns": "pattern",
}  # fmt: skip


W = TypeVar("W")
G = TypeVar("G")


class LabelledPreference(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    about: str
    polarity: Literal["positive", "negative"]


class Labelled(BaseModel):
    """One line of a file."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    text: str
    speaker: str | None = None
    said_at: datetime | None = None
    tags: tuple[str, ...] = ()
    entities: tuple[tuple[str, str], ...] = ()
    relationships: tuple[tuple[str, str, str], ...] = ()
    ended: tuple[tuple[str, str, str], ...] = ()
    preferences: tuple[LabelledPreference, ...] = ()
    decisions: tuple[str, ...] = ()
    plans: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()
    insights: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()
    dates: tuple[tuple[str, date, date, str], ...] = ()


@dataclass(slots=True)
class Count:
    """`same_detail`: of `right`, those whose label or precision is right as well."""

    right: int = 0
    extra: int = 0
    missed: int = 0
    same_detail: int = 0
    misses: list[str] = field(default_factory=list)

    @property
    def precision(self) -> float:
        return self.right / (self.right + self.extra) if self.right + self.extra else math.nan

    @property
    def recall(self) -> float:
        return self.right / (self.right + self.missed) if self.right + self.missed else math.nan

    @property
    def f1(self) -> float:
        whole = 2 * self.right + self.extra + self.missed
        return 2 * self.right / whole if whole else math.nan

    def add(self, other: "Count") -> None:
        self.right, self.extra = self.right + other.right, self.extra + other.extra
        self.missed, self.same_detail = self.missed + other.missed, self.same_detail + other.same_detail
        self.misses += other.misses


def read(path: Path) -> list[Labelled]:
    """The lines of a file. Raises: ValueError."""
    return [
        Labelled.model_validate_json(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()
    ]


def score(extractor: Extractor, sentences: Iterable[Labelled]) -> dict[Row, Count]:
    """The counts of what was found of `sentences`, by kind."""
    counts: dict[Row, Count] = {row: Count() for row in ("entities", "relationships", "strict", "ended", "preferences")}
    counts |= {row: Count() for row in FINDINGS} | {"dates": Count()}
    for sentence in sentences:
        found = extractor.extract(sentence.text, speaker=sentence.speaker, said_at=sentence.said_at)
        for row, count in _score_one(sentence, found).items():
            counts[row].add(count)
    return counts


def _score_one(label: Labelled, found: Extraction) -> dict[Row, Count]:
    where = f"{label.id} {label.text!r}"
    speaker = (label.speaker or SPEAKER).casefold()
    names = [
        (entity.name, entity.label)
        for entity in found.entities
        if entity.name.casefold() != speaker and _is_proper(entity.name)
    ]
    counts: dict[Row, Count] = {
        "entities": _match(label.entities, names, lambda want, got: want[0].casefold() == got[0].casefold(), where,
                           lambda want, got: want[1] == got[1]),
        "relationships": _match_ties(label.relationships, found.relationships, speaker, where),
        "strict": _match_ties(label.relationships, found.relationships, speaker, where, strict=True),
        "ended": _match_ties(label.ended, found.ended, speaker, where),
        "preferences": _match(
            label.preferences, found.preferences,
            lambda want, got: want.polarity == got.polarity and _occurs(want.about, f"{got.key} {got.value}"), where,
        ),
        "dates": _match(label.dates, found.dates, lambda want, got: want[1:3] == _days(got), where,
                        lambda want, got: want[3] == got.span.precision),
    }  # fmt: skip
    wanted: Mapping[Row, Sequence[str]] = {
        "decisions": label.decisions, "plans": label.plans, "errors": label.errors, "insights": label.insights,
        "patterns": label.patterns,
    }  # fmt: skip
    for row, kind in FINDINGS.items():
        texts = [finding.text for finding in found.findings if finding.finding == kind]
        counts[row] = _match(wanted[row], texts, _occurs, where)
    return counts


def _match(
    wanted: Sequence[W], found: Sequence[G], same: Callable[[W, G], bool], where: str,
    same_detail: Callable[[W, G], bool] = lambda _want, _got: False,
) -> Count:  # fmt: skip
    left, count = list(found), Count()
    for want in wanted:
        match = next((got for got in left if same(want, got)), None)
        if match is None:
            count.missed += 1
            count.misses.append(f"  missed {want!s:60} {where}")
            continue
        left.remove(match)
        count.right += 1
        count.same_detail += same_detail(want, match)
    count.extra = len(left)
    count.misses += [f"  extra  {got!s:60} {where}" for got in left]
    return count


def _match_ties(
    wanted: Sequence[tuple[str, str, str]], found: Sequence[RelationshipMention], speaker: str, where: str,
    *, strict: bool = False,
) -> Count:  # fmt: skip
    """Not counted unless wanted, or `strict`: what is said of somebody unnamed ("my sister"), and tastes, which are
    preferences."""
    ties = [(tie.source, tie.type, tie.target) for tie in found]
    labels = [_canonical(tie, speaker) for tie in wanted]
    counted = [tie for tie in ties if strict or _canonical(tie, speaker) in labels or not _is_implied(tie, speaker)]
    return _match(wanted, counted, lambda want, got: _canonical(want, speaker) == _canonical(got, speaker), where)


def _is_implied(tie: tuple[str, str, str], speaker: str) -> bool:
    source, kind, target = tie
    others = [name for name in (source, target) if name.casefold() != speaker]
    return kind in _TASTES or kind not in _CLASSES or not all(_is_proper(name) for name in others)


def _is_proper(name: str) -> bool:
    """True where it is a name, not "swimming" or "Noor's sister"."""
    owner, _, kin = name.rpartition("'s ")
    return any(character.isupper() for character in name) and not (owner and kin.lower() in CANONICAL)


def _canonical(tie: tuple[str, str, str], speaker: str) -> tuple[str, str, str]:
    """One form for all ways of saying it."""
    source, kind, target = tie
    (first, name, second), symmetric = same_class((_end(source, speaker), kind.upper(), _end(target, speaker)))
    return (second, name, first) if symmetric and first > second else (first, name, second)


def same_class(tie: tuple[str, str, str]) -> tuple[tuple[str, str, str], bool]:
    """A relationship with the name of its class and its ends in that one's order, and whether it reads both ways."""
    source, kind, target = tie
    name, exchanged, symmetric = _CLASSES.get(kind, (kind, False, False))
    return ((target, name, source) if exchanged else (source, name, target)), symmetric


def _end(name: str, speaker: str) -> str:
    lowered = name.casefold().translate(_STRAIGHT)
    bare = lowered.removeprefix(f"{speaker}'s ").removeprefix("my ").removeprefix(f"{SPEAKER}'s ")
    return f"'s {CANONICAL[bare]}" if bare in CANONICAL else lowered


def _days(mention: DateMention) -> tuple[date, date]:
    last = mention.span.end - timedelta(microseconds=1)
    return mention.span.start.date(), last.date() + timedelta(days=1)


def _occurs(words: str, text: str) -> bool:
    """True where all content words of `words` occur in `text`, whatever their number."""
    wanted = [word for word in _words(words) if word not in _STOP_WORDS]
    there = {form for word in _words(text) for form in (word, singular(word), *word.split("'"))}
    return all(word in there or singular(word) in there for word in wanted or _words(words))


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold().translate(_STRAIGHT).replace("-", " "))


def table(title: str, sentences: int, counts: Mapping[Row, Count]) -> str:
    """One line a kind. `strict`: relationships, with everything counted that `_match_ties` leaves out.

    `detail`: how many of the right ones have the right label (entities) or precision (dates)."""
    head = f"{title} ({sentences} sentences)\n{'kind':15}{'labels':>8}{'found':>8}{'precision':>11}{'recall':>9}"
    lines = [f"{head}{'F1':>8}{'detail':>9}"]
    for row, count in counts.items():
        detail = f"{count.same_detail / count.right:9.2f}" if row in {"entities", "dates"} and count.right else ""
        lines.append(
            f"{row:15}{count.right + count.missed:8}{count.right + count.extra:8}{count.precision:11.2f}"
            f"{count.recall:9.2f}{count.f1:8.2f}{detail}"
        )
    return "\n".join(lines)


def main() -> None:
    """Score the files named on the command line, by default both of tests/data."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*", type=Path, default=list(FILES))
    parser.add_argument("--show-misses", action="store_true", help="also list what was missed, and what was too much")
    arguments = parser.parse_args()
    extractor = SpacyExtractor(installed_pipeline())
    for path in arguments.files:
        sentences = read(path)
        counts = score(extractor, sentences)
        print(table(path.name, len(sentences), counts), end="\n\n")
        if arguments.show_misses:
            for row, count in counts.items():
                print(f"{row}\n" + "\n".join(count.misses))
            print()


if __name__ == "__main__":
    main()
