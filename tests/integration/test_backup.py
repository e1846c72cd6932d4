"""What a backup of the stores brings back, what it refuses, and what is left of one that was interrupted."""

import asyncio
import json
import tarfile
from collections.abc import AsyncIterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import cast

import asyncpg
import neo4j
import pytest

from ragpp.clock import system_clock
from ragpp.errors import TierUnavailable
from ragpp.ledger import WorkLedger
from ragpp.models import Observation, Scope
from ragpp.stores.postgres import create_pool, ensure_open, tenant_tx
from ragpp_infra.backup import conversations, graph, tables, taking
from ragpp_infra.backup.archive import ArchiveReader, ArchiveWriter
from ragpp_infra.backup.errors import BackupFailed, RestoreRefused
from ragpp_infra.backup.forgettings import checked
from ragpp_infra.backup.lines import LineReader
from ragpp_infra.backup.pausing import learning_paused
from ragpp_infra.backup.places import Client, Place
from ragpp_infra.backup.restoring import Restore
from ragpp_infra.provisioning.endpoints import Admin
from ragpp_infra.provisioning.errors import ProvisioningError
from ragpp_infra.provisioning.postgres import is_unfinished
from ragpp_infra.provisioning.provision import provision
from ragpp_services import all_in_one
from ragpp_services.episodic.tier import PostgresEpisodicTier
from ragpp_services.procedural.naming import preference_id
from tests.support.asking import in_neo4j, of_postgres
from tests.support.backup import place_of, restored, taken, told
from tests.support.episodic import episodic_entry, episodic_tier, postgres_settings
from tests.support.marks import MARKS
from tests.support.procedural import procedural_entry, procedural_tier
from tests.support.real_gateway import environment, settings_of
from tests.support.scopes import new_scope
from tests.support.semantic import semantic_entry, semantic_tier
from tests.support.short_term import short_term_entry, short_term_tier
from tests.support.stacks import RunStack
from tests.support.waiting import eventually

pytestmark = [pytest.mark.server, pytest.mark.timeout(240)]
SEGMENT = """
INSERT INTO catalog.segments (tenant_id, user_id, first, last, ordinals, moments, sessions, session_of, viewers, agents,
                              starts, vectors, bits)
VALUES ($1, $2, 0, 9, '\\x01', '\\x02', '\\x03', '\\x04', '\\x05', '{a}', '\\x06', 1, '\\x00ff')"""
TERM = "INSERT INTO catalog.segment_terms VALUES ($1, $2, 0, 7, '\\x0708')"


@pytest.fixture(scope="module")
async def place(own_stack: RunStack, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Place]:
    """Stores with all schemas, and the environment that programs of the restore run with."""
    with environment(settings_of(own_stack.endpoints(), tmp_path_factory.mktemp("settings"))):
        await all_in_one.migrate_all()
        yield place_of(own_stack)


async def stored(tier: PostgresEpisodicTier, scope: Scope, *ids: str) -> None:
    await tier.store(scope, [episodic_entry(f"A message that is called {one}", id=one) for one in ids])


async def asked(place: Place, statement: str) -> object:
    return await of_postgres(place.postgres_dsn, statement)


async def test_what_was_in_the_tables_is_there_again_and_works_as_before(place: Place, tmp_path: Path) -> None:
    scope, other = new_scope(), new_scope()
    async with episodic_tier(place.endpoints) as tier:
        await stored(tier, scope, "m1", "m2")
    superuser = await asyncpg.connect(place.postgres_dsn.get_secret_value())
    await superuser.execute(SEGMENT, *scope.user_key)
    await superuser.execute(TERM, *scope.user_key)
    segments = await superuser.fetch("SELECT segments::text FROM catalog.segments")
    events = await superuser.fetchval("SELECT last_value FROM ledger.events_event_id_seq")
    await superuser.close()
    copy = await taken(place, tmp_path / "m")
    result = await restored(place, tmp_path / "m", replace=True)
    assert result.rows["postgres/episodic.interactions"] == copy.manifest.parts["postgres/episodic.interactions"].rows
    superuser = await asyncpg.connect(place.postgres_dsn.get_secret_value())
    try:
        assert await superuser.fetch("SELECT segments::text FROM catalog.segments") == segments
        assert await superuser.fetchval("SELECT count(*) FROM catalog.segment_terms") == 1
        assert await superuser.fetchval("SELECT last_value FROM ledger.events_event_id_seq") == events
        triggers = await superuser.fetchval("SELECT count(*) FROM pg_trigger WHERE tgrelid = 'catalog.items'::regclass")
        assert triggers > 0
    finally:
        await superuser.close()
    async with episodic_tier(place.endpoints) as tier:
        await stored(tier, scope, "m3")
        assert {one.id for one in await tier.get(scope, ["m1", "m2", "m3"])} == {"m1", "m2", "m3"}
        assert await tier.get(other, ["m1"]) == []


async def test_no_row_is_shown_without_a_tenant_in_what_was_restored(place: Place, tmp_path: Path) -> None:
    scope = new_scope()
    async with episodic_tier(place.endpoints) as tier:
        await stored(tier, scope, "m1")
    await taken(place, tmp_path / "m")
    await restored(place, tmp_path / "m", replace=True)
    pool = create_pool(postgres_settings(place.endpoints))
    try:
        await ensure_open(pool)
        assert await pool.fetchval("SELECT count(*) FROM episodic.interactions") == 0
        async with tenant_tx(pool, scope) as connection:
            assert await connection.fetchval("SELECT count(*) FROM episodic.interactions") == 1
    finally:
        await pool.close()
    forced = """SELECT bool_and(relforcerowsecurity) FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
                 WHERE nspname IN ('episodic', 'catalog', 'ledger', 'procedural', 'audit', 'identity')
                   AND relkind IN ('r', 'p') AND relname NOT IN ('embedding', 'embedding_model', 'lineage')"""
    assert await asked(place, forced) is True


async def test_a_place_that_holds_a_memory_or_is_in_use_is_left_as_it_is(place: Place, tmp_path: Path) -> None:
    scope = new_scope()
    async with episodic_tier(place.endpoints) as tier:
        await stored(tier, scope, "m1")
    await taken(place, tmp_path / "m")
    with pytest.raises(RestoreRefused, match="hold a memory"):
        await restored(place, tmp_path / "m")
    busy = await asyncpg.connect(place.endpoints.postgres_app_dsn.get_secret_value())
    with pytest.raises(RestoreRefused, match="connected"):
        await restored(place, tmp_path / "m", replace=True)
    await busy.close()
    assert not await is_unfinished(place.postgres_dsn)
    async with episodic_tier(place.endpoints) as tier:
        assert [one.id for one in await tier.get(scope, ["m1"])] == ["m1"]


async def test_an_interrupted_restore_is_served_to_nobody_and_can_be_repeated(
    place: Place, own_stack: RunStack, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also what had been forgotten in the emptied stack is known then, which has it nowhere else."""
    scope = new_scope()
    async with episodic_tier(place.endpoints) as tier:
        await stored(tier, scope, "m1", "m2")
        await taken(place, tmp_path / "m")
        await tier.forget(scope, ["m1"])

    async def killed(*_given: object) -> None:
        raise TierUnavailable("as if by SIGKILL")

    with monkeypatch.context() as patched:
        patched.setattr(Restore, "_find_forgotten", killed)
        with pytest.raises(TierUnavailable):
            await restored(place, tmp_path / "m", replace=True)
    assert await is_unfinished(place.postgres_dsn)
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        await asyncpg.connect(place.endpoints.postgres_app_dsn.get_secret_value())
    endpoints = own_stack.endpoints()
    admin = Admin(place.postgres_dsn, endpoints.redis_url, endpoints.neo4j_uri, endpoints.neo4j_password)
    with pytest.raises(ProvisioningError, match="not finished"):
        await provision(admin, endpoints, schemas=False)
    with pytest.raises(BackupFailed, match="not finished"):
        await taken(place, tmp_path / "half")
    with pytest.raises(RestoreRefused, match="not finished"):
        await restored(place, tmp_path / "m")
    result = await restored(place, tmp_path / "m", replace=True)
    assert result.forgotten["message"] == 1
    assert not await is_unfinished(place.postgres_dsn)
    async with episodic_tier(place.endpoints) as tier:
        assert [one.id for one in await tier.get(scope, ["m1", "m2"])] == ["m2"]


async def test_nobody_is_let_in_before_what_was_forgotten_is_gone(
    place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scope, tried = new_scope(), []
    async with episodic_tier(place.endpoints) as tier:
        await stored(tier, scope, "m1")
        await taken(place, tmp_path / "m")
        await tier.forget(scope, ["m1"])
    forget = Restore._program

    async def tried_meanwhile(self: Restore, *arguments: str, **given: Mapping[str, str]) -> str:
        if arguments == ("forget",):
            for dsn in (place.endpoints.postgres_app_dsn, place.endpoints.postgres_relay_dsn):
                with pytest.raises(asyncpg.InsufficientPrivilegeError):
                    await asyncpg.connect(dsn.get_secret_value())
                tried.append(dsn)
        return await forget(self, *arguments, **given)

    with monkeypatch.context() as patched:
        patched.setattr(Restore, "_program", tried_meanwhile)
        await restored(place, tmp_path / "m", replace=True)
    assert len(tried) == 2
    async with episodic_tier(place.endpoints) as tier:
        assert await tier.get(scope, ["m1"]) == []


async def test_stores_that_held_nothing_do_not_tell_what_was_forgotten(place: Place, tmp_path: Path) -> None:
    scope = new_scope()
    async with episodic_tier(place.endpoints) as tier:
        await stored(tier, scope, "m1")
    await taken(place, tmp_path / "m")
    await emptied(place)
    with pytest.raises(RestoreRefused, match="nobody tells"):
        await restored(place, tmp_path / "m")
    result = await restored(place, tmp_path / "m", nothing_since=True)
    assert result.known_until is None
    async with episodic_tier(place.endpoints) as tier:
        assert [one.id for one in await tier.get(scope, ["m1"])] == ["m1"]


async def test_stores_that_were_lost_and_used_again_do_not_tell_it_either(place: Place, tmp_path: Path) -> None:
    """Nor does a file of what was forgotten in them: it is of other stores than the backup."""
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
    for files in ((), (tmp_path / "after",)):
        with pytest.raises(RestoreRefused, match="nobody tells"):
            await restored(place, tmp_path / "m", *files, replace=True)
    result = await restored(place, tmp_path / "m", tmp_path / "before", tmp_path / "after", replace=True)
    assert result.forgotten["message"] == 1


async def test_what_was_restored_elsewhere_knows_its_own_forgettings_alone(place: Place, tmp_path: Path) -> None:
    scope = new_scope()
    async with episodic_tier(place.endpoints) as tier:
        await stored(tier, scope, "m1", "m2")
    await taken(place, tmp_path / "first")
    await emptied(place)
    await restored(place, tmp_path / "first", nothing_since=True)
    with pytest.raises(RestoreRefused, match="nobody tells"):
        await restored(place, tmp_path / "first", replace=True)
    await taken(place, tmp_path / "own")
    async with episodic_tier(place.endpoints) as tier:
        await tier.forget(scope, ["m2"])
    assert (await restored(place, tmp_path / "own", replace=True)).forgotten["message"] == 1


async def test_a_second_restore_knows_what_the_first_was_told(place: Place, tmp_path: Path) -> None:
    """Also of what is nowhere but in the audit, which is lost with what is replaced."""
    scope = new_scope()
    async with procedural_tier(place.endpoints) as tier:
        entry = procedural_entry("Tea")
        await tier.store(scope, [entry])
    await taken(place, tmp_path / "m")
    await entered(place, scope, "procedural", preference_id(scope, entry.category, entry.key))
    for _ in range(2):
        result = await restored(place, tmp_path / "m", replace=True)
        assert result.forgotten["procedural"] == 1


async def entered(place: Place, scope: Scope, what: str, identifier: str, *, days_ago: int = 0) -> None:
    """As the audit tells of what a person deleted."""
    statement = """
        INSERT INTO audit.accesses (access_id, tenant_id, at, key_id, user_id, action, status, elapsed_ms, details)
        VALUES (gen_random_uuid(), $1, now() - make_interval(days => $4), '', $2, 'delete', 204, 1, $3)"""
    details = json.dumps({"deleted": what, "count": 1, "marks": [MARKS.of(scope, identifier)]})
    async with place.postgres() as connection:
        await connection.execute(statement, *scope.user_key, details, days_ago)


async def emptied(place: Place) -> None:
    """As a stack that was made ready and never used."""
    async with place.postgres() as connection, place.redis() as client, place.neo4j() as driver:
        await tables.empty_schemas(connection)
        await conversations.empty_redis(client, place.key_prefix)
        await graph.empty_graph(driver)
    await all_in_one.migrate_all()


async def test_the_graph_keeps_nothing_of_a_message_that_the_tables_do_not_have(place: Place, tmp_path: Path) -> None:
    """As of one that was stored after their snapshot. It may come again, and is learned from then."""
    scope = new_scope()
    observation = Observation(event_id="late", interaction_id="late", occurred_at=system_clock())
    async with semantic_tier(place.endpoints) as tied, episodic_tier(place.endpoints) as tier:
        await stored(tier, scope, "m1")
        await tied.observe(scope, [observation])
        assert await tied.holdings(scope) == {"observations": 1}
    await taken(place, tmp_path / "m")
    result = await restored(place, tmp_path / "m", replace=True)
    assert result.forgotten["ghost"] == 1
    async with semantic_tier(place.endpoints) as tied:
        assert await tied.holdings(scope, ["late"]) == {}
    marks = in_neo4j(place.endpoints, f"MATCH (f:Forgotten {{mark: '{MARKS.of(scope, 'late')}'}}) RETURN f")
    assert marks == []


async def test_a_message_whose_withdrawal_was_still_to_be_done_stays_forgotten_in_the_graph(
    place: Place, tmp_path: Path
) -> None:
    scope = new_scope()
    observation = Observation(event_id="m1", interaction_id="m1", occurred_at=system_clock())
    async with semantic_tier(place.endpoints) as tied, episodic_tier(place.endpoints) as tier:
        await stored(tier, scope, "m1")
        await tied.observe(scope, [observation])
        await tier.forget(scope, ["m1"])
    await taken(place, tmp_path / "m")
    await restored(place, tmp_path / "m", replace=True)
    async with semantic_tier(place.endpoints) as tied:
        assert await tied.holdings(scope, ["m1"]) == {}
    marks = in_neo4j(place.endpoints, f"MATCH (f:Forgotten {{mark: '{MARKS.of(scope, 'm1')}'}}) RETURN f")
    assert len(marks) == 1


async def test_whoever_was_erased_since_is_found_in_every_store(place: Place, tmp_path: Path) -> None:
    """Also who is in the graph alone, in a running conversation alone, or in the audit."""
    drawn, talking, read = new_scope(), new_scope(), new_scope()
    async with semantic_tier(place.endpoints) as tier:
        await tier.store(drawn, [semantic_entry("Tea")])
    async with short_term_tier(place.endpoints) as conversations_of:
        await conversations_of.store(talking, [short_term_entry("I like tea")])
    await entered(place, read, "nothing", "x")
    await taken(place, tmp_path / "m")
    for scope in (drawn, talking, read):
        await noted_as_erased(place, scope)
    result = await restored(place, tmp_path / "m", replace=True)
    assert result.forgotten["user"] == 3
    async with semantic_tier(place.endpoints) as tier:
        assert await tier.holdings(drawn) == {}
    async with short_term_tier(place.endpoints) as conversations_of:
        assert await conversations_of.holdings(talking) == {}
    plain = f"SELECT count(*) FROM audit.accesses WHERE user_id = '{read.user_id}'"  # noqa: S608 - of this test
    assert await asked(place, plain) == 0


async def test_what_is_deleted_between_the_copies_of_two_stores_does_not_come_back(
    place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A conversation is copied, then deleted, its messages kept; only then comes the snapshot, which knows of it."""
    talking, erased, left = new_scope().in_session("a b"), new_scope(), new_scope()

    async def deleted_meanwhile(client: Client, prefix: str, archive: ArchiveWriter) -> None:
        await conversations.copy_conversations(client, prefix, archive)
        await entered(place, talking, "conversation", "a b")
        await noted_as_erased(place, erased)
        async with short_term_tier(place.endpoints) as tier:
            await tier.delete_session(talking)
            await tier.erase(erased, 0)

    async with short_term_tier(place.endpoints) as tier:
        await tier.store(talking, [short_term_entry("I like tea", session_id="a b")])
        await tier.store(left, [short_term_entry("I like tea")])
        await tier.store(erased, [short_term_entry("I like tea")])
        await tier.store(erased.seen_by("helper"), [short_term_entry("I like tea")])
    with monkeypatch.context() as patched:
        patched.setattr(taking, "copy_conversations", deleted_meanwhile)
        await taken(place, tmp_path / "m")
    await restored(place, tmp_path / "m", replace=True)
    async with short_term_tier(place.endpoints) as tier:
        held = [await tier.holdings(scope) for scope in (talking, erased, erased.seen_by("helper"))]
        assert held == [{}, {}, {}]
        assert await tier.holdings(left) != {}


async def noted_as_erased(place: Place, scope: Scope) -> None:
    """As an erasure notes it."""
    async with place.postgres() as connection:
        await connection.execute(
            "INSERT INTO audit.erased (tenant_id, name, until) VALUES ($1, $2, now())",
            scope.tenant_id,
            MARKS.of_user(scope),
        )


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
    async with place.postgres() as connection:
        await connection.execute("CREATE SCHEMA somebodys; CREATE TABLE somebodys.own AS SELECT 1 AS one")
        try:
            found = await tables.tables_of(connection)
            assert "ledger.events" in found
            assert "somebodys.own" not in found
            await tables.empty_schemas(connection)
            assert await connection.fetchval("SELECT one FROM somebodys.own") == 1
            assert await tables.tables_of(connection) == {}
        finally:
            await connection.execute("DROP SCHEMA somebodys CASCADE")
    await all_in_one.migrate_all()


async def test_a_file_of_forgettings_has_those_for_which_a_backup_may_ask(place: Place, tmp_path: Path) -> None:
    scope = new_scope()
    await entered(place, scope, "graph", "lately")
    await entered(place, scope, "graph", "long ago", days_ago=100)
    for days, known in ((90, {"lately"}), (120, {"lately", "long ago"})):
        await told(replace(place, keep_days=days), tmp_path / "f")
        reader = LineReader()
        pieces = ArchiveReader(tmp_path / "f").pieces(lambda _part: True)
        marks = {checked(line)[4] for piece in pieces for line in reader.lines(piece.data)}
        assert {one for one in ("lately", "long ago") if MARKS.of(scope, one) in marks} == known


async def test_learning_waits_for_a_copy_and_forgetting_does_not(place: Place) -> None:
    scope = new_scope()
    pool = create_pool(postgres_settings(place.endpoints), dsn=place.endpoints.postgres_relay_dsn.get_secret_value())
    ledger = WorkLedger(pool, system_clock)
    try:
        async with episodic_tier(place.endpoints) as tier:
            await stored(tier, scope, "m1", "m2")
            async with learning_paused(place, 30):
                await tier.forget(scope, ["m1"])
                assert await ledger.lease("observe", limit=9, owner="w", lease_s=20, users=99) == []
                forgotten = await ledger.lease("forget", limit=9, owner="w", lease_s=20, users=99)
                assert "m1" in {work.subject_id for work in forgotten}
            await ledger.finish([work.key for work in forgotten], "w")

            async def leased() -> bool:
                works = await ledger.lease("observe", limit=99, owner="w", lease_s=5, users=99)
                await ledger.finish([work.key for work in works], "w")
                return "m2" in {work.subject_id for work in works}

            await eventually(leased, within_s=20, what="learning goes on")
    finally:
        await pool.close()


async def test_a_copy_waits_for_what_was_begun_and_gives_up_in_time(place: Place) -> None:
    scope = new_scope()
    pool = create_pool(postgres_settings(place.endpoints), dsn=place.endpoints.postgres_relay_dsn.get_secret_value())
    ledger = WorkLedger(pool, system_clock)
    try:
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
    finally:
        await pool.close()


async def paused_at(place: Place) -> object:
    async with learning_paused(place, 30) as (_, since):
        return since


async def test_a_killed_backup_leaves_nothing_paused(place: Place) -> None:
    held = await asyncpg.connect(place.postgres_dsn.get_secret_value())
    async with learning_paused(place, 30) as (keeper, _):
        pid = await keeper.fetchval("SELECT pg_backend_pid()")
        await held.execute("SELECT pg_terminate_backend($1)", pid)

        async def given_back() -> bool:
            locks = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = $1"
            return cast("int", await held.fetchval(locks, pid)) == 0

        assert await eventually(given_back, within_s=10, what="the lock is given back")
    await held.close()
