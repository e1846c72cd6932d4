"""Small conversations in scripts other than Latin, with questions and the message that answers each."""

import json
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from ragpp.models import Interaction

FOLDER: Final = Path(__file__).resolve().parents[1] / "data" / "scripts"
BEGIN: Final = datetime(2024, 5, 1, 9, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, and the id of the message that answers it."""

    text: str
    expected: str


@dataclass(frozen=True, slots=True)
class Language:
    """`interactions`: messages of two people in one session, a minute apart. `second`: questions that were written when
    the work on the others had ended."""

    name: str
    interactions: tuple[Interaction, ...]
    questions: tuple[Asked, ...]
    second: tuple[Asked, ...]


def language(name: str) -> Language:
    """The one of that name."""
    raw = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    said = tuple(
        Interaction(
            id=f"m{number}", session_id="s1", name=who, content=text, occurred_at=BEGIN + timedelta(minutes=number)
        )
        for number, (who, text) in enumerate(raw["messages"], start=1)
    )
    questions, second = (
        tuple(Asked(text, f"m{number}") for text, number in raw[which]) for which in ("questions", "second")
    )
    return Language(name, said, questions, second)


def languages() -> list[Language]:
    """All, by name."""
    return [language(path.stem) for path in sorted(FOLDER.glob("*.json"))]
