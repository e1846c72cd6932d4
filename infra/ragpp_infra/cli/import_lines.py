"""An export made lines that can be sent as those of a file of messages are, and the other way round."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo
from io import BytesIO
from typing import Final

from pydantic import ValidationError

from ragpp.api import MessageIn
from ragpp_infra.cli.arguments import input_error
from ragpp_infra.cli.lines import BadLine, GoodLine, Reading, read_lines
from ragpp_infra.importing.kinds import Source
from ragpp_infra.importing.reading import Conversation, Export, ImportedMessage, Unread

_APART: Final = {"id", "role", "name", "content", "occurred_at"}
_AHEAD: Final = timedelta(minutes=5)
"""The gateway takes so much of a clock that is fast."""


@dataclass(frozen=True)
class Lines:
    """Messages of an export that can be sent, numbered from 1. `places`: where each stands; `unread`: the others."""

    good: Sequence[GoodLine]
    places: Sequence[str]
    unread: Sequence[Unread]

    def refused(self, lines: Iterable[BadLine]) -> list[Unread]:
        """Those of `lines` that the gateway refused, by place."""
        return [Unread(self.places[line.number - 1], line.reason, failed=True) for line in lines]


def read_json_lines(source: Source, zone: tzinfo | None) -> Export:
    """The messages of JSON Lines, a conversation a session. `zone`: of times without one, refused otherwise."""
    sessions: dict[str, list[ImportedMessage]] = {}
    unread: list[Unread] = []
    for text in source.texts:
        for line in read_lines(BytesIO(text.encode("utf-8", "surrogatepass")), Reading(time_zone=zone)):
            if isinstance(line, BadLine):
                place = f"line {line.number}{f' ({line.id})' if line.id else ''}"
                unread.append(Unread(place, line.reason, failed=True))
                continue
            message = line.message
            others = message.model_dump(mode="json", exclude_unset=True, exclude=_APART)
            sessions.setdefault(line.session_id, []).append(
                ImportedMessage(
                    session_id=line.session_id,
                    message_id=message.id or "",
                    role=message.role,
                    name=message.name,
                    content=message.content,
                    occurred_at=message.occurred_at,
                    place=f"line {line.number}",
                    others=others,
                )
            )
    return Export("jsonl", [Conversation(session, None, said) for session, said in sessions.items()], unread)


def lines_of(export: Export, *, size: int, now: datetime) -> Lines:
    """The messages of `export`, all of which have a time; one that cannot be stored is named. `size`: of the file."""
    good: list[GoodLine] = []
    places: list[str] = []
    unread: list[Unread] = []
    known: dict[str, str] = {}
    for conversation in export.conversations:
        for one in conversation.messages:
            if one.message_id in known:
                same = known[one.message_id] == one.content
                why = "is in another conversation as well" if same else "has the id of another message"
                unread.append(Unread(one.place, why, failed=not same))
                continue
            if one.occurred_at is not None and one.occurred_at > now + _AHEAD:
                unread.append(Unread(one.place, "its time lies ahead", failed=True))
                continue
            try:
                message = _message(export, one)
            except ValidationError as error:
                unread.append(Unread(one.place, input_error(error).message, failed=True))
                continue
            known[one.message_id] = one.content
            places.append(one.place)
            length = len(message.model_dump_json(exclude_unset=True).encode())
            good.append(GoodLine(len(places), length, size, one.session_id, message))
    return Lines(good, places, unread)


def _message(export: Export, one: ImportedMessage) -> MessageIn:
    """Raises ValidationError."""
    fields: dict[str, object] = {"channel": export.kind} if export.kind != "jsonl" else {}
    fields |= one.others
    fields |= {"id": one.message_id, "role": one.role, "content": one.content, "occurred_at": one.occurred_at}
    return MessageIn.model_validate(fields if one.name is None else fields | {"name": one.name})
