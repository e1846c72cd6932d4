"""PostgreSQL's part: every table of the project's schemas as COPY writes it, from one snapshot, and back."""

from collections.abc import AsyncIterator, Callable, Mapping
from typing import Final

from ragpp_infra.backup.archive import ArchiveWriter
from ragpp_infra.backup.errors import BadBackup
from ragpp_infra.backup.manifest import Sequence, Table
from ragpp_infra.backup.places import Connection

ROOM: Final = "postgres/"
"""Parts are called `postgres/schema.table`."""
SCHEMAS: Final = ("audit", "catalog", "episodic", "identity", "ledger", "procedural")
"""Those that migrations make. Whatever else is in the database is somebody else's, and neither copied nor dropped."""
_OURS: Final = f"nspname IN {SCHEMAS}"
# of a partitioned table the parent, and of its columns those that are not computed from others
_TABLES: Final = f"""
SELECT nspname || '.' || relname AS name, array_agg(attname ORDER BY attnum)::text[] AS columns,
       array_agg(format_type(atttypid, atttypmod) ORDER BY attnum) AS types
  FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
  JOIN pg_attribute ON attrelid = pg_class.oid AND attnum > 0 AND NOT attisdropped AND attgenerated = ''
 WHERE relkind IN ('r', 'p') AND NOT relispartition AND {_OURS}
 GROUP BY 1 ORDER BY 1"""  # noqa: S608 - a constant
_SEQUENCES: Final = f"""
SELECT nspname || '.' || relname AS name
  FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
 WHERE relkind = 'S' AND {_OURS} ORDER BY 1"""  # noqa: S608 - a constant
_SCHEMAS: Final = f"SELECT nspname FROM pg_namespace WHERE {_OURS} ORDER BY 1"  # noqa: S608 - a constant

OnRows = Callable[[int], None]


def quoted(name: str) -> str:
    """`schema.table` as a statement takes it."""
    return ".".join(f'"{part}"' for part in name.split("."))


def part_of(table: str) -> str:
    """The part that a table is in."""
    return f"{ROOM}{table}"


async def tables_of(connection: Connection) -> dict[str, Table]:
    """The tables that there are, by name."""
    rows = await connection.fetch(_TABLES)
    return {row["name"]: Table(columns=dict(zip(row["columns"], row["types"], strict=True))) for row in rows}


async def sequences_of(connection: Connection) -> dict[str, Sequence]:
    """Where sequences are, by name. They know no snapshot: they may be ahead of it, which does no harm."""
    names = [row["name"] for row in await connection.fetch(_SEQUENCES)]
    found = {}
    for name in names:
        row = await connection.fetchrow(f"SELECT last_value, is_called FROM {quoted(name)}")  # noqa: S608 - a name
        assert row is not None  # noqa: S101 - a sequence has one row
        found[name] = Sequence(last_value=row["last_value"], is_called=row["is_called"])
    return found


async def migrations_of(connection: Connection) -> dict[str, dict[int, str]]:
    """Checksums of what was applied, by component and version."""
    found: dict[str, dict[int, str]] = {}
    if await connection.fetchval("SELECT to_regclass('public.migrations') IS NULL"):
        return found
    for row in await connection.fetch("SELECT component, version, checksum FROM public.migrations"):
        found.setdefault(row["component"], {})[row["version"]] = row["checksum"]
    return found


async def lineage_of(connection: Connection) -> str | None:
    """By which stores are known that know all that was forgotten in them; None of a time before there was any."""
    if await connection.fetchval("SELECT to_regclass('ledger.lineage') IS NULL"):
        return None
    lineage: str | None = await connection.fetchval("SELECT id FROM ledger.lineage")
    return lineage


async def renew_lineage(connection: Connection) -> None:
    """Another one: from now on these stores know what is forgotten in them, and not all that was before."""
    await connection.execute("UPDATE ledger.lineage SET id = gen_random_uuid()::text")


async def copy_tables(
    connection: Connection, tables: Mapping[str, Table], archive: ArchiveWriter, on_table: OnRows
) -> None:
    """Write every table, as the transaction of `connection` sees it."""
    for name, table in tables.items():
        part = archive.part(part_of(name))
        columns = ", ".join(f'"{column}"' for column in table.columns)
        query = f"SELECT {columns} FROM {quoted(name)}"  # noqa: S608 - names from the catalog
        status = await connection.copy_from_query(query, output=part.write, format="binary")
        part.rows = int(status.split()[-1])
        await part.close()
        on_table(part.rows)


async def empty_schemas(connection: Connection) -> None:
    """Drop everything that migrations made, and that they did."""
    for row in await connection.fetch(_SCHEMAS):
        await connection.execute(f'DROP SCHEMA "{row["nspname"]}" CASCADE')
    await connection.execute("DROP TABLE IF EXISTS public.migrations")


async def check_tables(connection: Connection, wanted: Mapping[str, Table]) -> None:
    """Have exactly these tables; those go that a migration makes and a conversion of its data takes away. Raises
    BadBackup where one is missing, or has other columns."""
    found = await tables_of(connection)
    for name in found.keys() - wanted.keys():
        await connection.execute(f"DROP TABLE {quoted(name)}")
    if wrong := sorted(name for name in wanted if found.get(name) != wanted[name]):
        raise BadBackup(f"its migrations do not lead to its tables: {', '.join(wrong)}")


async def clear_tables(connection: Connection, tables: Mapping[str, Table]) -> None:
    """Let tables be filled as they were: what migrations wrote goes, and this session fires no trigger and follows no
    foreign key."""
    await connection.execute(f"TRUNCATE {', '.join(map(quoted, tables))}")
    await connection.execute("SET session_replication_role = replica")


async def load_table(connection: Connection, name: str, table: Table, pieces: AsyncIterator[bytes]) -> int:
    """Fill one table with what COPY wrote; how many rows."""
    schema, relation = name.split(".")
    status = await connection.copy_to_table(
        relation, schema_name=schema, columns=list(table.columns), source=pieces, format="binary"
    )
    return int(status.split()[-1])


async def finish_tables(connection: Connection, sequences: Mapping[str, Sequence]) -> None:
    """Set sequences to where they were, and let the planner know what there is."""
    await connection.execute("SET session_replication_role = DEFAULT")
    for name, sequence in sequences.items():
        await connection.execute(
            "SELECT setval($1::text::regclass, $2, $3)", quoted(name), sequence.last_value, sequence.is_called
        )
    await connection.execute("ANALYZE")
