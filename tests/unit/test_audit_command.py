"""`ragpp audit`: who asked for what, as a person and as a program reads it, narrowed and a page at a time."""

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import pytest

from ragpp.api import AuditEntry
from ragpp.errors import Forbidden
from ragpp.errors.problems import MEDIA_TYPE, problem_of
from ragpp.models import Page
from ragpp.paging import PAGE
from tests.support.command_line import Done, runner

NOON = datetime(2026, 3, 8, 12, tzinfo=UTC)
RECALLED = AuditEntry(
    id="e0",
    at=NOON,
    key_id="key_0",
    user_id="u1",
    action="POST /v1/recall",
    status=200,
    items=5,
    memory_ids=("m-1", "m-2", "m" * 60, "m-4"),
    marks=("0" * 32,),
)
DELETED = AuditEntry(
    id="e1",
    at=NOON - timedelta(minutes=1),
    key_id="key_0",
    user_id="u1",
    action="DELETE /v1/interactions/{interaction_id}",
    status=200,
    items=1,
    details={"deleted": "interactions", "count": 1, "marks": ["0" * 32]},
)
REFUSED = AuditEntry(
    id="e2",
    at=NOON - timedelta(minutes=2),
    key_id="key_1",
    action="GET /v1/pending",
    status=401,
    details={"attempts": 7},
)
ENTRIES = [RECALLED, DELETED, REFUSED, *(RECALLED.model_copy(update={"id": f"e{place}"}) for place in range(3, 300))]


class AuditedGateway(httpx.MockTransport):
    """Answers the audit with ENTRIES, in pages, and keeps what was asked; `refuses` where the key lacks the scope."""

    def __init__(self) -> None:
        self.asked: list[httpx.QueryParams] = []
        self.refuses = False
        super().__init__(self._answer)

    def _answer(self, request: httpx.Request) -> httpx.Response:
        assert request.url.path == "/v1/audit"
        query = request.url.params
        self.asked.append(query)
        if self.refuses:
            problem = problem_of(Forbidden("this key lacks the scope `admin`"))
            headers = {"content-type": MEDIA_TYPE}
            return httpx.Response(403, content=problem.model_dump_json(), headers=headers)
        begin, size = int(query.get("cursor", 0)), int(query["limit"])
        found = [one for one in ENTRIES if query.get("user_id") in {None, one.user_id}]
        more = str(begin + size) if begin + size < len(found) else None
        page = Page[AuditEntry](items=tuple(found[begin : begin + size]), next_cursor=more)
        return httpx.Response(200, json=page.model_dump(mode="json"))


@pytest.fixture
def gateway() -> AuditedGateway:
    return AuditedGateway()


@pytest.fixture
def audit(
    gateway: AuditedGateway, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> Callable[..., Done]:
    run = runner(monkeypatch, capsys, gateway)
    return lambda *arguments: run("audit", "--url", "http://gateway", *arguments, home=tmp_path)


def test_a_request_is_a_line_with_the_first_of_its_memories_and_how_many_more_there_are(
    audit: Callable[..., Done],
) -> None:
    done = audit("--limit", "3")
    assert done.returncode == 0, done.stderr
    told = " ".join(done.stdout.split())  # wherever a narrow terminal breaks it
    assert told.startswith("at (UTC) key user request answer memories 2026-03-08 12:00:00 key_0 u1")
    assert "200 m-1, m-2, mmm" in told
    assert "… +2" in told
    assert "200 1 deleted: interactions" in told
    assert "401 7 times" in told
    assert told.endswith("3 requests; there may be more: --limit, --since")


def test_what_is_asked_for_is_asked_of_the_gateway(audit: Callable[..., Done], gateway: AuditedGateway) -> None:
    options = ("--user", "u1", "--by", "key_0", "--route", "POST /v1/recall", "--outcome", "ok", "--memory", "m-1")
    assert audit(*options, "--since", "2026-03-01", "--until", "2026-04-01", "--limit", "7").returncode == 0
    assert dict(gateway.asked[0]) == {
        "user_id": "u1",
        "key_id": "key_0",
        "route": "POST /v1/recall",
        "outcome": "ok",
        "memory_id": "m-1",
        "since": "2026-03-01T00:00:00+00:00",
        "until": "2026-04-01T00:00:00+00:00",
        "limit": "7",
    }


def test_a_program_gets_every_entry_whole(audit: Callable[..., Done], gateway: AuditedGateway) -> None:
    told = json.loads(audit("--json", "--limit", "1000").stdout)
    assert [AuditEntry.model_validate(one) for one in told["entries"]] == ENTRIES
    assert [query["limit"] for query in gateway.asked] == [str(PAGE)] * 2


def test_where_nobody_asked_that_is_said(audit: Callable[..., Done]) -> None:
    assert audit("--user", "nobody").stdout.strip() == "no request"


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--outcome", "lost"), "ok, refused, failed"),
        (("--since", "yesterday"), "2026-03-08"),
        (("--since", "2026-04-01", "--until", "2026-03-01"), "--until"),
        (("--key", "key_0"), "ragpp audit --by"),
        (("--limit", "0"), "--limit"),
    ],
)
def test_wrong_usage_is_told_and_nobody_is_asked(
    audit: Callable[..., Done], gateway: AuditedGateway, arguments: tuple[str, ...], told: str
) -> None:
    done = audit(*arguments)
    assert done.returncode == 2
    assert told in done.stderr
    assert gateway.asked == []


def test_a_key_without_the_scope_ends_with_why(audit: Callable[..., Done], gateway: AuditedGateway) -> None:
    gateway.refuses = True
    done = audit()
    assert done.returncode == 1
    assert "lacks the scope `admin`" in done.stderr
