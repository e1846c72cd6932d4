"""A message to remember and a question to recall, in plain words: the text, then whose memory, and more."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from ragpp.api import MessageIn, RecallRequest, StoreRequest
from ragpp.client.refusals import WORDS, refusal_of
from ragpp.errors import InvalidInput
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
    metadata: Mapping[str, object] | None = None,
    learn: bool = True,
) -> StoreRequest:
    """One message of one session. Raises InvalidInput."""
    given = dict(locals())
    given["content"] = given.pop("text")
    told = _told({name: given[name] for name in MessageIn.model_fields})
    return made(
        StoreRequest,
        {
            "user_id": None,
            **_told({"user_id": user, "session_id": session, "agent_id": agent, "visibility": visibility}),
            "messages": [{"content": None, **told}],
        },
        is_plain=True,
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
    filter: MetadataFilter | Mapping[str, object] | None = None,  # noqa: A002 - as the field is called
    explain: bool | None = None,
    fill: bool | None = None,
    persona: str | None = None,
    tools: Sequence[str] | None = None,
    situation: str | Mapping[str, object] | None = None,
) -> RecallRequest:
    """A question to one user's memory. Raises InvalidInput."""
    given = dict(locals()) | {"after": after or None}  # what waits in the outbox has no receipt
    for word, field in (("user", "user_id"), ("session", "session_id"), ("agent", "agent_id")):
        given[field] = given.pop(word)
    return made(RecallRequest, {"query": None, "user_id": None, **_told(given)}, is_plain=True)


def made(model: type[ModelT], given: object, *, is_plain: bool = False) -> ModelT:
    """The model that has these fields. Raises InvalidInput for those that make none; TextTooLong."""
    try:
        return model.model_validate(given)
    except ValidationError as error:
        raise refusal_of(error, model, is_plain=is_plain) from error


def _told(given: Mapping[str, object]) -> dict[str, object]:
    """The arguments that were given a value, so that the gateway's own defaults hold for the rest. Raises InvalidInput
    for bytes, which pydantic would decode."""
    if raw := next((name for name, value in given.items() if isinstance(value, bytes | bytearray)), None):
        raise InvalidInput(f"{WORDS.get(raw, raw)}: must be text, not bytes")
    return {name: value for name, value in given.items() if value is not None}
