"""No access goes unrecorded: not while the database is down, not when the process is killed."""

import dataclasses
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID, uuid4

import orjson

from ragpp.errors import TierUnavailable
from ragpp_services.gateway.audit import Audit
from ragpp_services.gateway.refusals import Refusals
from ragpp_services.gateway.store import Access

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


class Table:
    """The audit table in memory, which can be taken down."""

    def __init__(self) -> None:
        self.rows: dict[UUID, Access] = {}
        self.down = False

    async def insert(self, accesses: Sequence[Access]) -> None:
        if self.down:
            raise TierUnavailable("down")
        self.rows.update({access.access_id: access for access in accesses})


def access(user_id: str = "ann") -> Access:
    return Access(
        access_id=uuid4(),
        tenant_id="acme",
        at=datetime(2026, 1, 1, tzinfo=UTC),
        key_id="key_1",
        user_id=user_id,
        agent_id=None,
        action="POST /v1/recall",
        status=200,
        elapsed_ms=1.5,
        query_sha256="0" * 64,
        items=3,
        memory_ids=("m-1", "line\nbreak", "m-3"),
    )


async def test_what_is_recorded_reaches_the_table_as_it_was(tmp_path: Path) -> None:
    table = Table()
    audit = Audit(tmp_path / "audit.jsonl", table.insert, Refusals(lambda: NOON, lambda: 0.0))
    audit.start()
    entry = access("line\nbreak ✓")
    audit.record(entry)
    await audit.stop()
    assert list(table.rows.values()) == [entry]
    assert list(tmp_path.iterdir()) == []


async def test_a_journal_of_a_version_that_told_of_no_memories_is_moved(tmp_path: Path) -> None:
    table = Table()
    former = dataclasses.replace(access(), memory_ids=())
    fields = orjson.loads(orjson.dumps(former))
    del fields["memory_ids"]
    (tmp_path / "audit.0.jsonl").write_bytes(orjson.dumps(fields) + b"\n")
    audit = Audit(tmp_path / "audit.jsonl", table.insert, Refusals(lambda: NOON, lambda: 0.0))
    await audit.stop()
    assert list(table.rows.values()) == [former]


async def test_entries_of_an_outage_and_of_a_killed_process_arrive_later(tmp_path: Path) -> None:
    table = Table()
    table.down = True
    killed = Audit(tmp_path / "audit.jsonl", table.insert, Refusals(lambda: NOON, lambda: 0.0))
    entries = [access(str(number)) for number in range(3)]
    killed.record(entries[0])
    await killed.stop()
    killed.record(entries[1])  # never stopped again: as if the process had been killed here

    table.down = False
    successor = Audit(tmp_path / "audit.jsonl", table.insert, Refusals(lambda: NOON, lambda: 0.0))
    successor.start()
    successor.record(entries[2])
    await successor.stop()
    assert table.rows == {entry.access_id: entry for entry in entries}


async def test_a_line_that_a_crash_cut_short_does_not_hold_up_the_others(tmp_path: Path) -> None:
    table = Table()
    audit = Audit(tmp_path / "audit.jsonl", table.insert, Refusals(lambda: NOON, lambda: 0.0))
    entry = access()
    audit.record(entry)
    with (tmp_path / "audit.jsonl").open("ab") as journal:
        journal.write(b'{"access_id": "0')
    await audit.stop()
    assert list(table.rows) == [entry.access_id]
