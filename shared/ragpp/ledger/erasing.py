"""Erasing a session, a user or chosen interactions: what is asked for, and the ledger's own part in it."""

import re
from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Final, Literal, cast

from pydantic import JsonValue, TypeAdapter

from ragpp.errors import InvalidInput, LedgerError
from ragpp.ledger.events import NewEvent, lock_user, record
from ragpp.ledger.relaying import relay_tx
from ragpp.ledger.results import Result, as_json
from ragpp.ledger.work import Work
from ragpp.models import Scope
from ragpp.stores.forgetting import SourceMarks
from ragpp.stores.postgres import Connection, Pool, acquired, ensure_open, foreign_errors
from ragpp.stores.queries import load_queries

SQL: Final = load_queries("ragpp.ledger", "erasing.sql")
EVENTS_AT_ONCE: Final = 20_000
"""Event ids that one statement looks through for a user's: some 10 ms."""
ACCESSES_AT_ONCE: Final = 1_000
VACUUM_S: Final = 600.0
"""Longest that the vacuum of one table may take."""
TOUCHED_TABLES: Final = (
    "audit.accesses",
    "catalog.accesses",
    "catalog.agents",
    "catalog.episodes",
    "catalog.goal_values",
    "catalog.segment_terms",
    "catalog.segments",
    "catalog.turns",
    "catalog.uses",
    "catalog.versions",
    "episodic.repetitions",
    "episodic.segment_terms",
    "episodic.segments",
    "episodic.sentenced",
    "identity.keys",
    "ledger.again",
    "ledger.debounce",
    "ledger.events",
    "ledger.personal_policies",
    "ledger.marked_ids",
    "ledger.pins",
    "ledger.progress",
    "ledger.views",
    "ledger.queues",
    "ledger.unreflected",
    "ledger.upkeep",
    "ledger.user_settings",
    "ledger.windows",
    "ledger.work",
    "procedural.applied",
    "procedural.finding_endings",
    "procedural.finding_evidence",
    "procedural.findings",
    "procedural.forgotten_findings",
    "procedural.preference_aliases",
    "procedural.preference_verdicts",
    "procedural.preference_versions",
    "procedural.preferences",
    "procedural.reflections",
    "procedural.rule_acts",
    "procedural.rule_versions",
    "procedural.rules",
)
"""The tables that a forgetting or an erasure may delete from or change, beside the user's partitions of PARTITIONED."""
PARTITIONED: Final = (
    "episodic.interactions",
    "episodic.chunks",
    "episodic.sentences",
    "catalog.resources",
    "catalog.resource_chunks",
    "catalog.resource_turns",
    "catalog.items",
    "catalog.categories",
)
"""The tables that are cut in partitions by user."""
_PARTITION: Final = re.compile(rf"({'|'.join(map(re.escape, PARTITIONED))})_[0-9]{{1,2}}")
TO_DO: Final = "to_do"
RESOURCES_TO_DO: Final = "resources_to_do"
"""In what was told of an erasure under way: the ids of interactions and of resources that it is about. No report has
them."""

What = Literal["interactions", "session", "user"]


@dataclass(frozen=True, slots=True)
class Erasure:
    """A request to forget. `ids`: the interactions, where they were chosen. `session_id`: which session; `agent_id`: of
    it only what was said to that agent. `dry_run`: only tell what would go. `key_id`: the key that asks, which may read
    the report. `held`: how much of the user the ledger kept beside events, and let go when it was asked for; filled in
    by `request_erasure`."""

    what: What
    ids: tuple[str, ...] = ()
    session_id: str | None = None
    agent_id: str | None = None
    dry_run: bool = False
    key_id: str | None = None
    held: Mapping[str, int] = field(default_factory=dict)

    @property
    def subject_id(self) -> str:
        """The subject of the event, as a list of jobs shows it."""
        return f"session:{self.session_id}" if self.what == "session" else self.what

    def payload(self) -> Mapping[str, JsonValue]:
        """As the event carries it."""
        return cast("Mapping[str, JsonValue]", {**asdict(self), "ids": list(self.ids)})


_PAYLOAD: Final = TypeAdapter(Erasure)


def erasure_of(work: Work) -> Erasure:
    """The erasure that `work` asks for. Raises ValidationError for the event of another stage."""
    return _PAYLOAD.validate_python(work.payload)


async def request_erasure(connection: Connection, scope: Scope, erasure: Erasure, *, now: datetime) -> int:
    """Ask for something to be forgotten for good, in the caller's transaction; returns the event's id.

    What is stored by a later event stays, and its stages wait until this is done. Of a user who is erased, settings,
    pins and the schedule's notes go at once.
    """
    await lock_user(connection, scope)
    if erasure.what == "user":
        row = await connection.fetchrow(SQL["lately_kept" if erasure.dry_run else "drop_kept"], *scope.user_key)
        held = {name: count for name, count in dict(row or {}).items() if count}
        erasure = Erasure("user", dry_run=erasure.dry_run, key_id=erasure.key_id, held=held)
    event = NewEvent("erase.requested", erasure.subject_id, now, erasure.payload())
    (event_id,) = await record(connection, scope, [event], now=now)
    return event_id


class ErasureLedger:
    """The workers' side. `pool`: of the relay's role. Raises, from any method that waits: TierUnavailable."""

    def __init__(self, pool: Pool, marks: SourceMarks) -> None:
        self._pool, self._marks = pool, marks

    async def tell(self, work: Work, result: Result) -> None:
        """Keep what came of `work` so far, which a later attempt is told, while its owner holds it."""
        async with self._transaction("tell") as connection:
            await connection.execute(SQL["tell"], *work.key, work.owner, as_json(result))

    async def progress(self, work: Work, done: int) -> None:
        """Keep how far `work` is, while its owner holds it."""
        async with self._transaction("progress") as connection:
            await connection.execute(SQL["progress"], *work.key, work.owner, done)

    async def known(self, work: Work, until: datetime) -> dict[str, dict[str, int]]:
        """Counts of the user's things beside the tiers, from before the work's event or until that moment, by place."""
        async with self._transaction("known", work.scope) as connection:
            jobs = await connection.fetchval(SQL["jobs_before"], *work.scope.user_key, work.key.event_id)
            row = await connection.fetchrow(SQL["known_elsewhere"], *work.scope.user_key, until)
        found = {"ledger": {"jobs": jobs}, "identity": {"keys": 0}, "audit": {"accesses": 0}}
        if row is not None:
            found |= {"identity": {"keys": row["keys"]}, "audit": {"accesses": row["accesses"]}}
        return {place: {kind: count for kind, count in of.items() if count} for place, of in found.items()}

    async def erase_elsewhere(self, scope: Scope, until: datetime) -> None:
        """Delete the keys that are bound to the user, and let audit entries until that moment, those included that
        arrive later, have a keyed hash in the user's place, and marks alone of their memories."""
        name, changed = self._marks.of_user(scope), ACCESSES_AT_ONCE
        while changed >= ACCESSES_AT_ONCE:
            async with self._transaction("erase elsewhere", scope) as connection:
                row = await connection.fetchrow(SQL["erase_elsewhere"], *scope.user_key, name, until, ACCESSES_AT_ONCE)
            changed = 0 if row is None else row["accesses"]
        await self.drop_marked_ids(scope)

    async def drop_marked_ids(self, scope: Scope) -> None:
        """Keep no more which memories the marks in the audit are of: some of them went, and nobody raised an epoch."""
        async with self._transaction("drop marked ids", scope) as connection:
            await connection.execute(SQL["drop_marked_ids"], *scope.user_key)

    async def erase_events(self, work: Work) -> None:
        """Delete the user's events of before the work's, with their jobs and results, and later ones that nothing is
        done about or that follow from those; erasures that wait stay."""
        async with self._transaction("span") as connection:
            span = await connection.fetchrow(SQL["span"])
        if span is None:
            return
        for first in range(span["first"], span["last"] + 1, EVENTS_AT_ONCE):
            values = (first, first + EVENTS_AT_ONCE, work.key.event_id)
            async with self._transaction("erase events") as connection:
                await lock_user(connection, work.scope)
                await connection.execute(SQL["erase_events"], *work.scope.user_key, *values)

    async def stored_since(self, work: Work) -> set[str]:
        """The ids of the user's resources that were stored by later events than the work's."""
        async with self._transaction("stored since", work.scope) as connection:
            rows = await connection.fetch(SQL["stored_since"], *work.scope.user_key, work.key.event_id)
        return {row["subject_id"] for row in rows}

    async def drop_results(self, scope: Scope) -> None:
        """Keep nothing of what came of the catalog's work for the user: ids of what is gone."""
        async with self._transaction("drop results", scope) as connection:
            await connection.execute(SQL["drop_results"], *scope.user_key)

    async def conclude(self, work: Work, result: Result) -> None:
        """Mark the erasure of a user done, and leave nothing of it under the user's own id: its record has a keyed hash
        in its place. Raises LedgerError when its owner no longer holds it."""
        name = self._marks.of_user(work.scope)
        async with self._transaction("conclude", work.scope) as connection:
            await lock_user(connection, work.scope)
            await connection.execute(SQL["drop_rests"], *work.scope.user_key, work.key.event_id)
            concluded = await connection.fetchval(SQL["conclude"], work.key.event_id, work.owner, name, as_json(result))
            if concluded is None:
                raise LedgerError(f"{work.owner} no longer holds event {work.key.event_id} for {work.key.stage}")
            await connection.execute(SQL["leave_lines"], *work.scope.user_key)
            await connection.execute(SQL["drop_progress"], *work.scope.user_key)

    async def want_cleaning(self, names: Sequence[str]) -> None:
        """Have these cleaned up, as soon as it is their turn."""
        async with self._transaction("want cleaning") as connection:
            await connection.execute(SQL["want_cleaning"], list(names))

    async def begin_cleaning(self, every_s: float) -> dict[str, datetime]:
        """Names that are wanted and were not begun in the last `every_s` seconds, each with when it was begun: now."""
        async with self._transaction("begin cleaning") as connection:
            rows = await connection.fetch(SQL["begin_cleaning"], every_s)
        return {row["name"]: row["begun_at"] for row in rows}

    async def end_cleaning(self, name: str, begun_at: datetime) -> None:
        """It is clean as of when it was begun; what is wanted since is begun again."""
        async with self._transaction("end cleaning") as connection:
            await connection.execute(SQL["end_cleaning"], name, begun_at)

    async def partitions_of(self, scope: Scope) -> list[str]:
        """The partitions of the episodic tier and of the catalog that have the user's rows."""
        async with self._transaction("partitions") as connection:
            rows = await connection.fetch(SQL["partitions_of"], scope.user_id, list(PARTITIONED))
        return [row["name"] for row in rows]

    async def vacuum(self, table: str) -> None:
        """Let nothing that was deleted from `table`, of TOUCHED_TABLES or a partition of PARTITIONED, be in it
        any more, but in what is free, nor in what the planner knows of its values. Raises InvalidInput for another;
        StorageError where the role may not."""
        if table not in TOUCHED_TABLES and not _PARTITION.fullmatch(table):
            raise InvalidInput(f"{table!r} is no table that erasures touch")
        await ensure_open(self._pool)
        async with foreign_errors("vacuum"), acquired(self._pool) as connection:
            await connection.execute(f"VACUUM (ANALYZE) {table}", timeout=VACUUM_S)

    def _transaction(self, what: str, scope: Scope | None = None) -> AbstractAsyncContextManager[Connection]:
        return relay_tx(self._pool, what, tenant_id=None if scope is None else scope.tenant_id)
