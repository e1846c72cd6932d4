"""The kind of an export, found by what stands in it, and the reader of that kind."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import tzinfo
from pathlib import Path
from typing import Final

from ragpp_infra.importing.chatgpt import read_chatgpt
from ragpp_infra.importing.claude import read_claude
from ragpp_infra.importing.files import Part, parts_of
from ragpp_infra.importing.reading import TITLES, Export, Kind, UnreadableExport, is_object, items
from ragpp_infra.importing.whatsapp import Chat, read_whatsapp
from ragpp_infra.importing.whatsapp_dates import MARKS, Order, header_of

_LOOKED_AT: Final = 200
"""Lines in which the first message of a chat must begin."""
_JSON: Final = re.compile(r"\s*(?:\{|\[\s*(?:[\[{\]\"]|null|true|false))")
_CONTENT: Final = ("content", "text", "message")
_OF_MESSAGES: Final[Mapping[str, Kind]] = {"mapping": "chatgpt", "chat_messages": "claude"}


@dataclass(frozen=True)
class Source:
    """A file whose kind is known. `texts`: of its parts; `conversations`: of those that are JSON."""

    path: Path
    kind: Kind
    texts: Sequence[str]
    conversations: Sequence[object] = ()


def source_of(path: Path, wanted: Kind | None = None) -> Source:
    """The file at `path`, of the kind that it is. Raises UnreadableExport for one that is of none, or not of the
    `wanted`, or broken."""
    found = [_look(path, part, wanted) for part in parts_of(path)]
    kind = found[0].kind
    if any(one.kind != kind for one in found):
        raise UnreadableExport(f"{path} holds files of several kinds", suggestions=("Unpack it, and import each.",))
    if wanted is not None and kind != wanted:
        raise UnreadableExport(
            f"{path} is {TITLES[kind]}, and not {TITLES[wanted]}",
            suggestions=(f"Leave --from out, or say --from {kind}.", "Nothing was stored."),
        )
    return Source(path, kind, [one.texts[0] for one in found], [each for one in found for each in one.conversations])


def read_export(source: Source, zone: tzinfo, *, order: Order | None = None, me: str | None = None) -> Export:
    """The conversations of `source`, which is of any kind but JSON Lines. `zone`, `order`, `me`: of a chat of
    WhatsApp. Raises UnreadableExport."""
    if source.kind == "chatgpt":
        return read_chatgpt(list(source.conversations))
    if source.kind == "claude":
        return read_claude(list(source.conversations))
    return read_whatsapp(source.texts[0], Chat(zone, order, me, source.path.stem))


def _look(path: Path, part: Part, wanted: Kind | None) -> Source:
    place = f"{path}" if part.name == path.name else f"{part.name} in {path}"
    try:
        text = part.data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UnreadableExport(
            f"{place} is not UTF-8 at byte {error.start}, so no text that can be imported"
        ) from error
    if not text.strip(f" \t\r\n\x00{MARKS}"):
        raise UnreadableExport(f"{place} is empty")
    if _JSON.match(text):
        return _look_at_json(path, place, text, wanted)
    if any(header_of(line.removesuffix("\r")) for line in text.split("\n", _LOOKED_AT)[:_LOOKED_AT]):
        return Source(path, "whatsapp", [text])
    raise _of_no_kind(place, "neither JSON nor a chat whose lines begin with a date and a time")


def _look_at_json(path: Path, place: str, text: str, wanted: Kind | None) -> Source:
    try:
        told: object = json.loads(text)
    except RecursionError as error:
        raise UnreadableExport(f"{place} is nested too deep") from error
    except ValueError as error:
        if _has_lines(text, wanted):
            return Source(path, "jsonl", [text])
        where = f" at line {error.lineno}, column {error.colno}" if isinstance(error, json.JSONDecodeError) else ""
        raise UnreadableExport(
            f"{place} is broken JSON{where}", suggestions=("Download the export again: it may be cut off.",)
        ) from error
    if is_object(told) and not any(key in told for key in _OF_MESSAGES):
        if isinstance(told.get("conversations"), list):
            told = told["conversations"]
        elif wanted == "jsonl" or any(key in told for key in _CONTENT):
            return Source(path, "jsonl", [text])
    conversations = [told] if is_object(told) else items(told)
    if not conversations:
        raise UnreadableExport(f"{place} has no conversations")
    for one in conversations:
        for key, kind in _OF_MESSAGES.items():
            if is_object(one) and key in one:
                return Source(path, kind, [text], conversations)
    raise _of_no_kind(place, "JSON without conversations of ChatGPT (mapping) or Claude (chat_messages)")


def _has_lines(text: str, wanted: Kind | None) -> bool:
    """True where one of the first lines is a message, whatever others are."""
    for line in text.split("\n", 20)[:20]:
        try:
            told: object = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if is_object(told) and (wanted == "jsonl" or any(key in told for key in _CONTENT)):
            return True
    return False


def _of_no_kind(place: str, why: str) -> UnreadableExport:
    known = ", ".join(f"{kind} ({title})" for kind, title in TITLES.items())
    return UnreadableExport(
        f"{place} is of no kind that is known: {why}", suggestions=(f"These are: {known}.", "Nothing was stored.")
    )
