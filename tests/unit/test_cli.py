"""The command line: its exit codes, and what it shows of text that came from anywhere."""

import io
import json
import os
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import version
from pathlib import Path

import pytest
from rich.console import Console

from ragpp.api import FoundMessage, RecalledMemory, RecallRequest, RecallResponse, Relevance, TierStatus
from ragpp.client import AsyncMemoryClient
from ragpp.errors import InvalidInput, NotFound
from ragpp.jobs import Job
from ragpp.models import Page
from ragpp_infra.cli.arguments import checked, parse_moment, parse_tiers
from ragpp_infra.cli.console import plain
from ragpp_infra.cli.forget_about import shown
from ragpp_infra.cli.jobs_command import jobs_table
from ragpp_infra.cli.render import counted, digesting, recall_view
from ragpp_infra.embedded.home import Home
from ragpp_infra.embedded.keys import problem_told
from ragpp_infra.embedded.processes import birth
from tests.support import values
from tests.support.command_line import Done
from tests.support.each import each_case

DRIVERS = frozenset({"asyncpg", "httpx", "neo4j", "redis"})
SERVICES = frozenset({"celery", "fastapi", "numpy", "onnx", "onnxruntime", "ragpp_services", "spacy", "tokenizers"})
LOADED = """
import sys
from ragpp_infra.cli.main import main

for command in sys.argv[1:]:
    sys.argv = ["ragpp", *command.split()]
    try:
        main()
    except SystemExit as left:
        code = left.code
    print("after", command, code, *{name.partition(".")[0] for name, one in sys.modules.items() if one}, sep="\\t")
"""
COMMANDS = {
    "--help": 0,
    "status": 3,
    "down": 0,
    "env": 3,
    "up --help": 0,
    "recall anything --user u1": 3,
}
"""The exit code of each where no stack is; the one that needs httpx is the last."""


def test_a_command_waits_for_no_module_that_it_does_not_need(tmp_path: Path) -> None:
    """In a process of their own, which has loaded nothing else."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("RAGPP_")}
    done = subprocess.run(
        [sys.executable, "-c", LOADED, *COMMANDS],
        capture_output=True,
        text=True,
        check=True,
        env=kept | {"RAGPP_HOME": str(tmp_path / "none")},
    )
    told = [line.split("\t")[1:] for line in done.stdout.splitlines() if line.startswith("after\t")]
    loaded = {command: set(modules) for command, _, *modules in told}
    assert {command: int(code) for command, code, *_ in told} == COMMANDS
    assert all({"typer", "ragpp_infra"} <= modules for modules in loaded.values())
    too_much = {command: modules & (DRIVERS | SERVICES) for command, modules in loaded.items()}
    too_much["recall anything --user u1"] -= {"httpx"}
    assert not any(too_much.values()), too_much


@each_case("name", ["oracle", "workers-1", "workers-9", "../key"])
def test_the_log_of_what_cannot_be_is_refused_with_the_choice(
    name: str, ragpp: Callable[..., Done], tmp_path: Path
) -> None:
    done = ragpp("logs", name, home=tmp_path)
    assert done.returncode == 2
    assert "gateway, workers, postgres" in done.stderr


def test_the_log_of_a_worker_that_was_stopped_can_be_read(ragpp: Callable[..., Done], tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "workers-2.log").write_text("its last words\n", encoding="utf-8")
    assert ragpp("logs", "workers-2", home=tmp_path).stdout == "its last words\n"
    assert ragpp("logs", home=tmp_path).returncode == 3


def test_status_of_a_stack_that_never_ran_answers_3(ragpp: Callable[..., Done], tmp_path: Path) -> None:
    done = ragpp("status", "--json", home=tmp_path / "none")
    assert done.returncode == 3
    assert [row["running"] for row in json.loads(done.stdout)["servers"]] == [False] * 5
    assert not (tmp_path / "none").exists()


def test_a_gateway_elsewhere_without_a_key_is_told_as_that(ragpp: Callable[..., Done], tmp_path: Path) -> None:
    """It was told that there is no embedded stack, to whoever runs containers and wants none."""
    done = ragpp("demo", "--url", "http://127.0.0.1:1", home=tmp_path)
    assert done.returncode == 1
    assert "RAGPP_API_KEY" in done.stderr
    assert "embedded" not in done.stderr


def test_a_bad_file_is_refused_before_anything_is_sent(ragpp: Callable[..., Done], tmp_path: Path) -> None:
    file = tmp_path / "bad.jsonl"
    file.write_text('{"content": "good"}\n{"content": 3}\n', encoding="utf-8")
    done = ragpp("ingest", str(file), "--user", "u1", "--url", "http://127.0.0.1:9", "--key", "k", home=tmp_path)
    assert done.returncode == 1
    assert "line 2" in done.stderr
    assert "nothing was stored" in done.stderr


@each_case("what", [("user", "u1"), ("session", "s1", "--user", "u1")])
def test_what_forgets_for_good_asks_first_or_is_told_that_it_is_meant(
    ragpp: Callable[..., Done], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: tuple[str, ...]
) -> None:
    monkeypatch.setattr("ragpp.client.AsyncMemoryClient", partial(AsyncMemoryClient, backoff_s=0.01))
    nobody = ("--url", "http://127.0.0.1:1", "--key", "rp_x")
    monkeypatch.setattr("sys.stdin", io.StringIO("n\n"))
    declined = ragpp("forget", *what, *nobody, home=tmp_path)
    assert declined.returncode == 1
    assert "for good?" in declined.stdout
    unanswerable = ragpp("forget", *what, *nobody, "--json", home=tmp_path)
    assert unanswerable.returncode == 1
    assert "--yes" in unanswerable.stderr
    for meant in ("--yes", "--dry-run"):
        assert ragpp("forget", *what, *nobody, meant, home=tmp_path).returncode == 3  # it went to ask the gateway


def test_the_version_is_told_without_a_command(ragpp: Callable[..., Done], tmp_path: Path) -> None:
    done = ragpp("--version", home=tmp_path)
    assert (done.returncode, done.stdout) == (0, f"ragpp {version('ragpp')}\n")


def test_env_of_a_stack_that_is_down_says_so_beside_what_a_shell_takes(
    ragpp: Callable[..., Done], tmp_path: Path
) -> None:
    home = Home(tmp_path)
    home.create()
    home.write_key("rp_x")
    home.remember("gateway_port", "8700")
    done = ragpp("env", home=tmp_path)
    assert (done.returncode, done.stdout) == (0, "RAGPP_URL=http://127.0.0.1:8700\nRAGPP_API_KEY=rp_x\n")
    assert "not running" in done.stderr
    (home.run / "gateway.pid").write_text(f"{os.getpid()}\n{birth(os.getpid())}\n", encoding="utf-8")
    assert ragpp("env", home=tmp_path).stderr == ""


def test_what_the_key_command_refuses_is_a_problem_of_its_code() -> None:
    refused = problem_told("a warning\nMEM-012 there is no valid key nope\n")
    assert isinstance(refused, NotFound)
    assert refused.message == "there is no valid key nope"
    assert "ragpp key list" in refused.suggestions[0]
    assert problem_told("Traceback (most recent call last):\nKeyError\n") is None


def test_a_job_is_one_line_however_long_what_it_is_about_and_whole_alone() -> None:
    about = "c961b06512104de38e0ba7a61fdeb1ac" * 2
    noon = datetime(2024, 5, 1, 12, tzinfo=UTC)
    job = values.job(noon, "observe", id="4711.observe", kind="interaction", subject_id=about, state="done", attempts=1)

    def lines(*, whole: bool) -> list[str]:
        console = Console(width=80, file=io.StringIO(), record=True)
        console.print(jobs_table(Page[Job](items=(job,)), whole=whole))
        return console.export_text().splitlines()

    _, line = lines(whole=False)
    assert about[:6] in line
    assert line.count("2024-05-01 12:00") == 2
    column = lines(whole=False)[0].index("about")
    assert "".join(line[column : column + 12].split()[0] for line in lines(whole=True)[1:]) == about


def test_no_control_character_of_a_memory_reaches_the_terminal() -> None:
    hostile = "\x1b]0;title\x07 [red]markup[/red] \x9b31m\x00"
    assert "\x1b" not in plain(hostile)
    assert "\x9b" not in plain(hostile)
    memory = RecalledMemory(id="m", tier="episodic", kind="interaction", text=hostile, score=0.5, said_by="\x1b[31mEve")
    answer = RecallResponse(
        status="partial",
        context=hostile,
        tokens=3,
        elapsed_ms=1.0,
        retrieved_at=datetime(2024, 5, 1, tzinfo=UTC),
        receipt_pending=0,
        sections=(),
        memories=(memory,),
        tiers={"semantic": TierStatus(status="timeout", ms=500.0, detail="\x1b[2J")},
    )
    console = Console(width=200, record=True, file=io.StringIO())
    console.print(recall_view(answer))
    shown = console.export_text()
    assert "\x1b" not in shown
    assert "[red]markup[/red]" in shown
    assert "timeout" in shown


@each_case(
    ("relevance", "line"),
    [
        ("none", "relevance none: nothing that was found seems to be about the question"),
        ("some", "relevance some: something that was found may be about the question"),
        ("clear", "relevance clear: something that was found is about the question"),
        (None, None),
    ],
)
def test_a_person_is_told_whether_anything_that_was_found_is_about_the_question(
    relevance: Relevance | None, line: str | None
) -> None:
    answer = RecallResponse(
        status="complete",
        context="",
        tokens=0,
        elapsed_ms=1.0,
        retrieved_at=datetime(2024, 5, 1, tzinfo=UTC),
        receipt_pending=0,
        relevance=relevance,
        sections=(),
        memories=(RecalledMemory(id="m", tier="episodic", kind="interaction", text="I had soup.", score=0.1),),
        tiers={},
    )
    console = Console(width=200, record=True, file=io.StringIO())
    console.print(recall_view(answer))
    told = [one.strip() for one in console.export_text().splitlines() if one.startswith("relevance")]
    assert told == ([] if line is None else [line])


def test_a_number_agrees_with_what_it_counts() -> None:
    assert [counted(number, "entities") for number in (0, 1, 2_000)] == ["0 entities", "1 entity", "2,000 entities"]
    assert [counted(number, "findings") for number in (1, 2)] == ["1 finding", "2 findings"]


def test_what_is_still_being_digested_is_told_in_one_line() -> None:
    assert [len(digesting(pending)) for pending in (-1, 0, 1)] == [0, 0, 1]


def test_the_text_of_what_would_be_forgotten_has_the_width_of_the_terminal() -> None:
    said = "My sister Sofia moved to Porto, and she has a dog called Bruno now."
    one = FoundMessage(
        id="m_c961b06512104de38e0ba7a61fdeb1ac",
        session_id="s1",
        role="user",
        name="Maria",
        occurred_at=datetime(2024, 5, 1, tzinfo=UTC),
        excerpt=said,
        why=("mention", "name"),
    )
    console = Console(width=80, file=io.StringIO(), record=True)
    console.print(shown(one))
    heading, text = console.export_text().splitlines()
    assert heading.endswith(one.id)
    assert text.strip() == said


def test_a_moment_without_a_zone_is_utc() -> None:
    assert parse_moment("2026-03-08", "--at") == datetime(2026, 3, 8, tzinfo=UTC)
    assert parse_moment("2026-03-08T10:00:00+02:00", "--at") == datetime(2026, 3, 8, 8, tzinfo=UTC)
    with pytest.raises(InvalidInput, match="--at: 'yesterday' is no moment"):
        parse_moment("yesterday", "--at")


def test_tiers_are_named_and_an_unknown_one_is_refused_with_the_choice() -> None:
    assert parse_tiers("episodic, semantic") == ["episodic", "semantic"]
    with pytest.raises(InvalidInput) as caught:
        parse_tiers("episodic,cache")
    assert "short_term" in caught.value.suggestions[0]


def test_a_value_that_does_not_fit_is_named_by_its_field() -> None:
    with pytest.raises(InvalidInput, match="limit"):
        checked(RecallRequest, {"user_id": "u1", "query": "x", "limit": 0})
