"""Conversations of messages as an export is read, and the rest of it, counted and named by place."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Final, Literal, TypeAlias, TypeGuard

from pydantic import JsonValue

from ragpp.errors import MemorySystemError
from ragpp.errors.problems import printable
from ragpp.fields import EARLIEST_YEAR, MAX_ID_CHARS, folded
from ragpp.models import Role

Kind: TypeAlias = Literal["chatgpt", "claude", "whatsapp", "jsonl"]
TITLES: Final[Mapping[Kind, str]] = {
    "chatgpt": "an export of ChatGPT",
    "claude": "an export of Claude",
    "whatsapp": "a chat of WhatsApp",
    "jsonl": "JSON Lines of messages",
}
NO_TEXT: Final = "without a text"
OTHER_BRANCH: Final = "of another branch, which an edit or a new answer replaced"
_SHOWN_PLACES: Final = 5


class UnreadableExport(
    MemorySystemError,
    code="MEM-055",
    status=422,
    title="A file that cannot be imported",
    suggestions=("Nothing was stored. `ragpp import --help` says which files can be imported.",),
):
    """A file is of no kind that can be imported, of another than was named, broken, or too large."""


@dataclass(frozen=True)
class ImportedMessage:
    """One message as an export has it. `place`: where it stands there. `occurred_at`: aware; None where the export
    tells no time, or `misread`, one that is none. `others`: further fields of a message, under our names."""

    session_id: str
    message_id: str
    role: Role
    name: str | None
    content: str
    occurred_at: datetime | None
    place: str
    misread: str | None = None
    others: Mapping[str, JsonValue] = field(default_factory=dict)


@dataclass(frozen=True)
class Conversation:
    """Messages in the order they were said. `begun_at`: what the export says of the conversation itself."""

    id: str
    title: str | None
    messages: Sequence[ImportedMessage]
    begun_at: datetime | None = None


@dataclass(frozen=True)
class Unread:
    """Something of an export that is not imported. `failed`: it should have been, and cannot be read; otherwise it is
    nothing that somebody said."""

    place: str
    reason: str
    failed: bool = False


@dataclass
class Counted:
    """How often something was left out for one reason, and the first places."""

    reason: str
    failed: bool
    count: int = 0
    places: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Export:
    """A file that was read. `notes`: how it was read, where it could have been otherwise."""

    kind: Kind
    conversations: Sequence[Conversation]
    unread: Sequence[Unread] = ()
    notes: Sequence[str] = ()


def counted(unread: Iterable[Unread]) -> list[Counted]:
    """`unread` by reason: what failed first, then the most frequent."""
    found: dict[tuple[str, bool], Counted] = {}
    for one in unread:
        reason = found.setdefault((one.reason, one.failed), Counted(printable(one.reason), one.failed))
        reason.count += 1
        if len(reason.places) < _SHOWN_PLACES:
            reason.places.append(printable(one.place))
    return sorted(found.values(), key=lambda reason: (not reason.failed, -reason.count))


def stable_id(kind: Kind, given: object, *else_of: str) -> str:
    """The id that the export has `given`, behind its kind; where it has none that can be one, a hash of `else_of`."""
    if isinstance(given, str) and 0 < len(given) <= MAX_ID_CHARS // 2 and given.isascii() and given.isprintable():
        return f"{kind}-{given}"
    digest = hashlib.sha256("\x1f".join(else_of).encode("utf-8", "surrogatepass"))
    return f"{kind}-{digest.hexdigest()[:32]}"


def is_object(value: object) -> TypeGuard[dict[str, object]]:
    """True for an object of JSON."""
    return isinstance(value, dict)


def items(value: object) -> list[object]:
    """The items of a list of JSON; none of anything else."""
    return list(value) if isinstance(value, list) else []


def text_of(value: object) -> str | None:
    """`value` where it is a text in which something stands."""
    return value if isinstance(value, str) and value.strip() else None


def moment_of(told: object) -> tuple[datetime | None, str | None]:
    """The moment that `told` is, seconds since 1970 or ISO 8601 with its offset; None for none. Behind it what was told
    where it is no moment: a clock that was never set, milliseconds, a local time of nowhere."""
    if told is None or told == "":
        return None, None
    try:
        if isinstance(told, int | float) and not isinstance(told, bool) and told > 0:
            return datetime.fromtimestamp(told, UTC), None
        moment = datetime.fromisoformat(told) if isinstance(told, str) else None
        if moment is not None and moment.tzinfo is not None and moment.astimezone(UTC).year >= EARLIEST_YEAR:
            return moment, None
    except (ValueError, OverflowError, OSError):
        pass  # it is told as one that is not understood
    return None, str(told)[:80]


def named(place: str, title: str | None) -> str:
    """`place` with the title of the conversation that it is."""
    return f"{place} ({folded(title)[:40]})" if title else place


def walked(node: str, parents: Mapping[str, str | None]) -> Iterator[str]:
    """`node` and those before it, back to the first; ends where one is unknown, or comes a second time."""
    seen: set[str] = set()
    at: str | None = node
    while at is not None and at in parents and at not in seen:
        seen.add(at)
        yield at
        at = parents[at]
