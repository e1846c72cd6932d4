"""Whose turn it is: one step of handing out work, in the caller's transaction."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from ragpp.ledger.events import SQL
from ragpp.stores.postgres import Connection

if TYPE_CHECKING:
    import asyncpg

MAX_ATTEMPTS: Final = 16
"""Enough to outlast an overload of half an hour, in which stores answer pings and yet time out."""
SUSPECT_AFTER: Final = 3
"""Attempts after which a work is given out alone, so that it cannot take others with it."""
USERS_AT_ONCE: Final = 4
"""Users of one lease: enough to share its cost, few enough that others find somebody to work for."""
LOOKED_AT: Final = 16
"""Users who are looked at in one turn: some of them may have to wait for something else."""
LOOK_AGAIN_S: Final = 1.0
"""When they are looked at again."""
LEARNING_LOCK: Final = 0x52414752
"""Key of the advisory lock that keeps works from being handed out while somebody holds it alone, so that the stores are
copied as of one moment. The server gives it back when its holder dies."""
FORGETTING: Final = ("forget", "erase")
"""The stages that wait for no copy."""


@dataclass(frozen=True, slots=True)
class Turn:
    """The works that were handed out, in the order of their events, and whether more users wait than were looked at."""

    works: Sequence["asyncpg.Record"] = ()
    more: bool = False


async def take_turn(connection: Connection, stage: str, *, limit: int, owner: str, lease_s: float, users: int) -> Turn:
    """Lease works of those whose turn it is, and move on the line: see `WorkLedger.lease`, and the statements."""
    row = await connection.fetchrow(SQL["round"], stage, LEARNING_LOCK)
    if row is None or not (row["learns"] or stage in FORGETTING):
        return Turn()
    last = row["tenant_id"]
    await connection.execute(SQL["fail_exhausted"], stage, MAX_ATTEMPTS)
    line = await connection.fetch(SQL["whose_turn"], stage, last, LOOKED_AT)
    if not line:
        return Turn()
    most = min(users, max(1, len(line) // 2))
    works = await connection.fetch(
        SQL["lease"], stage, *_columns(map(_user, line)), most, limit, owner, lease_s, SUSPECT_AFTER
    )
    handed = Counter(map(_user, works))
    if len(works) == 1 and works[0]["attempts"] > SUSPECT_AFTER:  # given out alone: the others were not looked at
        served = [row for row in line if _user(row) in handed]
    else:
        served = line[: max((place for place, row in enumerate(line, 1) if _user(row) in handed), default=len(line))]
    locked = set(map(_user, await connection.fetch(SQL["try_lock_users"], *_columns(map(_user, served)))))
    await connection.execute(
        SQL["after_turn"],
        stage,
        *_columns(map(_user, served)),
        [row["due_at"] for row in served],
        [handed[_user(row)] for row in served],
        [_user(row) in locked for row in served],
        LOOK_AGAIN_S,
    )
    await connection.execute(SQL["end_round"], stage, served[-1]["tenant_id"])
    return Turn(sorted(works, key=lambda row: row["event_id"]), len(line) == LOOKED_AT)


def _user(row: "asyncpg.Record") -> tuple[str, str]:
    return row["tenant_id"], row["user_id"]


def _columns(users: Iterable[tuple[str, str]]) -> tuple[list[str], list[str]]:
    """The users as two arrays."""
    pairs = list(users)
    return [tenant_id for tenant_id, _ in pairs], [user_id for _, user_id in pairs]
