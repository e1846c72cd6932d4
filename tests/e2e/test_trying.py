"""`ragpp try` on a running stack: what is learned of an export is shown, judged, asked and erased."""

import asyncio
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from ragpp.client import AsyncMemoryClient
from ragpp_infra.cli.import_work import HowToRead, read_file
from ragpp_infra.cli.ingest import ingest
from ragpp_infra.cli.trying.command import USER
from ragpp_infra.cli.trying.dialogue import Dialogue, act
from ragpp_infra.cli.trying.own_stack import OwnStack
from ragpp_infra.cli.trying.things import things_of
from ragpp_infra.embedded.lifecycle import Lifecycle
from tests.support.command_line import runner
from tests.support.exports import exported
from tests.support.real_gateway import RealGateway
from tests.support.stack_commands import CommandLine

pytestmark = [pytest.mark.server, pytest.mark.timeout(900)]


@pytest.fixture
def ragpp(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Iterator[CommandLine]:
    home = tmp_path / "stack-try"
    yield CommandLine(home, runner(monkeypatch, capsys))
    Lifecycle(home).bring_down(fast=True)


async def test_what_is_wrong_is_believed_no_more_and_what_is_forgotten_is_not_even_found(
    gateway: RealGateway, memory: AsyncMemoryClient, tenant: str, tmp_path: Path
) -> None:
    read = read_file(exported("chatgpt", tmp_path), HowToRead())
    await ingest(memory, USER, read.lines.good)
    await gateway.digest(tenant)
    things = await things_of(memory, USER)
    sentences = [thing.sentence for thing in things]
    assert len(set(sentences)) == len(sentences) > 10
    diet, origin = (next(one for one in things if word in one.sentence) for word in ("walnuts", "Valencia"))
    assert {item.kind for item in diet.items} == {"finding", "relationship"}
    await act(memory, USER, diet, "forget")
    await act(memory, USER, origin, "wrong")
    await gateway.digest(tenant)
    left = {one.sentence for one in await things_of(memory, USER)}
    assert left == set(sentences) - {diet.sentence, origin.sentence}
    found = await memory.recall(user_id=USER, query="Is Lieke, who is from Valencia, allergic to walnuts?", limit=50)
    contents = " ".join(one.text for one in found.memories)
    assert "walnuts" not in contents
    assert "I'm from Valencia" in contents  # that was said, whatever is believed of it


@pytest.mark.exhaustive
def test_an_export_is_tried_judged_asked_and_erased_and_nothing_is_left(
    ragpp: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    home = ("--home", str(ragpp.home))
    monkeypatch.setenv("LLM_EXTRACTION", "openai:somewhere-else")  # which a trial never asks
    stack = OwnStack(ragpp.home)
    try:
        stack.start(quiet=True)
        told = json.loads(ragpp("try", str(exported("chatgpt", tmp_path)), *home, "--json"))
        assert (told["kind"], told["stored"], told["user"]) == ("chatgpt", 41, USER)
        assert "gateway" in ragpp.pids()  # it ran before
        sentences = [thing["sentence"] for thing in told["things"]]
        assert len(set(sentences)) == len(sentences)
        assert any("Lieke is allergic to walnuts" in sentence for sentence in sentences)
        with asyncio.Runner() as run:
            client = run.run(stack.home.client().__aenter__())
            try:
                things = run.run(things_of(client, USER))
                places = {
                    word: next(number for number, one in enumerate(things, start=1) if word in one.sentence)
                    for word in ("walnuts", "Valencia")
                }
                lines = iter(
                    (f"forget {places['walnuts']}, wrong {places['Valencia']}", "ask", "Where am I from?", "", "keep")
                )
                dialogue = Dialogue(run, client, USER, ask=lambda _: next(lines))
                dialogue.judge(things)
                dialogue.answer()
                assert dialogue.wants_to_keep()
                left = " ".join(one.sentence for one in run.run(things_of(client, USER)))
            finally:
                run.run(client.__aexit__(None, None, None))
        assert not re.search("walnuts|Valencia", left)
        assert "from Valencia" in capsys.readouterr().out  # it was said, and stays so
        assert "walnuts" not in ragpp("recall", "What is Lieke allergic to?", "--user", USER)
        report = json.loads(ragpp("try", "--erase", *home, "--json"))
    finally:
        stack.stop()
    found = report["erased"]["stores"]["episodic"]
    assert found["found"]["interactions"] == found["removed"]["interactions"] > 0
    assert not ragpp.home.exists()
