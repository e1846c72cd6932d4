"""`ragpp pending --wait` ends when nothing is left, and says so when its time is over; budgets have both names."""

import json
from pathlib import Path

import httpx
import pytest

from ragpp_infra.cli import digesting
from ragpp_infra.cli.display import Display
from ragpp_infra.embedded.services import ServiceReport
from tests.support.command_line import runner


class Backlog(httpx.AsyncBaseTransport):
    """A backlog of `left` events, of which one is digested between two questions, down to `stuck`."""

    def __init__(self, left: int, stuck: int = 0) -> None:
        self.left, self.stuck = left, stuck
        self.bodies: list[bytes] = []

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        if request.url.path != "/v1/pending":
            self.bodies.append(await request.aread())
            return httpx.Response(404)
        told, self.left = self.left, max(self.left - 1, self.stuck)
        return httpx.Response(200, json={"pending": told})


def test_the_wait_ends_when_nothing_is_pending_and_fails_when_something_still_is(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr(digesting, "_POLL_S", 0.001)
    waited = runner(monkeypatch, capsys, Backlog(3))("pending", "--user", "u1", "--wait", home=tmp_path)
    assert (waited.returncode, waited.stdout) == (0, "nothing pending\n")
    asked = runner(monkeypatch, capsys, Backlog(3))("pending", "--user", "u1", home=tmp_path)
    assert (asked.returncode, asked.stdout) == (0, "3 pending\n")
    stuck = runner(monkeypatch, capsys, Backlog(3, stuck=2))
    late = stuck("pending", "--user", "u1", "--wait", "--timeout", "0.05", "--json", home=tmp_path)
    assert (late.returncode, json.loads(late.stdout)) == (1, {"pending": 2})


def test_a_budget_of_tokens_is_called_so_too(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    gateway = Backlog(0)
    ragpp = runner(monkeypatch, capsys, gateway)
    for option in ("--budget", "--token-budget"):
        ragpp("recall", "Where?", "--user", "u1", option, "321", home=tmp_path)
    assert [json.loads(body)["token_budget"] for body in gateway.bodies] == [321, 321]
    refused = ragpp("chat", "--user", "u1", "--token-budget", "many", home=tmp_path)
    assert (refused.returncode, "No such option" in refused.stderr) == (2, False)


def test_a_worker_that_has_its_models_to_load_is_not_called_started(capsys: pytest.CaptureFixture[str]) -> None:
    with Display(quiet=False) as display:
        display.service_report(ServiceReport("gateway", "started", 0.04, 1))
        display.service_report(ServiceReport("workers", "started", 0.04, 2))
        display.service_report(ServiceReport("workers-2", "restarted", 0.04, 3, ("LOG_LEVEL",)))
    gateway, first, second = (" ".join(line.split()) for line in capsys.readouterr().err.splitlines())
    assert gateway == "gateway started in 0.0 s"
    assert first == "workers starting learns within a minute"
    assert second == "workers-2 starting again learns within a minute for LOG_LEVEL"
