"""The mark that a restore leaves in PostgreSQL while it is under way, with what it has to do and may not lose.

While it is there, `ragpp up` and `ragpp provision` refuse, and nobody but the superuser and the owner can connect. What
the emptied stack had forgotten is kept with it, for whoever repeats the restore.
"""

from collections.abc import AsyncIterator, Iterable, Sequence
from typing import Final

from ragpp_infra.backup.forgettings import Line
from ragpp_infra.backup.lines import AT_ONCE
from ragpp_infra.backup.places import Connection
from ragpp_infra.provisioning.endpoints import APP, DATABASE, OWNER, RELAY
from ragpp_infra.provisioning.postgres import UNFINISHED as MARKER

_MADE: Final = f"""
CREATE SCHEMA IF NOT EXISTS {MARKER};
CREATE TABLE IF NOT EXISTS {MARKER}.state (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row), lineage text);
CREATE TABLE IF NOT EXISTS {MARKER}.said (
  kind text, tenant_id text, what text, agent_id text, mark text, at bigint,
  PRIMARY KEY (kind, tenant_id, what, mark, agent_id, at));
CREATE TABLE IF NOT EXISTS {MARKER}.news (LIKE {MARKER}.said INCLUDING ALL);
CREATE TABLE IF NOT EXISTS {MARKER}.to_forget (
  kind text, tenant_id text, user_id text, view text NOT NULL DEFAULT '', agent_id text NOT NULL DEFAULT '', id text,
  PRIMARY KEY (kind, tenant_id, user_id, view, agent_id, id));
GRANT USAGE ON SCHEMA {MARKER} TO {OWNER};
GRANT SELECT ON {MARKER}.to_forget TO {OWNER}"""

_LINES: Final = "unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::bigint[])"

Wanted = tuple[str, str, str, str, str, str]
"""Kind, tenant, user, view, agent, id: what is to be forgotten in what was restored. `view`: empty for the whole
memory, else the view behind `=`."""


async def begin(connection: Connection, *, lineage: str | None) -> None:
    """Leave the mark, in the caller's transaction, and let services connect no more. `lineage`: of the
    stores as they were before this was first called."""
    await connection.execute(_MADE)
    await connection.execute(
        f"INSERT INTO {MARKER}.state (lineage) VALUES ($1) ON CONFLICT DO NOTHING",  # noqa: S608 - a constant
        lineage,
    )
    await connection.execute(f"REVOKE CONNECT ON DATABASE {DATABASE} FROM {APP}, {RELAY}")


async def lineage_with(connection: Connection) -> str | None:
    """That of the stores before they were emptied: all that was forgotten in them is with the mark."""
    lineage: str | None = await connection.fetchval(f"SELECT lineage FROM {MARKER}.state")  # noqa: S608 - a constant
    return lineage


async def keep(connection: Connection, lines: Sequence[Line]) -> None:
    """Add what was forgotten."""
    if lines:
        insert = f"INSERT INTO {MARKER}.said SELECT * FROM {_LINES} ON CONFLICT DO NOTHING"  # noqa: S608 - constants
        await connection.execute(insert, *map(list, zip(*lines, strict=True)))


async def begin_news(connection: Connection) -> None:
    """Make all that was forgotten news to the restored memory, until it is found to know of it (`drop_known`)."""
    await connection.execute(f"TRUNCATE {MARKER}.news, {MARKER}.to_forget")
    await connection.execute(f"INSERT INTO {MARKER}.news SELECT * FROM {MARKER}.said")  # noqa: S608 - a constant
    await connection.execute(f"ANALYZE {MARKER}.news")


async def drop_known(connection: Connection, lines: Sequence[Line], since: int) -> None:
    """Take out of the news what the restored memory knows by itself; but not, of users and sessions, what was forgotten
    after `since`, in microseconds: its tables know of that, and its conversations, copied before them, do not."""
    if lines:
        await connection.execute(
            f"DELETE FROM {MARKER}.news AS said"  # noqa: S608 - constants
            f" USING {_LINES} AS known (kind, tenant_id, what, agent_id, mark, at)"
            " WHERE said.kind = known.kind AND said.tenant_id = known.tenant_id AND said.what = known.what"
            " AND said.mark = known.mark AND (said.kind = 'm' OR said.at <= known.at)"
            " AND NOT (said.at >= $7 AND (said.kind = 'u' OR said.what IN ('session', 'conversation')))",
            *map(list, zip(*lines, strict=True)),
            since,
        )


async def want_forgotten(connection: Connection, wanted: Iterable[Wanted]) -> None:
    """Note what is to be forgotten."""
    rows = list(wanted)
    if rows:
        await connection.execute(
            f"INSERT INTO {MARKER}.to_forget"  # noqa: S608 - a constant
            " SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[])"
            " ON CONFLICT DO NOTHING",
            *map(list, zip(*rows, strict=True)),
        )


async def end(connection: Connection) -> None:
    """Take the mark away, and let services connect again: the stores are whole, and have forgotten."""
    async with connection.transaction():
        await connection.execute(f"DROP SCHEMA IF EXISTS {MARKER} CASCADE")
        await connection.execute(f"GRANT CONNECT ON DATABASE {DATABASE} TO {APP}, {RELAY}")


async def spread_news(connection: Connection) -> None:
    """Have the restored tables know of it: marks, who was erased, which keys were revoked, and of the rest that it was
    told, for the next restore."""
    moment = "to_timestamp(at / 1000000.0)"
    await connection.execute(
        f"INSERT INTO ledger.forgotten (tenant_id, mark, at)"  # noqa: S608 - constants
        f" SELECT DISTINCT ON (tenant_id, mark) tenant_id, mark, {moment} FROM {MARKER}.news WHERE kind = 'm'"
        " ORDER BY tenant_id, mark, at ON CONFLICT DO NOTHING"
    )
    await connection.execute(
        f"INSERT INTO audit.erased AS known (tenant_id, name, until)"  # noqa: S608 - constants
        f" SELECT tenant_id, mark, max({moment}) FROM {MARKER}.news WHERE kind = 'u' GROUP BY 1, 2"
        " ON CONFLICT (tenant_id, name) DO UPDATE SET until = GREATEST(known.until, excluded.until)"
    )
    await connection.execute(
        f"UPDATE identity.keys AS key SET revoked_at = {moment} FROM {MARKER}.news"  # noqa: S608 - constants
        " WHERE news.kind = 'k' AND key.key_id = news.mark AND key.revoked_at IS NULL"
    )
    await connection.execute(
        f"INSERT INTO ledger.told (tenant_id, kind, what, agent_id, mark, at)"  # noqa: S608 - constants
        f" SELECT tenant_id, kind, what, agent_id, mark, {moment} FROM {MARKER}.news WHERE kind IN ('d', 'k')"
        " ON CONFLICT DO NOTHING"
    )


async def news_of_marks(connection: Connection) -> AsyncIterator[list[tuple[str, int]]]:
    """Marks that are news, with their moments in microseconds, some at a time."""
    async with connection.transaction():
        cursor = await connection.cursor(f"SELECT mark, at FROM {MARKER}.news WHERE kind = 'm'")  # noqa: S608 - a constant
        while rows := await cursor.fetch(AT_ONCE):
            yield [(row["mark"], row["at"]) for row in rows]


async def is_anything_wanted(connection: Connection) -> bool:
    """True where anything is to be forgotten in what was restored."""
    return bool(await connection.fetchval(f"SELECT EXISTS (SELECT FROM {MARKER}.to_forget)"))  # noqa: S608 - a constant


async def ghosts(connection: Connection) -> list[tuple[str, str, str]]:
    """Tenant, user and id of messages that the graph knows and no table has."""
    rows = await connection.fetch(
        f"SELECT DISTINCT tenant_id, user_id, id FROM {MARKER}.to_forget WHERE kind = 'ghost'"  # noqa: S608 - a constant
    )
    return [(row["tenant_id"], row["user_id"], row["id"]) for row in rows]
