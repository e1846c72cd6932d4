"""A stack that stands by: started by the first assistant that comes, shared, and stopped when nobody is there."""

import os
import subprocess
import sys
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Final

import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp_types import CallToolResult, TextContent

from ragpp.errors import ConfigurationError
from ragpp_infra.embedded.home import Home
from ragpp_infra.embedded.lifecycle import Lifecycle
from ragpp_infra.embedded.services import Services
from ragpp_infra.embedded.standby import Standby, keep_for_person
from tests.support.waiting import eventually

pytestmark = pytest.mark.server
TOLD: Final = "My sister Elena moved to Porto last spring."
IS_THERE: Final = """
import sys
from pathlib import Path
from ragpp_infra.embedded.home import Home
from ragpp_infra.embedded.services import Services
from ragpp_infra.embedded.standby import Standby, keep_for_person
with Standby(Home(Path(sys.argv[1]))).attended():
    print("here", flush=True)
    input()
"""


def assistant(home: Path) -> Client:
    command = ["-m", "ragpp_infra.cli.start", "mcp", "--home", str(home), "--idle-minutes", "0.1"]
    return Client(stdio_client(StdioServerParameters(command=sys.executable, args=command, env=dict(os.environ))))


def text_of(answer: CallToolResult) -> str:
    (content,) = answer.content
    assert isinstance(content, TextContent)
    return content.text


async def answer_of(client: Client, tool: str, **arguments: object) -> str:
    """The tool's answer once the stack is there; until then the tool says that it is starting."""

    async def ask() -> CallToolResult | None:
        answer = await client.call_tool(tool, arguments)
        assert not answer.is_error or "the memory is starting" in text_of(answer)
        return None if answer.is_error else answer

    answer = await eventually(ask, within_s=300, what="the stack starts")
    assert answer is not None
    return text_of(answer)


@pytest.mark.exhaustive
@pytest.mark.timeout(900)
async def test_two_assistants_share_a_stack_that_ends_with_them(tmp_path: Path) -> None:
    lifecycle = Lifecycle(tmp_path / "stack")

    async def is_down() -> bool:
        return not lifecycle.running()

    try:
        async with AsyncExitStack() as stack:
            first = await stack.enter_async_context(assistant(lifecycle.home.path))
            second = await stack.enter_async_context(assistant(lifecycle.home.path))
            assert len((await second.list_tools()).tools) == 5, "nobody waits for the stack to be told what there is"
            await answer_of(first, "remember", text=TOLD)
            assert TOLD in await answer_of(second, "recall", question="Where is my sister?")
            lifecycle.bring_down()
            again = await answer_of(first, "recall", question="Where is my sister?")
            assert TOLD in again, "what was stopped under an assistant starts again when it asks"
        await eventually(is_down, within_s=120, what="the stack stops when nobody is there")
    finally:
        lifecycle.bring_down()


def test_an_assistant_that_was_killed_is_no_longer_there(tmp_path: Path) -> None:
    standby = Standby(Home(tmp_path / "stack"))
    command = [sys.executable, "-c", IS_THERE, str(tmp_path / "stack")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as there:
        assert there.stdout is not None
        assert there.stdout.readline() == "here\n"
        assert standby.is_attended()
        there.kill()
    assert not standby.is_attended()


def test_why_a_start_failed_is_told_to_whoever_asks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    standby = Standby(Home(tmp_path / "stack"))
    monkeypatch.setenv("GATEWAY_DEADLINE_MS", "soon")
    with standby.attended(), pytest.raises(ConfigurationError):
        standby.keep(idle_s=0.1)
    problem = standby.problem()
    assert problem is not None
    assert "GATEWAY_DEADLINE_MS" in problem.message


def test_what_a_person_started_is_left_to_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = Home(tmp_path / "stack")
    home.create()
    keep_for_person(home)
    monkeypatch.setattr(Services, "pid", lambda _services, _name: os.getpid())  # as of a gateway that runs
    monkeypatch.setattr(Lifecycle, "bring_up", lambda *_, **__: pytest.fail("it was brought up again"))
    monkeypatch.setattr(Lifecycle, "bring_down", lambda *_, **__: pytest.fail("it was stopped"))
    Standby(home).keep(idle_s=0.0)
