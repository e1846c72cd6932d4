"""Choices of users and tenants: the zone of their clocks, and the policy for personal data."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from ragpp.clock import Clock
from ragpp.ledger.events import SQL
from ragpp.models import Scope
from ragpp.personal.kinds import KINDS
from ragpp.personal.policy import KEEP, PersonalPolicy
from ragpp.stores.postgres import Pool, tenant_tx

if TYPE_CHECKING:
    import asyncpg

OF_ALL: Final = ""
"""The user id of a tenant's own policy."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """The choices that hold for a user. `time_zone`: an IANA name, None where none was set."""

    time_zone: str | None = None
    policy: PersonalPolicy = KEEP


class PolicyBoard:
    """The policies for personal data, in the ledger's schema; `pool` of the app's role. A user without one has the
    tenant's, which is kept under the user id OF_ALL.

    Raises, from any method: TierUnavailable when PostgreSQL does not answer.
    """

    def __init__(self, pool: Pool, clock: Clock) -> None:
        self._pool, self._clock = pool, clock

    async def chosen(self, scope: Scope) -> Chosen:
        """The choices that hold for the user, in one statement."""
        async with tenant_tx(self._pool, scope) as connection:
            row = await connection.fetchrow(SQL["user_choices"], *scope.user_key)
        return Chosen() if row is None else Chosen(row["time_zone"], KEEP if row["mode"] is None else _policy(row))

    async def policy(self, scope: Scope) -> PersonalPolicy | None:
        """The policy that was set for this user, or for the tenant; None where none was."""
        async with tenant_tx(self._pool, scope) as connection:
            row = await connection.fetchrow(SQL["personal_policy"], *scope.user_key)
        return None if row is None else _policy(row)

    async def set_policy(self, scope: Scope, policy: PersonalPolicy) -> None:
        """Keep `policy` in the place of what was set. What is stored already stays as it is."""
        kinds = None if policy.kinds == KINDS else sorted(policy.kinds)  # kinds that come later belong to all
        async with tenant_tx(self._pool, scope) as connection:
            await connection.execute(
                SQL["set_personal_policy"], *scope.user_key, policy.mode, kinds, policy.keeps_passwords, self._clock()
            )

    async def drop_policy(self, scope: Scope) -> bool:
        """Let it go; False where none was set."""
        async with tenant_tx(self._pool, scope) as connection:
            done = await connection.execute(SQL["drop_personal_policy"], *scope.user_key)
        return done != "DELETE 0"


def _policy(row: "asyncpg.Record") -> PersonalPolicy:
    kinds = KINDS if row["kinds"] is None else frozenset(row["kinds"]) & KINDS
    return PersonalPolicy(row["mode"], kinds, row["keeps_passwords"])
