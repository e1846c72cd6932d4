"""Which views of a user's memory are kept by themselves, since not all agents may see all that was said."""

from collections.abc import Collection

from ragpp.ledger.events import SQL
from ragpp.models import SHARED, Scope
from ragpp.stores.postgres import Connection, Pool, tenant_tx


class ViewBoard:
    """The views of each user, in the ledger's schema; `pool` of the app's or of the relay's role (which builds them).

    Raises, from any method: TierUnavailable when PostgreSQL does not answer.
    """

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def of(self, scope: Scope) -> dict[str, bool]:
        """The views that there are, each with whether it has learned what was said before it was begun. None at all
        where nothing was said that not all agents may see: then the user's whole memory is every agent's view."""
        async with tenant_tx(self._pool, scope) as connection:
            rows = await connection.fetch(SQL["views"], *scope.user_key)
        return {row["view"]: row["built"] for row in rows}

    async def built(self, scope: Scope) -> None:
        """The scope's view has learned what was said before it was begun."""
        async with tenant_tx(self._pool, scope) as connection:
            await connection.execute(SQL["built"], *scope.user_key, scope.view)

    async def unbuild(self, scope: Scope) -> None:
        """Have the views built again: what they had learned is gone."""
        async with tenant_tx(self._pool, scope) as connection:
            await connection.execute(SQL["unbuild"], *scope.user_key)

    async def begin(self, scope: Scope, event_id: int) -> None:
        """See that there is a view of the scope's, for something that this event is of."""
        async with tenant_tx(self._pool, scope) as connection:
            await note_views(connection, scope, [scope.view or SHARED], event_id)


async def note_views(connection: Connection, scope: Scope, agents: Collection[str], event_id: int) -> None:
    """In the caller's transaction, under the user's lock: that event recorded what only these agents may see."""
    if agents:
        await connection.execute(SQL["note_views"], *scope.user_key, sorted({SHARED, *agents}), event_id)


def view_of(scope: Scope, views: Collection[str]) -> Scope:
    """The scope of what is kept for its view, where these are the views that there are: a view in which nothing is that
    not all agents may see is the shared one."""
    if scope.view is None or not views:
        return scope.seen_by(None)
    return scope if scope.view in views else scope.seen_by(SHARED)


def each_view(scope: Scope, views: Collection[str]) -> list[Scope]:
    """The scope of the whole memory, and that of each of these views of it."""
    return [scope.seen_by(None), *(scope.seen_by(view) for view in views)]
