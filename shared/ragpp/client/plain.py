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
    """One message of one session. Raises InvalidInput.

    `text`: what was said, 1 to 100,000 characters; secrets are removed before it is stored.
    `user`: id of the user whose memory this is, 1 to 256 characters; a new one begins a new memory.
    `session`: id of the conversation, 1 to 256 characters; else `default`.
    `agent`: id of the agent that it was said to, 1 to 256 characters; else the one of the key, or none.
    `role`: `user`, `assistant`, `system` or `tool`, of who said it; else `user`.
    `name`: who said it, 1 to 200 characters; else none, and the role stands for it.
    `id`: one of your own, unique within the user, 1 to 256 characters, so that a repeat is no new message; else made.
    `occurred_at`: when it was said, in UTC where it has no offset, from 1900 on, at most five minutes ahead; else now.
    `visibility`: `shared` for all agents of the user, `agent` for this one; else as the key is, mostly `shared`.
    `message_type`: kind of message, 1 to 100 characters; else `conversation`. Of `context` nothing is learned.
    `channel`: by which it came, such as `email`, 1 to 100 characters; else none.
    `domain`: of the work that it belongs to, such as `sql`, 1 to 100 characters; else none.
    `task_type`: kind of task that it belongs to, such as `date_filter`, 1 to 100 characters; else none.
    `metadata`: further data, at most 16,384 characters as JSON and 64 levels deep; else none.
    `learn`: False for a message that recall finds and nothing is learned from; else True.
    """
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
    """A question to one user's memory. Raises InvalidInput.

    `query`: question or message to find memories for, 1 to 20,000 characters.
    `user`: id of the user whose memory is asked, 1 to 256 characters.
    `session`: id of the running conversation, 1 to 256 characters, to show in the context; else none is shown.
    `agent`: id of the agent that asks, 1 to 256 characters; else all is found that the key may see.
    `name`: who asks, 1 to 200 characters: whom "I" means where several speak as one user; else nobody of them.
    `token_budget`: most tokens of the context, 0 to 200,000; else the gateway's GATEWAY_TOKEN_BUDGET, 2,000.
    `tokenizer`: `o200k`, `cl100k`, `mistral`, or `bytes` as a bound for any other model; else `o200k`.
    `deadline_ms`: milliseconds for the whole recall, 1 to 60,000; else the gateway's GATEWAY_DEADLINE_MS, 500.
    `limit`: most memories that are listed, 1 to 200; else 20. The context does not depend on it.
    `in_session`: id of the session, 1 to 256 characters, in which alone is searched; else in all.
    `tiers`: some of `short_term`, `episodic`, `semantic`, `procedural` and `catalog`; else all.
    `time_range`: TimeRange of `ragpp.models`, of whose time memories are; else of any time.
    `as_of`: moment, in UTC where it has no offset, from 1900 on: nothing said later is seen; else now.
    `after`: receipt of a write, at most 64 characters, to wait for for half the deadline at most; else none.
    `role`: `user`, `assistant`, `system` or `tool`, of whom messages are; else of anyone.
    `message_type`: kind of the messages, 1 to 100 characters; else any.
    `channel`: of the messages, 1 to 100 characters; else any.
    `domain`: of work, of messages and items, 1 to 100 characters; else any.
    `task_type`: kind of task, of messages and items, 1 to 100 characters; else any.
    `entities`: names that the question is about, at most 50, beside those found in it; else none.
    `similarity_threshold`: least cosine similarity, -1 to 1, which drops true hits easily; else no floor.
    `min_confidence`: least confidence of what was learned, 0 to 1; else no floor.
    `exclude`: ids of memories to leave out, at most 1,000; else none.
    `filter`: condition on metadata, such as {"equal": {"key": "project", "value": "apollo"}}; else none.
    `explain`: True tells of each memory why it is where it is; else False.
    `fill`: True fills the budget with what may be about the question; else False, and what earns its tokens is shown.
    `persona`: text that the context begins with, at most 20,000 characters; else none.
    `tools`: descriptions of tools to show behind the memories, at most 100 of 4,000 characters; else none.
    `situation`: state of the caller, shown last: text of 20,000 characters, or a mapping of 16,384 as JSON; else none.
    """
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
