"""The values that go into the governor, through it and out of it: frozen, validated, all of it JSON."""

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Final, Literal

from pydantic import ConfigDict, Field, model_validator

from ragpp.api import RecallResponse, Relevance, StoreRequest, StoreResponse
from ragpp.api.hooks import RequestedMemories, TurnCatalog, Usefulness
from ragpp.fields import Content, GivenTime, Metadata, NewId, NewLabel, NewName, Text, TokenizerName
from ragpp.jobs import Job
from ragpp.models import DEFAULT_SESSION, MemoryKind, Rule, TierName, Value
from ragpp_services.governor.catalog_values import CatalogTurn
from ragpp_services.governor.rule_values import FiredRule
from ragpp_services.governor.tool_values import Tool, ToolCall

TOOL_RESULT: Final = "tool_result"
"""The message type of an event that brings what a tool answered."""
ASSISTANT_RESPONSE: Final = "assistant_response"
"""The message type under which a response is remembered."""

Mode = Literal["recall", "catalog"]
"""recall: the memory says what matters for a message; catalog: the agent chooses from what it is offered."""
NodeName = Literal[
    "receive",
    "store_message",
    "recall",
    "offer",
    "choose",
    "request",
    "assemble",
    "respond",
    "store_response",
    "judge",
    "report",
]
StepOutcome = Literal["ok", "partial", "late", "unavailable", "refused", "failed", "fallback", "skipped"]
"""ok · partial: a recall that lacks a tier, or an exchange that no memories are taken from · late: no answer in time ·
unavailable: the memory is down, tried again behind the scenes where it was a message · refused: repeating is no use ·
failed: the responder's error · fallback: the chooser did not choose, and what is recommended was taken · skipped: there
was nothing to do."""
MemoryHealth = Literal["ok", "partial", "degraded"]
"""partial: a tier was missing from the recall, or the memory does not learn from the exchange; degraded: nothing was
recalled or given, or a message is not stored yet."""


class Event(Value):
    """Something that happened: usually that the user said something, or that a tool answered (`message_type`
    tool_result, with `tool_call_id` in the metadata).

    `id`: of the message to remember; chosen by the caller it makes a repeat harmless. `at`: when it was said, where
    that is not now: memory is then asked as of that moment. `name`: of who said it. `domain`, `task_type`: what it is
    about, as it is remembered under. `feedback`: whether the answer before worked, which is the outcome of the rules
    that it was given under; None where nobody said.
    """

    model_config = ConfigDict(
        json_schema_extra={
            "example": {"user_id": "u1", "session_id": "s1", "content": "Where do I keep the spare key?"}
        }
    )

    user_id: NewId
    session_id: NewId = DEFAULT_SESSION
    content: Content
    message_type: NewLabel = "conversation"
    channel: NewLabel | None = None
    metadata: Metadata = Field(default_factory=dict)
    id: NewId | None = None
    name: NewName | None = None
    agent_id: NewId | None = None
    domain: NewLabel | None = None
    task_type: NewLabel | None = None
    at: GivenTime | None = None
    feedback: bool | None = None


class PromptMessage(Value):
    """One message of the exchange that is going on, as a chat model is given it."""

    id: str | None = None
    role: Literal["user", "assistant", "tool"]
    content: str
    name: str | None = None
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str | None = None


class RecentMessage(Value):
    """A message as the governor itself remembers it, for when the memory does not answer."""

    role: Literal["user", "assistant", "tool"]
    name: str | None = None
    content: str
    at: datetime


class AssistantState(Value):
    """The state that the caller keeps between events, and hands in again; the start is an empty one.

    `persona`, `situation`: the caller's own, set at any time; the governor never changes them.
    `exchange`: what was said since the user's last message, for a responder that is waiting for its tools.
    `given`: what the catalog gave for that exchange; None where it gave nothing yet.
    `asked_stored`: whether the memory has acknowledged the user's message of it; in the mode `catalog` alone.
    `rules`: those of the answer before, which the next feedback is about.
    `recent`: the last messages, shown when the memory does not answer, and to an agent that chooses its memories.
    `unsaved`: writes that the memory has not acknowledged; they are sent again, also by another process.
    `events`: how many were handled.
    """

    persona: Annotated[Text, Field(max_length=20_000)] | None = None
    situation: Annotated[Text, Field(max_length=18_000)] | Metadata | None = None
    exchange: tuple[PromptMessage, ...] = ()
    given: "Given | None" = None
    asked_stored: bool = False
    rules: tuple[FiredRule, ...] = ()
    recent: tuple[RecentMessage, ...] = ()
    unsaved: tuple[StoreRequest, ...] = ()
    events: int = Field(default=0, ge=0)


class Invocation(Value):
    """One call of the governor."""

    state: AssistantState = Field(default_factory=AssistantState)
    event: Event
    available_tools: Annotated[tuple[Tool, ...], Field(max_length=100)] = ()


class Prompt(Value):
    """The prompt that the responder is given. `system`: persona, memory, tools, situation, as one text. `messages`:
    what is to be answered, the last one last. `memories`: what `system` rests on, best first. `recalled`: whether the
    memory answered at all. `relevance`: whether anything that it found is about the message; None where that cannot be
    told, or where the memories were chosen."""

    system: str
    messages: tuple[PromptMessage, ...]
    tools: tuple[Tool, ...] = ()
    memories: tuple["MemoryUsed", ...] = ()
    recalled: bool = True
    relevance: Relevance | None = None


class Reply(Value):
    """The responder's answer: a text, or calls of tools, or both. `cited`: ids of the memories that it says it used;
    None when it does not say."""

    text: Text = ""
    tool_calls: tuple[ToolCall, ...] = ()
    cited: tuple[str, ...] | None = None
    metadata: Metadata = Field(default_factory=dict)


class Response(Value):
    """The answer to the caller, in the session and on the channel of its event. `content`: what is answered, also as
    `text`. `awaiting`: ids of the tool calls whose results are still to come; there is no content before they have.
    `metadata`: what the responder says of it."""

    id: str | None = None
    content: str = ""
    text: str = ""
    message_type: str = ASSISTANT_RESPONSE
    tool_calls: tuple[ToolCall, ...] = ()
    awaiting: tuple[str, ...] = ()
    session_id: str = DEFAULT_SESSION
    channel: str | None = None
    metadata: Metadata = Field(default_factory=dict)
    at: datetime

    @model_validator(mode="before")
    @classmethod
    def _of_text(cls, given: object) -> object:
        """Records had `text` alone once."""
        if isinstance(given, Mapping) and "content" not in given:
            return {**given, "content": given.get("text", "")}
        return given


class MemoryUsed(Value):
    """A memory that was in the prompt. `cited`: whether the responder says that it used it; None when it says
    nothing about it."""

    id: str
    tier: TierName
    kind: MemoryKind
    text: str
    score: float
    similarity: float | None = None
    said_by: str | None = None
    occurred_at: datetime | None = None
    sources: tuple[str, ...] = ()
    corrected_by: str | None = None
    cited: bool | None = None


class Given(Value):
    """The memories that the catalog gave for an exchange: as a section of the prompt, and one by one; empty where
    nothing was offered or chosen."""

    formatted: str = ""
    memories: tuple[MemoryUsed, ...] = ()


class Answer(Value):
    """The answer that came back from outside the machine, or why none did. `ms`: how long it took. `unsaved`: what the
    memory has not acknowledged yet. `chosen`: ids of what was offered, what is wanted most first. `rules`: those that
    were told of, as they are by then."""

    outcome: StepOutcome = "ok"
    ms: float = 0.0
    detail: str | None = None
    stored: StoreResponse | None = None
    recalled: RecallResponse | None = None
    reply: Reply | None = None
    unsaved: tuple[StoreRequest, ...] = ()
    offered: TurnCatalog | None = None
    chosen: tuple[str, ...] | None = None
    requested: RequestedMemories | None = None
    useful: Usefulness | None = None
    job: Job | None = None
    rules: tuple[Rule, ...] | None = None


class Transition(Value):
    """That a node was passed: when, how long it took, with what outcome. `inputs`: SHA-256 of what the node went by,
    so that two runs can be compared without keeping what was said."""

    node: NodeName
    at: datetime
    ms: float
    outcome: StepOutcome
    inputs: str
    detail: str | None = None


class TurnResult(Value):
    """The result of one event. `state` is for the next call. `recall_ms`: how long the memory took to answer, with the
    catalog and with what was chosen; None when it was not asked. `relevance`: whether anything that a recall found is
    about the message; None where that cannot be told. `undigested`: how many of the user's messages the memory has not
    learned from yet; -1 unknown. `catalog`: None where the catalog had no part in it. `rules_fired`: the rules that the
    answer was given under, `rules_judged`: those of the answer before, of which the event said how they worked."""

    response: Response
    state: AssistantState
    memories_used: tuple[MemoryUsed, ...] = ()
    transitions: tuple[Transition, ...] = ()
    memory: MemoryHealth = "ok"
    problems: tuple[str, ...] = ()
    recall_ms: float | None = None
    relevance: Relevance | None = None
    undigested: int = -1
    catalog: CatalogTurn | None = None
    rules_fired: tuple[FiredRule, ...] = ()
    rules_judged: tuple[FiredRule, ...] = ()


class Record(Value):
    """Everything that one turn needs to be run again: what came in, and what memory, chooser and responder answered."""

    version: Literal[1] = 1
    mode: Mode = "recall"
    invocation: Invocation
    started_at: datetime
    limits: "Limits"
    answers: dict[NodeName, Answer]
    result: TurnResult


class Limits(Value):
    """The limits of a turn. `tool_rounds`: after so many calls in one exchange the tools are withheld, so that an
    answer comes."""

    deadline_ms: int = Field(default=500, ge=10, le=60_000, description="Longest wait for a recall, and for each hook.")
    store_ms: int = Field(default=1_000, ge=10, le=60_000, description="Longest wait for a write.")
    choose_ms: int = Field(default=10_000, ge=10, description="Longest wait for the chooser.")
    respond_ms: int = Field(default=120_000, ge=10, description="Longest wait for the responder.")
    token_budget: int = Field(default=2_000, ge=0, le=200_000, description="Length of the assembled context.")
    tokenizer: TokenizerName | None = Field(
        default=None, description="Of the model that reads it, in which that is counted; None: the gateway's usual one."
    )
    memories: int = Field(default=20, ge=1, le=200, description="How many memories a recall ranks.")
    recent: int = Field(default=20, ge=0, le=200, description="Messages kept in the state itself.")
    tool_rounds: int = Field(default=8, ge=1, le=100, description="Rounds of tool calls in one exchange.")


Prompt.model_rebuild()
AssistantState.model_rebuild()
Invocation.model_rebuild()
Record.model_rebuild()
