"""`ragpp redact` lists what would be replaced, asks, and goes on until nothing is left."""

import json
from pathlib import Path

import httpx
import pytest

from ragpp.api.redacting import RedactAnswer, RedactedThing
from tests.support.command_line import runner

WORD = "blue heron"


class Stored(httpx.AsyncBaseTransport):
    """A gateway with two pages of messages, of which one `comes` each time that all was replaced."""

    def __init__(self, comes: int = 0) -> None:
        self.left, self.comes = ["a", "b"], comes
        self.asked: list[dict[str, object]] = []

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        asked = json.loads(await request.aread())
        self.asked.append(asked)
        if asked.get("cursor") is None:
            return self.answer([], asked, "next")
        found = list(self.left)
        if not asked.get("dry_run", True):
            self.left = ["late"] if self.comes else []
            self.comes -= bool(self.comes)
        return self.answer(found, asked, None)

    def answer(self, ids: list[str], asked: dict[str, object], cursor: str | None) -> httpx.Response:
        things = tuple(
            RedactedThing(what="message", id=one, kinds={"text": 1}, preview="a [REDACTED:text] there") for one in ids
        )
        answer = RedactAnswer(found=things, looked_at=10, dry_run=bool(asked.get("dry_run", True)), next_cursor=cursor)
        return httpx.Response(200, json=answer.model_dump(mode="json"))


def test_without_apply_it_lists_all_pages_and_changes_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    stored = Stored()
    ragpp = runner(monkeypatch, capsys, stored)
    done = ragpp("redact", "--user", "u1", "--text", WORD, "--scan", home=tmp_path)
    assert done.returncode == 0
    assert "a [REDACTED:text] there" in done.stdout
    assert "2 message" in done.stdout
    assert "--apply" in done.stdout
    assert all(one.get("dry_run", True) for one in stored.asked)


def test_applied_it_looks_again_until_nothing_is_left(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    stored = Stored(comes=1)
    secret = tmp_path / "secret.txt"
    secret.write_text(f"{WORD}\n")
    ragpp = runner(monkeypatch, capsys, stored)
    done = ragpp("redact", "-u", "u1", "--text-file", str(secret), "--apply", "--yes", "--json", home=tmp_path)
    assert done.returncode == 0
    told = json.loads(done.stdout)
    assert ([one["id"] for one in told["found"]], told["left"], told["dry_run"]) == (["a", "b", "late"], 0, False)
    assert {str(one["text"]) for one in stored.asked} == {WORD}
    assert stored.left == []


def test_what_keeps_coming_ends_with_exit_code_1(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    ragpp = runner(monkeypatch, capsys, Stored(comes=100))
    done = ragpp("redact", "-u", "u1", "--text", WORD, "--apply", "--yes", home=tmp_path)
    assert done.returncode == 1
    assert "repeat the command" in done.stderr


def test_wrong_usage_sends_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    stored = Stored()
    ragpp = runner(monkeypatch, capsys, stored)
    for given in (
        [],
        ["--text", WORD, "--pattern", "x"],
        ["--text", WORD, "--scan", "--apply"],
        ["--text", WORD, "--apply", "--json"],
        ["--text-file", str(tmp_path / "none")],
        ["--text", WORD, "--text-file", "-"],
    ):
        assert ragpp("redact", "-u", "u1", *given, home=tmp_path).returncode in {1, 2}, given
    assert stored.asked == []
