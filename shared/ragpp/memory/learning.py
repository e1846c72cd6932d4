"""Learning what memories are worth from episodes of use, as document 003 has it, over the gateway."""

import asyncio
from collections.abc import Sequence
from uuid import uuid4

from pydantic import JsonValue

from ragpp.catalog import Level, MemoryItem, MemoryLevel
from ragpp.episodes import GENERAL, EpisodeAccess
from ragpp.errors import NotFound
from ragpp.memory.manager import MemoryManager
from ragpp.td_lambda import TDParameters


class TDLambdaLearner:
    """Tells the catalog what was used and what came of it. One episode runs at a time for each domain and goal, and one
    for a domain's accesses that name none: the first access begins it, an accepted `end_episode` ends it. What is
    learned is every agent's of the user. One learner serves many tasks at once, of one event loop.

    `memory`: a MemoryManager. `alpha`: how far values move; `gamma`: what a reward counts one access later; `lambda_`:
    what an access counts one access later. Raises ValueError for parameters out of range.
    """

    def __init__(self, memory: MemoryManager, alpha: float = 0.1, gamma: float = 0.95, lambda_: float = 0.8) -> None:
        self.parameters = TDParameters(alpha, gamma, lambda_)
        self._whose = memory.whose
        self._episodes: dict[tuple[str, str], str] = {}
        self._turn = asyncio.Lock()

    async def record_access(
        self, domain: str, task_type: str, content: str, step_reward: float = 0.0, goal: str | None = None
    ) -> EpisodeAccess:
        """Tell that what says `content` was used. Content that nobody has said before is kept as an item of the level
        `episodic`. NotFound where the episode is no longer there; the next access begins another."""
        key = (domain, goal or GENERAL)
        episode = await self._episode(key)
        try:
            return await self._whose.client.record_access(
                episode,
                user_id=self._whose.user_id,
                agent_id=self._whose.agent_id,
                content=content,
                domain=domain,
                task_type=task_type,
                step_reward=step_reward,
            )
        except NotFound:
            if self._episodes.get(key) == episode:
                self._let_go([key])
            raise

    async def end_episode(self, domain: str, goal: str, final_reward: float) -> list[tuple[str, float, float]]:
        """End the episode of that domain and goal, and with it the domain's of no goal, which was for this one; (key,
        old value, new value) of each memory that was used in them, once, none where nothing was. Where the end is
        refused or not heard they go on, and can be ended again; NotFound where one is no longer there: they have ended.
        """
        async with self._turn:
            running = [key for key in dict.fromkeys(((domain, goal), (domain, GENERAL))) if key in self._episodes]
            if not running:
                return []
            first, *others = (self._episodes[key] for key in running)
            try:
                ended = await self._whose.client.end_episode(
                    first,
                    user_id=self._whose.user_id,
                    goal=goal,
                    with_episodes=others,
                    final_reward=final_reward,
                    alpha=self.parameters.alpha,
                    gamma=self.parameters.gamma,
                    lambda_=self.parameters.lambda_,
                )
            except NotFound:
                self._let_go(running)
                raise
            self._let_go(running)
        return [(one.key, one.old, one.new) for one in ended.items]

    async def _episode(self, key: tuple[str, str]) -> str:
        """The id of the episode that runs, begun where none does: one for all who ask at once."""
        async with self._turn:
            if key not in self._episodes:
                domain, goal = key
                begun = await self._whose.client.begin_episode(user_id=self._whose.user_id, goal=goal, domain=domain)
                self._episodes[key] = begun.episode_id
            return self._episodes[key]

    def _let_go(self, keys: Sequence[tuple[str, str]]) -> None:
        for key in keys:
            self._episodes.pop(key, None)

    async def store(
        self,
        content: str,
        level: Level | MemoryLevel,
        domain: str | None = None,
        task_type: str | None = None,
        agent_name: str | None = None,
        **metadata: JsonValue,
    ) -> MemoryItem:
        """Keep a memory of that level, which is every agent's; whose it was stands in its metadata."""
        client, user_id = self._whose.client, self._whose.user_id
        source = await client.store_resource(
            user_id=user_id, id=f"res_{uuid4()}", resource_type="feedback", content=content
        )
        named = {} if agent_name is None else {"agent_name": agent_name}
        item = {
            "content": content,
            "source_resource_id": source.resource.resource_id,
            "level": level,
            "domain": domain,
            "task_type": task_type,
            "metadata": {**metadata, **named},
        }
        stored = await client.store_items(user_id=user_id, items=[item])
        return stored.items[0]
