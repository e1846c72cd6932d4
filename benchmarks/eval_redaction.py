"""How much of what labelled texts hold is found, and how often something is found where nothing is: `python -m
benchmarks.eval_redaction [--show-misses] [FILE...]`.

Each line of a file is a text with its language and the spans in it that are to be taken out, each with its kind and its
exact words; an ordinary text has none. A span is found where one of its kind covers it wholly and is no more than a
word too long. Secrets count as one kind: which of them names a placeholder does not matter. Half of the files were
written without sight of the code (`*blind.jsonl`): nothing is tuned on those, and they are not shown one by one.
"""

import argparse
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from pydantic import BaseModel, ConfigDict
from rich.console import Console
from rich.table import Table

from ragpp.finders import Finder, Span, found, merged
from ragpp.personal.finding import FINDERS
from ragpp.personal.kinds import KINDS
from ragpp.personal.spoken_secrets import SPOKEN_SECRETS
from ragpp.redaction import SECRETS

DATA: Final = Path(__file__).parent / "data" / "redaction"
ALL_FINDERS: Final = (*SECRETS.finders, *(finder for kind in sorted(KINDS) for finder in FINDERS[kind]))
OF_A_POLICY: Final = (*ALL_FINDERS, SPOKEN_SECRETS)
"""The finders of a policy that masks or refuses all kinds."""
SECRET: Final = "secret"  # noqa: S105 - the name of a row


class LabelledSpan(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: str
    text: str


class LabelledText(BaseModel):
    """One line of a file."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    text: str
    language: str
    spans: tuple[LabelledSpan, ...] = ()


@dataclass(slots=True)
class Count:
    """`labels` of a kind, those of them that were `hit`, and what was found: all, and the `right` of it."""

    labels: int = 0
    hit: int = 0
    found: int = 0
    right: int = 0

    @property
    def recall(self) -> str:
        return f"{self.hit / self.labels:.3f}" if self.labels else "–"

    @property
    def precision(self) -> str:
        return f"{self.right / self.found:.3f}" if self.found else "–"


@dataclass(slots=True)
class Score:
    """The counts of one file."""

    by_kind: dict[str, Count] = field(default_factory=lambda: defaultdict(Count))
    by_language: dict[str, Count] = field(default_factory=lambda: defaultdict(Count))
    ordinary: int = 0
    alarms: int = 0
    misses: list[str] = field(default_factory=list)


def read(path: Path) -> list[LabelledText]:
    """The lines of a file. Raises: ValueError, also where a label is not in its text."""
    lines = [LabelledText.model_validate_json(line) for line in path.read_text(encoding="utf-8").splitlines() if line]
    for line in lines:
        if missing := [span.text for span in line.spans if span.text not in line.text]:
            raise ValueError(f"{path.name}: {missing[0]!r} is not in {line.text!r}")
    return lines


def score(lines: Iterable[LabelledText], finders: Sequence[Finder] = ALL_FINDERS) -> Score:
    """The counts of what `finders` find in `lines`."""
    done = Score()
    for line in lines:
        spans = merged(line.text, found(finders, line.text))
        came = [Span(span.start, span.end, _class(span.kind)) for span in spans]
        if not line.spans:
            done.ordinary += 1
            done.alarms += bool(came)
        _count(done, line, came)
    return done


def _count(done: Score, line: LabelledText, came: Sequence[Span]) -> None:
    labels = _places(line)
    hits = {label: next((one for one in came if _covers(line.text, one, label)), None) for label in labels}
    right = {one for one in hits.values() if one is not None}
    for label, hit in hits.items():
        for count in (done.by_kind[label.kind], done.by_language[line.language]):
            count.labels += 1
            count.hit += hit is not None
        if hit is None:
            done.misses.append(f"missed {label.kind} {line.text[label.start : label.end]!r}: {line.text!r}")
    for one in came:
        for count in (done.by_kind[one.kind], done.by_language[line.language]):
            count.found += 1
            count.right += one in right
        if one not in right:
            done.misses.append(f"too much {one.kind} {line.text[one.start : one.end]!r}: {line.text!r}")


def _places(line: LabelledText) -> list[Span]:
    """The labels by their places: those of the same words in the order in which these come."""
    places: list[Span] = []
    behind: dict[str, int] = {}
    for label in line.spans:
        start = line.text.find(label.text, behind.get(label.text, 0))
        start = start if start >= 0 else line.text.find(label.text)
        behind[label.text] = start + len(label.text)
        places.append(Span(start, start + len(label.text), _class(label.kind)))
    return places


def _class(kind: str) -> str:
    return kind if kind in KINDS else SECRET


def _covers(text: str, one: Span, label: Span) -> bool:
    """True where `one` is of the label's kind, has all of it, and no more than a word besides."""
    more = f"{text[one.start : label.start]} {text[label.end : one.end]}"
    return one.kind == label.kind and one.start <= label.start and label.end <= one.end and len(more.split()) <= 1


def tables(scores: dict[str, Score]) -> list[Table]:
    """Recall and precision of each file by kind and by language, and the false alarms."""
    made = []
    for title in ("kind", "language"):
        table = Table(title, "labels", "recall", "precision", "false", title=f"by {title}")
        for name, done in scores.items():
            counts = done.by_kind if title == "kind" else done.by_language
            if any(count.labels for count in counts.values()):
                table.add_section()
                table.add_row(f"[bold]{name}")
                for key, count in sorted(counts.items(), key=lambda item: (item[0] != SECRET, item[0])):
                    row = (count.recall, count.precision, str(count.found - count.right))
                    table.add_row(key, str(count.labels), *row)
        made.append(table)
    return [*made, alarms_of(scores, "false alarms")]


def alarms_of(scores: dict[str, Score], title: str) -> Table:
    """In how many ordinary texts of each file something is found."""
    alarms = Table("file", "ordinary texts", "with a false alarm", "%", title=title)
    for name, done in scores.items():
        if done.ordinary:
            alarms.add_row(name, str(done.ordinary), str(done.alarms), f"{100 * done.alarms / done.ordinary:.2f}")
    return alarms


def secrets_of(scores: dict[str, Score]) -> Table:
    """Recall and precision of secrets alone, in each file that has any."""
    table = Table("file", "labels", "recall", "precision", "false", title="secrets, where a policy masks or refuses")
    for name, done in scores.items():
        count = done.by_kind[SECRET]
        if count.labels:
            table.add_row(name, str(count.labels), count.recall, count.precision, str(count.found - count.right))
    return table


def main() -> None:
    """Score the files named on the command line, by default all that there are."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*", type=Path, default=sorted(DATA.glob("*.jsonl")))
    parser.add_argument("--show-misses", action="store_true", help="also list what was missed, and what was too much")
    arguments = parser.parse_args()
    lines = {path.name: read(path) for path in arguments.files}
    scores = {name: score(of) for name, of in lines.items()}
    stricter = {name: score(of, OF_A_POLICY) for name, of in lines.items()}
    for table in (*tables(scores), secrets_of(stricter), alarms_of(stricter, "false alarms of such a policy")):
        Console().print(table)
    for name, done in scores.items():
        if arguments.show_misses and "blind" not in name:
            print(f"\n{name}\n" + "\n".join(done.misses))


if __name__ == "__main__":
    main()
