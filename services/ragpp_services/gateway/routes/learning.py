"""Episodes of use: begun, told what was used, and ended with a reward."""

from uuid import uuid4

from ragpp.api import AccessIn, EpisodeEndIn, EpisodeIn, ItemIn
from ragpp.episodes import Episode, EpisodeAccess, EpisodeEnd, Used, ValueUpdate
from ragpp.errors import NotFound
from ragpp.fields import Id
from ragpp.models import Page
from ragpp_services.gateway.catalog.keeping import kept_alone
from ragpp_services.gateway.catalog.owning import place
from ragpp_services.gateway.catalog.reading import read_entry
from ragpp_services.gateway.http import GatewayParts, keyed_router
from ragpp_services.gateway.parts import Parts
from ragpp_services.gateway.requester import Requester, Writer

router = keyed_router("catalog")


@router.post("/v1/learning/episodes", status_code=201, summary="Begin an episode")
async def begin_episode(requester: Writer, parts: GatewayParts, body: EpisodeIn) -> Episode:
    """It stays, also over restarts, until it is ended. With a key that is bound to an agent it is that agent's."""
    scope = requester.catalog("write", body.user_id)
    goal = parts.knowledge.label(body.goal) or body.goal
    episode = await parts.catalog.begin_episode(scope, goal, parts.knowledge.label(body.domain))
    requester.items, requester.details = 1, {"episode": episode.episode_id}
    return episode


@router.post("/v1/learning/episodes/{episode_id:id}/access", status_code=201, summary="Tell what was used")
async def record_access(requester: Writer, parts: GatewayParts, episode_id: Id, body: AccessIn) -> EpisodeAccess:
    """With what it is worth for the episode's goal now. `memory_id`: its id, or what it is called elsewhere. A content
    that nobody has said before is kept as an item of the level `episodic`, with the domain and the kind of task."""
    scope = requester.catalog("write", body.user_id)
    used = parts.knowledge.used(body)
    access = await parts.catalog.record_access(scope, episode_id, used)
    if access is None and used.memory_id is not None:
        entry = await read_entry(parts, scope, used.memory_id)
        access = await parts.catalog.record_access(
            scope, episode_id, used.model_copy(update={"memory_id": entry.memory_id})
        )
    elif access is None and used.content is not None:
        episode = await parts.catalog.get_episode(scope, episode_id)
        body = body.model_copy(update={"domain": body.domain or episode.domain})
        item_id = await _kept(requester, parts, body, used.content)
        used = Used(memory_id=item_id, step_reward=body.step_reward)
        access = await parts.catalog.record_access(scope, episode_id, used)
    if access is None:
        raise NotFound("there is no item of that id")
    requester.tells((access.item_id,))
    return access


async def _kept(requester: Requester, parts: Parts, body: AccessIn, content: str) -> str:
    """The id of an item that says that, of a resource that says no more."""
    where = place(requester, body.user_id, None, agent_id=body.agent_id)
    source = f"res_{uuid4()}"
    item = ItemIn(
        content=content, source_resource_id=source, domain=body.domain, task_type=body.task_type, level="episodic"
    )
    return await kept_alone(parts, where, item, source)


@router.post("/v1/learning/episodes/{episode_id:id}/end", summary="End an episode")
async def end_episode(requester: Writer, parts: GatewayParts, episode_id: Id, body: EpisodeEndIn) -> Page[ValueUpdate]:
    """Values of what was used in it move towards what came of it, by TD(λ): each from what it is by then, so that two
    episodes that end at once both count. `goal`: what it was for, where its beginning did not tell."""
    scope = requester.catalog("write", body.user_id)
    end = EpisodeEnd.model_validate({**body.model_dump(exclude={"user_id"}), "goal": parts.knowledge.label(body.goal)})
    updates = await parts.catalog.end_episode(scope, episode_id, end)
    requester.tells(one.item_id for one in updates)
    return Page[ValueUpdate](items=tuple(updates))
