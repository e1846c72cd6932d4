"""Ingest: every line of a file arrives once and in order, or is named."""

import io
import json
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from ragpp.client import AsyncMemoryClient, GatewayUnreachable
from ragpp_infra.cli.ingest import BadLines, IngestReport, Progress, ingest
from ragpp_infra.cli.lines import START, BadLine, GoodLine, Position, Reading, read_lines
from tests.support.each import each_case
from tests.support.gateway import KeepingGateway

USER = "u1"
BERLIN = ZoneInfo("Europe/Berlin")


def line(content: str, session: str = "s1", identifier: str | None = None) -> bytes:
    message = {"content": content, "session_id": session} | ({"id": identifier} if identifier else {})
    return json.dumps(message).encode() + b"\n"


def at(hour: int, minute: int) -> datetime:
    return datetime(2026, 3, 8, hour, minute, tzinfo=UTC)


async def send(
    gateway: KeepingGateway, data: bytes, *, batch: int = 3, skip_bad: bool = False, after: Position = START
) -> IngestReport:
    source = io.BytesIO(data)
    source.seek(after.offset)
    async with AsyncMemoryClient("http://gateway", "key", retries=0, transport=gateway) as client:
        return await ingest(client, USER, read_lines(source, after=after), batch=batch, skip_bad=skip_bad)


async def test_every_message_arrives_in_the_order_of_its_session() -> None:
    gateway = KeepingGateway()
    data = b"".join(line(f"{number}", session=f"s{number % 3}") for number in range(40))
    report = await send(gateway, data)
    assert report.stored == 40
    for session in range(3):
        assert gateway.sessions[f"s{session}"] == [str(number) for number in range(40) if number % 3 == session]
    assert max(len(request.messages) for request in gateway.requests) <= 3


async def test_what_is_too_much_for_one_request_is_sent_in_parts_and_in_order() -> None:
    gateway = KeepingGateway(most=3)
    report = await send(gateway, b"".join(line(f"{number}") for number in range(40)), batch=16)
    assert report.stored == 40
    assert gateway.sessions == {"s1": [str(number) for number in range(40)]}


async def test_a_line_that_is_too_much_alone_is_named_and_left_out_on_request() -> None:
    gateway = KeepingGateway(most=0)
    with pytest.raises(BadLines, match=r"line 1 .*: the request has 1 messages, and 0 are taken at once"):
        await send(gateway, line("a") + line("b"))
    report = await send(gateway, line("a") + line("b"), skip_bad=True)
    assert (report.stored, [bad.number for bad in report.refused]) == (0, [1, 2])


async def test_the_same_file_again_stores_nothing_twice_even_without_ids() -> None:
    gateway = KeepingGateway()
    data = b"".join(line("the same words") for _ in range(5))
    first, second = await send(gateway, data), await send(gateway, data)
    assert (first.stored, second.stored, second.duplicates) == (5, 0, 5)


async def test_a_bad_line_is_named_by_its_number_and_nothing_after_it_is_stored() -> None:
    gateway = KeepingGateway()
    with pytest.raises(BadLines, match=r"line 2: .*line 4: content"):
        await send(gateway, line("a") + b'{"content"\n' + b"\n" + b'{"content": ""}\n' + line("b"))
    assert gateway.contents == {}


async def test_bad_lines_are_left_out_on_request_and_named() -> None:
    gateway = KeepingGateway()
    data = line("a") + b"\xff\xfe\n" + b'{"content": "b", "id": "m-3", "role": "king"}\n' + line("c") + b"[1]\n"
    report = await send(gateway, data + b"[" * 100_000 + b"\n", skip_bad=True)
    assert gateway.sessions == {"s1": ["a", "c"]}
    assert [bad.number for bad in report.refused] == [2, 3, 5, 6]
    assert "UTF-8" in report.refused[0].reason
    assert str(report.refused[1]).startswith("line 3 (m-3): role: ")


async def test_lines_that_the_gateway_refuses_are_named_and_the_rest_of_their_batch_is_stored() -> None:
    gateway = KeepingGateway(refuses=frozenset({"b"}))
    await send(gateway, line("x", identifier="known"))
    data = line("a") + line("b") + line("other words", identifier="known") + line("c")
    report = await send(gateway, data, batch=10, skip_bad=True)
    assert gateway.sessions["s1"] == ["x", "a", "c"]
    assert {bad.number: bad.reason for bad in report.refused} == {
        2: "content: is refused",
        3: "an id is known with other content",
    }


async def test_strictly_the_line_that_the_gateway_refuses_stops_it() -> None:
    gateway = KeepingGateway(refuses=frozenset({"b"}))
    with pytest.raises(BadLines, match=r"line 2 \(line-\w+\): content: is refused; nothing was stored"):
        await send(gateway, line("a") + line("b"))


async def test_strictly_what_was_under_way_beside_a_refused_line_is_counted_and_the_line_has_its_id() -> None:
    gateway = KeepingGateway(refuses=frozenset({"b"}))
    others = b"".join(line(f"{number}", session="s2") for number in range(3))
    with pytest.raises(BadLines, match=r"line 2 \(m-7\): content: is refused; 3 other messages of the file are stored"):
        await send(gateway, line("a") + line("b", identifier="m-7") + others)
    assert gateway.sessions == {"s2": ["0", "1", "2"]}


READ = (
    (Reading(), {"text": "hi"}, {"content": "hi"}),
    (Reading(), {"message": "hi", "user": "Maria"}, {"content": "hi", "name": "Maria"}),
    (Reading(), {"content": "hi", "text": "there"}, {"content": "hi", "metadata": {"text": "there"}}),
    (Reading(), {"content": "hi", "colour": "red", "metadata": {"a": 1}}, {"metadata": {"colour": "red", "a": 1}}),
    (Reading(), {"text": "hi", "timestamp": "2026-03-08T13:56:00Z"}, {"occurred_at": at(13, 56)}),
    (
        Reading(time_zone=BERLIN),
        {"text": "hi", "time": "2026-07-08 13:56:00"},
        {"occurred_at": datetime(2026, 7, 8, 11, 56, tzinfo=UTC)},
    ),
    (
        Reading(time_zone=BERLIN),
        {"text": "hi", "time": "2026-03-08T13:56Z"},
        {"occurred_at": at(13, 56)},
    ),
    (
        Reading(mapping={"content": "body", "name": "from"}),
        {"body": "hi", "from": "Bo"},
        {"content": "hi", "name": "Bo"},
    ),
    (
        Reading(mapping={"content": "body"}),
        {"body": "hi", "content": "x"},
        {"content": "hi", "metadata": {"content": "x"}},
    ),
)


@each_case(("reading", "told", "expected"), READ)
def test_lines_are_read_by_their_usual_names_by_a_mapping_and_with_what_is_beside_as_metadata(
    reading: Reading, told: dict[str, JsonValue], expected: dict[str, object]
) -> None:
    (read,) = read_lines(io.BytesIO(json.dumps(told).encode()), reading)
    assert isinstance(read, GoodLine)
    assert {name: getattr(read.message, name) for name in expected} == expected


def test_a_moment_without_a_zone_is_refused_unless_one_is_named() -> None:
    (read,) = read_lines(io.BytesIO(b'{"text": "hi", "timestamp": "2026-03-08 13:56"}'))
    assert isinstance(read, BadLine)
    assert "occurred_at" in read.reason


async def test_a_batch_stays_below_the_body_limit_however_long_its_messages_are() -> None:
    gateway = KeepingGateway()
    await send(gateway, b"".join(line(str(n) + "x" * 99_000) for n in range(100)), batch=100)
    assert all(len(request.model_dump_json()) < 8 * 1024 * 1024 for request in gateway.requests)
    assert len(gateway.contents) == 100


async def test_an_interrupted_ingest_goes_on_after_what_was_acknowledged(tmp_path: Path) -> None:
    file = tmp_path / "messages.jsonl"
    file.write_bytes(b"\n".join(line(str(number)) for number in range(50)))
    progress = Progress.of(tmp_path / "state", file, url="http://gateway", user_id=USER, session_id=None)
    gateway = KeepingGateway()

    def interrupt(count: int) -> None:
        if count == 10:
            raise httpx.ReadError("connection lost")

    gateway.before_answer = interrupt
    async with AsyncMemoryClient("http://gateway", "key", retries=0, transport=gateway) as client:
        with file.open("rb") as source, pytest.raises(GatewayUnreachable):
            await ingest(
                client, USER, read_lines(source), batch=3, on_window=lambda report: progress.save(report.position, file)
            )
    done = progress.load(file)
    assert 0 < done.lines < 100
    gateway.before_answer = lambda _count: None
    report = await send(gateway, file.read_bytes(), after=done)
    assert gateway.sessions["s1"] == [str(number) for number in range(50)]
    assert report.stored + report.duplicates < 50


def test_progress_holds_for_the_bytes_it_was_noted_for(tmp_path: Path) -> None:
    file = tmp_path / "messages.jsonl"
    file.write_bytes(line("a") + line("b"))
    progress = Progress.of(tmp_path, file, url="u", user_id=USER, session_id=None)
    assert progress.load(file) == START
    progress.save(Position(1, len(line("a"))), file)
    file.write_bytes(line("a") + line("b") + line("c"))
    assert progress.load(file) == Position(1, len(line("a")))
    file.write_bytes(line("z") + line("b"))
    assert progress.load(file) == START


def test_a_line_names_its_session_else_the_caller_does() -> None:
    data = b'\xef\xbb\xbf{"content": "a"}\n{"content": "b", "session_id": "mine"}'
    lines = list(read_lines(io.BytesIO(data), Reading("given")))
    assert [item.session_id for item in lines if isinstance(item, GoodLine)] == ["given", "mine"]


@given(st.lists(st.binary(max_size=60), max_size=8))
def test_any_bytes_are_read_as_lines_that_add_up(pieces: Sequence[bytes]) -> None:
    data = b"\n".join(pieces)
    lines = list(read_lines(io.BytesIO(data)))
    assert all(isinstance(item, GoodLine | BadLine) for item in lines)
    assert [item.number for item in lines] == sorted({item.number for item in lines})
    assert all(0 < item.end <= len(data) for item in lines)
