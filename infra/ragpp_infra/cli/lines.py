"""JSON Lines of messages: one line read, checked, and named by its number when it is bad."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO, Final

from pydantic import ValidationError

from ragpp.api import MessageIn
from ragpp.fields import NewId
from ragpp.models import DEFAULT_SESSION
from ragpp_infra.cli.arguments import input_error

_BOM: Final = b"\xef\xbb\xbf"


class FileMessage(MessageIn):
    """One line of a file: a message, and the session it belongs to."""

    session_id: NewId | None = None


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
    """A line that cannot be sent, and why."""

    number: int
    end: int
    reason: str


@dataclass(frozen=True)
class Position:
    """A place between two lines: `lines` and `offset` bytes lie before it."""

    lines: int = 0
    offset: int = 0


START: Final = Position()


def read_lines(
    source: IO[bytes], *, session_id: str | None = None, after: Position = START
) -> Iterator[GoodLine | BadLine]:
    """The lines of `source` in order, numbered from 1; empty ones are passed over.

    `after`: where `source` stands. `session_id`: of lines that name none. A message without an id gets one made of
    its place and its bytes, so that reading the same file again stores nothing twice.
    """
    end = after.offset
    for number, raw in enumerate(source, start=after.lines + 1):
        end += len(raw)
        content = (raw.removeprefix(_BOM) if number == 1 else raw).strip()
        if content:
            yield _parse(number, len(raw), end, content, session_id or DEFAULT_SESSION)


def _parse(number: int, size: int, end: int, content: bytes, session_id: str) -> GoodLine | BadLine:
    try:
        content.decode("utf-8")
        line = FileMessage.model_validate_json(content)
    except UnicodeDecodeError as error:
        return BadLine(number, end, f"is not UTF-8 at byte {error.start}")
    except ValidationError as error:
        return BadLine(number, end, input_error(error).message)
    session = line.session_id or session_id
    given = {name: getattr(line, name) for name in line.model_fields_set - {"session_id"}}
    if line.id is None:
        given["id"] = "line-" + hashlib.sha256(f"{session}\n{number}\n".encode() + content).hexdigest()[:32]
    return GoodLine(number, size, end, session, MessageIn.model_validate(given))
