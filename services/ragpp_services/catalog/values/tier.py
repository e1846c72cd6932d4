"""The values' part of the tier: episodes of use, and items by what they are worth."""

from uuid import uuid4

from ragpp.catalog import MemoryItem
from ragpp.clock import Clock
from ragpp.episodes import Episode, EpisodeAccess, EpisodeEnd, Used, Valued, ValueUpdate
from ragpp.errors import NotFound
from ragpp.models import Scope
from ragpp.td_lambda import TDParameters, moves
from ragpp_services.catalog.items.tier import read_places
from ragpp_services.catalog.store import CatalogStore, Rows


class Values:
    """The part of `ragpp.tiers.CatalogTier` that is about values and episodes."""

    def __init__(self, store: CatalogStore, clock: Clock) -> None:
        self._store, self._clock = store, clock

    async def begin_episode(self, scope: Scope, goal: str, domain: str | None = None) -> Episode:
        """See the contract."""
        episode = Episode(episode_id=f"ep_{uuid4()}", goal=goal, domain=domain)
        async with self._store.writing(scope) as rows:
            await rows.values.begin(episode, self._clock())
        return episode

    async def get_episode(self, scope: Scope, episode_id: str) -> Episode:
        """See the contract."""
        async with self._store.reading(scope) as rows:
            return await _episode(rows, episode_id)

    async def record_access(self, scope: Scope, episode_id: str, used: Used) -> EpisodeAccess | None:
        """See the contract."""
        async with self._store.writing(scope) as rows:
            episode = await _episode(rows, episode_id)
            if used.memory_id is None and used.domain is None:
                used = used.model_copy(update={"domain": episode.domain})
            item_id = await rows.values.item(used)
            if item_id is None:
                return None
            number, value = await rows.values.add_access(episode, item_id, used.step_reward)
            keys = await rows.values.keys([item_id])
        return EpisodeAccess(episode_id=episode_id, number=number, item_id=item_id, key=keys[item_id], value=value)

    async def end_episode(self, scope: Scope, episode_id: str, end: EpisodeEnd) -> list[ValueUpdate]:
        """See the contract."""
        parameters = TDParameters(end.alpha, end.gamma, end.lambda_)
        async with self._store.writing(scope) as rows:
            ids = dict.fromkeys((episode_id, *end.with_episodes))
            first, *others = [await _episode(rows, one) for one in ids]
            goal = end.goal or first.goal
            accesses = await rows.values.end([first, *others], goal)
            moved = await rows.values.move(goal, moves(accesses, end.final_reward, parameters), self._clock())
            keys = await rows.values.keys([one.item_id for one in moved])
        order = {access.key: place for place, access in enumerate(accesses)}
        return [
            ValueUpdate(item_id=one.item_id, key=keys[one.item_id], old=one.old, new=one.new)
            for one in sorted(moved, key=lambda one: order[one.item_id])
            if one.item_id in keys
        ]

    async def valued_items(self, scope: Scope, wanted: Valued) -> list[MemoryItem]:
        """See the contract."""
        async with self._store.reading(scope) as rows:
            places = await rows.values.best(wanted)
            shown = {one.found.ordinal: one.item for one in await read_places(rows.items, places, told_replaced=False)}
            items = [shown[place] for place in places if place in shown]
            known = await rows.values.of_items([item.item_id for item in items])
        return [item.model_copy(update={"goal_values": known.get(item.item_id, {})}) for item in items]


async def _episode(rows: Rows, identifier: str) -> Episode:
    episode = await rows.values.episode(identifier)
    if episode is None:
        raise NotFound("there is no episode of that id that has not ended")
    return episode
