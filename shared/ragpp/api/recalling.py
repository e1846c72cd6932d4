"""Asking the memory, and its answer."""

import json
from datetime import datetime
from typing import Annotated, Literal

from pydantic import AfterValidator, ConfigDict, Field

from ragpp.api.messages import TierStatusName
from ragpp.fields import (
    MAX_DEADLINE_MS,
    MAX_TOKEN_BUDGET,
    Confidence,
    GivenTime,
    Id,
    Label,
    Listed,
    Metadata,
    NewName,
    Said,
    Text,
    TokenizerName,
    Whole,
    after_the_beginning,
)
from ragpp.filtering import MetadataFilter
from ragpp.models import Memory, Role, TierName, TimeRange, Value

Relevance = Literal["none", "some", "clear"]
"""The relevance of what was found to the question: nothing is about it, something perhaps, something clearly."""


def _given(span: TimeRange) -> TimeRange:
    """`span` itself; ValueError where a caller gives no such time."""
    for name, moment in (("start", span.start), ("end", span.end)):
        try:
            if moment is not None:
                after_the_beginning(moment)
        except ValueError as error:
            raise ValueError(f"{name} {error}") from error
    return span


GivenRange = Annotated[TimeRange, AfterValidator(_given)]


class RecallRequest(Value):
    """A question to the memory of one user.

    `name`: of who asks, as in the messages said under it: whom "I" and "my" in the query mean, where several speak as
    one user.
    `session_id`: the running conversation, shown as RECENT CONVERSATION; it does not narrow the search.
    `token_budget`: tokens that the context may have, in those of `tokenizer`, which is the one of the model that reads
    it; `bytes` is a bound for a model whose tokenizer has no name here.
    `in_session`: only interactions of that session. `agent_id`: only interactions with that agent.
    `after`: a receipt; the recall waits, within its deadline, until that write has been digested.
    `as_of`: a moment in the conversations' own time; what was said later is not seen.
    `filter`: only interactions, items and passages whose metadata fits it; tiers without metadata are skipped.
    `limit`: how many memories are listed; the context holds what earns its tokens, listed or not.
    `fill`: the context takes what may be about the question until the budget is full, not what earns its tokens alone.
    """

    model_config = ConfigDict(
        json_schema_extra={
            "example": {
                "user_id": "u1",
                "session_id": "s1",
                "query": "Where does Maria's sister live?",
                "token_budget": 1000,
                "deadline_ms": 500,
            }
        }
    )

    user_id: Id
    query: Annotated[Said, Field(min_length=1, max_length=20_000)]
    name: NewName | None = None
    session_id: Id | None = None
    agent_id: Id | None = None
    in_session: Id | None = None
    limit: Whole = Field(default=20, ge=1, le=200)
    token_budget: Whole | None = Field(default=None, ge=0, le=MAX_TOKEN_BUDGET)
    tokenizer: TokenizerName | None = None
    deadline_ms: Whole | None = Field(default=None, ge=1, le=MAX_DEADLINE_MS)
    tiers: Annotated[Listed[TierName], Field(min_length=1)] | None = None
    time_range: GivenRange | None = None
    role: Role | None = None
    message_type: Label | None = None
    channel: Label | None = None
    domain: Label | None = None
    task_type: Label | None = None
    entities: Annotated[Listed[NewName], Field(max_length=50)] = ()
    similarity_threshold: Annotated[float, Field(ge=-1, le=1)] | None = None
    min_confidence: Confidence | None = None
    exclude: Annotated[frozenset[Id], Field(max_length=1_000)] = frozenset()
    filter: MetadataFilter | None = None
    after: Annotated[str, Field(max_length=64)] | None = None
    as_of: GivenTime | None = None
    explain: bool = False
    fill: bool = False
    persona: Annotated[Text, Field(max_length=20_000)] | None = None
    tools: Annotated[Listed[Annotated[Text, Field(max_length=4_000)]], Field(max_length=100)] = ()
    situation: Annotated[Text, Field(max_length=20_000)] | Metadata | None = None

    @property
    def state(self) -> str | None:
        """The situation as text."""
        if self.situation is None or isinstance(self.situation, str):
            return self.situation
        return json.dumps(self.situation, indent=2, ensure_ascii=False)


class RecalledMemory(Memory):
    """A memory in the fused ranking. `in_context`: it is part of the assembled context, whole or in part. `is_excerpt`:
    `text` is the part of a long one around what was found, and `focus` and `focus_end` count from its beginning; its id
    gives the whole. `tokens`: of `text` as it is here, in the answer's `tokenizer`. `explain`, on request: its place
    and score in its tier, the signals that make up what the score is a logistic of (`raw`), and why it is not in the
    context (`cut`)."""

    in_context: bool = False
    is_excerpt: bool = False


class SectionOut(Value):
    """A titled part of the context; `memories` are the ids of what is shown in it."""

    title: str
    tokens: int
    memories: tuple[str, ...] = ()


class TierStatus(Value):
    """How one tier answered a recall."""

    status: TierStatusName
    ms: float
    hits: int = 0
    detail: str | None = None


class RecallResponse(Value):
    """`complete`: every tier that was asked answered in time, by meaning too; `partial` otherwise.

    `tokens`: of `context` as a whole, never more than the budget; of a section, of its text; in those of `tokenizer`,
    which a gateway before there were any does not tell.
    `receipt_pending`: how many of the user's events are not yet digested; -1 when PostgreSQL did not
    tell within the deadline.
    `relevance`: whether anything that was found is about the question; `none` is for an assistant to say that it does
    not know. None where there seems to be nothing and that cannot be told: a tier or the embedder was missing, none of
    the tiers asked ranks by meaning, or nobody measured the embedder; and where something is, and the budget shows
    nothing of it. It does not narrow `memories`.
    `memories`: the whole fused ranking, best first, up to `limit`. The context is the same whatever the limit, so
    `sections` may name what is not listed.
    """

    model_config = ConfigDict(
        json_schema_extra={
            "example": {
                "status": "complete",
                "context": "## RELEVANT PAST INTERACTIONS\n- [2026-03-08 18:02] Maria: My sister Elena moved to Porto "
                "last spring. (relevance: 0.91)",
                "tokens": 41,
                "tokenizer": "o200k",
                "elapsed_ms": 14.2,
                "retrieved_at": "2026-03-09T08:00:00Z",
                "receipt_pending": 0,
                "relevance": "clear",
                "sections": [{"title": "RELEVANT PAST INTERACTIONS", "tokens": 41, "memories": ["m-17"]}],
                "memories": [
                    {
                        "id": "m-17",
                        "tier": "episodic",
                        "kind": "interaction",
                        "text": "My sister Elena moved to Porto last spring.",
                        "score": 0.91,
                        "similarity": 0.62,
                        "coverage": 0.71,
                        "confidence": 1.0,
                        "tokens": 10,
                        "occurred_at": "2026-03-08T13:56:00Z",
                        "said_by": "Maria",
                        "session_id": "s1",
                        "sources": ["m-17"],
                        "metadata": {},
                        "in_context": True,
                    }
                ],
                "tiers": {"episodic": {"status": "ok", "ms": 6.1, "hits": 20}},
            }
        }
    )

    status: Literal["complete", "partial"]
    context: str
    tokens: int
    tokenizer: TokenizerName | None = None
    elapsed_ms: float
    retrieved_at: datetime
    receipt_pending: int
    relevance: Relevance | None = None
    sections: tuple[SectionOut, ...]
    memories: tuple[RecalledMemory, ...]
    tiers: dict[TierName, TierStatus]

    def _repr_html_(self) -> str:
        """The answer as a notebook shows it: the context, and what it rests on."""
        from ragpp.api.notebook import shown  # noqa: PLC0415 - for notebooks alone

        return shown(self)
