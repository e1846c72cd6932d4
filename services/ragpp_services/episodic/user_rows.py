"""Reads of one user's rows, and writes in passing."""

from collections.abc import Collection, Sequence
from typing import Final

from ragpp.models import Interaction, KnownUser, Scope
from ragpp.stores.postgres import Connection
from ragpp.stores.segments import SegmentRows
from ragpp.stores.vector_values import asked_terms
from ragpp_services.episodic.rows import StoredInteraction, stored_of
from ragpp_services.episodic.statements import SQL

ASKED_TERMS: Final = 10_000
"""In one question: a sparse vector of pgvector holds 16,000 elements."""


class Rows:
    """The rows of one user, as they are read, and written in passing."""

    def __init__(self, connection: Connection, scope: Scope) -> None:
        self._connection, self._scope = connection, scope
        self.segments = SegmentRows(connection, "episodic", scope.tenant_id, SQL)

    async def get(self, ids: Collection[str]) -> list[StoredInteraction]:
        """Those of `ids` that exist, by time."""
        rows = await self._connection.fetch(SQL["get"], *self._scope.user_key, list(ids), self._scope.view)
        return [stored_of(row) for row in rows]

    async def users(self, after: str, limit: int, only: str | None) -> list[KnownUser]:
        """At most `limit` users of the tenant, by id from after that one on; of `only` that one."""
        rows = await self._connection.fetch(SQL["users"], self._scope.tenant_id, after, only, limit)
        return [KnownUser(user_id=row["user_id"], last_at=row["last_at"]) for row in rows]

    async def replies_sharing(
        self, gone: Sequence[Interaction], stems: Collection[int], seen: Collection[int]
    ) -> list[StoredInteraction]:
        """The messages of others than the user since the first of `gone` that share one of their `stems`; none of
        `gone` itself, nor of the ordinals `seen`."""
        found: dict[int, StoredInteraction] = {}
        asked = sorted(stems)
        for start in range(0, len(asked), ASKED_TERMS):
            some = asked[start : start + ASKED_TERMS]
            rows = await self._connection.fetch(
                SQL["replies_sharing"],
                *self._scope.user_key,
                min(one.occurred_at for one in gone),
                asked_terms(some),
                [one.id for one in gone],
                [*seen, *found],
            )
            found |= {row["ordinal"]: stored_of(row) for row in rows}
        return sorted(found.values(), key=lambda one: (one.interaction.occurred_at, one.ordinal))
