"""Putting a backup into stores that nobody uses meanwhile.

The stores are emptied and brought to the backup's migrations, filled, and brought to the present ones; then what was
forgotten since is forgotten in them. Until that is done the mark of `unfinished` stands there: repeating it begins
anew, and knows what the emptied stack had forgotten.
"""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

import neo4j

from ragpp.clock import to_moment
from ragpp.stores.forgetting import SourceMarks
from ragpp_infra.backup import conversations, forgettings, graph, tables, unfinished
from ragpp_infra.backup.archive import Piece
from ragpp_infra.backup.errors import BadBackup, RestoreRefused
from ragpp_infra.backup.lines import AT_ONCE, LineReader
from ragpp_infra.backup.manifest import Manifest
from ragpp_infra.backup.places import Connection, kept_alive, reached
from ragpp_infra.backup.resolving import Resolver
from ragpp_infra.backup.sources import Sources
from ragpp_infra.backup.taking import GRAPH, OnStep
from ragpp_infra.programs import in_short, migrate, run_module

Migrations = Mapping[str, Mapping[int, str]]
PROGRAM: Final = "ragpp_services.restoring"
LAST_LINES: Final = 3
SLACK: Final = timedelta(seconds=10)
"""By how much the clocks of hosts may differ, and how long a request that deletes something may take."""


@dataclass
class Restored:
    """The result of a restore. `rows` by part; `expired`: keys of Redis whose time was over; `forgotten`: how much of
    each kind was forgotten since the backup and is gone now; `known_until`: until when forgettings are known, None
    where it was said that there were none."""

    manifest: Manifest
    known_until: datetime | None
    rows: dict[str, int] = field(default_factory=dict)
    expired: int = 0
    forgotten: Mapping[str, int] = field(default_factory=dict)
    seconds: float = 0.0


class Restore:
    """One backup into one place. Every method raises TierUnavailable; the place is unfinished then."""

    def __init__(self, sources: Sources, known: Migrations, on_step: OnStep) -> None:
        """`known`: the migrations of this version. Raises BadBackup for a backup of a newer one, or without a part."""
        check_migrations(sources.manifest, known)
        parts = {conversations.PART, graph.PART, forgettings.PART, *map(tables.part_of, sources.manifest.tables)}
        if missing := sorted(parts - sources.manifest.parts.keys()):
            raise BadBackup(f"it has no {', '.join(missing)}")
        self._place, self._archive, self._sources, self._on_step = sources.place, sources.archive, sources, on_step
        self._manifest, self._is_older = sources.manifest, sources.manifest.migrations != known
        self._result, self._is_here = Restored(sources.manifest, None), False

    async def run(self, *, replace: bool) -> Restored:
        """Do all of it. `replace`: what the stores hold is lost. Raises RestoreRefused, BadBackup before anything is
        changed; RestoreRefused, too, for what a program of ours ended with."""
        began = time.monotonic()
        async with reached(RestoreRefused), AsyncExitStack() as stack:
            connection = await stack.enter_async_context(self._place.postgres())
            driver = await stack.enter_async_context(self._place.neo4j())
            client = await stack.enter_async_context(self._place.redis())
            known = await self._sources.begin(connection, driver, client, replace=replace)
            self._result.known_until, self._is_here = known
            with self._on_step("emptying the stores", None):
                await tables.empty_schemas(connection)
                async with kept_alive(connection):
                    await conversations.empty_redis(client, self._place.key_prefix)
                    await graph.empty_graph(driver)
                    versions = {of: list(found) for of, found in self._manifest.migrations.items()}
                    await self._program("until", json.dumps(versions))
            await self._load_tables(connection)
            async with kept_alive(connection):
                with self._on_step("Redis and Neo4j", self._lines()) as advance:
                    async for part, lines in self._read_lines():
                        if part == conversations.PART:
                            loaded = await conversations.load_conversations(client, self._place.key_prefix, lines)
                            self._result.expired += len(lines) - loaded
                        else:
                            await graph.load_graph(driver, lines)
                        self._result.rows[part] = self._result.rows.get(part, 0) + len(lines)
                        advance(len(lines))
                if self._is_older:
                    with self._on_step("bringing the schemas up to date", None):
                        await self._migrate()
            self._check_rows()
            with self._on_step("what was forgotten since", None):
                ghosts = await self._find_forgotten(connection, driver)
                if await unfinished.is_anything_wanted(connection):
                    async with kept_alive(connection):
                        told = await self._program("forget", settings=self._place.inside())
                        self._result.forgotten = json.loads(told)
                await graph.unmark_in_graph(driver, ghosts)
            await unfinished.end(connection)
        self._result.seconds = time.monotonic() - began
        return self._result

    async def _load_tables(self, connection: Connection) -> None:
        """Fill the tables, in the order of the file."""
        manifest = self._manifest
        await tables.check_tables(connection, manifest.tables)
        await tables.clear_tables(connection, manifest.tables)
        pieces = _Parts(self._archive.pieces(lambda part: part.startswith(tables.ROOM)))
        with self._on_step("PostgreSQL: tables", len(manifest.tables)) as advance:
            while (part := await pieces.next_part()) is not None:
                name = part.removeprefix(tables.ROOM)
                if name not in manifest.tables:
                    raise BadBackup(f"{part} is no table of it")
                loaded = await tables.load_table(connection, name, manifest.tables[name], pieces.of_part())
                self._result.rows[part] = loaded
                advance(1)
            await tables.finish_tables(connection, manifest.sequences)

    async def _find_forgotten(self, connection: Connection, driver: neo4j.AsyncDriver) -> list[str]:
        """Have the stores know what was forgotten since, and note what of it they hold; the marks of what the graph is
        to forget without anybody having asked for it."""
        await unfinished.begin_news(connection)
        async for known in forgettings.forgettings(connection, self._place.forgetting_key):
            await unfinished.drop_known(connection, known, to_moment(self._manifest.since - SLACK))
        await unfinished.spread_news(connection)
        if not self._is_here:
            await tables.renew_lineage(connection)
        async for marked in unfinished.news_of_marks(connection):
            await graph.mark_in_graph(driver, marked)
        resolver = Resolver(connection, SourceMarks(self._place.forgetting_key))
        await resolver.tables()
        async for part, lines in self._read_lines():
            if part == conversations.PART:
                await resolver.conversations(lines)
            else:
                await resolver.graph(lines)
        return await resolver.ghosts()

    def _lines(self) -> int:
        return sum(self._manifest.parts[part].rows for part in (conversations.PART, graph.PART))

    async def _read_lines(self) -> AsyncIterator[tuple[str, list[object]]]:
        """The lines of Redis' and Neo4j's parts, some at a time, each part by itself."""
        pieces = _Parts(self._archive.pieces(lambda part: part in {conversations.PART, graph.PART}))
        while (part := await pieces.next_part()) is not None:
            reader, batch = LineReader(), list[object]()
            async for piece in pieces.of_part():
                for line in reader.lines(piece):
                    batch.append(line)
                    if len(batch) == AT_ONCE:
                        yield part, batch
                        batch = []
            yield part, batch

    def _check_rows(self) -> None:
        """Raises BadBackup where not as much was written as the manifest tells."""
        wanted = {name: rows for name, rows in self._manifest.rows().items() if name != forgettings.PART}
        if wrong := sorted(name for name, rows in wanted.items() if self._result.rows.get(name) != rows):
            raise BadBackup(f"not all of it was written: {', '.join(wrong)}")

    def _settings(self) -> dict[str, str]:
        return {
            **self._place.endpoints.settings(),
            "FORGETTING_KEY": self._place.forgetting_key.get_secret_value(),
            "REDIS_KEY_PREFIX": self._place.key_prefix,
            # stores that were just filled have nothing in memory, and nobody else waits for an answer
            "NEO4J_QUERY_TIMEOUT_S": "60",
            "POSTGRES_QUERY_TIMEOUT_S": "60",
            "REDIS_TIMEOUT_S": "10",
        }

    async def _program(self, *arguments: str, settings: Mapping[str, str] | None = None) -> str:
        """The answer of one of the services' commands, which runs with these settings beside its usual ones."""
        settings = {**self._settings(), **(settings or {})}
        done = await asyncio.to_thread(run_module, PROGRAM, arguments, folder=Path("/"), settings=settings)
        return _answer(done.returncode, done.stdout, done.stderr)

    async def _migrate(self) -> None:
        done = await asyncio.to_thread(migrate, folder=Path("/"), settings=self._settings())
        _answer(done.returncode, done.stdout, done.stderr)


class _Parts:
    """The pieces of an archive by their parts, one part after the other; each is read beside the event loop."""

    def __init__(self, pieces: Iterator[Piece]) -> None:
        self._pieces = pieces
        self._next: Piece | None = None
        self._is_begun = False

    async def next_part(self) -> str | None:
        """The name of the next part; None behind the last."""
        if not self._is_begun:
            self._is_begun = True
            await self._read()
        return None if self._next is None else self._next.part

    async def of_part(self) -> AsyncIterator[bytes]:
        """The bytes of that part, a piece at a time."""
        current = self._next
        while current is not None and self._next is not None and self._next.part == current.part:
            yield self._next.data
            await self._read()

    async def _read(self) -> None:
        self._next = await asyncio.to_thread(next, self._pieces, None)


def known_migrations() -> Migrations:
    """Checksums of the migrations that this version knows, by component and version."""
    done = run_module(PROGRAM, ["known"], folder=Path("/"), settings={})
    told: Mapping[str, Mapping[str, str]] = json.loads(_answer(done.returncode, done.stdout, done.stderr))
    return {of: {int(number): checksum for number, checksum in found.items()} for of, found in told.items()}


def check_migrations(manifest: Manifest, known: Migrations) -> None:
    """Raises BadBackup for a backup of a newer version than `known`, or of none that this one goes on from."""
    for component, versions in manifest.migrations.items():
        of = "the graph" if component == GRAPH else component
        for number, checksum in versions.items():
            if number not in known.get(component, {}):
                raise BadBackup(
                    f"it is of a newer version: it has {of} {number:04}",
                    suggestions=(f"Restore it with RAG++ {manifest.ragpp} or newer.",),
                )
            if known[component][number] != checksum:
                raise BadBackup(f"{of} {number:04} was another migration where it was taken")


def _answer(code: int, said: str, complained: str) -> str:
    """The last line of what was said. Raises what a program ended with."""
    if code:
        last = "\n".join((said + complained).strip().splitlines()[-LAST_LINES:])
        raise RestoreRefused(
            f"it could not be finished. The end of what was said:\n{in_short(last)}",
            suggestions=("Repeat it with --replace when that is mended: the stores are left unfinished.",),
        )
    return said.strip().splitlines()[-1] if said.strip() else ""
