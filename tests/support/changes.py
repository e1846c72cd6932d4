"""A catalog with something of everything, and every act that changes what is found in it."""

from collections.abc import Awaitable, Callable
from typing import Final

from ragpp.episodes import EpisodeEnd, Used
from ragpp.models import Scope
from ragpp.tiers import CatalogTier
from tests.support.catalog import conversation, item, resource
from tests.support.catalog_reading import everybody
from tests.support.scopes import new_scope

ANY_EVENT: Final = 2**62
"""After every event that there is."""
Act = Callable[[CatalogTier, Scope], Awaitable[object]]


async def filled(tier: CatalogTier) -> Scope:
    """A document, a note, a conversation, a category, five items, of which two are one, and one of everybody."""
    made = new_scope()
    await tier.create_category(made, "boxes", "What is in which box")
    talk = conversation(("Ann", "Box 4 holds nails."), ("Ben", "And box 5 holds rope."), id="talk", ids=("m1", "m2"))
    await tier.store(made, [resource(id="r"), resource("Box 6 holds glue.", id="note"), talk])
    stored = [
        item("Box 1 holds letters.", "r", id="i1"),
        item("Box 1 holds letters.", "r", id="i2").model_copy(update={"agent_id": "sales"}),
        item("Box 3 holds stamps.", "r", id="i3", category="boxes"),
        item("Box 4 holds nails.", "talk", id="i4", sources=("m1",), by_hand=False),
        item("Box 6 holds glue and paint.", "note", id="i6"),
    ]
    await tier.store(made, stored)
    await tier.store(everybody(made), [resource(id="r"), item("Box 9 holds what all need.", "r", id="all")])
    return made


async def erased(tier: CatalogTier, scope: Scope) -> None:
    while await tier.erase(scope, ANY_EVENT):
        pass


async def used(tier: CatalogTier, scope: Scope, item_id: str = "i1") -> None:
    episode = await tier.begin_episode(scope, "useful")
    await tier.record_access(scope, episode.episode_id, Used(memory_id=item_id))
    await tier.end_episode(scope, episode.episode_id, EpisodeEnd(final_reward=1.0))


CHANGES: Final[dict[str, Act]] = {
    "an item is stored": lambda tier, scope: tier.store(scope, [item("Box 7 holds a lamp.", "r")]),
    "what is known is said again": lambda tier, scope: tier.store(scope, [item("Box 3 holds stamps.", "r")]),
    "a resource is stored, which lends its words": lambda tier, scope: tier.store(scope, [resource("A lamp.")]),
    "items are taken from a resource": lambda tier, scope: tier.put_extracted(
        scope, "talk", [item("Box 5 holds rope.", "talk", sources=("m2",), by_hand=False)]
    ),
    "an item is forgotten": lambda tier, scope: tier.forget(scope, ["i3"]),
    "an agent takes back its own": lambda tier, scope: tier.withdraw_item(scope, "i1", "sales"),
    "an interaction is forgotten": lambda tier, scope: tier.forget_sources(scope, ["m1"]),
    "a resource is deleted": lambda tier, scope: tier.delete_resource(scope, "note"),
    "a stub is left": lambda tier, scope: tier.delete_resource(scope, "note", cascade=False),
    "a resource expires": lambda tier, scope: tier.expire(scope, ["note"]),
    "an item expires": lambda tier, scope: tier.expire_entries(scope, ["i3"]),
    "an item comes into a category": lambda tier, scope: tier.put_in_category(scope, "boxes", ["i1"]),
    "a category goes": lambda tier, scope: tier.delete_category(scope, "boxes"),
    "an agent says what it thinks": lambda tier, scope: tier.put_feedback(scope, "sales", "i1", 1.0),
    "an answer used it": lambda tier, scope: tier.judge_uses(scope, "sales", {"i1": 1.0}),
    "an episode ends": used,
    "what all share is worth something to the user": lambda tier, scope: used(tier, scope, "all"),
    "vectors are made anew": lambda tier, scope: tier.rebuild(scope),
    "the user is erased": erased,
    "everybody has another": lambda tier, scope: tier.store(everybody(scope), [item("Box 8 holds tea.", "r")]),
    "everybody's is forgotten": lambda tier, scope: tier.forget(everybody(scope), ["all"]),
}
