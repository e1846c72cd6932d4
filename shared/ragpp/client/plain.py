"""A message to remember and a question to recall, in plain words: the text, then whose memory, and more."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import TypeVar

from pydantic import BaseModel, JsonValue, ValidationError

from ragpp.api import MessageIn, RecallRequest, StoreRequest
from ragpp.client.errors import TextTooLong
from ragpp.errors import InvalidInput
from ragpp.errors.problems import invalid_fields
from ragpp.fields import TokenizerName
from ragpp.filtering import MetadataFilter
from ragpp.models import DEFAULT_SESSION, Role, TierName, TimeRange, Visibility

ModelT = TypeVar("ModelT", bound=BaseModel)


def message(
    text: str,
    *,
    user: str,
    session: str = DEFAULT_SESSION,
    agent: str | None = None,
    role: Role = "user",
    name: str | None = None,
    id: str | None = None,  # noqa: A002 - as the field is called
    occurred_at: datetime | None = None,
    visibility: Visibility | None = None,
    message_type: str | None = None,
    channel: str | None = None,
    domain: str | None = None,
    task_type: str | None = None,
    metadata: Mapping[str, JsonValue] | None = None,
    learn: bool = True,
) -> StoreRequest:
    """One message of one session. Raises InvalidInput."""
    given = dict(locals())
    given["content"] = given.pop("text")
    return made(
        StoreRequest,
        {
            **_told({"user_id": user, "session_id": session, "agent_id": agent, "visibility": visibility}),
            "messages": [_told({name: given[name] for name in MessageIn.model_fields})],
        },
    )


def question(
    query: str,
    *,
    user: str,
    session: str | None = None,
    agent: str | None = None,
    name: str | None = None,
    token_budget: int | None = None,
    tokenizer: TokenizerName | None = None,
    deadline_ms: int | None = None,
    limit: int | None = None,
    in_session: str | None = None,
    tiers: Sequence[TierName] | None = None,
    time_range: TimeRange | None = None,
    as_of: datetime | None = None,
    after: str | None = None,
    role: Role | None = None,
    message_type: str | None = None,
    channel: str | None = None,
    domain: str | None = None,
    task_type: str | None = None,
    entities: Sequence[str] | None = None,
    similarity_threshold: float | None = None,
    min_confidence: float | None = None,
    exclude: Collection[str] | None = None,
    filter: MetadataFilter | Mapping[str, JsonValue] | None = None,  # noqa: A002 - as the field is called
    explain: bool | None = None,
    fill: bool | None = None,
    persona: str | None = None,
    tools: Sequence[str] | None = None,
    situation: str | Mapping[str, JsonValue] | None = None,
) -> RecallRequest:
    """A question to one user's memory. Raises InvalidInput."""
    given = dict(locals()) | {"after": after or None}  # what waits in the outbox has no receipt
    for word, field in (("user", "user_id"), ("session", "session_id"), ("agent", "agent_id")):
        given[field] = given.pop(word)
    return made(RecallRequest, _told(given))


def made(model: type[ModelT], given: object) -> ModelT:
    """The model that has these fields. Raises InvalidInput for those that make none; TextTooLong."""
    try:
        return model.model_validate(given)
    except ValidationError as error:
        errors = [dict(item) for item in error.errors()]
        refused = invalid_fields(errors)
        if (most := _limit_in(errors)) is not None and type(refused) is InvalidInput:
            refused = TextTooLong(refused.message, details={**refused.details, "most": most})
        raise refused from error


def _limit_in(errors: Sequence[Mapping[str, object]]) -> int | None:
    """How many characters the first text may have that has more; None where none has."""
    for item in errors:
        context = item.get("ctx")
        known = context if isinstance(context, Mapping) else {}
        is_text = item.get("type") == "string_too_long" or known.get("field_type") == "Value"  # looked at before
        if is_text and isinstance(most := known.get("max_length"), int):
            return most
    return None


def _told(given: Mapping[str, object]) -> dict[str, object]:
    """What was said, so that the gateway's own defaults hold for the rest."""
    return {name: value for name, value in given.items() if value is not None}
