"""Neo4j's part: the graph of each user, and of each view of a memory, as it was under that user's lock.

Lines: `["n", label, properties]`, `["r", scope, type, label, key, label, key, properties]` with the keys of both ends,
by which they are found again: what Neo4j calls them by itself says nothing elsewhere. Of one user the nodes come first.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Final

import neo4j

from ragpp_infra.backup.archive import ArchiveWriter, PartWriter
from ragpp_infra.backup.errors import BadBackup
from ragpp_infra.backup.lines import AT_ONCE, write_lines

PART: Final = "neo4j"
KEYS: Final[Mapping[str, str]] = {
    "User": "scope",
    "Entity": "id",
    "Merge": "id",
    "Alias": "key",
    "Applied": "event_id",
    "Unrevised": "thing",
}
"""What tells a node of each label from the others of its user."""
OF_NOBODY: Final = ("Forgotten", "Embedding")
TYPES: Final = ("KNOWS", "OF", "RELATES_TO", "MERGED_INTO", "MENTIONS", "STATES")
LOCK_PROPERTY: Final = "locked_at"
USERS_AT_ONCE: Final = 20
"""Whose graphs one transaction copies: each waits for all of them, some tens of milliseconds."""
LISTED: Final = 1_000

_USERS: Final = "MATCH (u:User) WHERE u.scope > $after RETURN u.scope AS scope ORDER BY scope LIMIT $limit"
_NODES: Final = "\nUNION ALL\n".join(
    f"MATCH (n:{label} {{scope: scope}}) WHERE n.{key} IS NOT NULL RETURN '{label}' AS label, properties(n) AS node"
    for label, key in KEYS.items()
)
_EDGES: Final = "\nUNION ALL\n".join(
    f"MATCH (n:{label} {{scope: scope}})-[r]->(m) WHERE n.{key} IS NOT NULL"
    f" RETURN '{label}' AS begins, n.{key} AS one, type(r) AS kind, properties(r) AS edge, labels(m)[0] AS ends,"
    " CASE WHEN m:User THEN m.scope WHEN m:Alias THEN m.key WHEN m:Applied THEN m.event_id ELSE m.id END AS other"
    for label, key in KEYS.items()
    if label != "Unrevised"
)
_LOCK: Final = f"UNWIND $scopes AS scope MATCH (u:User {{scope: scope}}) SET u.{LOCK_PROPERTY} = u.{LOCK_PROPERTY}"
_ALL_NODES: Final = f"UNWIND $scopes AS scope CALL (scope) {{ {_NODES} }} RETURN scope, label, node"
_ALL_EDGES: Final = (
    f"UNWIND $scopes AS scope CALL (scope) {{ {_EDGES} }} RETURN scope, begins, one, kind, edge, ends, other"
)


async def copy_graph(driver: neo4j.AsyncDriver, archive: ArchiveWriter) -> None:
    """Write the whole graph, a few users at a time, each under the lock that every writer of theirs takes."""
    part = archive.part(PART)
    for label in OF_NOBODY:
        async with driver.session(default_access_mode=neo4j.READ_ACCESS) as session:
            found = await session.run(f"MATCH (n:{label}) RETURN properties(n) AS node")
            await _write(part, found, partial(_node_of, label))
    after = ""
    while scopes := await _users(driver, after):
        for start in range(0, len(scopes), USERS_AT_ONCE):
            await _copy_users(driver, part, scopes[start : start + USERS_AT_ONCE])
        after = scopes[-1]
    await part.close()


def _node_of(label: str, row: neo4j.Record) -> object:
    return ["n", label, row["node"]]


async def _users(driver: neo4j.AsyncDriver, after: str) -> list[str]:
    async with driver.session(default_access_mode=neo4j.READ_ACCESS) as session:
        found = await session.run(_USERS, after=after, limit=LISTED)
        return [row["scope"] async for row in found]


async def _copy_users(driver: neo4j.AsyncDriver, part: PartWriter, scopes: Sequence[str]) -> None:
    async with driver.session() as session, await session.begin_transaction() as transaction:
        await (await transaction.run(_LOCK, scopes=scopes)).consume()
        nodes = await transaction.run(_ALL_NODES, scopes=scopes)
        await _write(part, nodes, lambda row: ["n", row["label"], row["node"]])
        edges = await transaction.run(_ALL_EDGES, scopes=scopes)
        columns = ("scope", "kind", "begins", "one", "ends", "other", "edge")
        await _write(part, edges, lambda row: ["r", *(row[column] for column in columns)])
        await transaction.rollback()  # nothing was changed: the lock was all that was wanted


async def _write(part: PartWriter, found: neo4j.AsyncResult, line: Callable[[neo4j.Record], object]) -> None:
    batch = []
    async for row in found:
        batch.append(line(row))
        if len(batch) == AT_ONCE:
            await write_lines(part, batch)
            batch = []
    await write_lines(part, batch)


async def graph_migrations(driver: neo4j.AsyncDriver) -> dict[int, str]:
    """Checksums of what was applied, by version."""
    async with driver.session(default_access_mode=neo4j.READ_ACCESS) as session:
        found = await session.run("MATCH (m:Migration) RETURN m.version AS version, m.checksum AS checksum")
        return {row["version"]: row["checksum"] async for row in found}


async def has_graph(driver: neo4j.AsyncDriver) -> bool:
    """Whether it is anybody's."""
    async with driver.session(default_access_mode=neo4j.READ_ACCESS) as session:
        return await (await session.run("MATCH (u:User) RETURN 1 LIMIT 1")).single() is not None


async def mark_in_graph(driver: neo4j.AsyncDriver, marks: Sequence[tuple[str, int]]) -> None:
    """Have the graph know these marks of what was forgotten, with their moments in microseconds."""
    rows = [{"mark": mark, "at": at} for mark, at in marks]
    statement = "UNWIND $rows AS row MERGE (f:Forgotten {mark: row.mark}) ON CREATE SET f.at = row.at"
    async with driver.session() as session:
        await (await session.run(statement, rows=rows)).consume()


async def unmark_in_graph(driver: neo4j.AsyncDriver, marks: Sequence[str]) -> None:
    """Have it know them no more."""
    async with driver.session() as session:
        await (await session.run("MATCH (f:Forgotten) WHERE f.mark IN $marks DELETE f", marks=marks)).consume()


async def empty_graph(driver: neo4j.AsyncDriver) -> None:
    """Delete every node of the project's, and what its migrations made."""
    async with driver.session() as session:
        for label in (*KEYS, *OF_NOBODY, "Migration"):
            statement = f"MATCH (n:{label}) CALL (n) {{ DETACH DELETE n }} IN TRANSACTIONS OF 5000 ROWS"
            await (await session.run(statement)).consume()
        for what, show in (
            ("CONSTRAINT", "SHOW CONSTRAINTS YIELD name RETURN name"),
            ("INDEX", "SHOW INDEXES YIELD name, type WHERE type <> 'LOOKUP' RETURN name"),
        ):
            names = [row["name"] async for row in await session.run(show)]
            for name in names:
                await (await session.run(f"DROP {what} `{name}` IF EXISTS")).consume()


async def load_graph(driver: neo4j.AsyncDriver, lines: Sequence[object]) -> None:
    """Create what these lines say, nodes first. Raises BadBackup."""
    nodes: dict[str, list[object]] = defaultdict(list)
    edges: dict[tuple[str, str, str], list[object]] = defaultdict(list)
    for line in lines:
        match line:
            case ["n", str(label), dict(properties)] if label in {*KEYS, *OF_NOBODY}:
                nodes[label].append(properties)
            case ["r", str(scope), str(kind), str(begins), one, str(ends), other, dict(properties)] if (
                kind in TYPES and begins in KEYS and ends in KEYS
            ):
                row = {"scope": scope, "one": one, "other": other, "edge": properties}
                edges[begins, kind, ends].append(row)
            case _:
                raise BadBackup("a line of Neo4j's part is none")
    async with driver.session() as session, await session.begin_transaction() as transaction:
        for label, rows in nodes.items():
            await (await transaction.run(f"UNWIND $rows AS row CREATE (n:{label}) SET n = row", rows=rows)).consume()
        for (begins, kind, ends), rows in edges.items():
            statement = (
                f"UNWIND $rows AS row MATCH (a:{begins} {{{_key(begins, 'one')}}})"
                f" MATCH (b:{ends} {{{_key(ends, 'other')}}})"
                f" CREATE (a)-[r:{kind}]->(b) SET r = row.edge RETURN count(*) AS made"
            )
            made = await (await transaction.run(statement, rows=rows)).single(strict=True)
            if made["made"] != len(rows):
                raise BadBackup(f"{len(rows) - made['made']} of its relationships are of nodes that it has not")
        await transaction.commit()


def _key(label: str, column: str) -> str:
    """What finds the node in its user's graph, by an index."""
    return "scope: row.scope" if label == "User" else f"scope: row.scope, {KEYS[label]}: row.{column}"
