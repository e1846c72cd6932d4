"""The outbox: what is said while the gateway is away is kept without secrets, and delivered once it is back."""

import errno
import logging
import os
import threading
from pathlib import Path

import httpx
import pytest

from ragpp import AsyncMemoryClient, MemoryClient
from ragpp.client import GatewayUnreachable
from ragpp.client.outbox import Outbox
from ragpp.client.plain import message
from ragpp.errors import Conflict, MemorySystemError, RateLimited, TierUnavailable, Unauthenticated
from tests.support.each import each_case
from tests.support.scripted import RECALLED, STORED, ScriptedGateway, answer, refusal

AWAY = httpx.ConnectError("refused")


def client_of(gateway: ScriptedGateway, folder: Path) -> MemoryClient:
    return MemoryClient("http://gateway", "key", retries=0, backoff_s=0, transport=gateway, outbox=folder)


def contents(gateway: ScriptedGateway) -> list[str]:
    """The texts that were stored or asked, in order."""
    return [str(body.get("query") or body["messages"][0]["content"]) for body in gateway.bodies()]  # type: ignore[index]


def test_what_is_said_while_the_gateway_is_away_is_delivered_in_order_before_the_next_call(tmp_path: Path) -> None:
    gateway = ScriptedGateway(AWAY, AWAY, *(answer(STORED, 201) for _ in range(2)), answer(RECALLED))
    memory = client_of(gateway, tmp_path / "box")
    first = memory.remember("one", user="ana")
    second = memory.remember("two", user="ana", id="m-2")  # not sent: the first is tried again, in vain
    assert (first.receipt, first.tiers) == ("", {"episodic": "unavailable"})
    assert [one.id for one in second.stored] == ["m-2"]
    memory.recall("both?", user="ana", after=first.receipt)
    assert contents(gateway) == ["one", "one", "one", "two", "both?"]
    sent, again, delivered = [body["messages"][0] for body in gateway.bodies()[:3]]  # type: ignore[index]
    assert sent["id"] == again["id"] == delivered["id"] == first.stored[0].id
    assert delivered["occurred_at"] == first.timestamp.isoformat().replace("+00:00", "Z")
    assert list((tmp_path / "box").iterdir()) == []


async def test_another_program_with_a_loop_delivers_it_too(tmp_path: Path) -> None:
    client_of(ScriptedGateway(AWAY), tmp_path).remember("one", user="ana")
    gateway = ScriptedGateway(answer(STORED, 201), answer(RECALLED))
    async with AsyncMemoryClient("http://gateway", "key", transport=gateway, outbox=tmp_path) as memory:
        await memory.recall("one?", user="ana")
    assert contents(gateway) == ["one", "one?"]


def test_no_secret_is_ever_on_the_disk_and_nobody_else_may_read_the_rest(tmp_path: Path) -> None:
    memory = client_of(ScriptedGateway(AWAY), tmp_path / "box")
    said = memory.remember("My password is hunter2hunter2.", user="ana", metadata={"api_key": "abcdef0123456789abcdef"})
    (file,) = (tmp_path / "box").iterdir()
    written = file.read_text(encoding="utf-8")
    assert "hunter2" not in written
    assert "abcdef0123456789" not in written
    assert "[REDACTED:password]" in written
    assert said.stored[0].redactions == 2
    assert file.stat().st_mode & 0o777 == 0o600
    assert (tmp_path / "box").stat().st_mode & 0o777 == 0o700


@each_case("reason", [TierUnavailable("away"), RateLimited("later")])
def test_what_may_be_repeated_is_kept(tmp_path: Path, reason: MemorySystemError) -> None:
    gateway = ScriptedGateway(refusal(reason), answer(STORED, 201), answer({"pending": 0}))
    memory = client_of(gateway, tmp_path / reason.code)
    assert memory.remember("one", user="ana").receipt == ""
    memory.pending("ana")
    assert [request.url.path for request in gateway.seen] == ["/v1/interactions"] * 2 + ["/v1/pending"]


def test_what_repeating_does_not_mend_is_raised_and_not_kept(tmp_path: Path) -> None:
    memory = client_of(ScriptedGateway(refusal(Conflict("taken")), AWAY), tmp_path)
    with pytest.raises(Conflict):
        memory.remember("one", user="ana", id="m-1")
    with pytest.raises(GatewayUnreachable):
        memory.recall("one?", user="ana")
    assert list(tmp_path.iterdir()) == []


def test_what_is_refused_later_is_dropped_and_logged_without_what_it_says(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """It would hold up everything behind it for ever."""
    box = Outbox(tmp_path)
    for text in ("forged", "fine"):
        box.put(message(text, user="ana", id=text))
    (tmp_path / "0.json").write_text("no write", encoding="utf-8")
    gateway = ScriptedGateway(refusal(Conflict("taken")), answer(STORED, 201), answer({"pending": 0}))
    with caplog.at_level(logging.WARNING, logger="ragpp.client.outbox"):
        client_of(gateway, tmp_path).pending("ana")
    assert list(tmp_path.iterdir()) == []
    assert "holds no write" in caplog.text
    assert "was refused (MEM-011)" in caplog.text
    assert "forged" not in caplog.text


def test_a_wrong_key_loses_nothing_and_is_told_to_whoever_says_more(tmp_path: Path) -> None:
    Outbox(tmp_path).put(message("one", user="ana", id="m-1"))
    memory = client_of(ScriptedGateway(*[refusal(Unauthenticated("unknown key"))] * 4), tmp_path)
    with pytest.raises(Unauthenticated):
        memory.pending("ana")
    with pytest.raises(Unauthenticated):
        memory.remember("two", user="ana")
    assert len(list(tmp_path.iterdir())) == 1


def test_what_another_program_delivers_meanwhile_is_no_reason_to_keep_less(tmp_path: Path) -> None:
    (tmp_path / "0.json").symlink_to(tmp_path / "gone since it was listed")
    assert client_of(ScriptedGateway(AWAY), tmp_path).remember("one", user="ana").receipt == ""
    gateway = ScriptedGateway(answer(STORED, 201), answer(RECALLED))
    client_of(gateway, tmp_path).recall("one?", user="ana")
    assert contents(gateway) == ["one", "one?"]


def test_a_full_disk_leaves_no_part_of_a_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    assert Outbox(tmp_path).put(message("one", user="ana", id="m-1")) is None
    assert list(tmp_path.iterdir()) == []


def test_it_is_bounded_and_says_so_where_it_is_full_or_cannot_be_written(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    one = message("x" * 100, user="ana", id="m-1")
    assert Outbox(tmp_path, most_bytes=400).put(one)
    assert not Outbox(tmp_path, most_bytes=400).put(one)
    assert not Outbox(tmp_path, most_writes=1).put(one)
    assert "is full" in caplog.text
    (tmp_path / "file").touch()
    with pytest.raises(GatewayUnreachable):
        client_of(ScriptedGateway(AWAY), tmp_path / "file").remember("lost", user="ana")
    assert "cannot be written" in caplog.text


async def test_no_event_loop_waits_for_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    threads: list[int] = []
    fsync, files = os.fsync, Outbox._files

    def slow(descriptor: int) -> None:
        threads.append(threading.get_ident())
        fsync(descriptor)

    def listed(box: Outbox) -> list[Path]:
        threads.append(threading.get_ident())
        return files(box)

    monkeypatch.setattr(os, "fsync", slow)
    monkeypatch.setattr(Outbox, "_files", listed)
    gateway = ScriptedGateway(AWAY, answer(STORED, 201), answer(RECALLED))
    async with AsyncMemoryClient("http://gateway", "key", retries=0, transport=gateway, outbox=tmp_path) as memory:
        await memory.remember("one", user="ana")
        await memory.recall("one?", user="ana")
    assert contents(gateway) == ["one", "one", "one?"]
    assert len(threads) == 4  # each call lists what waits, and what is kept is counted and written
    assert threading.get_ident() not in threads
