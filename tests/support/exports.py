"""Exports of other programs, made by hand and small."""

import json
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from pydantic import JsonValue

from ragpp_infra.importing.reading import Kind
from tests.support.source import ROOT

Json = dict[str, JsonValue]
NOON: Final = 1_700_000_000.0
"""2023-11-14 22:13:20 in UTC."""


def said(role: str, *parts: JsonValue, at: JsonValue = NOON, **others: JsonValue) -> Json:
    """A message of ChatGPT's, but for its id."""
    told: Json = {
        "author": {"role": role, "name": None, "metadata": {}},
        "create_time": at,
        "content": {"content_type": "text", "parts": list(parts)},
        "metadata": {},
        "recipient": "all",
    }
    return told | others


def tree(branches: Sequence[tuple[str, str | None, JsonValue]], current: str | None, **others: JsonValue) -> Json:
    """A conversation of ChatGPT's: each node with its parent and its message."""
    mapping: Json = {}
    for name, parent, message in branches:
        one: JsonValue = {"id": name, **message} if isinstance(message, dict) else message
        children: list[JsonValue] = [child for child, of, _ in branches if of == name]
        mapping[name] = {"id": name, "message": one, "parent": parent, "children": children}
    told: Json = {"title": "Trip", "create_time": NOON - 60, "mapping": mapping, "current_node": current, "id": "c1"}
    return told | others


def chain(*messages: JsonValue, **others: JsonValue) -> Json:
    """A conversation of ChatGPT's without branches: m1, m2 and so on behind a root."""
    names = ["root", *(f"m{number}" for number in range(1, len(messages) + 1))]
    parents = [None, *names]
    nodes = [(name, parent, message) for name, parent, message in zip(names, parents, [None, *messages], strict=False)]
    return tree(nodes, names[-1], **others)


def claudes(*messages: JsonValue, **others: JsonValue) -> Json:
    """A conversation of Claude's."""
    told: Json = {
        "uuid": "c-1",
        "name": "Garden",
        "created_at": "2024-05-01T10:00:00.000000Z",
        "chat_messages": list(messages),
    }
    return told | others


def turn(sender: str, text: JsonValue = "", at: JsonValue = "2024-05-01T10:01:00Z", **others: JsonValue) -> Json:
    """A message of Claude's."""
    told: Json = {"sender": sender, "text": text, "created_at": at, "attachments": [], "files": []}
    return told | others


def written(folder: Path, name: str, told: object) -> Path:
    """A file of `told`, as JSON unless it is a text."""
    path = folder / name
    path.write_text(told if isinstance(told, str) else json.dumps(told), encoding="utf-8")
    return path


def zipped(folder: Path, name: str, entries: Mapping[str, object]) -> Path:
    """A zip of `entries`, as JSON unless they are texts."""
    path = folder / name
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for inside, told in entries.items():
            archive.writestr(inside, told if isinstance(told, str) else json.dumps(told))
    return path


LIVES: Final = ROOT / "tests" / "data" / "exports"
"""Made-up people's conversations, as people write: what each said, when, under the title of each conversation."""


def exported(kind: Kind, folder: Path) -> Path:
    """The export of `kind` that a made-up person would download, in `folder`."""
    text = (LIVES / f"{kind}.txt").read_text(encoding="utf-8")
    if kind == "whatsapp":
        return zipped(folder, "WhatsApp Chat with Tom.zip", {"_chat.txt": text})
    talks = _talks(text)
    if kind == "claude":
        conversations = [
            claudes(*(turn(one.role, one.text, one.at.isoformat()) for one in told), uuid=title, name=title)
            for title, told in talks.items()
        ]
    else:
        conversations = [
            chain(*(said(one.role, one.text, at=one.at.timestamp(), id=one.id) for one in told), id=title, title=title)
            for title, told in talks.items()
        ]
    return zipped(folder, f"{kind}-export.zip", {"conversations.json": conversations})


@dataclass(frozen=True)
class _Told:
    id: str
    at: datetime
    role: str
    text: str


def _talks(lines: str) -> dict[str, list[_Told]]:
    talks: dict[str, list[_Told]] = {}
    for number, line in enumerate(lines.splitlines()):
        if line.startswith("# "):
            told = talks.setdefault(line.removeprefix("# "), [])
            continue
        day, clock, role, text = line.split(" ", 3)
        at = datetime.fromisoformat(f"{day} {clock}").replace(tzinfo=UTC)
        told.append(_Told(f"line-{number}", at, role.removesuffix(":"), text.replace("\\n", "\n")))
    return talks
