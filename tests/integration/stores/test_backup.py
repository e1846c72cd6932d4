"""Backups of the stores: what one brings back, what it refuses, and what is left of one that was interrupted.

A restore takes many seconds, most of them to plan anew what is asked of a graph with a new schema: whatever may be in
one memory is asked of one restore (`moved`). The tests behind it change the stores.
"""

import asyncio
import tarfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import cast

import asyncpg
import neo4j
import pytest

from ragpp.clock import system_clock
from ragpp.ledger import WorkLedger
from ragpp.stores.postgres import create_pool, ensure_open, tenant_tx
from ragpp_infra.backup import graph, tables, taking
from ragpp_infra.backup.archive import ArchiveReader, ArchiveWriter
from ragpp_infra.backup.errors import BackupFailed, RestoreRefused
from ragpp_infra.backup.pausing import learning_paused
from ragpp_infra.backup.places import Place
from ragpp_infra.provisioning.errors import ProvisioningError
from ragpp_infra.provisioning.postgres import is_unfinished
from ragpp_services import all_in_one
from ragpp_services.procedural.naming import preference_id
from tests.support.asking import connected, in_neo4j, of_postgres, undone
from tests.support.backup import (
    emptied,
    known,
    marks_told,
    noted_as_deleted,
    place_of,
    restored,
    taken,
    told,
)
from tests.support.episodic import episodic_tier, postgres_settings
from tests.support.marks import MARKS
from tests.support.moved import PREFERENCE, TABLES, Moved, moved_memory, stored
from tests.support.procedural import procedural_tier
from tests.support.real_gateway import environment, settings_of
from tests.support.scopes import new_scope
from tests.support.semantic import semantic_tier
from tests.support.short_term import short_term_tier
from tests.support.stacks import RunStack
from tests.support.waiting import eventually

pytestmark = [pytest.mark.server, pytest.mark.timeout(600)]


@pytest.fixture(scope="module")
async def place(own_stack: RunStack, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Place]:
    """Stores with all schemas, and the environment that programs of the restore run with."""
    with environment(settings_of(own_stack.endpoints(), tmp_path_factory.mktemp("settings"))):
        await all_in_one.migrate_all()
        yield place_of(own_stack)


@pytest.fixture(scope="module")
async def moved(place: Place, tmp_path_factory: pytest.TempPathFactory) -> Moved:
    return await moved_memory(place, tmp_path_factory.mktemp("backup") / "m")


async def asked(place: Place, statement: str) -> object:
    return await of_postgres(place.postgres_dsn, statement)


async def test_what_was_in_the_tables_is_there_again_and_works_as_before(moved: Moved, place: Place) -> None:
    scope, table = moved.people.left, "postgres/episodic.interactions"
    assert moved.result.rows[table] == moved.copy.manifest.parts[table].rows > 0
    assert [await asked(place, statement) for statement in TABLES] == moved.before
    assert all(moved.before)
    events = cast("int", await asked(place, "SELECT last_value FROM ledger.events_event_id_seq"))
    assert events >= moved.copy.manifest.sequences["ledger.events_event_id_seq"].last_value
    async with episodic_tier(place.endpoints) as tier:
        await stored(tier, scope, "m3")
        assert {one.id for one in await tier.get(scope, ["m1", "m2", "m3"])} == {"m1", "m2", "m3"}
        assert await tier.get(new_scope(), ["m1"]) == []


async def test_no_row_is_shown_without_a_tenant_in_what_was_restored(moved: Moved, place: Place) -> None:
    pool = create_pool(postgres_settings(place.endpoints))
    try:
        await ensure_open(pool)
        assert await pool.fetchval("SELECT count(*) FROM episodic.interactions") == 0
        async with tenant_tx(pool, moved.people.forgetting) as connection:
            assert await connection.fetchval("SELECT count(*) FROM episodic.interactions") == 1
    finally:
        await pool.close()
    forced = """SELECT bool_and(relforcerowsecurity) FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
                 WHERE nspname IN ('episodic', 'catalog', 'ledger', 'procedural', 'audit', 'identity')
                   AND relkind IN ('r', 'p') AND relname NOT IN ('embedding', 'embedding_model', 'lineage')"""
    assert await asked(place, forced) is True


async def test_an_interrupted_restore_is_served_to_nobody(moved: Moved) -> None:
    assert moved.halfway["unfinished"] is True
    assert isinstance(moved.halfway["connecting"], asyncpg.InsufficientPrivilegeError)
    for what, error in (("provisioning", ProvisioningError), ("a backup", BackupFailed), ("a restore", RestoreRefused)):
        assert isinstance(moved.halfway[what], error), what
        assert "not finished" in str(moved.halfway[what])


async def test_an_interrupted_restore_can_be_repeated_and_knows_what_the_emptied_stores_knew(
    moved: Moved, place: Place
) -> None:
    assert not await is_unfinished(place.postgres_dsn)
    async with episodic_tier(place.endpoints) as tier:
        assert [one.id for one in await tier.get(moved.people.forgetting, ["m1", "m2"])] == ["m2"]


async def test_nobody_is_let_in_before_what_was_forgotten_is_gone(moved: Moved) -> None:
    assert len(moved.shut_out) == 2


async def test_the_graph_keeps_nothing_of_a_message_that_the_tables_do_not_have(moved: Moved, place: Place) -> None:
    """As of one that was stored after their snapshot. It may come again, and is learned from then."""
    scope = moved.people.ghostly
    assert moved.result.forgotten["ghost"] == 2  # and the one that the graph was still to withdraw
    async with semantic_tier(place.endpoints) as tied:
        assert await tied.holdings(scope, ["late"]) == {}
    marks = in_neo4j(place.endpoints, f"MATCH (f:Forgotten {{mark: '{MARKS.of(scope, 'late')}'}}) RETURN f")
    assert marks == []


async def test_a_message_whose_withdrawal_was_still_to_be_done_stays_forgotten_in_the_graph(
    moved: Moved, place: Place
) -> None:
    scope = moved.people.withdrawing
    async with semantic_tier(place.endpoints) as tied:
        assert await tied.holdings(scope, ["m1"]) == {}
    marks = in_neo4j(place.endpoints, f"MATCH (f:Forgotten {{mark: '{MARKS.of(scope, 'm1')}'}}) RETURN f")
    assert len(marks) == 1


async def test_whoever_was_erased_since_is_found_in_every_store(moved: Moved, place: Place) -> None:
    """Also who is in the graph alone, in a running conversation alone, or in the audit."""
    assert moved.result.forgotten["user"] == 4
    async with semantic_tier(place.endpoints) as tier:
        assert await tier.holdings(moved.people.drawn) == {}
    async with short_term_tier(place.endpoints) as conversations_of:
        assert await conversations_of.holdings(moved.people.talking) == {}
    plain = f"SELECT count(*) FROM audit.accesses WHERE user_id = '{moved.people.read.user_id}'"  # noqa: S608 - of this test
    assert await asked(place, plain) == 0


async def test_what_is_deleted_between_the_copies_of_two_stores_does_not_come_back(moved: Moved, place: Place) -> None:
    ended, erased = moved.people.ended, moved.people.erased
    async with short_term_tier(place.endpoints) as tier:
        held = [await tier.holdings(scope) for scope in (ended, erased, erased.seen_by("helper"))]
        assert held == [{}, {}, {}]
        assert await tier.holdings(moved.people.left) != {}


async def test_what_a_restore_was_told_is_told_to_the_next(moved: Moved, place: Place, tmp_path: Path) -> None:
    """Also what was nowhere but in the audit, which was lost with what was replaced."""
    assert moved.result.forgotten["procedural"] == 1
    told_by = f"SELECT count(*) FROM audit.accesses WHERE user_id = '{moved.people.deciding.user_id}'"  # noqa: S608 - of this test
    assert await asked(place, told_by) == 0
    await told(place, tmp_path / "f")
    decided = preference_id(moved.people.deciding, PREFERENCE.category, PREFERENCE.key)
    assert MARKS.of(moved.people.deciding, decided) in marks_told(tmp_path / "f")


async def test_a_place_that_holds_a_memory_or_is_in_use_is_left_as_it_is(place: Place, tmp_path: Path) -> None:
    scope = new_scope()
    async with episodic_tier(place.endpoints) as tier:
        await stored(tier, scope, "m1")
    await taken(place, tmp_path / "m")
    with pytest.raises(RestoreRefused, match="hold a memory"):
        await restored(place, tmp_path / "m")
    async with connected(place.endpoints.postgres_app_dsn):
        with pytest.raises(RestoreRefused, match="connected"):
            await restored(place, tmp_path / "m", replace=True)
    assert not await is_unfinished(place.postgres_dsn)
    async with episodic_tier(place.endpoints) as tier:
        assert [one.id for one in await tier.get(scope, ["m1"])] == ["m1"]


async def test_stores_of_another_lineage_do_not_tell_what_was_forgotten(place: Place, tmp_path: Path) -> None:
    """Nor does a file of what was forgotten in them: they were lost since the backup, and used again."""
    await taken(place, tmp_path / "m")
    before = await told(place, tmp_path / "before")
    async with place.postgres() as connection:
        await tables.renew_lineage(connection)
    await told(place, tmp_path / "after")
    for files in ((), (tmp_path / "after",)):
        with pytest.raises(RestoreRefused, match="nobody tells"):
            await known(place, tmp_path / "m", *files)
    found = await known(place, tmp_path / "m", tmp_path / "before", tmp_path / "after")
    assert found == (before.manifest.until, False)


@pytest.mark.exhaustive
async def test_what_was_restored_elsewhere_knows_its_own_forgettings_alone(place: Place, tmp_path: Path) -> None:
    """Stores that held nothing tell nothing of what was forgotten since."""
    scope = new_scope()
    async with episodic_tier(place.endpoints) as tier:
        await stored(tier, scope, "m1")
    await taken(place, tmp_path / "first")
    await emptied(place)
    with pytest.raises(RestoreRefused, match="nobody tells"):
        await restored(place, tmp_path / "first")
    result = await restored(place, tmp_path / "first", nothing_since=True)
    assert result.known_until is None
    async with episodic_tier(place.endpoints) as tier:
        assert [one.id for one in await tier.get(scope, ["m1"])] == ["m1"]
    with pytest.raises(RestoreRefused, match="nobody tells"):
        await known(place, tmp_path / "first")
    await taken(place, tmp_path / "own")
    assert (await known(place, tmp_path / "own")).is_here


async def test_nobody_waits_for_whoever_takes_the_backup(
    place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While learning waits and graphs are locked nothing is written but into a file of ours."""
    written = []

    async def looked_at(driver: neo4j.AsyncDriver, archive: ArchiveWriter) -> None:
        await graph.copy_graph(driver, archive)
        written.append((tmp_path / "m").stat().st_size)

    monkeypatch.setattr(taking, "copy_graph", looked_at)
    copy = await taken(place, tmp_path / "m")
    assert written == [2 * tarfile.BLOCKSIZE]  # the header
    assert ArchiveReader(tmp_path / "m").verify() == copy.manifest


async def test_what_is_somebody_elses_in_the_database_is_neither_copied_nor_dropped(place: Place) -> None:
    async with undone(place.postgres_dsn) as connection:  # nothing is made anew for those who come after it
        await connection.execute("CREATE SCHEMA somebodys; CREATE TABLE somebodys.own AS SELECT 1 AS one")
        found = await tables.tables_of(connection)
        assert "ledger.events" in found
        assert "somebodys.own" not in found
        await tables.empty_schemas(connection)
        assert await connection.fetchval("SELECT one FROM somebodys.own") == 1
        assert await tables.tables_of(connection) == {}


async def test_a_file_of_forgettings_has_those_for_which_a_backup_may_ask(place: Place, tmp_path: Path) -> None:
    scope = new_scope()
    await noted_as_deleted(place, scope, "graph", "lately")
    await noted_as_deleted(place, scope, "graph", "long ago", days_ago=100)
    for days, expected in ((90, {"lately"}), (120, {"lately", "long ago"})):
        await told(replace(place, keep_days=days), tmp_path / "f")
        marks = marks_told(tmp_path / "f")
        assert {one for one in ("lately", "long ago") if MARKS.of(scope, one) in marks} == expected


@asynccontextmanager
async def learning(place: Place) -> AsyncIterator[WorkLedger]:
    """The ledger as the workers have it."""
    pool = create_pool(postgres_settings(place.endpoints), dsn=place.endpoints.postgres_relay_dsn.get_secret_value())
    try:
        yield WorkLedger(pool, system_clock)
    finally:
        await pool.close()


async def test_learning_waits_for_a_copy_and_forgetting_does_not(place: Place) -> None:
    scope = new_scope()
    async with learning(place) as ledger, episodic_tier(place.endpoints) as tier:
        await stored(tier, scope, "m1", "m2")
        async with learning_paused(place, 30):
            await tier.forget(scope, ["m1"])
            assert await ledger.lease("observe", limit=9, owner="w", lease_s=60, users=99) == []
            forgotten = await ledger.lease("forget", limit=9, owner="w", lease_s=60, users=99)
            assert "m1" in {work.subject_id for work in forgotten}
        await ledger.finish([work.key for work in forgotten], "w")

        async def leased() -> bool:
            works = await ledger.lease("observe", limit=99, owner="w", lease_s=5, users=99)
            await ledger.finish([work.key for work in works], "w")
            return "m2" in {work.subject_id for work in works}

        await eventually(leased, within_s=60, what="learning goes on")


async def test_a_copy_waits_for_what_was_begun_and_gives_up_in_time(place: Place) -> None:
    scope = new_scope()
    async with learning(place) as ledger:
        async with episodic_tier(place.endpoints) as tier:
            await stored(tier, scope, "m1")
        works = await ledger.lease("observe", limit=99, owner="w", lease_s=60, users=99)
        assert works
        with pytest.raises(BackupFailed, match="still at"):
            async with learning_paused(place, 0.3):
                pass
        waiting = asyncio.create_task(paused_at(place))
        await asyncio.sleep(0)
        await ledger.finish([work.key for work in works], "w")
        assert await waiting


async def paused_at(place: Place) -> object:
    async with learning_paused(place, 30) as (_, since):
        return since


async def test_a_killed_backup_leaves_nothing_paused(place: Place) -> None:
    async with connected(place.postgres_dsn) as held, learning_paused(place, 30) as (keeper, _):
        pid = await keeper.fetchval("SELECT pg_backend_pid()")
        await held.execute("SELECT pg_terminate_backend($1)", pid)

        async def given_back() -> bool:
            locks = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = $1"
            return cast("int", await held.fetchval(locks, pid)) == 0

        assert await eventually(given_back, within_s=60, what="the lock is given back")


@pytest.mark.exhaustive
async def test_a_second_restore_knows_what_the_first_was_told(place: Place, tmp_path: Path) -> None:
    scope = new_scope()
    async with procedural_tier(place.endpoints) as tier:
        await tier.store(scope, [PREFERENCE])
    await taken(place, tmp_path / "m")
    decided = preference_id(scope, PREFERENCE.category, PREFERENCE.key)
    await noted_as_deleted(place, scope, "procedural", decided)
    for _ in range(2):
        result = await restored(place, tmp_path / "m", replace=True)
        assert result.forgotten["procedural"] == 1


@pytest.mark.exhaustive
async def test_stores_that_were_lost_and_used_again_are_restored_by_a_file_of_before(
    place: Place, tmp_path: Path
) -> None:
    scope = new_scope()
    async with episodic_tier(place.endpoints) as tier:
        await stored(tier, scope, "m1")
        await taken(place, tmp_path / "m")
        await tier.forget(scope, ["m1"])
    await told(place, tmp_path / "before")
    await emptied(place)
    async with episodic_tier(place.endpoints) as tier:
        await stored(tier, scope, "m2")
    await told(place, tmp_path / "after")
    with pytest.raises(RestoreRefused, match="nobody tells"):
        await restored(place, tmp_path / "m", tmp_path / "after", replace=True)
    result = await restored(place, tmp_path / "m", tmp_path / "before", tmp_path / "after", replace=True)
    assert result.forgotten["message"] == 1


@pytest.mark.exhaustive
async def test_what_was_restored_elsewhere_is_restored_with_its_own_forgettings(place: Place, tmp_path: Path) -> None:
    scope = new_scope()
    async with episodic_tier(place.endpoints) as tier:
        await stored(tier, scope, "m1", "m2")
    await taken(place, tmp_path / "first")
    await emptied(place)
    await restored(place, tmp_path / "first", nothing_since=True)
    await taken(place, tmp_path / "own")
    async with episodic_tier(place.endpoints) as tier:
        await tier.forget(scope, ["m2"])
    assert (await restored(place, tmp_path / "own", replace=True)).forgotten["message"] == 1
