"""`ragpp timeline`: what was said, by time and narrowed, a page at a time, as a person and as a program reads it."""

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import pytest

from ragpp.models import Interaction, Page
from ragpp.paging import PAGE
from tests.support.command_line import Done, runner

NOON = datetime(2026, 3, 8, 12, tzinfo=UTC)
SAID = [
    Interaction(
        id=f"m{place}",
        session_id=f"s{place // 200}",
        name="Noor" if place % 2 else None,
        role="user" if place % 2 else "assistant",
        content=f"sentence {place}",
        occurred_at=NOON + timedelta(minutes=5 * place),
    )
    for place in range(2 * PAGE)
]


class SayingGateway(httpx.MockTransport):
    """Answers the list of interactions with SAID, in pages, and keeps what was asked."""

    def __init__(self) -> None:
        self.asked: list[httpx.QueryParams] = []
        super().__init__(self._answer)

    def _answer(self, request: httpx.Request) -> httpx.Response:
        assert request.url.path == "/v1/interactions"
        query = request.url.params
        self.asked.append(query)
        begin, size = int(query.get("cursor", 0)), int(query["limit"])
        role = query.get("role")
        found = [one for one in SAID if role is None or one.role == role]
        more = str(begin + size) if begin + size < len(found) else None
        page = Page[Interaction](items=tuple(found[begin : begin + size]), next_cursor=more)
        return httpx.Response(200, json=page.model_dump(mode="json"))


@pytest.fixture
def gateway() -> SayingGateway:
    return SayingGateway()


@pytest.fixture
def timeline(
    gateway: SayingGateway, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> Callable[..., Done]:
    run = runner(monkeypatch, capsys, gateway)
    return lambda *arguments: run("timeline", *arguments, home=tmp_path)


def test_messages_stand_under_their_days_and_sessions_with_who_said_them(timeline: Callable[..., Done]) -> None:
    done = timeline("u1", "--limit", "250")
    assert done.returncode == 0, done.stderr
    lines = [line.rstrip() for line in done.stdout.splitlines()]
    assert lines[:4] == [
        "Sunday, 2026-03-08",
        "  s0",
        "    12:00 assistant: sentence 0  m0",
        "    12:05 Noor: sentence 1  m1",
    ]
    assert lines.index("Monday, 2026-03-09") == 1 + 1 + 144
    assert "  s1" in lines
    assert lines[-1] == "250 messages; there may be more: --limit, --from"


def test_what_is_asked_for_is_asked_of_the_gateway_and_no_page_too_many(
    timeline: Callable[..., Done], gateway: SayingGateway
) -> None:
    options = ("--from", "2026-03-01", "--to", "2026-04-01", "--session", "s1", "--agent", "a", "--domain", "d")
    assert timeline("u1", *options, "--role", "user", "--newest", "--limit", "7").returncode == 0
    (query,) = gateway.asked
    assert {name: query[name] for name in ("session_id", "agent_id", "role", "domain", "newest_first", "limit")} == {
        "session_id": "s1",
        "agent_id": "a",
        "role": "user",
        "domain": "d",
        "newest_first": "true",
        "limit": "7",
    }
    assert (query["start"][:10], query["end"][:10]) == ("2026-03-01", "2026-04-01")


def test_a_program_reads_all_of_it(timeline: Callable[..., Done]) -> None:
    told = json.loads(timeline("u1", "--role", "user", "--limit", "1000", "--json").stdout)
    assert [one["id"] for one in told["interactions"]] == [one.id for one in SAID if one.role == "user"]


def test_a_range_that_cannot_be_is_refused_before_anything_is_asked(
    timeline: Callable[..., Done], gateway: SayingGateway
) -> None:
    done = timeline("u1", "--from", "2026-04-01", "--to", "2026-03-01")
    assert done.returncode == 2
    assert "is after" in done.stderr
    assert gateway.asked == []
