"""Rows of what agents are given."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime

from ragpp.entries.comparing import Difference
from ragpp.entries.usage import (
    AgentSource,
    AgentUsage,
    ComparedUse,
    MemoryUse,
    ShownLately,
    SourceComparison,
    TokenBudget,
    Turn,
)
from ragpp_services.catalog.statements import Statements


class AgentRows:
    """One user's agents."""

    def __init__(self, run: Statements) -> None:
        self._run = run

    async def usage(self, agent_id: str) -> AgentUsage:
        """The agent's usage: what it was given, and the turn that it is in."""
        row = await self._run.own_row("agent", agent_id)
        if row is None or row["turns"] is None:
            return AgentUsage()
        turn = None
        if row["number"] is not None:
            budget = TokenBudget.of(row["turn_budget"], row["used"])
            turn = Turn(number=row["number"], item_ids=tuple(row["item_ids"]), budget=budget)
        return AgentUsage(
            budget=row["budget"],
            source=row["source"],
            turns=row["turns"],
            catalog_tokens=row["catalog_tokens"],
            memory_tokens=row["memory_tokens"],
            turn=turn,
        )

    async def put_budget(self, agent_id: str, budget: int | None) -> None:
        """Tokens of a turn from now on; None: as many as an agent has of which nobody said."""
        await self._run.change("put_budget", agent_id, budget)

    async def begin(
        self, agent_id: str, item_ids: Sequence[str], budget: TokenBudget, catalog_tokens: int, now: datetime
    ) -> int:
        """Begin a turn; its number."""
        values = (list(item_ids), budget.limit, budget.used, catalog_tokens, now)
        row = await self._run.own_row("begin_turn", agent_id, *values)
        assert row is not None  # noqa: S101 - a statement that inserts one row returns it
        number: int = row["number"]
        return number

    async def take(self, agent_id: str, turn: int, tokens: int) -> bool:
        """Take so many tokens of that turn; False where it has not so many left, or is over."""
        return await self._run.own_row("take_tokens", agent_id, turn, tokens) is not None

    async def note(
        self, agent_id: str, tokens: Mapping[str, int], now: datetime, *, offered: bool = False, given: bool = False
    ) -> None:
        """Count what it was shown, by ids with their tokens."""
        if tokens:
            values = (list(tokens), int(offered), int(given), list(tokens.values()), now)
            await self._run.change("note_uses", agent_id, *values)

    async def settled(self, agent_id: str, ids: Collection[str], turn: int) -> set[str]:
        """Those of which it is known already how useful they were in that turn, or that the agent judged itself."""
        return {row["item_id"] for row in await self._run.own("judged_in_turn", agent_id, list(ids), turn)}

    async def judge(self, agent_id: str, useful: Mapping[str, float], turn: int, now: datetime) -> None:
        """Keep how useful these were, 0 to 1."""
        await self._run.change("judge_uses", agent_id, list(useful), list(useful.values()), turn, now)

    async def put_feedback(self, agent_id: str, item_id: str, value: float, reason: str | None, now: datetime) -> None:
        """Keep what it said of one, -1 to 1."""
        await self._run.change("put_feedback", agent_id, item_id, value, reason, now)

    async def uses(self, agent_id: str, offset: int, limit: int) -> list[MemoryUse]:
        """The items that it was shown, those given most tokens first."""
        return [
            MemoryUse(
                memory_id=row["item_id"],
                offered=row["offered"],
                given=row["given"],
                tokens=row["tokens"],
                judged=row["judged"],
                useful=row["useful"] / row["judged"] if row["judged"] else None,
                feedback=row["feedback"],
                reason=row["reason"],
                last_at=row["last_at"],
            )
            for row in await self._run.own("page_of_uses", agent_id, offset, limit)
        ]

    async def shown_lately(self, agent_id: str, limit: int, now: datetime) -> ShownLately:
        """The items that it was offered or given last, and whether something was forgotten since."""
        rows = await self._run.own("shown_lately", agent_id, limit)
        row = await self._run.own_row("forgotten_since", agent_id, now)
        doubtful = row is not None and bool(row["doubtful"])
        return ShownLately(item_ids=tuple(one["item_id"] for one in rows), doubtful=doubtful)

    async def put_source(self, agent_id: str, source: AgentSource) -> None:
        """Where its memories come from, from now on."""
        await self._run.change("put_source", agent_id, source)

    async def begin_comparison(self, agent_id: str, now: datetime) -> None:
        """Count what is compared from now on, and nothing from before."""
        await self._run.change("begin_comparison", agent_id, now)

    async def note_comparison(self, agent_id: str, told: Difference, now: datetime) -> None:
        """Count one turn, while what the agent is given is compared."""
        by_file, by_catalog, both = sorted(told.by_file), sorted(told.by_catalog), sorted(told.both)
        counts = (int(told.equal), len(told.file), len(told.catalog), len(both), told.file_tokens, told.catalog_tokens)
        noted = await self._run.own_row("note_comparison", agent_id, *counts)
        ids = [*by_file, *by_catalog, *both]
        if ids and noted is not None:
            marks = [[int(one in some) for one in ids] for some in (told.by_file, told.by_catalog, told.both)]
            await self._run.change("note_compared", agent_id, ids, *marks, now)

    async def comparison(self, agent_id: str) -> SourceComparison:
        """The counts of the comparison since it began."""
        row = await self._run.own_row("comparison", agent_id)
        return SourceComparison() if row is None else SourceComparison.model_validate(dict(row))

    async def compared(self, agent_id: str, offset: int, limit: int) -> list[ComparedUse]:
        """The memories that were compared, those given most differently first."""
        rows = await self._run.own("page_of_compared", agent_id, offset, limit)
        return [ComparedUse.model_validate(dict(row)) for row in rows]
