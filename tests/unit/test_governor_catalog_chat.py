"""`ragpp chat --catalog`: each turn shows what was offered, chosen, given and useful, against a gateway over HTTP."""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from ragpp.errors import TierUnavailable
from ragpp.testing.llm import Answered, LlmServer
from tests.support.choosing import CatalogMemory, id_of
from tests.support.governor import served

KEY = "The spare key is under the blue pot."
SONG = "Noor sings in a choir."
ASKED = "Where is the spare key?"


@pytest.fixture
def memory() -> CatalogMemory:
    return CatalogMemory(SONG, KEY, ci="ergon")


@pytest.fixture
def url(memory: CatalogMemory) -> Iterator[str]:
    with served(memory) as address:
        yield address


def chat(url: str, *arguments: str, said: str, **settings: str) -> subprocess.CompletedProcess[str]:
    """`ragpp chat --catalog` in a process of its own, with `said` on its standard input."""
    hidden = ("RAGPP_", "LLM_")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(hidden)}
    command = [sys.executable, "-m", "ragpp_infra.cli.main", "chat", "--user", "u1", "--deadline", "20000", "--catalog"]
    return subprocess.run(
        [*command, *arguments],
        input=said,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
        env=environment | {"RAGPP_URL": url, "RAGPP_API_KEY": "rk_test"} | settings,
    )


def test_with_echo_what_is_recommended_is_chosen_and_each_turn_shows_it(url: str) -> None:
    done = chat(url, "--agent", "ergon", "--echo", said=f"{ASKED}\n")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == f"you> {ASKED}"
    assert lines[1].startswith("  offered 2 memories in ")
    assert lines[2] == f"    m1   1.00 fact       {KEY}"
    assert lines[4] == "  chose m1"
    assert lines[5].startswith("  given m1 (full) in 8 tokens; ")
    assert lines[5].endswith(" of 200 tokens used")
    assert lines[6:] == [f"echo> I have learned: {KEY}", "  useful: m1 1.00"]


def test_with_json_a_turn_has_all_of_it(url: str) -> None:
    done = chat(url, "--agent", "ergon", "--echo", "--json", said=f"{ASKED}\n")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)["catalog"]
    assert [one["memory_id"] for one in told["offered"]] == [id_of(KEY), id_of(SONG)]
    assert told["chosen"] == [id_of(KEY)]
    assert told["given"] == [{"handle": "m1", "memory_id": id_of(KEY), "form": "full"}]
    assert told["tokens"] == 8
    assert told["budget"]["limit"] == 200
    assert told["useful"] == {id_of(KEY): 1.0}
    assert told["job"]


def test_without_a_name_it_is_the_assistant_who_sees_its_own_memories_alone(url: str) -> None:
    done = chat(url, "--echo", said=f"{KEY}\n{ASKED}\n{ASKED}\n")
    assert done.returncode == 0, done.stderr
    assert "offered 0 memories" in done.stdout
    assert SONG not in done.stdout
    assert f"echo> I have learned: {KEY}" in done.stdout


async def test_with_a_language_model_the_model_chooses_and_then_answers_from_it(url: str) -> None:
    async with LlmServer() as server:
        server.replies(Answered(text="m2"), Answered(text="She sings."))
        settings = {"LLM_CHAT": "openai:any", "LLM_OPENAI_BASE_URL": server.openai_url}
        done = await asyncio.to_thread(chat, url, "--agent", "ergon", said=f"{ASKED}\n", **settings)
    assert done.returncode == 0, done.stderr
    assert "  chose m2\n" in done.stdout
    assert "openai:any> She sings." in done.stdout
    choice, answer = (json.dumps(request.body["messages"]) for request in server.requests)
    assert "m1] The spare key" in choice
    assert SONG in answer
    assert KEY not in answer


async def test_a_model_that_answers_no_handles_is_told_and_what_is_recommended_is_taken(url: str) -> None:
    async with LlmServer() as server:
        server.replies(Answered(text="I would look under the pot."), Answered(text="Under the pot."))
        settings = {"LLM_CHAT": "openai:any", "LLM_OPENAI_BASE_URL": server.openai_url}
        done = await asyncio.to_thread(chat, url, "--agent", "ergon", said=f"{ASKED}\n", **settings)
    assert done.returncode == 0, done.stderr
    assert "  chose m1, which is recommended: fallback, ValueError: the answer is not handles\n" in done.stdout
    assert "openai:any> Under the pot." in done.stdout


def test_a_memory_that_offers_nothing_for_a_failure_is_told_and_answered_without(
    url: str, memory: CatalogMemory
) -> None:
    memory.troubles["pre_prompt"] = memory.troubles["post_message"] = TierUnavailable("away")
    done = chat(url, "--echo", said=f"{ASKED}\n")
    assert done.returncode == 0, done.stderr
    assert "  nothing offered: unavailable, MEM-010" in done.stdout
    assert "echo> My memory does not answer just now." in done.stdout
    assert "memory degraded: offer: unavailable" in done.stdout
    assert "judge: unavailable, post-message" in done.stdout


def test_what_was_recorded_replays_to_the_same_answer(url: str, tmp_path: Path) -> None:
    file = tmp_path / "chat.jsonl"
    assert chat(url, "--echo", "--record", str(file), said=f"{KEY}\n{ASKED}\n").returncode == 0
    command = [sys.executable, "-m", "ragpp_services.governor", "replay", str(file)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)
    assert (done.returncode, done.stdout.splitlines()) == (0, ["1: same answer", "2: same answer"])


def test_the_help_has_an_example(url: str) -> None:
    done = chat(url, "--help", said="")
    assert "ragpp chat --user u1 --catalog --agent ergon" in done.stdout
