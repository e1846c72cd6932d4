"""The statements of the catalog by name, run for one user inside one transaction."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import asyncpg

from ragpp.models import Scope
from ragpp.stores.postgres import Connection
from ragpp.stores.queries import instead_of_all, load_queries

FILES: Final = (
    "layers.sql",
    "resources.sql",
    "items.sql",
    "entries.sql",
    "categories.sql",
    "rebuilding.sql",
    "rewording.sql",
    "passages.sql",
    "segments.sql",
    "values.sql",
    "agents.sql",
)
_WRITTEN: Final = {
    name: statement for file in FILES for name, statement in load_queries("ragpp_services.catalog", file).items()
}
_CHOSEN: Final = load_queries("ragpp_services.catalog", "chosen.sql")
SQL: Final[Mapping[str, str]] = {
    **_WRITTEN,
    "scan_chosen_items": instead_of_all(_WRITTEN["scan_items"], {"catalog.items": _CHOSEN["chosen_items"]}),
    "scan_view_items": instead_of_all(_WRITTEN["scan_items"], {"catalog.items": _CHOSEN["items_of_view"]}),
    "scan_around_chosen_items": instead_of_all(
        _WRITTEN["scan_around_items"], {"catalog.resource_chunks": _CHOSEN["chosen_chunks"]}
    ),
}
EVERYBODY: Final = ""
"""The user id under which lives what all users of a tenant share."""


class Statements:
    """Runs them. A statement that reads what the scope sees begins with $1 tenant_id text, $2 user ids text[] (the
    user's and EVERYBODY) and $3 view text; one about the user's own rows with $1 tenant_id text and $2 user_id text."""

    def __init__(self, connection: Connection, scope: Scope) -> None:
        self.connection, self.scope = connection, scope

    @property
    def _seen(self) -> tuple[object, ...]:
        return self.scope.tenant_id, list(dict.fromkeys((self.scope.user_id, EVERYBODY))), self.scope.view

    async def seen(self, name: str, *arguments: object) -> list[asyncpg.Record]:
        """Rows of what the scope sees."""
        return await self.connection.fetch(SQL[name], *self._seen, *arguments)

    async def seen_row(self, name: str, *arguments: object) -> asyncpg.Record | None:
        """The only such row."""
        return await self.connection.fetchrow(SQL[name], *self._seen, *arguments)

    async def own(self, name: str, *arguments: object) -> list[asyncpg.Record]:
        """Rows of the user's own, read or changed."""
        return await self.connection.fetch(SQL[name], *self.scope.user_key, *arguments)

    async def own_row(self, name: str, *arguments: object) -> asyncpg.Record | None:
        """The only such row."""
        return await self.connection.fetchrow(SQL[name], *self.scope.user_key, *arguments)

    async def change(self, name: str, *arguments: object) -> None:
        """Change the user's own rows."""
        await self.connection.execute(SQL[name], *self.scope.user_key, *arguments)

    async def change_many(self, name: str, arguments: Iterable[Sequence[object]]) -> None:
        """The same, once for each of `arguments`."""
        rows = [(*self.scope.user_key, *some) for some in arguments]
        if rows:
            await self.connection.executemany(SQL[name], rows)
