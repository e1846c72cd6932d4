"""`ragpp chat --catalog`: each turn shows what was offered, chosen, given and useful, against a gateway over HTTP."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from functools import partial
from pathlib import Path

import pytest

from ragpp.errors import TierUnavailable
from ragpp.testing.llm import Answered, LlmServer
from tests.support.chatting import Run, chatting
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


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Iterator[Run]:
    yield from chatting(monkeypatch, capsys)


@pytest.fixture
def chat(run: Run, url: str) -> Run:
    """Runs `ragpp chat --catalog` with `said` on its standard input."""
    return partial(run, "chat", "--user", "u1", "--deadline", "20000", "--catalog", url=url, program="ragpp")


@pytest.fixture
async def server(monkeypatch: pytest.MonkeyPatch, chat: Run) -> AsyncIterator[LlmServer]:
    """The language model that chats and chooses."""
    del chat  # which is without a model
    async with LlmServer() as server:
        monkeypatch.setenv("LLM_CHAT", "openai:any")
        monkeypatch.setenv("LLM_OPENAI_BASE_URL", server.openai_url)
        yield server


def test_with_echo_what_is_recommended_is_chosen_and_each_turn_shows_it(chat: Run) -> None:
    done = chat("--agent", "ergon", "--echo", said=f"{ASKED}\n")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == f"you> {ASKED}"
    assert lines[1].startswith("  offered 2 memories in ")
    assert lines[2] == f"    m1   1.00 fact       {KEY}"
    assert lines[4] == "  chose m1"
    assert lines[5].startswith("  given m1 (full) in 8 tokens; ")
    assert lines[5].endswith(" of 200 tokens used")
    assert lines[6:] == [f"echo> I have learned: {KEY}", "  useful: m1 1.00"]


def test_with_json_a_turn_has_all_of_it(chat: Run) -> None:
    done = chat("--agent", "ergon", "--echo", "--json", said=f"{ASKED}\n")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)["catalog"]
    assert [one["memory_id"] for one in told["offered"]] == [id_of(KEY), id_of(SONG)]
    assert told["chosen"] == [id_of(KEY)]
    assert told["given"] == [{"handle": "m1", "memory_id": id_of(KEY), "form": "full"}]
    assert told["tokens"] == 8
    assert told["budget"]["limit"] == 200
    assert told["useful"] == {id_of(KEY): 1.0}
    assert told["job"]


def test_without_a_name_it_is_the_assistant_who_sees_its_own_memories_alone(chat: Run) -> None:
    done = chat("--echo", said=f"{KEY}\n{ASKED}\n{ASKED}\n")
    assert done.returncode == 0, done.stderr
    assert "offered 0 memories" in done.stdout
    assert SONG not in done.stdout
    assert f"echo> I have learned: {KEY}" in done.stdout


async def test_with_a_language_model_the_model_chooses_and_then_answers_from_it(chat: Run, server: LlmServer) -> None:
    server.replies(Answered(text="m2"), Answered(text="She sings."))
    done = await asyncio.to_thread(chat, "--agent", "ergon", said=f"{ASKED}\n")
    assert done.returncode == 0, done.stderr
    assert "  chose m2\n" in done.stdout
    assert "openai:any> She sings." in done.stdout
    choice, answer = (json.dumps(request.body["messages"]) for request in server.requests)
    assert "m1] The spare key" in choice
    assert SONG in answer
    assert KEY not in answer


async def test_a_model_that_answers_no_handles_is_told_and_what_is_recommended_is_taken(
    chat: Run, server: LlmServer
) -> None:
    server.replies(Answered(text="I would look under the pot."), Answered(text="Under the pot."))
    done = await asyncio.to_thread(chat, "--agent", "ergon", said=f"{ASKED}\n")
    assert done.returncode == 0, done.stderr
    assert "  chose m1, which is recommended: fallback, ValueError: the answer is not handles\n" in done.stdout
    assert "openai:any> Under the pot." in done.stdout


def test_a_memory_that_offers_nothing_for_a_failure_is_told_and_answered_without(
    chat: Run, memory: CatalogMemory
) -> None:
    memory.troubles["pre_prompt"] = memory.troubles["post_message"] = TierUnavailable("away")
    done = chat("--echo", said=f"{ASKED}\n")
    assert done.returncode == 0, done.stderr
    assert "  nothing offered: unavailable, MEM-010" in done.stdout
    assert "echo> My memory does not answer just now." in done.stdout
    assert "memory degraded: offer: unavailable" in done.stdout
    assert "judge: unavailable, post-message" in done.stdout


def test_what_was_recorded_replays_to_the_same_answer(chat: Run, run: Run, tmp_path: Path) -> None:
    file = tmp_path / "chat.jsonl"
    assert chat("--echo", "--record", str(file), said=f"{KEY}\n{ASKED}\n").returncode == 0
    done = run("replay", str(file))
    assert (done.returncode, done.stdout.splitlines()) == (0, ["1: same answer", "2: same answer"])


def test_the_help_has_an_example(chat: Run) -> None:
    done = chat("--help", said="")
    assert "ragpp chat --user u1 --catalog --agent ergon" in done.stdout
