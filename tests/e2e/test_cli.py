"""The command line on a stack of its own: started, used, broken, mended and stopped, as an operator would."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

import httpx
import psutil
import pytest

from ragpp_infra.embedded.lifecycle import Lifecycle
from tests.support.source import ROOT

pytestmark = [pytest.mark.server, pytest.mark.timeout(900)]

SAMPLE = ROOT / "infra" / "ragpp_infra" / "samples" / "conversation.jsonl"


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "ragpp_infra.cli.main", *arguments]


def environment(home: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("RAGPP_") or name == "RAGPP_CACHE"}
    return kept | {"RAGPP_HOME": str(home)}


def ran(
    home: Path, *arguments: str, answers: int = 0, settings: Mapping[str, str] | None = None
) -> "subprocess.CompletedProcess[str]":
    given = environment(home) | dict(settings or {})
    done = subprocess.run(command(*arguments), capture_output=True, text=True, timeout=180, check=False, env=given)
    assert done.returncode == answers, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    return done


def ragpp(home: Path, *arguments: str, answers: int = 0) -> str:
    return ran(home, *arguments, answers=answers).stdout


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    path = tmp_path_factory.mktemp("cli") / "stack"
    try:
        ragpp(path, "up")
        yield path
    finally:
        Lifecycle(path).bring_down(fast=True)


def pids(home: Path) -> dict[str, int]:
    rows = json.loads(
        subprocess.run(
            command("status", "--json"), capture_output=True, text=True, check=False, env=environment(home)
        ).stdout
    )["servers"]
    return {row["name"]: row["pid"] for row in rows if row["running"]}


def test_up_again_leaves_what_runs_alone(home: Path) -> None:
    before = pids(home)
    assert set(before) == {"postgres", "valkey", "neo4j", "gateway", "workers"}
    again = json.loads(ragpp(home, "up", "--json"))
    assert {report["action"] for report in (*again["servers"], *again["services"])} == {"attached"}
    assert pids(home) == before


def test_services_that_run_with_other_settings_are_started_again_with_those_given(home: Path) -> None:
    before = pids(home)
    done = ran(home, "up", settings={"GATEWAY_TOKEN_BUDGET": "1000"})
    assert "for GATEWAY_TOKEN_BUDGET" in done.stderr
    after = pids(home)
    assert {name for name in before if before[name] != after[name]} == {"gateway"}
    assert psutil.Process(after["gateway"]).environ()["GATEWAY_TOKEN_BUDGET"] == "1000"
    for settings in ({"GATEWAY_TOKEN_BUDGET": "1000"}, {}):  # what is not given asks for nothing
        again = json.loads(ran(home, "up", "--json", settings=settings).stdout)
        assert {report["action"] for report in again["services"]} == {"attached"}
    wrong = ran(home, "up", answers=1, settings={"GATEWAY_TOKEN_BUDGET": "abc"})
    assert "GATEWAY_TOKEN_BUDGET: " in wrong.stderr
    assert pids(home) == after


def test_what_is_remembered_is_recalled(home: Path) -> None:
    message = ("remember", "Bruno is Elena's dog.", "--user", "u1", "--name", "Maria", "--id", "m-1")
    ragpp(home, *message)
    assert "known already" in ragpp(home, *message)
    answer = json.loads(ragpp(home, "recall", "Who is Bruno?", "--user", "u1", "--deadline", "20000", "--json"))
    assert answer["memories"][0]["text"] == "Bruno is Elena's dog."
    assert "Elena's dog" in ragpp(home, "recall", "Who is Bruno?", "--user", "u1", "--deadline", "20000")


def test_what_is_about_somebody_is_listed_and_forgotten_when_asked(home: Path) -> None:
    for number in range(3):
        said = f"Qzwilma moved {number} times."
        ragpp(home, "remember", said, "--user", "forgetful", "--name", "Maria", "--id", f"f-{number}")
    about = ("forget", "about", "--entity", "Qzwilma", "--user", "forgetful")
    assert "3 messages about it" in ragpp(home, *about)
    assert json.loads(ragpp(home, "forget", "message", "f-0", "--user", "forgetful", "--dry-run", "--json"))["f-0"][
        "dry_run"
    ]
    assert "forgotten" in ragpp(home, "forget", "message", "f-0", "--user", "forgetful")
    assert json.loads(ragpp(home, *about, "--json"))["total"] == 2
    some = ("forget", "message", "f-0", "f-1", "--user", "forgetful", "--json")
    told = json.loads(ragpp(home, *some, answers=1))
    assert {identifier: answer.get("forgotten") for identifier, answer in told.items()} == {"f-0": None, "f-1": 1}
    assert "1 message forgotten" in ragpp(home, *about, "--yes")
    assert json.loads(ragpp(home, *about, "--json"))["total"] == 0
    ragpp(home, "forget", "about", "--user", "forgetful", answers=1)


def test_what_one_agent_alone_may_see_names_the_agent(home: Path) -> None:
    message = ("remember", "My budget is 900 euros.", "--user", "u6", "--visibility", "agent")
    assert "Add --agent NAME" in ran(home, *message, answers=1).stderr
    ragpp(home, *message, "--agent", "sales")
    keys = {
        agent: json.loads(ragpp(home, "key", "create", "--agent", agent, "--json"))["key"]
        for agent in ("sales", "support")
    }
    ragpp(home, *message, "--key", keys["sales"])  # a bound key says which
    asked = ("recall", "What is the budget?", "--user", "u6", "--deadline", "20000")
    assert "900 euros" in ragpp(home, *asked, "--key", keys["sales"])
    assert "900 euros" not in ragpp(home, *asked, "--key", keys["support"])


def test_an_id_with_other_content_is_a_conflict_in_words(home: Path) -> None:
    ragpp(home, "remember", "one", "--user", "u2", "--id", "m-1")
    ragpp(home, "remember", "two", "--user", "u2", "--id", "m-1", answers=1)


def test_a_file_is_ingested_once_and_digested(home: Path) -> None:
    first = json.loads(ragpp(home, "ingest", str(SAMPLE), "--user", "reader", "--json"))
    second = json.loads(ragpp(home, "ingest", str(SAMPLE), "--user", "reader", "--json", "--batch", "7"))
    lines = len(SAMPLE.read_text(encoding="utf-8").splitlines())
    assert (first["stored"], second["stored"], second["duplicates"]) == (lines, 0, lines)
    deadline = time.monotonic() + 90
    while json.loads(ragpp(home, "pending", "--user", "reader", "--json"))["pending"]:
        assert time.monotonic() < deadline, "not digested"


def test_what_is_not_sure_is_listed_and_judged(home: Path) -> None:
    ragpp(home, "ingest", str(SAMPLE), "--user", "judge")
    deadline = time.monotonic() + 90
    while json.loads(ragpp(home, "pending", "--user", "judge", "--json"))["pending"]:
        assert time.monotonic() < deadline, "not digested"
    listed = ragpp(home, "review", "--user", "judge")
    first, second = re.findall(r"^([0-9a-f]{6,}) +\d\.\d\d  relationship: (.*?) *$", listed, re.MULTILINE)[:2]
    assert "ragpp review --user judge" in ragpp(home, "inspect", "judge")
    assert f"confirmed the relationship: {first[1]}" in ragpp(home, "review", "confirm", first[0], "--user", "judge")
    rejected = json.loads(ragpp(home, "review", "reject", second[0], "--user", "judge", "--json"))
    assert [answer["verdict"] for answer in rejected.values()] == ["rejected"]
    again = ragpp(home, "review", "--user", "judge")
    assert first[0] not in again
    assert second[0] not in again
    (surest, *_) = json.loads(ragpp(home, "review", "--user", "judge", "--below", "1", "--json"))["preferences"]
    assert surest["value"] in ragpp(home, "review", "confirm", surest["id"], "--user", "judge")
    ragpp(home, "review", "confirm", "none-of-these", "--user", "judge", answers=1)
    ragpp(home, "review", answers=2)


def test_keys_are_made_listed_and_revoked(home: Path) -> None:
    made = json.loads(ragpp(home, "key", "create", "--scopes", "read", "--json"))
    assert made["key_id"] in ragpp(home, "key", "list")
    recall = ("recall", "anything", "--user", "u1", "--key", made["key"])
    ragpp(home, *recall)
    ragpp(home, "remember", "anything", "--user", "u1", "--key", made["key"], answers=1)
    ragpp(home, "key", "revoke", made["key_id"])
    deadline = time.monotonic() + 30  # a revocation is seen within seconds
    while subprocess.run(command(*recall), capture_output=True, check=False, env=environment(home)).returncode == 0:
        assert time.monotonic() < deadline, "a revoked key still reads"


@pytest.mark.parametrize("name", ["gateway", "workers", "valkey"])
def test_what_was_killed_is_told_and_started_again(home: Path, name: str) -> None:
    before = pids(home)
    psutil.Process(before[name]).send_signal(signal.SIGKILL)
    psutil.wait_procs([psutil.Process(before[name])] if psutil.pid_exists(before[name]) else [], timeout=10)
    ragpp(home, "status", answers=1)
    ragpp(home, "up")
    after = pids(home)
    assert set(after) == set(before)
    assert {other: pid for other, pid in after.items() if other != name} == {
        other: pid for other, pid in before.items() if other != name
    }
    ragpp(home, "recall", "Who is Bruno?", "--user", "u1")


def test_status_tells_what_is_not_yet_forgotten_everywhere(home: Path) -> None:
    ragpp(home, "remember", "Gustav is my uncle.", "--user", "u3", "--id", "m-gone")
    psutil.Process(pids(home)["workers"]).send_signal(signal.SIGKILL)
    url, key = (line.split("=", 1)[1] for line in ragpp(home, "env").splitlines())
    gone = httpx.delete(
        f"{url}/v1/interactions/m-gone", params={"user_id": "u3"}, headers={"Authorization": f"Bearer {key}"}
    )
    assert gone.status_code == 200
    assert "1 not yet forgotten everywhere" in ragpp(home, "status", answers=1)
    ragpp(home, "up")
    deadline = time.monotonic() + 90
    while json.loads(ragpp(home, "status", "--json"))["work"]["pending"]:
        assert time.monotonic() < deadline, "not forgotten"
    assert "forgotten" not in ragpp(home, "status")


def test_a_session_and_a_user_are_forgotten_with_a_report(home: Path) -> None:
    ragpp(home, "remember", "Gustav is my uncle.", "--user", "u4", "--session", "s1")
    ragpp(home, "remember", "Berta is my aunt.", "--user", "u4", "--session", "s2")
    planned = json.loads(ragpp(home, "forget", "user", "u4", "--dry-run", "--json"))
    assert planned["result"]["stores"]["episodic"] == {"found": {"interactions": 2}}
    session = json.loads(ragpp(home, "forget", "session", "s1", "--user", "u4", "--yes", "--json"))
    assert session["result"]["stores"]["episodic"]["removed"] == {"interactions": 1}
    shown = ragpp(home, "forget", "user", "u4", "--yes")
    assert "interactions" in shown
    assert json.loads(ragpp(home, "recall", "Who is Berta?", "--user", "u4", "--json"))["memories"] == []
    ragpp(home, "jobs", "--stage", "erase")
    assert "nothing was found" in ragpp(home, "forget", "session", "nobody", "--user", "u4", "--yes")


def test_who_may_forget_and_not_read_is_told_that_it_is_under_way(home: Path) -> None:
    ragpp(home, "remember", "Gustav is my uncle.", "--user", "u5", "--session", "s1")
    key = json.loads(ragpp(home, "key", "create", "--scopes", "forget", "--json"))["key"]
    done = ran(home, "forget", "session", "s1", "--user", "u5", "--yes", "--key", key)
    assert "is under way" in done.stderr


def test_there_are_as_many_workers_as_asked_for_until_another_number_is(home: Path) -> None:
    before = pids(home)
    more = json.loads(ragpp(home, "up", "--workers", "3", "--json"))
    actions = {report["name"]: report["action"] for report in more["services"]}
    assert actions == {"gateway": "attached", "workers": "attached", "workers-2": "started", "workers-3": "started"}
    three = pids(home)
    assert set(three) == {*before, "workers-2", "workers-3"}
    assert {name: pid for name, pid in three.items() if name in before} == before
    ragpp(home, "logs", "workers-3")
    psutil.Process(three["workers-2"]).send_signal(signal.SIGKILL)
    ragpp(home, "status", answers=1)
    ragpp(home, "up")
    revived = pids(home)
    assert set(revived) == set(three)
    assert revived["workers-2"] != three["workers-2"]
    said = json.loads(ragpp(home, "up", "--workers", "1", "--json"))
    assert {report["name"] for report in said["services"] if report["action"] == "stopped"} == {
        "workers-2",
        "workers-3",
    }
    assert pids(home) == before
    assert {report["action"] for report in json.loads(ragpp(home, "up", "--json"))["services"]} == {"attached"}


def test_logs_are_shown_by_name(home: Path) -> None:
    assert "uvicorn" in ragpp(home, "logs", "gateway", "-n", "500")
    ragpp(home, "logs", "oracle", answers=1)


def test_in_the_foreground_what_ends_is_started_again_and_sigterm_stops_all(home: Path) -> None:
    ragpp(home, "up", "--workers", "2")
    watching = subprocess.Popen(
        command("up", "--foreground"), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment(home)
    )
    before = pids(home)
    for name in ("workers", "workers-2"):
        psutil.Process(before[name]).send_signal(signal.SIGKILL)
    deadline = time.monotonic() + 90
    while any(pids(home).get(name) in {None, before[name]} for name in ("workers", "workers-2")):
        assert time.monotonic() < deadline, "not started again"
    watching.send_signal(signal.SIGTERM)
    assert watching.wait(60) == 0
    assert pids(home) == {}


def test_the_demo_serves_until_ctrl_c_and_its_curl_works(home: Path, tmp_path: Path) -> None:
    said = tmp_path / "said.txt"
    with said.open("w", encoding="utf-8") as file:
        served = subprocess.Popen(
            command("demo", "--serve"), stdout=file, stderr=subprocess.STDOUT, env=environment(home)
        )
    deadline = time.monotonic() + 180
    while "curl -s" not in (text := said.read_text(encoding="utf-8")) or not text.endswith("\n"):
        assert served.poll() is None, text
        assert time.monotonic() < deadline, text
        time.sleep(0.1)
    curl = re.search(r"^curl .*?'$", text, re.MULTILINE | re.DOTALL)
    assert curl is not None
    answer = json.loads(subprocess.run(["bash", "-c", curl[0]], capture_output=True, text=True, check=True).stdout)
    assert answer["memories"]
    served.send_signal(signal.SIGINT)
    assert served.wait(60) == 0, said.read_text(encoding="utf-8")
    assert pids(home) == {}
    ragpp(home, "status", answers=3)
    ragpp(home, "recall", "anything", "--user", "u1", answers=3)
