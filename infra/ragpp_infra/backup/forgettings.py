"""Everything that was forgotten, as hashes and moments: an older backup needs it when it is put back.

A line is `[kind, tenant, what, agent, mark, at]`, `at` in microseconds since 1970:

`m`  a message, resource or item: its mark in the ledger
`u`  a user who was erased: the keyed hash that stands in the user's place
`d`  what a person deleted otherwise: `graph`, `procedural`, `resource`, `category`, `session` or `conversation`, with
     the agent that the key was bound to
`k`  an API key that was revoked: its id

No line says what it was of, and none has a word: whoever has the thing and the key finds the line, as the product does.
"""

import json
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Final

from pydantic import SecretStr

from ragpp.clock import to_moment
from ragpp.models import Scope
from ragpp.stores.forgetting import SourceMarks
from ragpp_infra.backup.archive import PartWriter
from ragpp_infra.backup.errors import BadBackup
from ragpp_infra.backup.lines import AT_ONCE, write_lines
from ragpp_infra.backup.places import Connection

PART: Final = "forgettings"
DELETED: Final = ("graph", "procedural", "resource", "category", "session", "conversation")
EVER: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MARKS: Final = "SELECT 'm', tenant_id, '', '', mark, at FROM ledger.forgotten WHERE at >= $1"
_ERASED: Final = """
SELECT 'u', tenant_id, '', '', name, until FROM audit.erased WHERE until >= $1
UNION
SELECT 'u', tenant_id, '', '', user_id, at FROM audit.accesses
 WHERE details ? 'deleted' AND details ->> 'deleted' = 'user' AND user_id IS NOT NULL AND at >= $1"""
_DELETED: Final = f"""
SELECT 'd', access.tenant_id, access.details ->> 'deleted', COALESCE(known.agent_id, ''), mark, access.at
  FROM audit.accesses AS access
  LEFT JOIN identity.keys AS known USING (key_id)
 CROSS JOIN LATERAL jsonb_array_elements_text(access.details -> 'marks') AS mark
 WHERE access.details ? 'deleted' AND access.details ->> 'deleted' IN {DELETED} AND access.at >= $1"""  # noqa: S608 - constants
_REVOKED: Final = "SELECT 'k', tenant_id, '', '', key_id, revoked_at FROM identity.keys WHERE revoked_at >= $1"
_TOLD: Final = "SELECT kind, tenant_id, what, agent_id, mark, at FROM ledger.told WHERE at >= $1"
_ASKED: Final = """
SELECT event.tenant_id, event.user_id, event.payload, event.created_at
  FROM ledger.work JOIN ledger.events AS event USING (event_id)
 WHERE work.stage = 'erase' AND work.state IN ('pending', 'leased')"""

Line = tuple[str, str, str, str, str, int]


async def forgettings(connection: Connection, key: SecretStr, since: datetime = EVER) -> AsyncIterator[list[Line]]:
    """The lines of everything that was forgotten since then, some at a time; of what was asked for and is not done yet,
    too. The caller may write between two of them."""
    async with connection.transaction():
        yield await _asked(connection, SourceMarks(key))
        queries = [_MARKS, _ERASED, _DELETED, _REVOKED]
        if await connection.fetchval("SELECT to_regclass('ledger.told') IS NOT NULL"):  # not in those of before
            queries.append(_TOLD)
        batch: list[Line] = []
        for query in queries:
            async for *said, at in connection.cursor(query, since, prefetch=AT_ONCE):
                batch.append(checked([*said, to_moment(at)]))
                if len(batch) == AT_ONCE:
                    yield batch
                    batch = []
        yield batch


async def _asked(connection: Connection, marks: SourceMarks) -> list[Line]:
    """The lines of erasures that wait for a worker, as if they were done."""
    lines: list[Line] = []
    for row in await connection.fetch(_ASKED):
        payload, at = json.loads(row["payload"]), to_moment(row["created_at"])
        scope, tenant = Scope(tenant_id=row["tenant_id"], user_id=row["user_id"]), row["tenant_id"]
        if payload.get("dry_run"):
            continue
        if payload["what"] == "user":
            lines.append(("u", tenant, "", "", marks.of_user(scope), at))
        elif payload["what"] == "session":
            mark = marks.of(scope, payload["session_id"])
            lines.append(("d", tenant, "session", payload.get("agent_id") or "", mark, at))
        else:
            lines += [("m", tenant, "", "", marks.of(scope, one), at) for one in payload["ids"]]
    return lines


async def copy_forgettings(connection: Connection, key: SecretStr, part: PartWriter, keep_days: int) -> datetime:
    """Write those of the last `keep_days`, longer than which no backup is restored; the moment until which they are
    complete, by the database's clock."""
    until: datetime = await connection.fetchval("SELECT clock_timestamp()")
    async for lines in forgettings(connection, key, until - timedelta(days=keep_days + 1)):
        await write_lines(part, lines)
    await part.close()
    return until


def checked(line: object) -> Line:
    """A line as it was written. Raises BadBackup."""
    match line:
        case [str(kind), str(tenant), str(what), str(agent), str(mark), int(at)] if kind in {"m", "u", "d", "k"}:
            return kind, tenant, what, agent, mark, at
    raise BadBackup("a line of its forgettings is none")
