"""The evaluation data as values for the lab: conversations with their questions. Nothing of it is copied."""

import gzip
import importlib.util
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from types import ModuleType
from typing import Final

from benchmarks.labelled import read_chats
from benchmarks.lives import Life, life_files, read_life
from benchmarks.sealed import is_sealed
from ragpp.fields import MAX_CONTENT_CHARS
from ragpp.models import Interaction

PARTS: Final = 5
"""Folds of the preferences."""


@dataclass(frozen=True)
class Question:
    """A question and the ids of the interactions that hold its answer, never empty; where it changed, of those that
    hold the old one and the new."""

    text: str
    category: str
    gold: tuple[str, ...]
    old: tuple[str, ...] = ()
    new: tuple[str, ...] = ()


@dataclass(frozen=True)
class Conversation:
    """One user's interactions in order, and what is asked of them."""

    name: str
    interactions: tuple[Interaction, ...]
    questions: tuple[Question, ...]


def load_locomo(folder: Path) -> list[Conversation]:
    """Conversations between two named people; categories by their names, the adversarial one among them."""
    categories: Mapping[int, str] = load_metrics(folder).CATEGORIES
    found = []
    for raw in json.loads((folder / "locomo-dev.json").read_text(encoding="utf-8")):
        turns = tuple(
            Interaction(
                id=turn["id"],
                session_id=str(turn["session"]),
                name=turn["speaker"],
                content=turn["text"] + (f" [{turn['caption']}]" if turn.get("caption") else ""),
                occurred_at=datetime.strptime(turn["date"], "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC),
            )
            for turn in raw["turns"]
        )
        questions = (Question(q["question"], categories[q["category"]], tuple(q["gold"])) for q in raw["questions"])
        found.append(Conversation(raw["id"], turns, tuple(q for q in questions if q.gold)))
    return found


def load_chats() -> list[Conversation]:
    """The labelled chats (`benchmarks/data/labelled`), by the kinds of their questions."""
    return [_of_life(chat.life) for chat in read_chats()]


def load_lives(folder: Path) -> list[Conversation]:
    """The lives that are not sealed, those of `folder` and those that stand here."""
    return [_of_life(read_life(file)) for file in life_files(folder) if not is_sealed(file)]


def _of_life(life: Life) -> Conversation:
    said = (
        Interaction(
            id=one.id,
            session_id=one.session,
            role=one.role,
            name=one.name,
            content=one.content,
            occurred_at=one.occurred_at,
        )
        for one in life.messages
    )
    asked = (Question(one.q, one.kind, tuple(one.answers)) for one in life.questions if one.answers)
    return Conversation(life.id, tuple(said), tuple(asked))


def labelled(conversations: Iterable[Conversation]) -> list[Conversation]:
    """The same, with the second who speaks labelled an assistant."""
    found = []
    for one in conversations:
        second = list(dict.fromkeys(said.name for said in one.interactions))[1]
        turns = tuple(
            said.model_copy(update={"role": "assistant"}) if said.name == second else said for said in one.interactions
        )
        found.append(replace(one, interactions=turns))
    return found


def load_hints(folder: Path, conversations: Iterable[Conversation]) -> list[Conversation]:
    """The conversations with the memories that are hinted at, each a session of its own at the end."""
    rows = json.loads((folder / "hints-dev.json").read_text(encoding="utf-8"))
    found = []
    for one in conversations:
        last = max(said.occurred_at for said in one.interactions)
        hints = [row for row in rows if row["conversation"] == one.name]
        cues = (
            Interaction(id=said["id"], session_id=row["id"], name=said["name"], content=said["text"], occurred_at=last)
            for row in hints
            for said in row["cue"]
        )
        asked = (Question(row["query"], "hint", tuple(said["id"] for said in row["cue"])) for row in hints)
        found.append(replace(one, interactions=(*one.interactions, *cues), questions=tuple(asked)))
    return found


def load_preferences(folder: Path) -> list[Conversation]:
    """Preferences of one user, a session each, in five parts of which each asks for its own."""
    rows = json.loads((folder / "preferences-dev.json").read_text(encoding="utf-8"))
    moment = datetime(2024, 5, 1, tzinfo=UTC)
    said = tuple(
        Interaction(id=row["id"], session_id=row["id"], content=row["preference"], occurred_at=moment) for row in rows
    )
    asked = [Question(row["question"], "preference", (row["id"],)) for row in rows]
    return [Conversation(f"preferences {part}", said, tuple(asked[part::PARTS])) for part in range(PARTS)]


def load_beam(folder: Path, *, roles: Iterable[str]) -> list[Conversation]:
    """Chats with an assistant, narrowed to the messages of `roles`; a session is what was said on one date."""
    with gzip.open(folder / "beam-dev.json.gz", "rt", encoding="utf-8") as file:
        chats = json.load(file)
    found = []
    for raw in chats:
        messages = tuple(
            Interaction(
                id=str(message["id"]),
                session_id=message["anchor"],
                role=message["role"],
                content=message["text"][:MAX_CONTENT_CHARS],
                occurred_at=datetime.strptime(message["anchor"], "%B-%d-%Y").replace(tzinfo=UTC),
            )
            for message in raw["messages"]
            if message["role"] in roles
        )
        questions = (
            Question(q["q"], q["type"], *(tuple(map(str, q.get(name) or ())) for name in ("gold", "old", "new")))
            for q in raw["questions"]
        )
        found.append(Conversation(raw["id"], messages, tuple(q for q in questions if q.gold)))
    return found


def load_metrics(folder: Path) -> ModuleType:
    """The definitions of the metrics that come with the data."""
    spec = importlib.util.spec_from_file_location("evaluation_metrics", folder / "metrics.py")
    if spec is None or spec.loader is None:
        raise FileNotFoundError(folder / "metrics.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
