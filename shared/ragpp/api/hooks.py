"""The five hooks of documents 000 and 001: what an agent asks and tells before, within and behind a turn."""

from typing import Annotated, Final

from pydantic import ConfigDict, Field

from ragpp.entries.usage import AgentSource, MemoryUse, TokenBudget
from ragpp.entries.values import CatalogEntry, Form
from ragpp.fields import Id, Metadata, NewId, NewLabel, Said, Text, Whole
from ragpp.models import Value

MAX_PROMPT_CHARS: Final = 100_000
MAX_REQUESTED: Final = 100
MAX_BUDGET: Final = 200_000
CATALOG_TOKENS: Final = 600
"""Tokens of a catalog for one turn, as it is rendered, at most."""
Prompt = Annotated[Text, Field(max_length=MAX_PROMPT_CHARS)]
Exchanged = Annotated[Said, Field(min_length=1, max_length=MAX_PROMPT_CHARS)]
Requested = Annotated[tuple[Id, ...], Field(max_length=MAX_REQUESTED)]


class PrePromptIn(Value):
    """A prompt that an agent is about to answer. `context`: what else matters for what it may need: its texts are
    looked at, and its `goal` is what memories are to be worth for. `domain`, `task_type`: of the work, also looked
    at."""

    model_config = ConfigDict(
        json_schema_extra={
            "example": {"user_id": "u1", "ci": "ergon", "prompt": "Why did the import fail last night?", "context": {}}
        }
    )

    user_id: NewId | None = None
    ci: NewId
    prompt: Prompt
    context: Metadata = Field(default_factory=dict)
    domain: NewLabel | None = None
    task_type: NewLabel | None = None


class CatalogLine(Value):
    """An entry that is offered, under the `handle` by which the turn's other hooks know it. `explain`: what its
    `score`, 0 to 1, is the sum of."""

    handle: str
    entry: CatalogEntry
    score: float = Field(ge=0, le=1)
    explain: dict[str, float] = Field(default_factory=dict)


class Recommended(Value):
    """An entry that is worth its tokens, and why."""

    handle: str
    memory_id: str
    tokens: int = Field(ge=0)
    reason: str


class TurnCatalog(Value):
    """The catalog that an agent may choose from: at most 20 entries, `formatted` in at most CATALOG_TOKENS tokens,
    which are of its budget; and what is recommended of it, best first."""

    catalog: tuple[CatalogLine, ...] = ()
    formatted: str = ""
    token_budget: TokenBudget
    recommendation: tuple[Recommended, ...] = ()


class MemoryRequestIn(Value):
    """The memories that an agent wants to read, by handle or by id, what it wants most first."""

    model_config = ConfigDict(
        json_schema_extra={"example": {"user_id": "u1", "ci": "ergon", "memory_ids": ["m1", "m3"]}}
    )

    user_id: NewId | None = None
    ci: NewId
    memory_ids: Requested


class RequestedMemory(Value):
    """A memory in the `form` for which there was room."""

    handle: str
    memory_id: str
    form: Form
    text: str


class RequestedMemories(Value):
    """The memories that the budget had room for, and as a section of a prompt: `formatted`, of that many `tokens`.
    `left_out`: what was asked for and is not shown, with why."""

    memories: tuple[RequestedMemory, ...] = ()
    formatted: str = ""
    tokens: int = Field(default=0, ge=0)
    left_out: dict[str, str] = Field(default_factory=dict)
    token_budget: TokenBudget


class PostResponseIn(Value):
    """An agent's answer, and the memories, by handle or by id, that it had."""

    model_config = ConfigDict(
        json_schema_extra={
            "example": {
                "user_id": "u1",
                "ci": "ergon",
                "response": "The import failed because the certificate had expired (m1).",
                "memories_used": ["m1", "m3"],
            }
        }
    )

    user_id: NewId | None = None
    ci: NewId
    response: Prompt
    memories_used: Requested = ()


class Usefulness(Value):
    """How useful each memory was for the answer, 0 to 1, by id."""

    useful: dict[str, float] = Field(default_factory=dict)
    budget: TokenBudget


class PreMessageIn(Value):
    """A message that is on its way to an agent."""

    model_config = ConfigDict(
        json_schema_extra={"example": {"user_id": "u1", "ci": "ergon", "message": "Why did the import fail?"}}
    )

    user_id: NewId | None = None
    ci: NewId
    message: Prompt


class Injection(Value):
    """The text to put before the message, of that many tokens, and of which memories; empty where none fits it.
    `explain`: of each, what its score is the sum of, and why it fits."""

    injection: str = ""
    tokens: int = Field(default=0, ge=0)
    memory_ids: tuple[str, ...] = ()
    explain: dict[str, dict[str, float]] = Field(default_factory=dict)


class PostMessageIn(Value):
    """A message and what the agent answered, of which the memories are to be kept. `message_id`, `response_id`: ids of
    the interactions that these are: what is taken from the exchange is forgotten with them. `domain`, `task_type`: what
    the memories have that are taken from it."""

    model_config = ConfigDict(
        json_schema_extra={
            "example": {
                "user_id": "u1",
                "ci": "ergon",
                "message": "Which queue do we take?",
                "response": "We decided to use Kafka, since replays matter.",
            }
        }
    )

    user_id: NewId | None = None
    ci: NewId
    message: Exchanged
    response: Exchanged
    message_id: NewId | None = None
    response_id: NewId | None = None
    domain: NewLabel | None = None
    task_type: NewLabel | None = None


class BudgetIn(Value):
    """Tokens of a turn from the next one on; null: as many as an agent has of which nobody said."""

    model_config = ConfigDict(json_schema_extra={"example": {"user_id": "u1", "limit": 1500}})

    user_id: NewId | None = None
    limit: Annotated[Whole, Field(ge=0, le=MAX_BUDGET)] | None


class AgentUse(Value):
    """The memory given to an agent in all its turns, and of which memories, those of most tokens first."""

    ci: str
    turns: int = 0
    catalog_tokens: int = 0
    memory_tokens: int = 0
    token_budget: TokenBudget
    source: AgentSource = "catalog"
    memories: tuple[MemoryUse, ...] = ()
    next_offset: int | None = None


class FeedbackIn(Value):
    """An agent's judgement of a memory: −1 it misled, 1 it helped."""

    model_config = ConfigDict(
        json_schema_extra={"example": {"user_id": "u1", "ci": "ergon", "value": -1, "reason": "It is outdated."}}
    )

    user_id: NewId | None = None
    ci: NewId
    value: Annotated[float, Field(ge=-1, le=1)]
    reason: Annotated[Text, Field(max_length=1_000)] | None = None
