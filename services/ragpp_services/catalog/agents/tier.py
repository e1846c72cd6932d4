"""The agents' part of the tier: what each is given a turn, and what came of it."""

from collections.abc import Mapping, Sequence

from ragpp.catalog import DEFAULT_VALUE
from ragpp.clock import Clock
from ragpp.entries.comparing import Difference
from ragpp.entries.usage import (
    FEEDBACK_ALPHA,
    USE_ALPHA,
    USEFUL,
    AgentSource,
    AgentUsage,
    ComparedUse,
    MemoryUse,
    ShownLately,
    SourceComparison,
    TokenBudget,
    Turn,
    ValueMove,
    reward_of,
)
from ragpp.episodes import Used
from ragpp.errors import NotFound
from ragpp.models import Scope
from ragpp_services.catalog.store import CatalogStore, Rows


class Agents:
    """The part of `ragpp.tiers.CatalogTier` that is about agents."""

    def __init__(self, store: CatalogStore, clock: Clock) -> None:
        self._store, self._clock = store, clock

    async def agent_usage(self, scope: Scope, agent_id: str) -> AgentUsage:
        """See the contract."""
        async with self._store.reading(scope) as rows:
            return await rows.agents.usage(agent_id)

    async def put_budget(self, scope: Scope, agent_id: str, budget: int | None) -> AgentUsage:
        """See the contract."""
        async with self._store.noting(scope) as rows:
            await rows.agents.put_budget(agent_id, budget)
            return await rows.agents.usage(agent_id)

    async def shown_lately(self, scope: Scope, agent_id: str, limit: int = 100) -> ShownLately:
        """See the contract."""
        async with self._store.reading(scope) as rows:
            return await rows.agents.shown_lately(agent_id, limit, self._clock())

    async def put_source(self, scope: Scope, agent_id: str, source: AgentSource) -> AgentUsage:
        """See the contract."""
        async with self._store.noting(scope) as rows:
            await rows.agents.put_source(agent_id, source)
            if source == "parallel":
                await rows.agents.begin_comparison(agent_id, self._clock())
            return await rows.agents.usage(agent_id)

    async def note_comparison(self, scope: Scope, agent_id: str, told: Difference) -> None:
        """See the contract."""
        async with self._store.noting(scope) as rows:
            await rows.agents.note_comparison(agent_id, told, self._clock())

    async def comparison(self, scope: Scope, agent_id: str) -> SourceComparison:
        """See the contract."""
        async with self._store.reading(scope) as rows:
            return await rows.agents.comparison(agent_id)

    async def compared_uses(self, scope: Scope, agent_id: str, offset: int = 0, limit: int = 50) -> list[ComparedUse]:
        """See the contract."""
        async with self._store.reading(scope) as rows:
            return await rows.agents.compared(agent_id, offset, limit)

    async def begin_turn(
        self,
        scope: Scope,
        agent_id: str,
        budget: TokenBudget,
        offered: Sequence[str] = (),
        given: Mapping[str, int] | None = None,
    ) -> Turn:
        """See the contract."""
        now, given = self._clock(), given or {}
        async with self._store.noting(scope) as rows:
            ids = list(dict.fromkeys((*offered, *given)))
            catalog_tokens = 0 if given else budget.used
            number = await rows.agents.begin(agent_id, ids, budget, catalog_tokens, now)
            await rows.agents.note(agent_id, dict.fromkeys(offered, 0), now, offered=True)
            await rows.agents.note(agent_id, given, now, given=True)
        return Turn(number=number, item_ids=tuple(ids), budget=budget)

    async def take_tokens(
        self, scope: Scope, agent_id: str, turn: int, tokens: int, given: Mapping[str, int]
    ) -> TokenBudget | None:
        """See the contract."""
        async with self._store.noting(scope) as rows:
            if not await rows.agents.take(agent_id, turn, tokens):
                return None
            await rows.agents.note(agent_id, given, self._clock(), given=True)
            usage = await rows.agents.usage(agent_id)
        return None if usage.turn is None else usage.turn.budget

    async def judge_uses(self, scope: Scope, agent_id: str, useful: Mapping[str, float]) -> list[ValueMove]:
        """See the contract."""
        now = self._clock()
        async with self._store.writing(scope) as rows:
            usage = await rows.agents.usage(agent_id)
            turn = 0 if usage.turn is None else usage.turn.number
            settled = await rows.agents.settled(agent_id, list(useful), turn)
            there = await rows.values.keys(list(useful))
            left = {one: value for one, value in useful.items() if one in there and one not in settled}
            if not left:
                return []
            await rows.agents.judge(agent_id, left, turn, now)
            return await self._learn(rows, left, USE_ALPHA)

    async def put_feedback(
        self, scope: Scope, agent_id: str, memory_id: str, value: float, reason: str | None = None
    ) -> ValueMove:
        """See the contract."""
        async with self._store.writing(scope) as rows:
            item_id = await rows.values.item(Used(memory_id=memory_id))
            if item_id is None:
                raise NotFound(f"there is no memory {memory_id!r}")
            await rows.agents.put_feedback(agent_id, item_id, value, reason, self._clock())
            (moved,) = await self._learn(rows, {item_id: reward_of(value)}, FEEDBACK_ALPHA)
            return moved

    async def memory_uses(self, scope: Scope, agent_id: str, offset: int = 0, limit: int = 50) -> list[MemoryUse]:
        """See the contract."""
        async with self._store.reading(scope) as rows:
            return await rows.agents.uses(agent_id, offset, limit)

    async def _learn(self, rows: Rows, rewards: Mapping[str, float], alpha: float) -> list[ValueMove]:
        """Move what these are worth towards their rewards."""
        known = await rows.values.of_items(list(rewards))
        moves = {}
        for item_id, reward in rewards.items():
            goal = known.get(item_id, {}).get(USEFUL)
            moves[item_id] = alpha * (reward - (DEFAULT_VALUE if goal is None else goal.value))
        moved = await rows.values.move(USEFUL, moves, self._clock())
        return [ValueMove(memory_id=one.item_id, old=one.old, new=one.new) for one in moved]
