"""Neo4j's part: the graph of each user, and of each view of a memory, as it was under that user's lock.

Lines: `["n", label, properties]`, `["r", scope, type, label, key, label, key, properties]` with the keys of both ends,
by which they are found again: what Neo4j calls them by itself says nothing elsewhere. Of one user the nodes come first.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
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
"""The key that tells a node of each label from the others of its user."""
OF_NOBODY: Final = ("Forgotten", "Embedding")
TYPES: Final = ("KNOWS", "OF", "RELATES_TO", "MERGED_INTO", "MENTIONS", "STATES")
LOCK_PROPERTY: Final = "locked_at"
USERS_AT_ONCE: Final = 20
EVENTS_AT_ONCE: Final = 2_000
"""The users, and events of users, whose graphs one transaction copies: each waits for all of them,
some tenths of a second. That of a user with more is sent in records of one thing each, so that no server has to hold it
as a whole, which costs five times as much."""
LISTED: Final = 1_000

_USERS: Final = (
    "MATCH (u:User) WHERE u.scope > $after"
    " RETURN u.scope AS scope, coalesce(u.sequence, 0) AS events ORDER BY scope LIMIT $limit"
)
_INDEXED: Final = {label: "scope" if label in {"User", "Unrevised"} else f"scope, {key}" for label, key in KEYS.items()}
"""The properties that each label's index is on. Without its hint, where there are few relationships or they seem
few, or the index is just counted anew, the planner reads all of them, and such a scan ends, without an error, at one
that was just deleted."""
_NODES: Final = "\nUNION ALL\n".join(
    f"MATCH (n:{label} {{scope: scope}}) USING INDEX SEEK n:{label}({_INDEXED[label]}) WHERE n.{key} IS NOT NULL"
    f" RETURN '{label}' AS label, properties(n) AS node"
    for label, key in KEYS.items()
)
_EDGES: Final = "\nUNION ALL\n".join(
    f"MATCH (n:{label} {{scope: scope}})-[r]->(m) USING INDEX SEEK n:{label}({_INDEXED[label]})"
    f" WHERE n.{key} IS NOT NULL"
    f" RETURN '{label}' AS begins, n.{key} AS one, type(r) AS kind, properties(r) AS edge, labels(m)[0] AS ends,"
    " CASE WHEN m:User THEN m.scope WHEN m:Alias THEN m.key WHEN m:Applied THEN m.event_id ELSE m.id END AS other"
    for label, key in KEYS.items()
    if label != "Unrevised"
)
_LOCK: Final = (
    "UNWIND $scopes AS scope MATCH (u:User {scope: scope}) USING INDEX SEEK u:User(scope)"
    f" SET u.{LOCK_PROPERTY} = u.{LOCK_PROPERTY}"
)
_ALL_NODES: Final = f"UNWIND $scopes AS scope CALL (scope) {{ {_NODES} }}"
_ALL_EDGES: Final = f"UNWIND $scopes AS scope CALL (scope) {{ {_EDGES} }}"
_FEW: Final = (
    f"{_ALL_NODES} RETURN label, collect(node) AS nodes",
    f"{_ALL_EDGES} RETURN scope, kind, begins, ends, collect([one, other, edge]) AS edges",
)
_MANY: Final = (
    f"{_ALL_NODES} RETURN label, [node] AS nodes",
    f"{_ALL_EDGES} RETURN scope, kind, begins, ends, [[one, other, edge]] AS edges",
)
OF_USERS: Final = (_LOCK, *_FEW, *_MANY)
"""The statements about the graphs of `scopes`."""


async def warm(driver: neo4j.AsyncDriver) -> None:
    """Have the server plan what `copy_graph` asks, some seconds of work, while nobody waits for it yet."""
    await _users(driver, "~")
    async with driver.session() as session:
        for statement in OF_USERS:
            await (await session.run(statement, scopes=["user-graph:-/-"])).consume()


async def copy_graph(driver: neo4j.AsyncDriver, archive: ArchiveWriter) -> None:
    """Write the whole graph, a few users at a time, each under the lock that every writer of theirs takes."""
    part = archive.part(PART)
    for label in OF_NOBODY:
        async with driver.session(default_access_mode=neo4j.READ_ACCESS) as session:
            found = await session.run(f"MATCH (n:{label}) RETURN '{label}' AS label, [properties(n)] AS nodes")
            await _write(part, found, _nodes_of)
    after = ""
    while users := await _users(driver, after):
        for scopes, events in _together(users):
            await _copy_users(driver, part, scopes, _FEW if events <= EVENTS_AT_ONCE else _MANY)
        after = users[-1][0]
    await part.close()


async def _users(driver: neo4j.AsyncDriver, after: str) -> list[tuple[str, int]]:
    """Scopes behind `after`, each with how many events were applied in it."""
    async with driver.session(default_access_mode=neo4j.READ_ACCESS) as session:
        found = await session.run(_USERS, after=after, limit=LISTED)
        return [(row["scope"], row["events"]) async for row in found]


def _together(users: Sequence[tuple[str, int]]) -> Iterator[tuple[list[str], int]]:
    """The scopes in groups, each with its events, of EVENTS_AT_ONCE at most unless it is one."""
    scopes: list[str] = []
    total = 0
    for scope, events in users:
        if scopes and (len(scopes) == USERS_AT_ONCE or total + events > EVENTS_AT_ONCE):
            yield scopes, total
            scopes, total = [], 0
        scopes.append(scope)
        total += events
    if scopes:
        yield scopes, total


async def _copy_users(
    driver: neo4j.AsyncDriver, part: PartWriter, scopes: Sequence[str], statements: tuple[str, str]
) -> None:
    nodes, edges = statements
    async with driver.session() as session, await session.begin_transaction() as transaction:
        await (await transaction.run(_LOCK, scopes=scopes)).consume()
        await _write(part, await transaction.run(nodes, scopes=scopes), _nodes_of)
        await _write(part, await transaction.run(edges, scopes=scopes), _edges_of)
        await transaction.rollback()  # nothing was changed: the lock was all that was wanted


async def read_graph(driver: neo4j.AsyncDriver, scope: str) -> list[object]:
    """The lines of one user whom nobody writes for, nodes first."""
    nodes, edges = _FEW
    async with driver.session(default_access_mode=neo4j.READ_ACCESS) as session:
        lines: list[object] = []
        for statement, lines_of in ((nodes, _nodes_of), (edges, _edges_of)):
            async for row in await session.run(statement, scopes=[scope]):
                lines += lines_of(row)
        return lines


def _nodes_of(row: neo4j.Record) -> list[object]:
    return [["n", row["label"], node] for node in row["nodes"]]


def _edges_of(row: neo4j.Record) -> list[object]:
    scope, kind, begins, ends = (row[column] for column in ("scope", "kind", "begins", "ends"))
    return [["r", scope, kind, begins, one, ends, other, edge] for one, other, edge in row["edges"]]


async def _write(part: PartWriter, found: neo4j.AsyncResult, lines: Callable[[neo4j.Record], list[object]]) -> None:
    batch: list[object] = []
    async for row in found:
        batch += lines(row)
        if len(batch) >= AT_ONCE:
            await write_lines(part, batch)
            batch = []
    await write_lines(part, batch)


async def graph_migrations(driver: neo4j.AsyncDriver) -> dict[int, str]:
    """Checksums of what was applied, by version."""
    async with driver.session(default_access_mode=neo4j.READ_ACCESS) as session:
        found = await session.run("MATCH (m:Migration) RETURN m.version AS version, m.checksum AS checksum")
        return {row["version"]: row["checksum"] async for row in found}


async def has_graph(driver: neo4j.AsyncDriver) -> bool:
    """True where it is anybody's."""
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
                f"UNWIND $rows AS row"
                f" MATCH (a:{begins} {{{_key(begins, 'one')}}}) USING INDEX SEEK a:{begins}({_INDEXED[begins]})"
                f" MATCH (b:{ends} {{{_key(ends, 'other')}}}) USING INDEX SEEK b:{ends}({_INDEXED[ends]})"
                f" CREATE (a)-[r:{kind}]->(b) SET r = row.edge RETURN count(*) AS made"
            )
            made = await (await transaction.run(statement, rows=rows)).single(strict=True)
            if made["made"] != len(rows):
                raise BadBackup(f"{len(rows) - made['made']} of its relationships are of nodes that it has not")
        await transaction.commit()


def _key(label: str, column: str) -> str:
    """The properties that find the node in its user's graph, by an index."""
    return "scope: row.scope" if label == "User" else f"scope: row.scope, {KEYS[label]}: row.{column}"
