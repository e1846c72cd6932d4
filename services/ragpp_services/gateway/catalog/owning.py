"""Whose a thing of the catalog is: where it is kept, and who may change it or take it away."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from ragpp.api import EntryIn
from ragpp.catalog import EVERYBODY, CatalogVisibility, MemoryCategory, MemoryItem, Resource
from ragpp.errors import Forbidden, InvalidInput, NotFound
from ragpp.models import Scope
from ragpp.tiers import CatalogTier
from ragpp_services.gateway.intake import Whose
from ragpp_services.gateway.requester import Requester

_UNBOUND = "Use a key that is bound to no agent."
_UNSEEN = "Leave `view` out: without one it is anybody's who may."


@dataclass(frozen=True)
class Place:
    """Where something new is kept, and for whom. `unsaid`: it is an agent's own because nobody said who is to see it,
    with a key that sees everything."""

    scope: Scope
    whose: Whose
    unsaid: bool = False


def place(
    requester: Requester,
    user_id: str | None,
    visibility: CatalogVisibility | None,
    *,
    agent_id: str | None = None,
    session_id: str | None = None,
    own: bool = False,
) -> Place:
    """Where to keep what a request brings. `visibility` None: `global` where no user is named, else the key's own,
    `agent` with a key that is bound to one, or where `own` and an agent is named, `shared` otherwise.

    Raises Forbidden, also for `global` without that scope, and for what all of the user's agents are to see with a key
    that is bound to one, without the scope `share`; InvalidInput for what one agent alone is to see without an agent,
    and for what is neither global nor a user's.
    """
    scope = requester.catalog("write", user_id, agent_id=agent_id, session_id=session_id)
    requester.agent_id, unsaid = agent_id, False
    if visibility is None:
        visibility = requester.principal.default_visibility if scope.user_id else "global"
        unsaid = own and visibility == "shared" and requester.principal.visibility is None and agent_id is not None
        visibility = "agent" if unsaid else visibility
    if visibility == "global":
        requester.principal.need("global")
        return Place(everybodys(scope), Whose(agent_id=scope.agent_id, contributor=scope.user_id))
    if not scope.user_id:
        raise _missing(
            "user_id", f"with the visibility {visibility} it says whose it is", "Name the user: `user_id` (--user)."
        )
    if visibility == "agent" and scope.agent_id is None:
        raise _missing(
            "agent_id",
            "with the visibility agent it says which agent may see it",
            "Name the agent: `agent_id` or `ci` (--agent).",
        )
    if visibility == "shared":
        requester.principal.need_to_share()
    seen_by = scope.agent_id if visibility == "agent" else None
    return Place(scope, Whose(agent_id=scope.agent_id, seen_by=seen_by), unsaid)


def place_of_entry(requester: Requester, user_id: str | None, body: EntryIn) -> Place:
    """Where to keep a memory: as `place` says, a named agent's own (document 001), unless it has a domain or a kind of
    task, which all agents learn from (document 003)."""
    own = body.domain is None and body.task_type is None
    return place(requester, user_id, body.visibility, agent_id=body.ci, own=own)


def everybodys(scope: Scope) -> Scope:
    """The scope of what all users of the tenant share."""
    return scope.model_copy(update={"user_id": EVERYBODY})


def changing(requester: Requester, scope: Scope, what: Resource | MemoryItem | MemoryCategory) -> Scope:
    """In which scope `what`, read in `scope`, is changed or deleted. Raises Forbidden for what all users share without
    the scope `global`, and for what is not an agent's own in that agent's view, which is that of a key that is bound to
    it: categories are no agent's."""
    agent_id = None if isinstance(what, MemoryCategory) else what.agent_id
    if scope.view is not None and agent_id != scope.view:
        is_bound = requester.principal.agent_id is not None
        whose = "other agents see this, too" if isinstance(what, MemoryCategory) else "this is not its own"
        raise Forbidden(
            f"{'this key is bound to an agent' if is_bound else 'an agent is named by `view`'}, and {whose}",
            suggestions=(_UNBOUND if is_bound else _UNSEEN,),
        )
    return writing(requester, scope, what)


def writing(requester: Requester, scope: Scope, what: Resource | MemoryItem | MemoryCategory) -> Scope:
    """In which scope work on `what`, read in `scope`, is done. Raises Forbidden for what all users share without the
    scope `global`."""
    if what.visibility != "global":
        return scope
    requester.principal.need("global")
    return everybodys(scope)


async def see_own(catalog: CatalogTier, requester: Requester, scope: Scope, item_ids: Sequence[str]) -> None:
    """Raises Forbidden where any of these items, as far as they are there, may not be changed; see `changing`."""
    for item_id in item_ids:
        with suppress(NotFound):
            changing(requester, scope, await catalog.get_item(scope, item_id))


def _missing(field: str, why: str, suggestion: str) -> InvalidInput:
    return InvalidInput.of_field(field, f"is missing: {why}", suggestion)
