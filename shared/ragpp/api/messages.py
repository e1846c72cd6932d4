"""Writing messages, and what becomes of them."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import AfterValidator, ConfigDict, Field, JsonValue

from ragpp.fields import MAX_MESSAGES, Content, Listed, LocalSaidAt, Metadata, NewId, NewLabel, NewName
from ragpp.learned import chosen
from ragpp.models import DEFAULT_SESSION, Role, TierName, Value, Visibility

ChosenId = Annotated[NewId, AfterValidator(chosen)]
"""The id of what a person sets: none that the memory makes itself."""
TierStatusName = Literal["ok", "timeout", "unavailable", "error", "skipped"]
_MESSAGE_EXAMPLE: dict[str, JsonValue] = {
    "id": "m-17",
    "role": "user",
    "name": "Maria",
    "content": "My sister Elena moved to Porto last spring.",
    "occurred_at": "2026-03-08T13:56:00Z",
}


class MessageIn(Value):
    """One message to remember.

    `id`: chosen by the client, unique within the user; absent, the server makes one and a repeat is a new message.
    `occurred_at`: absent, the time of receipt; at most five minutes ahead. Its UTC offset is kept: it says which day it
    was where it was said. `learn`: false for a message that recall
    shall find and nothing shall be learned from; of an id that is known, what was said of it first counts.
    """

    model_config = ConfigDict(json_schema_extra={"example": _MESSAGE_EXAMPLE})

    id: NewId | None = None
    role: Role = "user"
    name: NewName | None = None
    content: Content
    occurred_at: LocalSaidAt | None = None
    message_type: NewLabel = "conversation"
    channel: NewLabel | None = None
    domain: NewLabel | None = None
    task_type: NewLabel | None = None
    metadata: Metadata = Field(default_factory=dict)
    learn: bool = True


class StoreRequest(Value):
    """Messages of one session, in the order they were said. `visibility`: `agent` for what only the agent that it was
    said to may see, and what is learned from it, `shared` for what all agents of the user may; absent, `agent` with a
    key that is bound to an agent, and `shared` otherwise."""

    model_config = ConfigDict(
        json_schema_extra={"example": {"user_id": "u1", "session_id": "s1", "messages": [_MESSAGE_EXAMPLE]}}
    )

    user_id: NewId
    session_id: NewId = DEFAULT_SESSION
    agent_id: NewId | None = None
    visibility: Visibility | None = None
    messages: Annotated[Listed[MessageIn], Field(min_length=1, max_length=MAX_MESSAGES)]


class StoredMessage(Value):
    """The outcome of one message. `forgotten`: a message of this id was forgotten, so it is not stored, whatever it
    says. `redactions`: how many secrets and personal data were taken out before it was stored; `redacted`: of which
    kinds."""

    id: str
    duplicate: bool
    forgotten: bool = False
    redactions: int
    redacted: tuple[str, ...] = ()


class StoreResponse(Value):
    """Acknowledged: the messages are in the episodic tier for good, but for those that were forgotten before.
    `tiers.short_term` other than `ok` is repaired by the workers."""

    model_config = ConfigDict(
        json_schema_extra={
            "example": {
                "receipt": "r1.2a.2a",
                "stored": [{"id": "m-17", "duplicate": False, "forgotten": False, "redactions": 0, "redacted": []}],
                "timestamp": "2026-03-08T13:56:02Z",
                "tiers": {"episodic": "ok", "short_term": "ok"},
            }
        }
    )

    receipt: str
    stored: tuple[StoredMessage, ...]
    timestamp: datetime
    tiers: dict[TierName, TierStatusName]


class Pending(Value):
    """How many events are not yet digested."""

    pending: int
