"""JSON Lines of messages: one line read, checked, and named by its number when it is bad."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, tzinfo
from typing import IO, Annotated, Final

from pydantic import AfterValidator, AwareDatetime, BeforeValidator, JsonValue, ValidationError

from ragpp.api import MessageIn
from ragpp.errors import SecretInId
from ragpp.fields import NewId, no_day, said_since_the_beginning
from ragpp.models import DEFAULT_SESSION
from ragpp_infra.cli.arguments import input_error

_BOM: Final = b"\xef\xbb\xbf"
USUAL: Final[Mapping[str, tuple[str, ...]]] = {
    "content": ("text", "message"),
    "name": ("user", "speaker", "author"),
    "occurred_at": ("timestamp", "time", "date", "created_at"),
    "session_id": ("session", "conversation_id", "thread_id"),
}
"""Other names of our fields: taken, the first that is there, where a line does not have ours."""


_ZonedSaidAt = Annotated[AwareDatetime, BeforeValidator(no_day), AfterValidator(said_since_the_beginning)]
"""When it was said; what a file tells without a zone is of whoever wrote it, and not of UTC."""


class FileMessage(MessageIn):
    """One line of a file: a message, and the session it belongs to."""

    occurred_at: _ZonedSaidAt | None = None
    session_id: NewId | None = None


@dataclass(frozen=True)
class Reading:
    """How lines are to be read. `session_id`: of lines that name none. `time_zone`: of moments without one, which are
    refused otherwise. `mapping`: what our fields are called in the file."""

    session_id: str | None = None
    time_zone: tzinfo | None = None
    mapping: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class GoodLine:
    """A line that can be sent. `size`: its bytes, terminator included; `end`: where the next one begins."""

    number: int
    size: int
    end: int
    session_id: str
    message: MessageIn


@dataclass(frozen=True)
class BadLine:
    """A line that cannot be sent, and why; `id`: of its message, where that is known."""

    number: int
    end: int
    reason: str
    id: str | None = None

    def __str__(self) -> str:
        return f"line {self.number}{f' ({self.id})' if self.id else ''}: {self.reason}"


@dataclass(frozen=True)
class Position:
    """A place between two lines: `lines` and `offset` bytes lie before it."""

    lines: int = 0
    offset: int = 0


START: Final = Position()


def read_lines(
    source: IO[bytes], reading: Reading = Reading(), *, after: Position = START
) -> Iterator[GoodLine | BadLine]:
    """The lines of `source` in order, numbered from 1; empty ones are passed over.

    `after`: where `source` stands. Fields that no message has are kept as metadata. A message without an id gets one
    made of its place and its bytes, so that reading the same file again stores nothing twice.
    """
    end = after.offset
    for number, raw in enumerate(source, start=after.lines + 1):
        end += len(raw)
        content = (raw.removeprefix(_BOM) if number == 1 else raw).strip()
        if content:
            yield _parse(number, len(raw), end, content, reading)


def _parse(number: int, size: int, end: int, content: bytes, reading: Reading) -> GoodLine | BadLine:
    identifier: str | None = None
    try:
        told = json.loads(content.decode("utf-8"))
        if not isinstance(told, dict):
            return BadLine(number, end, "is no message, which is an object")
        identifier = told["id"] if isinstance(told.get("id"), str) else None
        line = FileMessage.model_validate(fields_of(told, reading))
    except UnicodeDecodeError as error:
        return BadLine(number, end, f"is not UTF-8 at byte {error.start}")
    except json.JSONDecodeError as error:
        return BadLine(number, end, f"is not JSON: {error.msg} at character {error.pos + 1}")
    except RecursionError:
        return BadLine(number, end, "is nested too deep")
    except ValidationError as error:
        told_of = None if isinstance(refused := input_error(error), SecretInId) else identifier
        return BadLine(number, end, refused.message, told_of)
    session = line.session_id or reading.session_id or DEFAULT_SESSION
    given = {name: getattr(line, name) for name in line.model_fields_set - {"session_id"}}
    if line.id is None:
        given["id"] = "line-" + hashlib.sha256(f"{session}\n{number}\n".encode() + content).hexdigest()[:32]
    return GoodLine(number, size, end, session, MessageIn.model_validate(given))


def fields_of(told: Mapping[str, JsonValue], reading: Reading) -> dict[str, JsonValue]:
    """A line's fields under our names, what no message has among its metadata."""
    left = dict(told)
    fields: dict[str, JsonValue] = {}
    for name in FileMessage.model_fields:
        called = (reading.mapping[name],) if name in reading.mapping else (name, *USUAL.get(name, ()))
        found = next((one for one in called if one in left), None)
        if found is not None:
            fields[name] = left.pop(found)
    if reading.time_zone is not None:
        fields |= _zoned(fields, reading.time_zone)
    if left:
        metadata = fields.get("metadata", {})
        if isinstance(metadata, dict):
            fields["metadata"] = {**left, **metadata}
    return fields


def _zoned(fields: Mapping[str, JsonValue], zone: tzinfo) -> dict[str, JsonValue]:
    said = fields.get("occurred_at")
    if not isinstance(said, str):
        return {}
    try:
        moment = datetime.fromisoformat(said)
    except ValueError:
        return {}  # refused, with its name, where it is validated
    return {} if moment.tzinfo else {"occurred_at": moment.replace(tzinfo=zone).isoformat()}
