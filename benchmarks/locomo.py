"""The LoCoMo conversations as messages: read from the evaluation folder, never copied into the project."""

import argparse
import importlib.util
import json
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from types import ModuleType

from benchmarks.evaluation import DATA, Conversation, Question
from ragpp.api import MessageIn


def load(folder: Path, *, with_assistant: bool = False) -> list[Conversation]:
    """The conversations of `locomo-dev.json` in `folder`; `with_assistant`: the second speaker of each is labelled one,
    which must not decide what is found."""
    categories: Mapping[int, str] = metrics(folder).CATEGORIES
    rows = json.loads((folder / "locomo-dev.json").read_text("utf-8"))
    return [_conversation(row, categories, row["speakers"][1] if with_assistant else None) for row in rows]


def _conversation(
    row: Mapping[str, list[dict[str, str]]], categories: Mapping[int, str], assistant: str | None
) -> Conversation:
    sessions: dict[str, list[MessageIn]] = {}
    for turn in row["turns"]:
        caption = turn.get("caption")
        content = f"{turn['text']} [image: {caption}]" if caption else turn["text"]
        sessions.setdefault(f"session-{turn['session']}", []).append(
            MessageIn(
                id=turn["id"],
                role="assistant" if turn["speaker"] == assistant else "user",
                name=turn["speaker"],
                content=content or "[image]",
                occurred_at=datetime.strptime(turn["date"], "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC),
            )
        )
    known = {turn["id"] for turn in row["turns"]}
    questions = []
    for asked in row["questions"]:
        gold = tuple(turn for turn in asked["gold"] if turn in known)
        if gold:
            questions.append(Question(categories[int(asked["category"])], asked["question"], gold))
    return Conversation(
        id=str(row["id"]),
        sessions=sessions,
        texts={turn["id"]: turn["text"] for turn in row["turns"]},
        questions=questions,
    )


def metrics(folder: Path) -> ModuleType:
    """The metric definitions that come with the data."""
    spec = importlib.util.spec_from_file_location("evaluation_metrics", folder / "metrics.py")
    if spec is None or spec.loader is None:
        raise FileNotFoundError(folder / "metrics.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def lines_of(conversation: Conversation) -> list[str]:
    """The conversation as the JSON Lines that `ragpp ingest` reads."""
    return [
        json.dumps(
            {"session_id": session, **message.model_dump(mode="json", exclude_defaults=True)}, ensure_ascii=False
        )
        for session, messages in conversation.sessions.items()
        for message in messages
    ]


def main() -> None:
    """Write each conversation as a file for `ragpp ingest` into a folder outside the project."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("folder", type=Path, help="where the .jsonl files go")
    parser.add_argument("--data", type=Path, default=DATA, help="folder with locomo-dev.json")
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    for conversation in load(arguments.data):
        path = arguments.folder / f"{conversation.id}.jsonl"
        path.write_text("\n".join(lines_of(conversation)) + "\n", encoding="utf-8")
        print(path)


if __name__ == "__main__":
    main()
