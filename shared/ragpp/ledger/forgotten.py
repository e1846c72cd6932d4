"""Epochs of forgetting, and the marks and events of what was forgotten, of the tiers in PostgreSQL.

Every coroutine runs in the caller's transaction (`ragpp.stores.postgres.tenant_tx`) and raises what the driver raises.
"""

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Final, cast

from pydantic import JsonValue

from ragpp.ledger.events import SQL, NewEvent, lock_user
from ragpp.ledger.work import Work
from ragpp.models import Scope
from ragpp.stores.forgetting import check_epoch
from ragpp.stores.postgres import Connection

_LESS: Final = "teach_less"
"""In the payload: the messages that teach less than before, for they repeat the forgotten one."""


def forgotten_event(
    identifier: str, occurred_at: datetime, session_id: str, teach_less: Mapping[str, int] | None = None
) -> NewEvent:
    """That a message was forgotten. `teach_less`: the ids of others of which more is known to repeat it than was when
    they were observed, with those of the events that recorded them."""
    payload: dict[str, JsonValue] = {"session_id": session_id}
    if teach_less:
        payload[_LESS] = cast("JsonValue", dict(teach_less))
    return NewEvent("interaction.forgotten", identifier, occurred_at, payload)


def teach_less(work: Work) -> dict[str, int]:
    """The `teach_less` that `forgotten_event` was given; empty where there was none."""
    return cast("dict[str, int]", work.payload.get(_LESS, {}))


async def epoch_of(connection: Connection, scope: Scope) -> int:
    """The user's epoch: another one after anything of the user was forgotten; 0 before."""
    return await connection.fetchval(SQL["epoch"], *scope.user_key) or 0


async def lock_in_epoch(connection: Connection, scope: Scope, epoch: int | None) -> None:
    """`lock_user`, for a write that carries an epoch or, not being derived, None. Raises Outdated.

    The epoch is read by a statement of its own after the lock was given: its snapshot has what was forgotten while
    this transaction waited.
    """
    await lock_user(connection, scope)
    if epoch is not None:
        check_epoch(epoch, await epoch_of(connection, scope))


async def raise_epoch(connection: Connection, scope: Scope) -> None:
    """Let every derived write whose inputs were read before be refused. The caller holds the user's lock."""
    await connection.execute(SQL["raise_epoch"], *scope.user_key)


async def add_forgotten(connection: Connection, scope: Scope, marks: Collection[str], now: datetime) -> None:
    """Keep the marks of sources that are forgotten, until they are pruned for their age."""
    await connection.execute(SQL["add_forgotten"], scope.tenant_id, sorted(marks), now)


async def forgotten_among(connection: Connection, scope: Scope, sources: Mapping[str, str]) -> set[str]:
    """Those of `sources`, by their marks, that were forgotten."""
    if not sources:
        return set()
    rows = await connection.fetch(SQL["forgotten"], scope.tenant_id, list(sources))
    return {sources[row["mark"]] for row in rows}
