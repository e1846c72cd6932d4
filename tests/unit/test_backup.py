"""A backup's file is whole and of here, or it is refused before anything is changed."""

import asyncio
import errno
import gzip
import io
import json
import re
import tarfile
from collections.abc import Mapping
from datetime import datetime, timedelta
from pathlib import Path
from types import MappingProxyType
from typing import Any, cast

import asyncpg
import pytest
from neo4j import exceptions as of_neo4j
from pydantic import SecretStr
from redis import exceptions as of_redis

from ragpp.errors import MemorySystemError
from ragpp.stores.migrations import load_migrations
from ragpp_infra.backup import archive as archives
from ragpp_infra.backup import places
from ragpp_infra.backup.archive import ArchiveReader, ArchiveWriter
from ragpp_infra.backup.conversations import area_of
from ragpp_infra.backup.errors import BackupFailed, BadBackup, RestoreRefused
from ragpp_infra.backup.lines import LineReader
from ragpp_infra.backup.manifest import FORMAT, Manifest, key_check
from ragpp_infra.backup.resolving import whose
from ragpp_infra.backup.restoring import check_migrations
from ragpp_infra.backup.sources import check_backup
from ragpp_infra.backup.tables import SCHEMAS
from ragpp_infra.provisioning.endpoints import in_role
from ragpp_services.restoring.schemas import COMPONENTS
from tests.support.archives import FORGETTING_KEY, NOW, SAID, manifest, written
from tests.support.each import each_case


def read(reader: ArchiveReader) -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    for piece in reader.pieces(lambda _part: True):
        found[piece.part] = found.get(piece.part, b"") + piece.data
    return found


def test_what_is_written_is_read_again_in_its_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "PIECE", 16)
    reader = written(tmp_path / "m")
    assert reader.verify().parts["postgres/a.b"].pieces == 7
    assert read(reader) == SAID
    assert [piece.part for piece in reader.pieces(lambda part: part == "redis")] == ["redis"]


def test_a_part_without_anything_is_there(tmp_path: Path) -> None:
    reader = written(tmp_path / "m", {"redis": b""})
    assert reader.verify().parts["redis"].bytes == 0
    assert read(reader) == {"redis": b""}


async def test_what_is_put_aside_is_written_when_it_is_sent(tmp_path: Path) -> None:
    output = io.BytesIO()
    writer = ArchiveWriter(output)
    header = output.tell()
    with writer.aside():
        for name in ("redis", "neo4j"):
            part = writer.part(name)
            await part.write(name.encode())
            await part.close()
        assert output.tell() == header
        await writer.send()
        writer.finish(manifest(writer))
    (tmp_path / "m").write_bytes(output.getvalue())
    reader = ArchiveReader(tmp_path / "m")
    assert set(reader.verify().parts) == {"redis", "neo4j"}
    assert read(reader) == {"redis": b"redis", "neo4j": b"neo4j"}


def test_an_output_that_is_full_is_told_by_its_name() -> None:
    class Full(io.BytesIO):
        def write(self, _data: object) -> int:
            raise OSError(errno.ENOSPC, "what the system says")

    with pytest.raises(BackupFailed, match="ENOSPC"):
        ArchiveWriter(Full())


def test_its_pieces_are_one_gzip_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever has lost RAG++ has tar and gzip."""
    monkeypatch.setattr(archives, "PIECE", 16)
    written(tmp_path / "m")
    with tarfile.open(tmp_path / "m") as tar:
        pieces = [member for member in tar if member.name.startswith("postgres/a.b/")]
        packed = b"".join(tar.extractfile(member).read() for member in pieces)  # type: ignore[union-attr]  # they are files
    assert gzip.decompress(packed) == SAID["postgres/a.b"]


@each_case(
    ("left", "told"),
    [
        (0, "no backup"),
        (100, "no backup"),
        (600, "cut off or damaged behind header.json"),
        (1500, "ends before its manifest"),
        (2600, "cut off or damaged behind postgres"),
        (4000, "cut off or damaged behind postgres"),
    ],
)
def test_one_that_was_cut_off_is_refused_by_name_with_where(tmp_path: Path, left: int, told: str) -> None:
    written(tmp_path / "m")
    whole = (tmp_path / "m").read_bytes()
    (tmp_path / "m").write_bytes(whole[:left])
    with pytest.raises(BadBackup, match=told) as refused:
        ArchiveReader(tmp_path / "m").verify()
    assert str(tmp_path / "m") in refused.value.message


def test_one_of_which_a_byte_has_changed_is_refused(tmp_path: Path) -> None:
    written(tmp_path / "m")
    whole = bytearray((tmp_path / "m").read_bytes())
    with tarfile.open(tmp_path / "m") as tar:
        places = [member.offset_data + 12 for member in tar if member.name.endswith(".gz")]
    for place in places:
        damaged = whole.copy()
        damaged[place] ^= 0xFF
        (tmp_path / "m").write_bytes(damaged)
        with pytest.raises(BadBackup):
            ArchiveReader(tmp_path / "m").verify()


def test_a_part_that_is_missing_is_named(tmp_path: Path) -> None:
    written(tmp_path / "m")
    without = io.BytesIO()
    with tarfile.open(tmp_path / "m") as tar, tarfile.open(fileobj=without, mode="w") as other:
        for member in tar:
            if not member.name.startswith("redis"):
                other.addfile(member, tar.extractfile(member))
    (tmp_path / "m").write_bytes(without.getvalue())
    with pytest.raises(BadBackup, match="redis"):
        ArchiveReader(tmp_path / "m").verify()


def test_a_file_of_another_kind_and_one_of_a_newer_format_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "text").write_text("something said\n" * 200)
    with pytest.raises(BadBackup, match="text: it is no backup"):
        ArchiveReader(tmp_path / "text").verify()
    monkeypatch.setattr(archives, "FORMAT", FORMAT + 1)
    newer = written(tmp_path / "newer")
    monkeypatch.undo()
    with pytest.raises(BadBackup, match=str(FORMAT + 1)):
        newer.verify()


def test_lines_may_begin_in_one_piece_and_end_in_another() -> None:
    whole = b'["a",1]\n["b",2]\n'
    for cut in range(len(whole)):
        reader = LineReader()
        assert [*reader.lines(whole[:cut]), *reader.lines(whole[cut:])] == [["a", 1], ["b", 2]]


def test_the_manifest_tells_keys_apart_and_does_not_hold_one() -> None:
    assert key_check(FORGETTING_KEY) != key_check(SecretStr("another"))
    assert FORGETTING_KEY.get_secret_value() not in manifest().text()


def check(
    key: SecretStr = FORGETTING_KEY,
    *,
    told: Mapping[str, Manifest] = MappingProxyType({}),
    at: datetime = NOW,
    **given: Any,
) -> None:
    despite_age = given.pop("despite_age", False)
    check_backup(manifest(**given), told, key, keep_days=90, despite_age=despite_age, now=at)


def test_one_of_another_key_is_refused_with_a_word_on_where_the_key_is_set() -> None:
    with pytest.raises(BadBackup) as refused:
        check(SecretStr("of today"))
    told = " ".join(refused.value.suggestions)
    assert "secrets.json" in told
    assert ".env" in told
    with pytest.raises(BadBackup, match=r"FORGETTING_KEY: tuesday\.ragpp;"):
        check(told={"monday.ragpp": manifest(), "tuesday.ragpp": manifest(key_check="0" * 32)})


def test_one_that_is_older_than_marks_are_kept_wants_a_word() -> None:
    late = NOW + timedelta(days=91)
    with pytest.raises(RestoreRefused, match="come back"):
        check(at=late)
    check(at=late, despite_age=True)
    check(at=NOW + timedelta(days=89))


def test_a_file_of_forgettings_is_no_backup() -> None:
    with pytest.raises(BadBackup, match="forgettings"):
        check(tables={})


def test_one_of_a_newer_version_or_of_other_migrations_is_refused() -> None:
    known = {"ledger": {1: "c1", 2: "c2"}}
    check_migrations(manifest(), known)
    with pytest.raises(BadBackup, match="newer version"):
        check_migrations(manifest(migrations={"ledger": {3: "c3"}}), known)
    with pytest.raises(BadBackup, match="another migration"):
        check_migrations(manifest(migrations={"ledger": {1: "other"}}), known)


def test_whose_a_key_is_is_read_of_it() -> None:
    assert whose("acme/u%2F1") == ("acme", "u/1", "")
    assert whose("acme/u1%1Ehelper") == ("acme", "u1", "=helper")
    assert whose("acme/u1%1E") == ("acme", "u1", "=")
    assert area_of("st:ids:{acme/u1}:s:1") == "st:ids"
    assert area_of("st:mark") == "st:mark"


def test_the_schemas_that_are_copied_are_those_that_migrations_make() -> None:
    sql = [one.sql for component, package in COMPONENTS.items() for one in load_migrations(component, package)]
    made = {name for one in sql for name in re.findall(r"(?m)^CREATE SCHEMA (\w+)", one)}
    assert made == set(SCHEMAS)


class SlowConnection:
    """Answers when it is let."""

    def __init__(self) -> None:
        self.asked, self.let, self.was_cancelled = asyncio.Event(), asyncio.Event(), False

    async def execute(self, _statement: str) -> None:
        self.asked.set()
        try:
            await self.let.wait()
        except asyncio.CancelledError:
            self.was_cancelled = True
            raise


async def test_what_keeps_a_connection_alive_is_never_cancelled_in_the_middle(monkeypatch: pytest.MonkeyPatch) -> None:
    """The server would cancel whatever that connection says next: a snapshot with all that was read of it."""
    monkeypatch.setattr(places, "BEAT_S", 0.001)
    connection = SlowConnection()
    async with places.kept_alive(cast("places.Connection", connection)):
        await connection.asked.wait()
        asyncio.get_running_loop().call_later(0.01, connection.let.set)
    assert not connection.was_cancelled


@each_case(
    "error",
    [
        asyncpg.DiskFullError("words"),
        of_neo4j.TransientError("words"),
        of_neo4j.ClientError("words"),
        of_redis.ResponseError("OOM words"),
    ],
)
async def test_what_a_store_refuses_is_told_by_its_name_and_without_its_words(error: Exception) -> None:
    for kind in (BackupFailed, RestoreRefused):
        with pytest.raises(kind) as refused:
            async with places.reached(kind):
                raise error
        assert type(error).__name__ in refused.value.message
        assert "words" not in refused.value.message


def test_a_role_is_taken_whatever_else_an_address_says() -> None:
    plain, asked = (in_role(SecretStr(f"postgresql://p@h/d{query}"), "r") for query in ("", "?host=/s"))
    assert plain.get_secret_value() == "postgresql://p@h/d?role=r"
    assert asked.get_secret_value() == "postgresql://p@h/d?host=/s&role=r"


def test_each_of_its_errors_says_what_to_do() -> None:
    errors: list[type[MemorySystemError]] = [BackupFailed, BadBackup, RestoreRefused]
    assert [kind.code for kind in errors] == ["MEM-052", "MEM-053", "MEM-054"]
    assert all(kind("x").suggestions for kind in errors)
    assert json.loads(json.dumps([kind("x").suggestions for kind in errors]))
