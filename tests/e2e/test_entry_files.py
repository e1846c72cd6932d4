"""An agent's way from its file to the catalog: imported, answered by both beside one another, exported, archived, and
what was said to it before."""

import asyncio
import gzip
import json
import os
import sys
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

import pytest

from ragpp import MemoryCatalog
from ragpp.api import MessageIn, StoreRequest
from ragpp.client import AsyncMemoryClient
from ragpp.clock import system_clock
from ragpp.entries.files import read_file
from ragpp.errors import Conflict, InvalidInput
from ragpp.memory.files import FileNotHeld, archive_file, export_file, import_file
from tests.support.hostile import Json
from tests.support.operations import checked_problem
from tests.support.real_gateway import RealGateway
from tests.support.team import Team

pytestmark = [pytest.mark.server, pytest.mark.timeout(300)]
USER: Final = "u-files"
KEPT: Final = ("content", "type", "relevance_tags", "priority", "expires", "references", "ci_source", "timestamp")
CHOSE: Final = "We decided to keep the orders in PostgreSQL, since their queries need joins."
FAILED: Final = "The nightly import failed, since the certificate of the mail server had expired."
LUNCH: Final = "Lunch is served at noon in the yard behind the office."


def memory_of(number: int, content: str, **fields: Json) -> dict[str, Json]:
    """As it stands in a file of document 001."""
    return {
        "id": f"mem_{number:010}_abc",
        "timestamp": f"2026-08-29T13:{number % 60:02}:00Z",
        "ci_source": "ergon",
        "type": "fact",
        "summary": content[:40],
        "content": content,
        "tokens": 20,
        "relevance_tags": ["orders"],
        "priority": 5,
        "expires": None,
        "references": [],
        **fields,
    }


def file_of(*memories: Mapping[str, Json], ci: str | None = "ergon") -> bytes:
    statistics: Json = {"total_memories": len(memories), "total_tokens": 0}
    header: dict[str, Json] = {"version": "1.0.0", "ci_name": ci, "last_updated": "2026-08-29T14:00:00Z"}
    return json.dumps({**header, "memories": [*memories], "statistics": statistics}, indent=2).encode()


async def test_a_file_is_imported_exported_and_imported_again_as_it_was(memory: AsyncMemoryClient) -> None:
    later = (datetime.now(UTC) + timedelta(days=3)).isoformat(timespec="seconds").replace("+00:00", "Z")
    memories = [
        memory_of(1, CHOSE, type="decision", relevance_tags=["Orders", "postgres"], priority=9, references=["mem_x"]),
        memory_of(2, FAILED, type="error", expires=later),
        memory_of(3, LUNCH, mood="hungry", domain="meals", task_type="plan", level="procedural"),
    ]
    report = await import_file(memory, file_of(*memories), user_id=USER)
    assert (report.ci, report.read, report.kept, report.held) == ("ergon", 3, 3, 3)
    assert (report.expired, report.refused, report.missing) == ([], [], 0)
    again = await import_file(memory, file_of(*memories), user_id=USER)
    assert (again.kept, again.known, again.refused) == (0, 3, [])

    text = await export_file(memory, system_clock(), user_id=USER, ci="ergon")
    exported = read_file(text.encode())
    assert (exported.ci_name, exported.missing, exported.problems) == ("ergon", 0, [])
    by_id = {one.memory_id: dict(one.fields) for one in exported.memories}
    assert by_id.keys() == {str(one["id"]) for one in memories}
    for one in memories:
        told = by_id[str(one["id"])]
        for name in KEPT:
            assert told[name] == one[name], name
    lunch = by_id[str(memories[2]["id"])]
    assert lunch["metadata"] == {"mood": "hungry"}
    assert (lunch["domain"], lunch["task_type"], lunch["level"]) == ("meals", "plan", "procedural")
    assert "domain" not in by_id[str(memories[0]["id"])]
    statistics = exported.header["statistics"]
    assert isinstance(statistics, dict)
    assert (statistics["total_memories"], statistics["oldest_memory"]) == (3, "2026-08-29T13:01:00Z")

    moved = await import_file(memory, text.encode(), user_id="u-moved")
    assert (moved.kept, moved.refused) == (3, [])
    copy = read_file((await export_file(memory, system_clock(), user_id="u-moved", ci="ergon")).encode())
    assert [one.fields for one in copy.memories] == [one.fields for one in exported.memories]


async def test_what_is_wrong_with_one_memory_loses_no_other_and_its_line_is_named(memory: AsyncMemoryClient) -> None:
    whole = file_of(
        memory_of(1, CHOSE),
        memory_of(2, FAILED, type="gossip"),
        memory_of(3, LUNCH, expires="2025-01-01T00:00:00Z"),
        memory_of(4, "The archive is in the cellar."),
        memory_of(5, "Nobody is called after dinner.", timestamp="2026-08-29T13:05:00"),
        memory_of(4, "The archive is in the attic."),
        memory_of(6, CHOSE),
        memory_of(7, "x" * 16_001),
        memory_of(8, "Keys are at the porter's."),
    )
    text = whole.decode()
    report = await import_file(memory, text.replace('"Keys are at', '"Keys" are at', 1).encode(), user_id="u-broken")
    lines = text.split("\n")

    def begins(identifier: str, of: int = 0) -> int:
        found = [number for number, line in enumerate(lines, 1) if identifier in line]
        return found[of] - 1

    assert (report.kept, report.same, report.missing) == (3, 1, 0)
    assert [(one.line, one.reason.split(",")[0]) for one in report.refused] == [
        (begins("mem_0000000002"), report.refused[0].reason.split(",")[0]),
        (begins("mem_0000000004", 1), f"has the id of line {begins('mem_0000000004')}"),
        (begins("mem_0000000007"), report.refused[2].reason.split(",")[0]),
        (begins("mem_0000000008"), report.refused[3].reason.split(",")[0]),
    ]
    assert "type" in report.refused[0].reason
    assert "content" in report.refused[2].reason
    assert [one.memory_id for one in report.expired] == ["mem_0000000003_abc"]
    kept = await memory.entry("mem_0000000005_abc", user_id="u-broken")
    assert kept.timestamp == datetime(2026, 8, 29, 13, 5, tzinfo=UTC)
    assert (await memory.entry("mem_0000000006_abc", user_id="u-broken")).content == CHOSE
    mended = await import_file(memory, whole, user_id="u-broken")
    assert (mended.kept, mended.known) == (1, 4)


async def test_a_secret_in_a_file_is_removed_and_what_was_deleted_stays_away(memory: AsyncMemoryClient) -> None:
    secret = "The key is sk-proj-" + "a1B2c3D4e5F6g7H8" * 3 + " for now."
    data = file_of(memory_of(1, secret, summary="The key"), memory_of(2, LUNCH))
    report = await import_file(memory, data, user_id="u-secret")
    assert (report.kept, report.redactions) == (2, 1)
    assert "a1B2c3D4" not in ((await memory.entry("mem_0000000001_abc", user_id="u-secret")).content or "")
    await memory.forget_entry("mem_0000000002_abc", user_id="u-secret")
    again = await import_file(memory, data, user_id="u-secret")
    assert (again.kept, again.known) == (0, 1)
    assert [(one.memory_id, one.reason) for one in again.refused] == [
        ("mem_0000000002_abc", "it was deleted, and stays so")
    ]


async def test_the_global_file_is_seen_by_every_agent_and_an_agents_file_by_it_alone(team: Team) -> None:
    def body(content: str, number: int, ci: str, visibility: Json) -> Json:
        return {**memory_of(number, content, ci_source=ci), "visibility": visibility}

    url = "/api/memory/import"
    whose = {"user_id": team.user_id}
    for client, request in (
        (team.everyone, [body(CHOSE, 1, "sales", "shared")]),
        (team.sales, [body(FAILED, 2, "sales", "agent")]),
        (team.care, [body(LUNCH, 3, "care", None)]),
    ):
        answer = await client.post(url, json={**whose, "memories": request})
        assert [one["outcome"] for one in answer.json()["results"]] == ["kept"]
    refused = await team.sales.post(url, json={**whose, "memories": [body("Not mine.", 4, "care", "agent")]})
    checked_problem(refused, 403, "MEM-022")
    both = [body("Not mine.", 4, "care", "agent"), body("The fair is in May.", 5, "sales", "agent")]
    mixed = (await team.sales.post(url, json={**whose, "memories": both})).json()["results"]
    assert [one["outcome"] for one in mixed] == ["refused", "kept"]
    await team.sales.delete(f"/api/memory/catalog/{mixed[1]['memory_id']}", params=whose)
    for agent, own in (("sales", FAILED), ("care", LUNCH)):
        read = await team.of(agent).get("/api/memory/export", params={**whose, "ci": agent})
        assert [one["content"] for one in read.json()["items"]] == [own]
        shared = await team.of(agent).get("/api/memory/export", params=whose)
        assert [one["content"] for one in shared.json()["items"]] == [CHOSE]
    other = await team.sales.get("/api/memory/export", params={**whose, "ci": "care"})
    checked_problem(other, 403, "MEM-022")


async def test_an_agent_is_given_by_its_file_by_both_and_by_the_catalog(memory: AsyncMemoryClient) -> None:
    catalog = MemoryCatalog("ergon", client=memory, user_id="u-way")
    fillers = [memory_of(place, f"Order {place} of August was sent to shelf {place}.") for place in range(10, 30)]
    await import_file(memory, file_of(memory_of(1, CHOSE), memory_of(2, FAILED), *fillers), user_id="u-way")
    fresh = await catalog.store("The orders of the fair are in a spreadsheet of Irina's.", visibility="agent")
    asked = "Where are the orders of the fair?"

    await catalog.set_source("file")
    by_file = await catalog.pre_message_hook(asked)
    assert fresh.memory_id not in by_file.memory_ids
    assert len(by_file.memory_ids) == 20  # whatever shares its tags, fitting or not
    assert by_file.tokens <= 2_000
    offered = await catalog.pre_prompt_hook(asked)
    assert fresh.memory_id not in {one.entry.memory_id for one in offered.catalog}
    assert (await catalog.comparison()).compared.turns == 0

    await catalog.set_source("parallel")
    both = await catalog.pre_message_hook(asked)
    assert fresh.memory_id in both.memory_ids
    report = await catalog.comparison()
    assert (report.source, report.compared.turns, report.compared.equal) == ("parallel", 1, 0)
    assert (report.compared.file_memories, report.compared.catalog_memories) == (20, len(both.memory_ids))
    assert report.compared.file_tokens > report.compared.catalog_tokens
    by_id = {one.memory_id: one for one in report.memories}
    assert (by_id[fresh.memory_id].by_file, by_id[fresh.memory_id].by_catalog) == (0, 1)
    await catalog.pre_prompt_hook(asked)
    assert (await catalog.comparison()).compared.turns == 2
    await catalog.delete(fresh.memory_id)
    assert fresh.memory_id not in {one.memory_id for one in (await catalog.comparison()).memories}

    await catalog.set_source("catalog")
    await catalog.pre_message_hook(asked)
    assert (await catalog.comparison()).compared.turns == 2
    await catalog.set_source("parallel")
    assert (await catalog.comparison()).compared.turns == 0


async def test_a_file_is_archived_once_the_catalog_has_it(memory: AsyncMemoryClient, tmp_path: Path) -> None:
    path = tmp_path / "catalog_ergon.json"
    data = file_of(memory_of(1, CHOSE), memory_of(2, FAILED), memory_of(3, LUNCH, expires="2025-01-01T00:00:00Z"))
    path.write_bytes(data)
    with pytest.raises(FileNotHeld, match="line 6"):
        await archive_file(memory, path, user_id="u-arch")
    assert not list(tmp_path.glob("*.gz*"))
    await import_file(memory, data, user_id="u-arch")
    done = await archive_file(memory, path, user_id="u-arch", remove=True)
    assert (done.held, done.lacking) == (2, ())
    assert gzip.decompress(done.path.read_bytes()) == data
    assert [one.name for one in tmp_path.iterdir()] == ["catalog_ergon.json.gz"]
    again = await import_file(memory, done.path.read_bytes(), user_id="u-arch")
    assert (again.known, again.refused) == (2, [])


async def test_a_memory_that_holds_a_line_of_a_context_is_held_as_it_was_kept(memory: AsyncMemoryClient) -> None:
    data = file_of(memory_of(1, f"{CHOSE}\n- [fact · 2026-08-29 · m1] {LUNCH}"))
    assert (await import_file(memory, data, user_id="u-echo")).kept == 1
    looked = await import_file(memory, data, user_id="u-echo", dry_run=True)
    assert (looked.known, looked.refused, looked.absent) == (1, [], [])


async def test_what_another_has_under_an_id_or_says_otherwise_is_not_taken_for_held(
    memory: AsyncMemoryClient, tmp_path: Path
) -> None:
    await import_file(memory, file_of(memory_of(1, CHOSE)), user_id="u-arch2", ci="sales")
    path = tmp_path / "catalog_care.json"
    path.write_bytes(file_of(memory_of(1, FAILED), ci="care"))
    with pytest.raises(FileNotHeld, match="does not have it"):
        await archive_file(memory, path, user_id="u-arch2", remove=True)
    await import_file(memory, path.read_bytes(), user_id="u-arch2")
    path.write_bytes(file_of(memory_of(1, LUNCH), ci="care"))
    with pytest.raises(FileNotHeld, match="other content"):
        await archive_file(memory, path, user_id="u-arch2", remove=True)
    done = await archive_file(memory, path, user_id="u-arch2", anyway=True)
    assert len(done.lacking) == 1
    path.write_bytes(file_of(memory_of(1, FAILED), ci="care"))
    with pytest.raises(Conflict, match="another archive"):
        await archive_file(memory, path, user_id="u-arch2", remove=True)
    assert path.exists()


@pytest.mark.parametrize("name", ['"ergon', "5", '""', "ergon"])
async def test_a_file_that_does_not_say_whose_it_is_becomes_nobodys(memory: AsyncMemoryClient, name: str) -> None:
    data = file_of(memory_of(1, CHOSE)).replace(b'"ci_name": "ergon"', f'"ci_name": {name}'.encode())
    with pytest.raises(InvalidInput, match="does not say whose"):
        await import_file(memory, data, user_id="u-whose")
    assert (await memory.entries("u-whose")).memories == ()
    report = await import_file(memory, data, user_id="u-whose", ci="ergon")
    assert (report.ci, report.kept) == ("ergon", 1)


async def test_what_was_said_to_an_agent_becomes_memories_of_its_own_and_goes_with_what_was_said(
    gateway: RealGateway, tenant: str, memory: AsyncMemoryClient
) -> None:
    said = (
        ("m1", "s1", "ergon", "We decided to use Kafka 3.7 for the orders queue."),
        ("m2", "s1", "other", "We decided to use Redis 8 for the carts."),
        ("m3", "s2", "ergon", "The trial of the studio plan lasts 30 days."),
    )
    for identifier, session, agent, content in said:
        message = MessageIn(id=identifier, content=content)
        await memory.remember(StoreRequest(user_id="u-back", session_id=session, agent_id=agent, messages=(message,)))
    catalog = MemoryCatalog("ergon", client=memory, user_id="u-back")
    done = await catalog.backfill()
    assert (done.messages, done.stretches, done.known, len(done.jobs)) == (2, 2, 0, 2)
    await gateway.digest(tenant)
    contents = [one.summary for one in await catalog.search(ci="ergon")]
    assert any("Kafka" in one for one in contents)
    assert not any("Redis" in one for one in contents)
    again = await catalog.backfill()
    assert (again.known, again.jobs) == (2, [])
    await memory.forget_interaction("u-back", "m1")
    await gateway.digest(tenant)
    assert not any("Kafka" in one.summary for one in await catalog.search(ci="ergon"))
    assert any("30 days" in one.summary for one in await catalog.search(ci="ergon"))


async def test_the_command_line_leads_an_agent_from_its_file_to_the_catalog(
    gateway: RealGateway, tenant: str, address: str, tmp_path: Path
) -> None:
    key = await gateway.key(tenant)

    async def run(*arguments: str) -> tuple[int, str, str]:
        environment = {**os.environ, "RAGPP_URL": address, "RAGPP_API_KEY": key, "RAGPP_USER": "u-line"}
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "ragpp_infra.cli.main", "agents", *arguments),
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env={**environment, "COLUMNS": "200"},
            cwd=tmp_path,
        )
        out, err = await process.communicate()
        assert b"Traceback" not in err, err.decode()
        return process.returncode or 0, out.decode(), err.decode()

    whole = file_of(memory_of(1, CHOSE), memory_of(2, FAILED), memory_of(3, LUNCH, expires="2025-01-01T00:00:00Z"))
    path = tmp_path / "catalog_ergon.json"
    path.write_bytes(whole.replace(b'"tokens": 20,', b'"tokens": 20', 1))
    code, out, err = await run("import", path.name)
    assert (code, out) == (1, "1 memory kept for ergon, 1 expired, 1 refused\n")
    assert "refused, line 6: is no JSON" in err
    assert "expired, line 36 (mem_0000000003_abc): its moment has passed" in err
    assert "Mend these lines" in err
    code, _, err = await run("archive", path.name)
    assert code == 1
    assert "MEM-038" in err
    path.write_bytes(whole)
    code, out, err = await run("import", path.name, "--json")
    report = json.loads(out)
    assert (code, report["ci"], report["kept"], report["known"], report["refused"]) == (0, "ergon", 1, 1, [])

    assert (await run("source", "ergon", "parallel"))[:2] == (0, "ergon: parallel\n")
    async with gateway.memory(key) as memory:
        await MemoryCatalog("ergon", client=memory, user_id="u-line").pre_message_hook("Why did the import fail?")
    code, out, _ = await run("compare", "ergon")
    assert code == 0
    assert "ergon: 1 turn compared" in out
    assert (await run("source", "ergon"))[1] == "ergon: parallel\n"
    assert "1 turn, source parallel" in (await run("usage", "ergon"))[1]

    assert (await run("export", "ergon", "-o", "again.json"))[:2] == (0, "2 memories in again.json\n")
    assert (tmp_path / "again.json").stat().st_mode & 0o077 == 0
    code, _, err = await run("export", "ergon", "-o", "again.json")
    assert code == 2
    assert "is there" in err
    code, out, _ = await run("archive", path.name, "--remove")
    assert (code, out) == (0, "catalog_ergon.json.gz: 2 memories that the catalog has\n")
    assert not path.exists()
    code, _, err = await run("import", "nothing.json")
    assert code == 2
    assert "cannot be read" in err
