"""Reading in a view, and whose views a change concerns."""

from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import Final, Generic, Protocol, TypeVar

from ragpp.errors import Conflict, Forbidden, InvalidInput, NotFound, TierUnavailable
from ragpp.ledger.views import each_view, view_of
from ragpp.models import SHARED, MemoryQuery, Scope
from ragpp.tierkit.verbs import add_verbs
from ragpp.tiers import MemoryTier

T = TypeVar("T")
TierT = TypeVar("TierT", bound=MemoryTier)
Sources = frozenset[str]
"""Ids of the interactions that something rests on."""
_NO_SCOPE: Final = frozenset({"health_check", "state", "is_blank", "mark", "prune_forgotten"})


class Views(Protocol):
    """Where it is known which views there are (`ragpp.ledger.views.ViewBoard`)."""

    async def of(self, scope: Scope) -> dict[str, bool]:
        """The views that are kept by themselves, each with whether it is built."""
        ...


class Viewed(Generic[TierT]):
    """A tier whose reads are in the view of their scope. Every verb of the tier's protocol that a subclass does not
    define is such a read. Raises, from any: TierUnavailable while it cannot be told which views there are."""

    def __init_subclass__(cls, of: type[MemoryTier]) -> None:
        """`of`: the protocol."""
        super().__init_subclass__()
        add_verbs(cls, of, _reading)

    def __init__(self, tier: TierT, views: Views) -> None:
        self._tier, self._views = tier, views
        self.name: Final = tier.name

    async def _seen(self, scope: Scope, read: Callable[[Scope], Awaitable[T]]) -> T:
        """The result of `read` in the view of `scope`. What was read of the whole memory, for want of anything that not
        all agents may see, is read again where something like that has come meanwhile."""
        if scope.view is None:
            return await read(scope)
        views = await self._views.of(scope)
        found = await read(view_of(scope, views))
        if not views and (views := await self._views.of(scope)):
            found = await read(view_of(scope, views))
        return found

    async def _everywhere(self, scope: Scope, change: Callable[[Scope], Awaitable[T]]) -> T:
        """Change the whole memory, whose answer counts, and each view of it."""
        whole, *views = each_view(scope, await self._views.of(scope))
        for view in views:  # the whole last: where a view could not be changed, there is something left to repeat
            await change(view)
        return await change(whole)

    async def _concerned(self, scope: Scope, rests: Callable[[Scope], Awaitable[Sources | None]]) -> list[Scope]:
        """Whose view is to change beside the scope's, with what is in it: everybody's, of a key that is bound to no
        agent. An agent changes what was said to it alone: in the whole memory, too, unless that has it from another
        agent as well, of which this one is not to know. `rests`: what it rests on in a view, None where it is not.
        Raises NotFound for what is not in the view, Forbidden for what all agents see, TierUnavailable while it cannot
        be told what another agent has, since its view is being built."""
        views = await self._views.of(scope)
        if scope.view is None:
            return each_view(scope, views)[1:]
        self._see_built(scope, views)
        own = await rests(view_of(scope, views))
        if own is None:
            raise NotFound("there is nothing of that id")
        if scope.view not in views or await rests(scope.seen_by(SHARED)) is not None:
            raise Forbidden(
                "this key is bound to an agent, and other agents see this, too",
                suggestions=("Change it with a key that is bound to no agent.",),
            )
        others = [scope.seen_by(view) for view in views if view not in {SHARED, scope.view}]
        if any([await rests(other) is not None for other in others]):
            return []
        whole = await rests(scope.seen_by(None))
        return [scope.seen_by(None)] if whole is not None and whole <= own else []

    def _see_built(self, scope: Scope, views: Mapping[str, bool]) -> None:
        """Raises TierUnavailable for an agent while any view is being built."""
        if scope.view is not None and not all(views.values()):
            raise TierUnavailable(
                "what this user's agents may see is being sorted out",
                suggestions=("Repeat the request in a moment: a worker does it once, when a view begins.",),
            )


def _reading(verb: str) -> Callable[..., Awaitable[object]]:
    """The method of a Viewed that reads in the view of the scope, or the tier's own where there is no scope."""

    async def read(self: Viewed[MemoryTier], of: Scope | MemoryQuery, /, *args: object, **kwargs: object) -> object:
        call = getattr(self._tier, verb)

        async def asked(scope: Scope) -> object:
            where = scope if isinstance(of, Scope) else of.model_copy(update={"scope": scope})
            return await call(where, *args, **kwargs)

        return await self._seen(of if isinstance(of, Scope) else of.scope, asked)

    async def called(self: Viewed[MemoryTier], *args: object, **kwargs: object) -> object:
        return await getattr(self._tier, verb)(*args, **kwargs)

    return called if verb in _NO_SCOPE else read


async def if_there(change: Awaitable[object]) -> bool:
    """True where there was anything to change in a view that may not have it, or has it otherwise."""
    with suppress(NotFound, Conflict, InvalidInput):
        await change
        return True
    return False
