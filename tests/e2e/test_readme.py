"""Every command and program of the README and of the documentation works, in the order of its page, on one stack."""

import asyncio
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from ragpp.testing.llm import Answered, LlmServer
from ragpp_infra.embedded.lifecycle import Lifecycle
from tests.support.documentation import PAGES, blocks, environment, follow, ran
from tests.support.real_gateway import PATIENT

pytestmark = [pytest.mark.server, pytest.mark.timeout(900)]

COMMAND: Final = re.compile(r"^\$ ((?:.*\\\n)*.*)\n((?:(?!\$ ).*\n?)*)", re.MULTILINE)
VARIES: Final = re.compile(r"\d{4}-\d\d-\d\d( \d\d:\d\d:\d\d)?|\d+\.\d m?s\b|\b[01]\.\d\d\b|│")
"""Days, durations, scores, and what a context is framed by."""


def lines(text: str) -> list[str]:
    """The lines of `text`, but for spaces and what varies; without those that are empty or left out."""
    found = (" ".join(VARIES.sub(" ", line).split()) for line in text.splitlines())
    return [line for line in found if line not in {"", "…"}]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Where the pages are followed; their stack is stopped afterwards whatever happened."""
    path = tmp_path_factory.mktemp("readme")
    yield path
    Lifecycle(path / ".ragpp").bring_down(fast=True)


@pytest.fixture
def running(folder: Path) -> Path:
    """The folder, with a stack that runs; the README's, where that came first."""
    ran(["ragpp", "up"], folder, environment(**PATIENT))
    return folder


def test_the_readme_can_be_followed_from_top_to_bottom(folder: Path) -> None:
    said = follow("README.md", folder, **PATIENT)
    assert "Porto" in said[1]
    assert "trains" in said[2]


async def test_the_tutorials_assistant_knows_in_another_session_what_it_was_told(running: Path) -> None:
    async with LlmServer() as model:
        model.answers(lambda _: Answered(text="I see."))
        of_model = {"OPENAI_BASE_URL": model.openai_url, "OPENAI_API_KEY": "none", "MODEL": "scripted"}
        said = await asyncio.to_thread(follow, "docs/tutorial.md", running, **PATIENT, **of_model)
    prompts = [json.dumps(request.body).partition('"role": "user"')[0] for request in model.requests]  # of the system
    assert ["Porto" in prompt for prompt in prompts] == [False, True, True]
    assert "Porto" in said[2]
    assert "Elena LIVES_IN Lisbon" in said[3]
    assert "Elena LIVES_IN Porto" not in said[3]
    assert "no message is about it" in said[4]


@pytest.mark.exhaustive
def test_every_command_of_the_documentation_works(running: Path) -> None:
    for page in PAGES:
        assert follow(page, running, **PATIENT), page


@pytest.mark.exhaustive
def test_the_catalogs_page_shows_what_is_answered(running: Path) -> None:
    page = "docs/catalog.md"
    call, prices, *sessions = (block.text for block in blocks(page) if block.language == "text")
    (running / "call.txt").write_text(call, encoding="utf-8")
    (running / "handbook").mkdir()
    (running / "handbook" / "prices.md").write_text(prices, encoding="utf-8")
    compared = 0
    for command, answer in (found for session in sessions for found in COMMAND.findall(session)):
        if " show " in command:  # the page is made anew behind what was deleted
            made = "ragpp catalog categories consolidate product_knowledge --user studio"
            ran(["bash", "-c", made], running, environment(**PATIENT))
        said = lines(ran(["bash", "-euo", "pipefail", "-c", command], running, environment(**PATIENT)))
        missing = [line for line in lines(answer) if line not in said]
        assert not missing, f"{command}\n{missing}\n{said}"
        compared += len(lines(answer))
    assert compared > 30
    assert len(follow(page, running, **PATIENT)) == 3
