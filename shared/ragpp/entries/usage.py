"""The memory that an agent may be given a turn, and that it was given."""

from typing import Annotated, Final, Literal

from pydantic import Field

from ragpp.fields import Moment
from ragpp.models import Value

AgentSource = Literal["file", "parallel", "catalog"]
"""The source of an agent's memories: its file, both (answers of the catalog, compared), or the catalog."""
USEFUL: Final = "useful"
"""The goal for which memories are worth what their use in answers has shown."""
USE_ALPHA: Final = 0.1
FEEDBACK_ALPHA: Final = 0.5
"""How far a value moves by what is told of an answer by its words, and by what somebody says of the memory, which is no
guess."""
Tokens = Annotated[int, Field(ge=0)]


class TokenBudget(Value):
    """Tokens of memory in one turn of an agent: `used` of `limit`, the catalog that was offered included."""

    limit: Tokens
    used: Tokens
    left: Tokens

    @classmethod
    def of(cls, limit: int, used: int) -> "TokenBudget":
        """With what is left."""
        return cls(limit=limit, used=used, left=max(0, limit - used))


class Turn(Value):
    """An agent's turn, between two catalogs. `item_ids`: what the catalog offered, in the order of the handles."""

    number: int = 0
    item_ids: tuple[str, ...] = ()
    budget: TokenBudget


class AgentUsage(Value):
    """The memory given to an agent in all its turns: tokens of catalogs, and of memories. `budget`: of a turn, None
    where nobody said; `source`: where its memories come from; `turn`: the one that it is in."""

    budget: int | None = None
    source: AgentSource = "catalog"
    turns: int = 0
    catalog_tokens: Tokens = 0
    memory_tokens: Tokens = 0
    turn: Turn | None = None


class MemoryUse(Value):
    """The use of a memory by an agent. `offered`: in how many catalogs; `given`: how often in full or in short, of
    how many `tokens`; `judged`: after how many answers it was told whether it was useful, `useful`: how much on
    average, 0 to 1, None before; `feedback`: what the agent said of it last, −1 to 1, with a `reason`."""

    memory_id: str
    offered: int = 0
    given: int = 0
    tokens: Tokens = 0
    judged: int = 0
    useful: float | None = None
    feedback: float | None = None
    reason: str | None = None
    last_at: Moment


class ShownLately(Value):
    """The ids of memories that an agent was offered or given, the last first. `doubtful`: something of the user was
    forgotten since its turn began, or shortly before: what it says may rest on that."""

    item_ids: tuple[str, ...] = ()
    doubtful: bool = False


class SourceComparison(Value):
    """Turns in which what an agent's file would have given was compared with what the catalog gave. `turns`: how many,
    `equal`: of them with the same memories. `file_memories`, `catalog_memories`, `both`: how many were given in all by
    the one, by the other, and by both; with the tokens of each."""

    turns: int = 0
    equal: int = 0
    file_memories: int = 0
    catalog_memories: int = 0
    both: int = 0
    file_tokens: Tokens = 0
    catalog_tokens: Tokens = 0
    since: Moment | None = None

    @property
    def overlap(self) -> float | None:
        """The share of all that either gave which both gave (Jaccard), 0 to 1; None where neither gave any."""
        either = self.file_memories + self.catalog_memories - self.both
        return self.both / either if either else None


class ComparedUse(Value):
    """In how many compared turns a memory was given by the file alone, by the catalog alone, and by both."""

    memory_id: str
    by_file: int = 0
    by_catalog: int = 0
    by_both: int = 0


class EntryStatistics(Value):
    """The statistics of a catalog (document 001). `oldest_memory`: when the oldest was made; `last_cleanup`: when what
    has to go was let go last; None where there is none."""

    total_memories: int = 0
    total_tokens: int = 0
    oldest_memory: Moment | None = None
    last_cleanup: Moment | None = None


class ValueMove(Value):
    """How what a memory is worth for USEFUL moved."""

    memory_id: str
    old: float
    new: float


def reward_of(feedback: float) -> float:
    """The reward, 0 to 1, of a feedback of −1 to 1."""
    return (feedback + 1) / 2
