"""Messages put together from written parts, each of which says whose words it holds: what the reader of
`ragpp_services.workers.learning.authorship` is trained on, and beside chats the judge of `workers.language`. Own text
throughout; none of it is from a labelled file.

A file is families (`# name`) of lines; `\\n` is a line break, `{lang}` a word of its list. A family falls into one fold
with all its lines, and a message is made of families of one fold, so that what is left out of a training is unseen.
"""

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, get_args

DATA: Final = Path(__file__).parent / "data" / "passed_on"
FOLDS: Final = 5
_MIXED: Final = ("marked", "longer")
MOST_OF_MIXED: Final = 6
"""Lines of a family in a row that fall into one fold, of files whose families have little in common but their name."""
LEAST_CARRIER: Final = 14
"""Characters that say plainly that something is passed on; "hm", "fyi" and "thoughts?" are fewer."""
Whose = Literal["k", "o", "f"]
"""An instruction to be kept; what else a user says; what somebody else does."""
_SLOTS: Final = {
    "lang": ("French", "Dutch", "Italian", "Polish", "Turkish", "Welsh", "Japanese", "Swedish", "Catalan", "Greek"),
    "name": ("Mira", "Tom", "Ines", "Kofi", "Bea", "Luc", "Anouk", "Rafi", "Greta", "Sam", "Olu", "Petra"),
    "surname": ("Halvorsen", "Brandt", "Okafor", "Lindqvist", "Moreau", "Takeda", "Whitlock", "Novak"),
    "city": ("Bergen", "Lyon", "Trieste", "Halifax", "Gdansk", "Porto", "Leeds", "Osaka"),
    "n": ("2", "3", "4", "5", "6", "8"),
}
_TELLING: Final = ("who i am", "news", "corrections", "replies to questions")
"""Families of "around" whose lines tell something."""
_SLOT: Final = re.compile(r"\{(\w+)\}")
_MARK: Final = re.compile(r"\[([kof])\]")
_STOP: Final = re.compile(r"(?<=[.!?]) +|\n")


@dataclass(frozen=True, slots=True)
class Part:
    """A stretch of a message and whose it is; None where that is not known."""

    whose: Whose | None
    text: str


@dataclass(frozen=True, slots=True)
class Message:
    """A message of `fold`; its text is its parts' one after the other."""

    fold: int
    parts: tuple[Part, ...]

    @property
    def text(self) -> str:
        """The text of all parts."""
        return "".join(part.text for part in self.parts)

    def whose(self, place: int) -> Whose | None:
        """Whose the character at `place` is."""
        end = 0
        for part in self.parts:
            end += len(part.text)
            if place < end:
                return part.whose
        return self.parts[-1].whose


def _lines(name: str) -> Iterator[tuple[int, str, str]]:
    """The fold, the family and the text of each line of a file."""
    fold, family, of_family = -1, "", 0
    for line in (DATA / f"{name}.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("# ") or (name in _MIXED and of_family == MOST_OF_MIXED):
            fold, of_family = (fold + 1) % FOLDS, 0
        of_family += not line.startswith("# ")
        if line.startswith("# "):
            family = line.removeprefix("# ")
        elif line:
            yield fold, family, line.replace("\\n", "\n")


def plain_lines(seed: int = 1) -> Iterator[tuple[int, str, bool]]:
    """Plain sentences to an assistant: each instruction to be kept, and each line that stands around them and tells
    nothing that is worth keeping; its fold, its text, and whether it is an instruction."""
    chance = random.Random(seed)
    for fold, _, line in _lines("standing"):
        yield fold, _filled(line, chance), True
    for fold, family, line in _lines("around"):
        if family not in _TELLING:
            yield fold, _filled(line, chance), False


def _filled(line: str, chance: random.Random) -> str:
    return _SLOT.sub(lambda match: chance.choice(_SLOTS[match[1]]), line)


class _Maker:
    """One fold's lines, and what is made of them."""

    def __init__(self, fold: int, seed: int) -> None:
        self.fold, self.random = fold, random.Random(f"{seed}.{fold}")
        names = ("standing", "around", "own", "carriers", "foreign", "marked", "longer")
        self.of = {name: [line for its, _, line in _lines(name) if its == fold] for name in names}

    def messages(self) -> Iterator[Message]:
        for line in self.of["standing"]:
            yield self._of(Part("k", line))
            for _ in range(3):
                yield self._in_context(line)
            yield self._handed(Part("f", self._several(line)), plainly=True)
        for body in self.of["foreign"]:
            yield self._of(Part("f", body))
            for _ in range(5):
                cut = self._cut(body)
                yield self._handed(Part("f", cut), plainly=cut != body)
            yield self._with_own_rule(body)
        for line in (*self.of["marked"], *self.of["longer"]):
            for _ in range(3):
                yield self._of(*_parts(line))
        for line in (*self.of["own"], *self.of["around"]):
            yield self._of(Part("o", line))
            for _ in range(2):
                yield self._of(Part("o", " ".join([self._own(), line, self._own()][self.random.randrange(2) :])))

    def _in_context(self, line: str) -> Message:
        before = " ".join(self._own() for _ in range(self.random.choice((0, 1, 1, 2))))
        after = " ".join(self._own() for _ in range(self.random.choice((0, 1, 1, 2))))
        parts = [Part("o", before + self._gap())] if before else []
        parts.append(Part("k", line))
        if after:
            parts.append(Part("o", self._gap() + after))
        return self._of(*parts)

    def _handed(self, body: Part, *, plainly: bool) -> Message:
        """`body` passed on; `plainly`: with words that say so, without which nobody could tell."""
        before, after = self._carrier()
        while plainly and len(f"{before}{after}") < LEAST_CARRIER:
            before, after = self._carrier()
        parts = [Part("o", before + self._gap())] if before else []
        parts.append(body)
        if after:
            parts.append(Part("o", self._gap() + after))
        return self._of(*parts)

    def _with_own_rule(self, body: str) -> Message:
        """`body` and a rule of the user's own beside it; half of the time with marks around the body."""
        before, after = self._carrier()
        if self.random.random() < 0.5:
            body = self._with_marks(body)
        rule = Part("k", self.random.choice(self.of["standing"]))
        handed = [Part("o", before + "\n\n"), Part("f", body), Part("o", f"\n\n{after} ".replace("\n ", "\n"))]
        if self.random.random() < 0.5:
            return self._of(*handed, rule)
        return self._of(rule, Part("o", " " if self.random.random() < 0.5 else "\n"), *handed[:2])

    def _with_marks(self, body: str) -> str:
        kind = self.random.randrange(3)
        if kind == 0:
            return "\n".join(f"> {line}" for line in body.split("\n"))
        return f"```\n{body}\n```" if kind == 1 else f"\u201c{body}\u201d"

    def _several(self, line: str) -> str:
        lines = [line, *(self.random.choice(self.of["standing"]) for _ in range(self.random.choice((0, 1, 2))))]
        return self.random.choice((" ", " ", "\n")).join(lines)

    def _cut(self, body: str) -> str:
        """All of it, or some of its sentences in a row."""
        stops = [0, *(match.end() for match in _STOP.finditer(body)), len(body)]
        if len(stops) < 4 or self.random.random() < 0.4:
            return body
        first = self.random.randrange(len(stops) - 2)
        return body[stops[first] : stops[self.random.randrange(first + 1, len(stops))]].rstrip()

    def _own(self) -> str:
        return self.random.choice(self.of["around"] if self.random.random() < 0.7 else self.of["own"])

    def _carrier(self) -> tuple[str, str]:
        before, _, after = self.random.choice(self.of["carriers"]).partition("|")
        if self.random.random() < 0.15:
            before = f"{self._own()} {before}"
        return before.strip(), after.strip()

    def _gap(self) -> str:
        return self.random.choice((" ", " ", "\n", "\n\n"))

    def _of(self, *parts: Part) -> Message:
        lower = self.random.random() < 0.1
        bare = self.random.random() < 0.1
        made = []
        for part in parts:
            text = _filled(part.text, self.random)
            text = text.lower() if lower else text
            made.append(Part(part.whose, text.replace(".\n", "\n") if bare else text))
        if bare and made[-1].text.endswith("."):
            made[-1] = Part(made[-1].whose, made[-1].text[:-1])
        return Message(self.fold, tuple(made))


def _parts(line: str) -> list[Part]:
    pieces = _MARK.split(line)[1:]
    return [
        Part(whose, text)
        for mark, text in zip(pieces[::2], pieces[1::2], strict=True)
        for whose in get_args(Whose)
        if whose == mark and text
    ]


def messages(seed: int = 1) -> Sequence[Message]:
    """All messages, the same for the same `seed`."""
    return [made for fold in range(FOLDS) for made in _Maker(fold, seed).messages()]
