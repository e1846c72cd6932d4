"""Resources of the catalog: raw data to keep.

Everywhere in the catalog `user_id`, where absent, is the user that the key is bound to, or, for a key with the scope
`global`, nobody: what all users of the tenant share. `visibility`, where absent, is `agent` with a key that is bound to
an agent, and `shared` otherwise.
"""

from typing import Annotated, ClassVar, Self

from pydantic import AfterValidator, ConfigDict, Field, JsonValue, model_validator

from ragpp.catalog import (
    MAX_RESOURCE_CHARS,
    CatalogVisibility,
    CategoryName,
    Resource,
    ResourceType,
)
from ragpp.fields import MAX_MESSAGES, Content, GivenTime, Id, Listed, Metadata, NewId, NewName, storable, telling
from ragpp.jobs import Job
from ragpp.models import Role, Value

RawContent = Annotated[
    str, Field(min_length=1, max_length=MAX_RESOURCE_CHARS), AfterValidator(storable), AfterValidator(telling)
]


class ResourceMessageIn(Value):
    """One message of a conversation. `id`: of the interaction that it is or, with `remember`, becomes."""

    role: Role = "user"
    name: NewName | None = None
    content: Content
    occurred_at: GivenTime | None = None
    id: NewId | None = None


class ResourceIn(Value):
    """Raw source data to keep: either `content`, or the `messages` of a conversation.

    `id` makes a repeat harmless. `occurred_at`: absent, the latest of its messages' times, or the time of receipt; at
    most five minutes ahead. `extract`: take items from it now; `category_hint`: the category of those. `remember`:
    its messages become interactions of `session_id`, too.
    """

    model_config = ConfigDict(
        json_schema_extra={
            "example": {
                "user_id": "u1",
                "resource_type": "conversation",
                "messages": [
                    {"role": "user", "content": "What's your pricing?"},
                    {"role": "assistant", "content": "Our plans start at $99 a month."},
                ],
                "metadata": {"agent_name": "sales_agent"},
                "session_id": "s1",
                "extract": True,
            }
        }
    )
    id_prefix: ClassVar[str] = "res_"

    user_id: NewId | None = None
    id: NewId | None = None
    resource_type: ResourceType
    content: RawContent | None = None
    messages: Annotated[Listed[ResourceMessageIn], Field(max_length=MAX_MESSAGES)] = ()
    metadata: Metadata = Field(default_factory=dict)
    occurred_at: GivenTime | None = None
    session_id: NewId | None = None
    agent_id: NewId | None = None
    visibility: CatalogVisibility | None = None
    extract: bool = False
    category_hint: CategoryName | None = None
    remember: bool = False

    @model_validator(mode="after")
    def _one_of_them(self) -> Self:
        if (self.content is None) == (not self.messages):
            raise ValueError("has either `content` or `messages`")
        if self.messages and self.resource_type != "conversation":
            raise ValueError("`messages` are of a conversation")
        if self.remember and not self.messages:
            raise ValueError("`remember` is about `messages`")
        return self


_RESOURCE_EXAMPLE: dict[str, JsonValue] = {
    "resource_id": "res_550e8400-e29b-41d4-a716-446655440000",
    "resource_type": "document",
    "content": "Pro costs $299 a month.",
    "metadata": {"title": "Prices"},
    "occurred_at": "2026-03-08T13:56:00Z",
    "created_at": "2026-03-08T13:56:02Z",
    "tokens": 9,
}


class StoredResource(Value):
    """The outcome of one resource. `resource`: as it is kept, its content cut to 200 characters. `redactions`: how many
    secrets and personal data were taken out, `redacted`: of which kinds. `job`: what takes items from it, where that
    was asked for. `receipt`: of its messages, where they are interactions now."""

    model_config = ConfigDict(
        json_schema_extra={
            "example": {
                "resource": _RESOURCE_EXAMPLE,
                "redactions": 0,
                "redacted": [],
                "duplicate": False,
                "job": None,
                "receipt": None,
            }
        }
    )

    resource: Resource
    redactions: int = Field(ge=0)
    redacted: tuple[str, ...] = ()
    duplicate: bool
    job: Job | None = None
    receipt: str | None = None


class ExtractResourceIn(Value):
    """Whose resource it is, and the category for what is taken from it."""

    model_config = ConfigDict(json_schema_extra={"example": {"user_id": "u1", "category_hint": "product_knowledge"}})

    user_id: Id | None = None
    category_hint: CategoryName | None = None
