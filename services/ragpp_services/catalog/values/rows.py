"""Rows of values and of the episodes that they are learned from."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from ragpp.catalog import DEFAULT_VALUE, GoalValue, generate_memory_key
from ragpp.episodes import Episode, Used, Valued
from ragpp.td_lambda import Access
from ragpp_services.catalog.statements import Statements


@dataclass(frozen=True, slots=True)
class Moved:
    """An item's worth, as it was and as it is."""

    item_id: str
    old: float
    new: float


class ValueRows:
    """One user's values and episodes."""

    def __init__(self, run: Statements) -> None:
        self._run = run

    async def begin(self, episode: Episode, now: datetime) -> None:
        """Add an episode, which its agent alone goes on with where the scope has a view."""
        values = (episode.episode_id, episode.domain, episode.goal, self._run.scope.view, now)
        await self._run.change("insert_episode", *values)

    async def episode(self, identifier: str) -> Episode | None:
        """One that has not ended, and that the scope may go on with."""
        row = await self._run.own_row("episode", identifier, self._run.scope.view)
        return None if row is None else Episode(episode_id=row["id"], domain=row["domain"], goal=row["goal"])

    async def item(self, used: Used) -> str | None:
        """The id of what stands for the item that was used, of those that the scope sees."""
        if used.memory_id is not None:
            row = await self._run.seen_row("item_of_id", used.memory_id)
        else:
            content = used.content or ""
            key = generate_memory_key(content, used.domain, used.task_type)
            row = await self._run.seen_row("item_of_content", key, content)
        return None if row is None else row["id"]

    async def add_access(self, episode: Episode, item_id: str, step_reward: float) -> tuple[int, float]:
        """Add one; its number, and what the item is worth."""
        values = (episode.episode_id, item_id, episode.goal, DEFAULT_VALUE, step_reward)
        row = await self._run.own_row("insert_access", *values)
        assert row is not None  # noqa: S101 - a statement that inserts one row returns it
        return row["number"], row["value"]

    async def end(self, episodes: Sequence[Episode], goal: str) -> list[Access]:
        """Delete them; what was used in any of them, by time, each with what it was worth for `goal` then, or, where
        the episode was for another, is now."""
        goals = {one.episode_id: one.goal for one in episodes}
        await self._run.change("end_episodes", list(goals))
        rows = await self._run.own("take_accesses", list(goals))
        rows.sort(key=lambda row: (row["used_at"], row["number"]))
        now = await self._worth({row["item_id"] for row in rows if goals[row["episode_id"]] != goal}, goal)
        return [
            Access(
                row["item_id"],
                row["value"] if goals[row["episode_id"]] == goal else now[row["item_id"]],
                row["step_reward"],
            )
            for row in rows
        ]

    async def _worth(self, item_ids: Collection[str], goal: str) -> dict[str, float]:
        """The worth of each of these for `goal`."""
        known = await self.of_items(item_ids) if item_ids else {}
        return {one: known[one][goal].value if goal in known.get(one, {}) else DEFAULT_VALUE for one in item_ids}

    async def move(self, goal: str, moves: Mapping[str, float], now: datetime) -> list[Moved]:
        """Move values from what they are now."""
        if not moves:
            return []
        rows = await self._run.own("move_values", goal, list(moves), list(moves.values()), DEFAULT_VALUE, now)
        return [Moved(row["item_id"], row["old"], row["new"]) for row in rows]

    async def keys(self, item_ids: Collection[str]) -> dict[str, str]:
        """The names of items (`generate_memory_key`), by their ids."""
        return {row["id"]: row["memory_key"] for row in await self._run.seen("keys_of_items", list(item_ids))}

    async def of_items(self, item_ids: Collection[str]) -> dict[str, dict[str, GoalValue]]:
        """The values that the user has learned of these, by id and goal."""
        found: dict[str, dict[str, GoalValue]] = {}
        for row in await self._run.own("values_of_items", list(item_ids)):
            value = GoalValue(value=row["value"], last_updated=row["last_updated"])
            found.setdefault(row["item_id"], {})[row["goal"]] = value
        return found

    async def best(self, wanted: Valued) -> list[int]:
        """Ordinals of the best items for a goal: of greater value than what was never used, then that, the latest
        first, then what has proved worse. Without a goal the latest."""
        places: list[int] = []
        narrowed = (wanted.domain, wanted.task_type, wanted.level)
        user_id = self._run.scope.user_id
        for above, up_to in ((DEFAULT_VALUE, 1.0), (None, None), (-1.0, DEFAULT_VALUE)):
            left = wanted.limit - len(places)
            if left <= 0:
                break
            if above is None or up_to is None:
                rows = await self._run.seen("items_without_value", user_id, wanted.goal, *narrowed, left)
            elif wanted.goal is None:
                continue
            else:
                rows = await self._run.seen("items_worth", user_id, wanted.goal, above, up_to, *narrowed, left)
            places += [row["ordinal"] for row in rows]
        return places

    async def erase(self, before: int) -> None:
        """Delete what was learned of everybody's items, the episodes that began before that event, and what agents were
        given before it."""
        await self._run.change("erase_values")
        for statement in ("erase_episodes", "erase_agents", "erase_turns", "erase_uses"):
            await self._run.change(statement, before)
