"""The report of a turn of an agent that chooses its memories: what was offered, chosen, given and useful."""

from datetime import datetime

from pydantic import Field

from ragpp.entries.usage import TokenBudget
from ragpp.entries.values import Form
from ragpp.models import Value


class OfferedMemory(Value):
    """A line of the catalog that was offered. `recommended`: why it is worth its tokens; None where it was not said to
    be."""

    handle: str
    memory_id: str
    kind: str
    summary: str
    timestamp: datetime
    score: float
    recommended: str | None = None


class GivenMemory(Value):
    """A memory that was given, in the form that there was room for."""

    handle: str
    memory_id: str
    form: Form


class CatalogTurn(Value):
    """The agent's turn with its catalog. `chosen`: ids, what is wanted most first; `left_out`: ids that were asked for
    and not given, with why. `tokens`: of what was given; `budget`: the agent's for this turn, as last heard of, None
    where nothing was heard. `useful`: 0 to 1, by id, None where that could not be told. `job`: the one that takes
    memories from the exchange; None where there is none."""

    ci: str
    offered: tuple[OfferedMemory, ...] = ()
    chosen: tuple[str, ...] = ()
    given: tuple[GivenMemory, ...] = ()
    left_out: dict[str, str] = Field(default_factory=dict)
    tokens: int = 0
    budget: TokenBudget | None = None
    useful: dict[str, float] | None = None
    job: str | None = None
