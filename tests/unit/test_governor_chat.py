"""`ragpp chat` and the replay of what it recorded, against a gateway over HTTP."""

import asyncio
import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from ragpp.errors import Unauthenticated
from ragpp.testing.llm import Answered, Failed, LlmServer
from tests.support.chatting import ANY_KEY, Run, chatting
from tests.support.governor import KeepingMemory, served

CHAT = ("chat", "--user", "u1", "--deadline", "20000")


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Iterator[Run]:
    yield from chatting(monkeypatch, capsys)


@pytest.fixture
def memory() -> KeepingMemory:
    return KeepingMemory()


@pytest.fixture
def url(memory: KeepingMemory) -> Iterator[str]:
    with served(memory) as address:
        yield address


def test_three_sessions_with_a_day_between_them_and_the_third_uses_what_the_first_said(
    run: Run, url: str, memory: KeepingMemory
) -> None:
    days = {
        "2026-03-07T09:00Z": "The spare key is under the blue pot.",
        "2026-03-08T09:00Z": "I had soup today.",
        "2026-03-09T09:00Z": "Where did I put the spare key?",
    }
    for at, line in days.items():
        done = run(*CHAT, "--echo", "--at", at, said=f"{line}\n\n", url=url)
        assert done.returncode == 0, done.stderr
    assert "you> Where did I put the spare key?" in done.stdout
    assert "recalled 1 memory in " in done.stdout
    assert "echo> On 7 March 2026 you said: “The spare key is under the blue pot.”" in done.stdout
    assert len({session for session, _ in memory.kept.values()}) == 3
    assert ANY_KEY not in done.stdout + done.stderr


def test_with_json_each_turn_is_one_object(run: Run, url: str) -> None:
    done = run(
        *CHAT, "--echo", "--json", "--session", "s1", said="The key is in the shed.\nWhere is the key?\n", url=url
    )
    assert done.returncode == 0, done.stderr
    first, second = (json.loads(line) for line in done.stdout.splitlines())
    assert first["response"]["text"] == "Noted."
    assert second["memories_used"][0]["cited"] is True
    assert second["recall_ms"] > 0


def test_that_nothing_recalled_is_about_the_question_is_shown(run: Run, url: str, memory: KeepingMemory) -> None:
    memory.relevance = "none"
    done = run(*CHAT, "--echo", said="The key is in the shed.\nWhich key opens the cellar?\n", url=url)
    assert "recalled 1 memory in " in done.stdout
    assert "none of which seems to be about it" in done.stdout
    assert "echo> I remember nothing about that." in done.stdout


def test_what_was_recorded_replays_to_the_same_answers(run: Run, url: str, tmp_path: Path) -> None:
    file = tmp_path / "chat.jsonl"
    run(*CHAT, "--echo", "--record", str(file), said="The key is in the shed.\nWhere is the key?\n", url=url)
    assert file.stat().st_mode & 0o077 == 0
    done = run("replay", str(file))
    assert (done.returncode, done.stdout.splitlines()) == (0, ["1: same answer", "2: same answer"])
    file.write_text(file.read_text(encoding="utf-8").replace("in the shed", "in the barn", 1), encoding="utf-8")
    done = run("replay", str(file))
    assert done.returncode == 1
    assert "MEM-051" in done.stdout


def test_without_a_language_model_it_says_what_to_set(run: Run, url: str) -> None:
    done = run(*CHAT, said="hello\n", url=url)
    assert done.returncode == 1
    assert "LLM_CHAT" in done.stderr
    assert "--echo" in done.stderr


async def test_a_language_model_is_given_what_is_remembered_and_its_answer_is_kept(
    run: Run, url: str, memory: KeepingMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with LlmServer() as server:
        monkeypatch.setenv("LLM_CHAT", "openai:any")
        monkeypatch.setenv("LLM_OPENAI_BASE_URL", server.openai_url)
        server.replies(Answered(text="I will keep that in mind."), Answered(text="It is in the shed."))
        said = "The key is in the shed.\nWhere is the key?\n"
        done = await asyncio.to_thread(run, *CHAT, "--persona", "You are Ada.", said=said, url=url)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "openai:any> It is in the shed."
    messages = json.dumps(server.requests[1].body["messages"])
    assert "You are Ada." in messages
    assert "The key is in the shed." in messages
    assert "It is in the shed." in {message.content for message in memory.of("u1")}


async def test_a_language_model_that_fails_is_told_and_the_message_is_kept_all_the_same(
    run: Run, url: str, memory: KeepingMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with LlmServer() as server:
        monkeypatch.setenv("LLM_CHAT", "openai:any")
        monkeypatch.setenv("LLM_OPENAI_BASE_URL", server.openai_url)
        server.replies(Failed(status=401, message="no such key"))
        done = await asyncio.to_thread(run, *CHAT, said="Where is the key?\n", url=url)
    assert done.returncode == 1
    assert "MEM-050" in done.stderr
    assert [message.content for message in memory.of("u1")] == ["Where is the key?"]


def test_where_nothing_listens_it_answers_3(run: Run) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        free = f"http://127.0.0.1:{taken.getsockname()[1]}"
    done = run(*CHAT, "--echo", said="hello\n", url=free)
    assert done.returncode == 3
    assert "ragpp up" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_wrong_moment_is_refused_with_an_example(run: Run, url: str) -> None:
    done = run(*CHAT, "--echo", "--at", "yesterday", said="hello\n", url=url)
    assert done.returncode == 1
    assert "2026-03-08" in done.stderr


def test_a_memory_that_fails_degrades_the_answer_and_is_told(run: Run, url: str, memory: KeepingMemory) -> None:
    memory.fails = Unauthenticated("the key was revoked")
    done = run(*CHAT, "--echo", said="Where is the key?\n", url=url)
    assert done.returncode == 0
    assert "echo> My memory does not answer just now." in done.stdout
    assert "memory degraded" in done.stdout
    assert "MEM-021" in done.stdout


def test_a_line_that_no_message_can_be_is_told_and_the_chat_goes_on(run: Run, url: str) -> None:
    done = run(*CHAT, "--echo", "--json", said="x" * 100_001 + "\nhello\n", url=url)
    assert done.returncode == 1
    assert json.loads(done.stderr)["code"] == "MEM-020"
    assert json.loads(done.stdout)["said"] == "hello"


def test_ragpp_chat_becomes_the_governor_and_answers_as_it_does(url: str) -> None:
    hidden = ("RAGPP_", "LLM_")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(hidden)}
    done = subprocess.run(
        [sys.executable, "-m", "ragpp_infra.cli.main", "chat", "--user", "u1", "--echo", "--deadline", "20000"],
        input="The key is in the shed.\nWhere is the key?\n",
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
        env=environment | {"RAGPP_URL": url, "RAGPP_API_KEY": ANY_KEY},
    )
    assert done.returncode == 0, done.stderr
    assert "you said: “The key is in the shed.”" in done.stdout
    assert ANY_KEY not in done.stdout + done.stderr
