"""A learner in Python keeps what it was told until its end was taken, however it is called."""

import asyncio
import json
import re
from collections.abc import AsyncIterator
from typing import Final

import httpx
import pytest

from ragpp import MemoryManager, TDLambdaLearner
from ragpp.api import AccessIn, EpisodeEndIn, EpisodeIn
from ragpp.catalog import generate_memory_key
from ragpp.client import AsyncMemoryClient
from ragpp.episodes import Episode, EpisodeAccess, ValueUpdate
from ragpp.errors import InvalidInput, MemorySystemError, NotFound
from ragpp.errors.problems import MEDIA_TYPE, problem_of
from ragpp.models import Page
from tests.support.each import each_case

MOVED: Final = 0.55
_ADDRESS: Final = re.compile("/v1/learning/episodes(?:/([^/]+)/([^/]+))?")


class LearningGateway(httpx.AsyncBaseTransport):
    """Keeps episodes and what was used in them; whatever was used in what ends moves to MOVED, once.

    `lost`: how many ends are not heard; `refused`: how many beginnings fail.
    """

    def __init__(self) -> None:
        self.episodes: dict[str, list[str]] = {}
        self.begun = self.lost = self.refused = 0

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        await asyncio.sleep(0)  # others have their turn, as over a network
        found = _ADDRESS.fullmatch(request.url.path)
        assert found is not None
        body = await request.aread()
        try:
            if found[1] is None:
                return _answer(201, self._begin(EpisodeIn.model_validate_json(body)))
            if found[2] == "access":
                return _answer(201, self._use(found[1], AccessIn.model_validate_json(body)))
            return _answer(200, self._end(found[1], EpisodeEndIn.model_validate_json(body)))
        except MemorySystemError as error:
            problem = problem_of(error)
            return httpx.Response(
                problem.status, content=problem.model_dump_json(), headers={"content-type": MEDIA_TYPE}
            )

    def _begin(self, given: EpisodeIn) -> Episode:
        self.begun += 1
        if self.refused:
            self.refused -= 1
            raise InvalidInput("not now")
        episode = Episode(episode_id=f"ep_{self.begun}", goal=given.goal, domain=given.domain)
        self.episodes[episode.episode_id] = []
        return episode

    def _use(self, episode_id: str, given: AccessIn) -> EpisodeAccess:
        if episode_id not in self.episodes:
            raise NotFound("no episode")
        key = generate_memory_key(given.content or "", given.domain, given.task_type)
        used = self.episodes[episode_id]
        used.append(key)
        return EpisodeAccess(episode_id=episode_id, number=len(used), item_id=key, key=key)

    def _end(self, episode_id: str, given: EpisodeEndIn) -> Page[ValueUpdate]:
        if self.lost:
            self.lost -= 1
            raise httpx.ConnectError("nobody there")
        ending = (episode_id, *given.with_episodes)
        if not self.episodes.keys() >= {*ending}:
            raise NotFound("no episode")
        keys = dict.fromkeys(key for one in ending for key in self.episodes.pop(one))
        return Page(items=tuple(ValueUpdate(item_id=key, key=key, old=0.5, new=MOVED) for key in keys))


def _answer(status: int, value: Episode | EpisodeAccess | Page[ValueUpdate]) -> httpx.Response:
    return httpx.Response(status, content=json.dumps(value.model_dump(mode="json")))


@pytest.fixture
def gateway() -> LearningGateway:
    return LearningGateway()


@pytest.fixture
async def learner(gateway: LearningGateway) -> AsyncIterator[TDLambdaLearner]:
    async with AsyncMemoryClient("http://gateway", "k", retries=0, transport=gateway) as client:
        yield TDLambdaLearner(MemoryManager(client=client, user_id="u1"))


async def test_what_is_used_at_once_is_one_episode(gateway: LearningGateway, learner: TDLambdaLearner) -> None:
    await asyncio.gather(*(learner.record_access("conc", "t", f"memory {place}") for place in range(6)))
    assert gateway.begun == 1
    assert len(await learner.end_episode("conc", "g", 1.0)) == 6


@each_case(("goal", "reward"), [("g", 5.0), ("", 1.0), ("g" * 101, 1.0)])
async def test_an_episode_whose_end_was_refused_can_still_be_ended(
    learner: TDLambdaLearner, goal: str, reward: float
) -> None:
    await learner.record_access("d", "t", "A")
    with pytest.raises(InvalidInput):
        await learner.end_episode("d", goal, reward)
    assert len(await learner.end_episode("d", "g", 1.0)) == 1
    assert await learner.end_episode("d", "g", 1.0) == []


async def test_an_episode_whose_end_was_not_heard_can_still_be_ended(
    gateway: LearningGateway, learner: TDLambdaLearner
) -> None:
    await learner.record_access("d", "t", "A")
    await learner.record_access("d", "t", "B", goal="g")
    gateway.lost = 1
    with pytest.raises(MemorySystemError):
        await learner.end_episode("d", "g", 1.0)
    assert len(await learner.end_episode("d", "g", 1.0)) == 2


async def test_a_memory_moves_once_however_often_its_use_named_the_goal(learner: TDLambdaLearner) -> None:
    await learner.record_access("d", "t", "A")
    await learner.record_access("d", "t", "A", goal="g")
    await learner.record_access("d", "t", "A")
    ((key, old, new),) = await learner.end_episode("d", "g", 1.0)
    assert (key, old, new) == (generate_memory_key("A", "d", "t"), 0.5, MOVED)


async def test_what_is_used_while_an_episode_ends_is_of_the_next(learner: TDLambdaLearner) -> None:
    await learner.record_access("d", "t", "A")
    ended, _ = await asyncio.gather(learner.end_episode("d", "g", 1.0), learner.record_access("d", "t", "B"))
    assert len(ended) == 1
    assert len(await learner.end_episode("d", "g", 1.0)) == 1


async def test_a_beginning_that_failed_is_tried_again(gateway: LearningGateway, learner: TDLambdaLearner) -> None:
    gateway.refused = 1
    told = await asyncio.gather(*(learner.record_access("d", "t", one) for one in "AB"), return_exceptions=True)
    assert sorted(isinstance(one, InvalidInput) for one in told) == [False, True]
    assert len(await learner.end_episode("d", "g", 1.0)) == 1


async def test_an_episode_that_is_no_longer_there_is_told_once_and_not_waited_for(
    gateway: LearningGateway, learner: TDLambdaLearner
) -> None:
    await learner.record_access("d", "t", "A")
    gateway.episodes.clear()
    with pytest.raises(NotFound):
        await learner.record_access("d", "t", "B")
    await learner.record_access("d", "t", "B")
    gateway.episodes.clear()
    with pytest.raises(NotFound):
        await learner.end_episode("d", "g", 1.0)
    assert await learner.end_episode("d", "g", 1.0) == []
