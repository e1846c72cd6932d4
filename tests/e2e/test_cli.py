"""The command line on a stack of its own: started, used, broken, mended and stopped, as an operator would."""

import io
import json
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import psutil
import pytest

from ragpp_infra.cli import console
from ragpp_infra.embedded.lifecycle import Lifecycle
from tests.support.command_line import runner
from tests.support.stack_commands import KNOWS, SAMPLE, CommandLine, environment, said_by, started, staying
from tests.support.waiting import waited_for

pytestmark = [pytest.mark.server, pytest.mark.timeout(900)]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    path = tmp_path_factory.mktemp("cli") / "stack"
    with started(path):
        yield path


@pytest.fixture
def ragpp(home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> CommandLine:
    return CommandLine(home, runner(monkeypatch, capsys))


def test_up_again_leaves_what_runs_alone(ragpp: CommandLine) -> None:
    before = ragpp.pids()
    assert set(before) == {"postgres", "valkey", "neo4j", "gateway", "workers"}
    again = json.loads(ragpp("up", "--json"))
    assert {report["action"] for report in (*again["servers"], *again["services"])} == {"attached"}
    assert ragpp.pids() == before


@pytest.mark.exhaustive
def test_services_that_run_with_other_settings_are_started_again_with_those_given(
    ragpp: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = ragpp.pids()
    monkeypatch.setenv("GATEWAY_TOKEN_BUDGET", "1000")
    done = ragpp.ran("up")
    assert "for GATEWAY_TOKEN_BUDGET" in done.stderr
    after = ragpp.pids()
    assert {name for name in before if before[name] != after[name]} == {"gateway"}
    assert psutil.Process(after["gateway"]).environ()["GATEWAY_TOKEN_BUDGET"] == "1000"
    ragpp.starts_nothing_more()
    monkeypatch.setenv("GATEWAY_TOKEN_BUDGET", "abc")
    wrong = ragpp.ran("up", answers=1)
    assert "GATEWAY_TOKEN_BUDGET: " in wrong.stderr
    assert ragpp.pids() == after
    monkeypatch.delenv("GATEWAY_TOKEN_BUDGET")
    assert "for GATEWAY_TOKEN_BUDGET" in ragpp.ran("up").stderr  # what is not given has its default again
    assert "GATEWAY_TOKEN_BUDGET" not in psutil.Process(ragpp.pids()["gateway"]).environ()
    assert ragpp.pids()["workers"] == before["workers"]
    ragpp.starts_nothing_more()


def test_status_and_config_tell_which_settings_differ_before_anything_is_started_again(
    ragpp: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = ragpp.pids()
    monkeypatch.setenv("GATEWAY_TOKEN_BUDGET", "1000")
    assert "gateway runs with other settings: GATEWAY_TOKEN_BUDGET" in ragpp("status")
    assert json.loads(ragpp("status", "--json"))["other_settings"] == {"gateway": ["GATEWAY_TOKEN_BUDGET"]}
    told = {one["name"]: one for one in json.loads(ragpp("config", "--json"))["settings"]}
    assert told["GATEWAY_TOKEN_BUDGET"]["value"] == "1000"
    assert told["GATEWAY_TOKEN_BUDGET"]["running"] == {"gateway": "2000"}
    assert {name for name, one in told.items() if one["running"]} == {"GATEWAY_TOKEN_BUDGET"}
    assert told["POSTGRES_DSN"]["value"].startswith("postgresql://ragpp_app:****")
    assert (told["FORGETTING_KEY"]["value"], told["FORGETTING_KEY"]["origin"]) == ("********", "stack")
    assert ragpp.pids() == before
    monkeypatch.delenv("GATEWAY_TOKEN_BUDGET")
    assert json.loads(ragpp("status", "--json"))["other_settings"] == {}
    monkeypatch.setenv("POSTGRES_DSN", "postgresql://of.others/ragpp")
    assert re.search(r"no effect here: .*\bPOSTGRES_DSN\b", ragpp.ran("up").stderr)
    assert ragpp.pids() == before


def test_no_service_has_a_role_of_the_database_that_it_has_no_use_for(ragpp: CommandLine) -> None:
    pids = ragpp.pids()
    has = {name: psutil.Process(pids[name]).environ() for name in ("gateway", "workers")}
    roles = {name: set(re.findall(r"//(ragpp_[a-z]+):", " ".join(of.values()))) for name, of in has.items()}
    assert roles == {"gateway": {"ragpp_app"}, "workers": {"ragpp_app", "ragpp_relay", "ragpp_rewriter"}}


def test_for_the_stacks_own_key_that_is_revoked_another_is_made_and_said(ragpp: CommandLine) -> None:
    path = ragpp.home / "key"
    revoked = path.read_text(encoding="utf-8").strip()
    done = ragpp.ran("key", "revoke", f"key_{revoked.split('_')[1]}")
    assert f"a new one is in {path}" in done.stderr
    assert path.read_text(encoding="utf-8").strip() != revoked
    assert json.loads((ragpp.home / "client.json").read_text(encoding="utf-8"))["key"] in path.read_text("utf-8")
    asked = ("recall", "anything", "--user", "u1")
    ragpp(*asked)
    path.write_text(f"{revoked}\n", encoding="utf-8")  # as where it was revoked by somebody who knows no folder
    waited_for(lambda: ragpp.run(*asked, home=ragpp.home).returncode, within_s=90, what="a key that is revoked")
    again = ragpp.ran("up")
    assert f"the stack's key was revoked, or is not known: a new one is in {path}" in again.stderr
    ragpp(*asked)


def test_what_is_remembered_is_recalled(ragpp: CommandLine) -> None:
    message = ("remember", "Bruno is Elena's dog.", "--user", "u1", "--name", "Maria", "--id", "m-1")
    ragpp(*message)
    assert "known already" in ragpp(*message)
    answer = json.loads(ragpp("recall", "Who is Bruno?", "--user", "u1", "--deadline", "20000", "--json"))
    assert answer["memories"][0]["text"] == "Bruno is Elena's dog."
    assert "Elena's dog" in ragpp("recall", "Who is Bruno?", "--user", "u1", "--deadline", "20000")


def test_what_is_about_somebody_is_listed_and_forgotten_when_asked(ragpp: CommandLine) -> None:
    for number in range(3):
        said = f"Qzwilma moved {number} times."
        ragpp("remember", said, "--user", "forgetful", "--name", "Maria", "--id", f"f-{number}")
    about = ("forget", "about", "--entity", "Qzwilma", "--user", "forgetful")
    assert "3 messages about it" in ragpp(*about)
    assert json.loads(ragpp("forget", "message", "f-0", "--user", "forgetful", "--dry-run", "--json"))["f-0"]["dry_run"]
    assert "forgotten" in ragpp("forget", "message", "f-0", "--user", "forgetful")
    assert json.loads(ragpp(*about, "--json"))["total"] == 2
    some = ("forget", "message", "f-0", "f-1", "--user", "forgetful", "--json")
    told = json.loads(ragpp(*some, answers=1))
    assert {identifier: answer.get("forgotten") for identifier, answer in told.items()} == {"f-0": None, "f-1": 1}
    assert "1 message forgotten" in ragpp(*about, "--yes")
    assert json.loads(ragpp(*about, "--json"))["total"] == 0
    ragpp("forget", "about", "--user", "forgetful", answers=1)


def test_what_one_agent_alone_may_see_names_the_agent(ragpp: CommandLine) -> None:
    message = ("remember", "My budget is 900 euros.", "--user", "u6", "--visibility", "agent")
    assert "Add --agent NAME" in ragpp.ran(*message, answers=1).stderr
    ragpp(*message, "--agent", "sales")
    keys = {
        agent: json.loads(ragpp("key", "create", "--agent", agent, "--json"))["key"] for agent in ("sales", "support")
    }
    ragpp(*message, "--key", keys["sales"])  # a bound key says which
    asked = ("recall", "What is the budget?", "--user", "u6", "--deadline", "20000")
    assert "900 euros" in ragpp(*asked, "--key", keys["sales"])
    assert "900 euros" not in ragpp(*asked, "--key", keys["support"])


def test_an_id_with_other_content_is_a_conflict_in_words(ragpp: CommandLine) -> None:
    ragpp("remember", "one", "--user", "u2", "--id", "m-1")
    ragpp("remember", "two", "--user", "u2", "--id", "m-1", answers=1)


def test_a_file_is_ingested_once_and_digested(ragpp: CommandLine) -> None:
    first = json.loads(ragpp("ingest", str(SAMPLE), "--user", "reader", "--json"))
    second = json.loads(ragpp("ingest", str(SAMPLE), "--user", "reader", "--json", "--batch", "7"))
    lines = len(SAMPLE.read_text(encoding="utf-8").splitlines())
    assert (first["stored"], second["stored"], second["duplicates"]) == (lines, 0, lines)
    ragpp.until_digested("reader")


def test_what_a_folder_says_is_known_and_found_by_a_program_that_is_told_nothing_but_the_folder_of_the_stack(
    ragpp: CommandLine, tmp_path: Path
) -> None:
    (tmp_path / "support.md").write_text("# Support\n\nRita Moreira leads the support team.\n", encoding="utf-8")
    first = json.loads(ragpp("catalog", "import", str(tmp_path), "--user", "c1", "--extract", "--json"))
    assert (first["stored"], first["items"], first["refused"]) == (1, 1, [])
    assert "1 known already" in ragpp("catalog", "import", str(tmp_path), "--user", "c1", "--extract")
    assert "Rita Moreira" in ragpp("catalog", "retrieve", "Who leads the support team?", "--user", "c1")
    kinds = {one["event_type"] for one in json.loads(ragpp("catalog", "events", "--user", "c1", "--json"))["items"]}
    assert kinds == {"memory.resource_stored", "memory.items_extracted"}
    ragpp.kill("gateway")
    program = [sys.executable, "-c", KNOWS]
    done = subprocess.run(program, capture_output=True, text=True, check=False, env=environment(ragpp.home))
    assert done.stdout == "True\nTrue Rita Moreira leads the support team\n", done.stderr
    assert done.stderr == f"Starting the memory in {ragpp.home}; the very first start takes minutes\n"


def test_what_is_not_sure_is_listed_and_judged(ragpp: CommandLine) -> None:
    ragpp("ingest", str(SAMPLE), "--user", "reader")  # whose file is digested already, where the test above ran
    ragpp.until_digested("reader")
    listed = ragpp("review", "--user", "reader")
    first, second = re.findall(r"^([0-9a-f]{6,}) +\d\.\d\d  relationship: (.*?) *$", listed, re.MULTILINE)[:2]
    assert "ragpp review --user reader" in ragpp("inspect", "reader")
    assert f"confirmed the relationship: {first[1]}" in ragpp("review", "confirm", first[0], "--user", "reader")
    rejected = json.loads(ragpp("review", "reject", second[0], "--user", "reader", "--json"))
    assert [answer["verdict"] for answer in rejected.values()] == ["rejected"]
    again = ragpp("review", "--user", "reader")
    assert first[0] not in again
    assert second[0] not in again
    (surest, *_) = json.loads(ragpp("review", "--user", "reader", "--below", "1", "--json"))["preferences"]
    assert surest["value"] in ragpp("review", "confirm", surest["id"], "--user", "reader")
    ragpp("review", "confirm", "none-of-these", "--user", "reader", answers=1)
    ragpp("review", answers=2)


def test_what_is_known_is_acted_on_by_the_ids_that_inspect_shows(
    ragpp: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(console.out, "width", 160)  # of which a process that ran other tests may have fewer
    user = ("--user", "acting")
    said = "My sister Elena moved to Porto last spring. I prefer tea to coffee. My brother Karim works at Lumen."
    ragpp("remember", said, "--id", "said-1", "--name", "Maria", *user)
    ragpp.until_digested("acting")

    def row(of: str) -> str:
        """The id at the beginning of the line that says it."""
        shown = ragpp("inspect", "acting")
        lines = [line for line in shown.splitlines() if re.search(of, line)]
        assert len(lines) == 1, f"{of}\n{shown}"
        return lines[0].split()[0]

    home, tea, elena = row(r"Elena LIVES_IN Porto"), row(r"^pref-.*\btea\b"), row(r"\bElena +PERSON")
    assert "confirmed the relationship: Elena LIVES_IN Porto" in ragpp("confirm", home, *user)
    changed = json.loads(ragpp("correct", tea, "--json-value", '["mint tea", "water"]', *user, "--json"))
    assert [one["value"] for one in changed.values()] == [["mint tea", "water"]]
    renamed = ragpp("correct", elena, "--name", "Elena Costa", *user)
    assert "corrected the entity: Elena Costa (PERSON), was: Elena (PERSON)" in renamed
    assert "Costa LIVES_IN Faro, was: Elena Costa LIVES_IN" in ragpp("correct", home, "--target", "Faro", *user)
    ragpp("relate", "Elena Costa", "LIKES", "harbours", *user)
    profile = ragpp("profile", "acting")
    for part in ("Elena Costa", "lives in Faro", "likes harbours", "mint tea, water"):
        assert part in profile
    assert "lives in Porto" not in profile
    assert row(r"LIKES harbours") in profile
    ragpp("reject", row(r"LIKES harbours"), *user)
    assert "likes harbours" not in ragpp("profile", "acting")
    assert "acting" in ragpp("users")
    assert "would forget the preference" in ragpp("forget", "--id", tea[:9], *user, "--dry-run")
    monkeypatch.setattr("sys.stdin", io.StringIO("n\n"))
    declined = ragpp.ran("forget", "--id", tea[:9], *user, answers=1)
    assert "mint tea, water - for good?" in declined.stdout
    assert "--yes" in ragpp.ran("forget", "--id", tea, *user, "--json", answers=1).stderr
    assert "forgot the preference" in ragpp("forget", "--id", tea, *user, "--yes")
    assert "forgot the message" in ragpp("forget", "--id", "said-1", *user, "--yes")
    for wrong in (("confirm", "none-of-these"), ("confirm", elena), ("correct", elena, "--value", "x")):
        ragpp(*wrong, *user, answers=2 if "--value" in wrong else 1)
    ragpp("correct", elena, *user, answers=2)
    ragpp("forget", "--id", tea, answers=2)
    ragpp("forget", "--dry-run", "session", "s1", *user, answers=2)
    told = json.loads(ragpp.ran("forget", "--id", "none-of-these", *user, "--json", answers=1).stderr)
    assert told["code"] == "MEM-012"
    assert "ragpp inspect acting" in str(told["recovery_suggestions"])


def test_keys_are_made_listed_and_revoked(ragpp: CommandLine) -> None:
    made = json.loads(ragpp("key", "create", "--scopes", "read", "--json"))
    assert made["key_id"] in ragpp("key", "list")
    recall = ("recall", "anything", "--user", "u1", "--key", made["key"])
    ragpp(*recall)
    ragpp("remember", "anything", "--user", "u1", "--key", made["key"], answers=1)
    shown = ragpp.ran("key", "create", "--scopes", "read")
    [key_id] = re.findall(r"ragpp key revoke (\S+)", shown.stderr)
    assert key_id in ragpp("key", "list")
    ragpp("recall", "anything", "--user", "u1", "--key", shown.stdout.strip())
    audit = ("audit", "--by", key_id, "--json")
    waited_for(lambda: '"POST /v1/recall"' in ragpp(*audit), within_s=30, what="the recall in the audit")
    unknown = ragpp.ran("key", "revoke", "nope", answers=1)
    assert unknown.stderr.startswith("Not found (MEM-012)\n  there is no valid key nope\n")
    assert "scopes are some of" in ragpp.ran("key", "create", "--scopes", "fly", answers=2).stderr
    ragpp("key", "revoke", made["key_id"])
    waited_for(lambda: ragpp.run(*recall, home=ragpp.home).returncode, within_s=90, what="a key that reads no more")


def test_the_doctor_tries_everything_out_with_a_key_of_its_own(ragpp: CommandLine) -> None:
    ragpp("remember", "Bruno is a dog.", "--user", "u5", "--id", "m-warm")
    ragpp.until_digested("u5")  # a worker that has just started loads what it reads with first
    told = json.loads(ragpp("doctor", "--json"))
    assert told["status"] in {"healthy", "degraded"}
    assert {check["status"] for check in told["report"]["checks"]} <= {"ok", "slow"}
    key = Lifecycle(ragpp.home).home.admin_key()
    listed = [json.loads(line) for line in ragpp("key", "list", "--json").splitlines()]
    (own,) = [one for one in listed if one["scopes"] == ["admin"]]
    assert ragpp.ran("recall", "anything", "--user", "u1", "--key", key or "", answers=1).stderr.startswith(
        "The key does not allow this"
    )
    ragpp("key", "revoke", own["key_id"])

    def renewed() -> bool:
        return "recall" in ragpp.run("doctor", home=ragpp.home).stdout and Lifecycle(ragpp.home).home.admin_key() != key

    waited_for(renewed, within_s=60, what="a new key of the doctor's in the place of the one that was revoked")


@pytest.mark.exhaustive
def test_the_doctor_says_which_store_is_away_and_what_to_do(ragpp: CommandLine) -> None:
    ragpp.kill("valkey")
    told = ragpp.ran("doctor", answers=1).stdout
    assert "server valkey: not running" in told
    assert "reach short_term: " in told
    assert "→ See what Redis says: `ragpp logs valkey`" in told
    ragpp("up")


def test_a_restore_that_is_refused_stops_nothing_and_a_device_is_no_file_to_replace(
    ragpp: CommandLine, tmp_path: Path
) -> None:
    backup = str(tmp_path / "memory.ragpp")
    ragpp("backup", backup)
    before = ragpp.pids()
    assert "these stores hold a memory" in ragpp.ran("restore", backup, answers=1).stderr
    assert ragpp.pids() == before
    assert "is no file" in ragpp.ran("backup", "--replace", "/dev/null", answers=2).stderr
    assert Path("/dev/null").is_char_device()


@pytest.mark.exhaustive
def test_status_tells_what_was_killed_and_is_not_yet_forgotten_and_up_starts_again_what_was_killed_alone(
    ragpp: CommandLine,
) -> None:
    before, killed = ragpp.pids(), {"gateway", "workers", "valkey"}
    ragpp("remember", "Gustav is my uncle.", "--user", "u3", "--id", "m-gone")
    ragpp.until_digested("u3")  # what a killed worker was at waits for the end of its lease
    ragpp.kill("workers")
    url, key = (line.split("=", 1)[1] for line in ragpp("env").splitlines())
    gone = httpx.delete(
        f"{url}/v1/interactions/m-gone", params={"user_id": "u3"}, headers={"Authorization": f"Bearer {key}"}
    )
    assert gone.status_code == 200
    assert "1 not yet forgotten everywhere" in ragpp("status", answers=1)
    ragpp.kill("gateway")
    ragpp.kill("valkey")
    rows = json.loads(ragpp("status", "--json", answers=1))["servers"]
    assert {row["name"] for row in rows if not row["running"]} == killed
    ragpp("up")
    after = ragpp.pids()
    assert set(after) == set(before)
    assert {name for name, pid in after.items() if pid != before[name]} == killed
    ragpp("recall", "Who is Bruno?", "--user", "u1")
    waited_for(
        lambda: not json.loads(ragpp("status", "--json"))["work"]["pending"], within_s=180, what="forgotten everywhere"
    )
    assert "forgotten" not in ragpp("status")


def test_a_session_and_a_user_are_forgotten_with_a_report(ragpp: CommandLine) -> None:
    ragpp("remember", "Gustav is my uncle.", "--user", "u4", "--session", "s1")
    ragpp("remember", "Berta is my aunt.", "--user", "u4", "--session", "s2")
    planned = json.loads(ragpp("forget", "user", "u4", "--dry-run", "--json"))
    assert planned["result"]["stores"]["episodic"] == {"found": {"interactions": 2}}
    session = json.loads(ragpp("forget", "session", "s1", "--user", "u4", "--yes", "--json"))
    assert session["result"]["stores"]["episodic"]["removed"] == {"interactions": 1}
    assert "interactions" in ragpp("forget", "user", "u4", "--yes")
    assert json.loads(ragpp("recall", "Who is Berta?", "--user", "u4", "--json"))["memories"] == []
    ragpp("jobs", "--stage", "erase")
    assert "nothing was found" in ragpp("forget", "session", "nobody", "--user", "u4", "--yes")


def test_who_may_forget_and_not_read_is_shown_the_report_of_its_own_erasure_and_of_no_other(ragpp: CommandLine) -> None:
    ragpp("remember", "Gustav is my uncle.", "--user", "u5", "--session", "s1")
    key, other = (json.loads(ragpp("key", "create", "--scopes", "forget", "--json"))["key"] for _ in range(2))
    assert "found again" in ragpp("forget", "session", "s1", "--user", "u5", "--yes", "--key", key)
    (job,) = json.loads(ragpp("jobs", "list", "--stage", "erase", "--user", "u5", "--json"))["items"]
    assert "MEM-022" in ragpp.ran("jobs", "show", job["id"], "--key", other, answers=1).stderr


@pytest.mark.exhaustive
def test_there_are_as_many_workers_as_asked_for_until_another_number_is(ragpp: CommandLine) -> None:
    before = ragpp.pids()
    more = json.loads(ragpp("up", "--workers", "2", "--json"))
    actions = {report["name"]: report["action"] for report in more["services"]}
    assert actions == {"gateway": "attached", "workers": "attached", "workers-2": "started"}
    two = ragpp.pids()
    assert set(two) == {*before, "workers-2"}
    assert {name: pid for name, pid in two.items() if name in before} == before
    ragpp("logs", "workers-2")
    ragpp.kill("workers-2")
    ragpp("status", answers=1)
    ragpp("up")
    revived = ragpp.pids()
    assert set(revived) == set(two)
    assert revived["workers-2"] != two["workers-2"]
    said = json.loads(ragpp("up", "--workers", "1", "--json"))
    assert [report["name"] for report in said["services"] if report["action"] == "stopped"] == ["workers-2"]
    assert ragpp.pids() == before
    ragpp.starts_nothing_more()


def test_logs_are_shown_by_name(ragpp: CommandLine) -> None:
    assert "uvicorn" in ragpp("logs", "gateway", "-n", "100000")
    ragpp("logs", "oracle", answers=2)


@pytest.mark.exhaustive
def test_in_the_foreground_what_ends_is_started_again_and_sigterm_stops_all(ragpp: CommandLine, tmp_path: Path) -> None:
    said = tmp_path / "said.txt"
    with staying(ragpp.home, "up", "--foreground", said=said) as watching:
        said_by(watching, said, "ready in")
        before = ragpp.pids()
        ragpp.kill("workers")
        waited_for(
            lambda: ragpp.pids().get("workers") not in {None, before["workers"]}, within_s=90, what="a worker anew"
        )
        assert (ragpp.home / "client.json").exists()
        watching.send_signal(signal.SIGTERM)
        assert watching.wait(60) == 0
    assert ragpp.pids() == {}
    assert not (ragpp.home / "client.json").exists()
