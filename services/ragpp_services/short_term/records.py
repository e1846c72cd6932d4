"""How messages are written into Redis and read back. Pure."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

import orjson

from ragpp.errors import InvalidInput
from ragpp.models import Entry, Interaction, InteractionEntry, Role, Value
from ragpp.names import speaker

BEGINNING: Final = datetime(1, 1, 1, tzinfo=UTC)
HASH_CHARS: Final = 32
_MICROSECOND: Final = timedelta(microseconds=1)


class Message(Value):
    """A raw message of a session as it is kept. `member`: its place in the session's log."""

    member: str
    sequence: int
    tokens: int
    id: str
    role: Role
    name: str | None
    content: str
    occurred_at: datetime
    agent_id: str | None = None
    message_type: str = "conversation"
    channel: str | None = None
    domain: str | None = None
    task_type: str | None = None
    utc_offset: int | None = None

    @property
    def said_by(self) -> str:
        """The speaker's name, or the role of a speaker without one; see `ragpp.names.speaker`."""
        return speaker(self.name, self.role)


def interaction_entries(entries: Sequence[Entry]) -> list[InteractionEntry]:
    """`entries` themselves; InvalidInput for one that is no message."""
    messages = []
    for entry in entries:
        if not isinstance(entry, InteractionEntry):
            raise InvalidInput(f"the short-term tier holds interactions, not an entry of kind {entry.kind}")
        messages.append(entry)
    return messages


def moment_key(moment: datetime) -> str:
    """Microseconds since the year 1 in 18 digits, so that texts sort as moments do."""
    return f"{(moment - BEGINNING) // _MICROSECOND:018d}"


def moment_of(key: str) -> datetime:
    """The moment of a `moment_key`."""
    return BEGINNING + int(key) * _MICROSECOND


def content_hash(interaction: Interaction) -> str:
    """32 hexadecimal characters of SHA-256 over role, name and content: what one id may say only once."""
    said = orjson.dumps([interaction.role, interaction.name, interaction.content])
    return hashlib.sha256(said).hexdigest()[:HASH_CHARS]


def encode_body(interaction: Interaction) -> bytes:
    """The body of a message, which is kept beside its place: id, role, name, content, and what filters ask for."""
    return orjson.dumps(
        {
            "id": interaction.id,
            "role": interaction.role,
            "name": interaction.name,
            "content": interaction.content,
            "agent_id": interaction.agent_id,
            "message_type": interaction.message_type,
            "channel": interaction.channel,
            "domain": interaction.domain,
            "task_type": interaction.task_type,
            "utc_offset": interaction.utc_offset,
        }
    )


def decode_message(member: bytes, body: bytes) -> Message:
    """A message from its place `{moment}:{sequence}:{tokens}` and its body."""
    place = member.decode()
    moment, sequence, tokens = place.split(":")
    return Message.trusted(
        member=place,
        sequence=int(sequence),
        tokens=int(tokens),
        occurred_at=moment_of(moment),
        **orjson.loads(body),
    )


@dataclass(frozen=True, slots=True)
class NewMessage:
    """A message to append. `mark`: what its id is known by once it is forgotten. `moment`: as `moment_key`
    writes it; `tokens` at least 1."""

    session_id: str
    id: str
    mark: str
    hash: str
    moment: str
    tokens: int
    body: bytes


@dataclass(frozen=True, slots=True)
class Appended:
    """The outcome of a batch: either `conflicts` (positions), or `duplicates` in order and each session's tokens."""

    conflicts: tuple[int, ...] = ()
    duplicates: tuple[bool, ...] = ()
    tokens: tuple[tuple[str, int], ...] = ()
