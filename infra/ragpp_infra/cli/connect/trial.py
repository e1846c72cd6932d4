"""A trial of what was written: one process remembers, another recalls, both as the editor would run them."""

import asyncio
import os
from typing import Final

from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp_types import CallToolResult, TextContent

from ragpp.errors import StackError
from ragpp_infra.cli.connect.editors import Command

USER: Final = "ragpp-connect"
"""Whose memory is tried: nobody's."""
TOLD: Final = "The lighthouse keeper prefers cardamom in her coffee."
ASKED: Final = "What does the lighthouse keeper like in her coffee?"
_ABOUT: Final = "lighthouse keeper"
_EVERY_S: Final = 1.0


async def try_out(command: Command, *, within_s: float) -> str:
    """The text recalled of what was remembered; nothing of it stays. Raises StackError, with what the server said."""
    try:
        async with asyncio.timeout(within_s):
            return await _tried(command)
    except TimeoutError as error:
        raise StackError(f"the server has not answered within {within_s:.0f} s") from error
    except BaseExceptionGroup as errors:  # as the library's tasks raise what happens within them
        told = errors.subgroup(StackError)
        if told is not None:
            raise _first(told) from errors
        raise StackError(
            "the server ended before it answered", suggestions=(f"Run it by hand: {command.command} --help",)
        ) from errors


async def _tried(command: Command) -> str:
    async with _started(command) as first:
        await _said(first, "remember", text=TOLD, user=USER)
    async with _started(command) as second:
        try:
            recalled = await _said(second, "recall", question=ASKED, user=USER)
        finally:
            listed = await second.call_tool("forget", {"about": _ABOUT, "user": USER})
            token = (listed.structured_content or {}).get("token")
            if token:
                await _said(second, "forget", about=_ABOUT, token=token, user=USER)
    if TOLD not in recalled:
        raise StackError(f"what was remembered was not recalled: {recalled}")
    return recalled


def _first(errors: BaseExceptionGroup[StackError]) -> StackError:
    one = errors.exceptions[0]
    return _first(one) if isinstance(one, BaseExceptionGroup) else one


def _started(command: Command) -> Client:
    # the library passes next to nothing on, and an editor its own: a proxy, the settings
    server = StdioServerParameters(command=command.command, args=list(command.args), env=dict(os.environ))
    return Client(stdio_client(server))


async def _said(client: Client, tool: str, **arguments: str) -> str:
    """The tool's answer, once the stack is there."""
    while True:
        answer = await client.call_tool(tool, arguments)
        if not answer.is_error:
            return _text(answer)
        if "is starting" not in _text(answer):
            raise StackError(f"the server answers: {_text(answer)}")
        await asyncio.sleep(_EVERY_S)


def _text(answer: CallToolResult) -> str:
    return "\n".join(one.text for one in answer.content if isinstance(one, TextContent))
