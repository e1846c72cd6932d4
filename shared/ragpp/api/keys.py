"""API keys that a key with the scope `admin` makes, lists and revokes."""

from collections.abc import Iterator
from datetime import datetime
from typing import Annotated, Final, Literal

from pydantic import ConfigDict, Field

from ragpp.fields import Listed, NewId
from ragpp.models import Value, Visibility

KeyScope = Literal["read", "write", "forget", "share", "admin", "global"]
KeyState = Literal["valid", "expired", "revoked"]
MAX_KEY_DAYS: Final = 36_500


class KeyIn(Value):
    """A key to make: what it may do, for whom, and for how long."""

    model_config = ConfigDict(
        json_schema_extra={
            "example": {
                "scopes": ["read", "write", "share"],
                "user_id": "u1",
                "agent_id": "sales",
                "days": 30,
                "visibility": "shared",
            }
        }
    )

    scopes: Annotated[Listed[KeyScope], Field(min_length=1, max_length=6)] = ("read", "write", "forget")
    user_id: NewId | None = None
    agent_id: NewId | None = None
    days: int | None = Field(default=None, ge=1, le=MAX_KEY_DAYS)
    visibility: Visibility | None = None


class KeyInfo(Value):
    """A key without its secret."""

    key_id: str
    scopes: tuple[KeyScope, ...]
    user_id: str | None
    agent_id: str | None
    visibility: Visibility | None
    created_at: datetime
    expires_at: datetime | None
    revoked_at: datetime | None
    state: KeyState


class KeyMade(KeyInfo):
    """A key that was just made. `key` is the secret itself, which is told this once, and not where it is printed."""

    key: str = Field(repr=False)

    def __repr_args__(self) -> Iterator[tuple[str | None, object]]:
        yield from super().__repr_args__()
        yield None, "the secret is in .key"
