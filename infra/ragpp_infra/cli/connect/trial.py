"""A trial of what was written: one process remembers, another recalls, both as the editor would run them."""

import asyncio
import time
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
_EVERY_S: Final = 1.0


async def try_out(command: Command, *, within_s: float) -> str:
    """What is recalled of what was remembered; nothing of it stays. Raises StackError, with what the server said."""
    ends = time.monotonic() + within_s
    async with _started(command) as first:
        await _said(first, "remember", ends, text=TOLD, user=USER)
    async with _started(command) as second:
        recalled = await _said(second, "recall", ends, question=ASKED, user=USER)
        listed = await second.call_tool("forget", {"about": "lighthouse keeper", "user": USER})
        token = (listed.structured_content or {}).get("token")
        if token:
            await second.call_tool("forget", {"about": "lighthouse keeper", "token": token, "user": USER})
    if TOLD not in recalled:
        raise StackError(f"what was remembered was not recalled: {recalled}")
    return recalled


def _started(command: Command) -> Client:
    return Client(stdio_client(StdioServerParameters(command=command.command, args=list(command.args))))


async def _said(client: Client, tool: str, ends: float, **arguments: str) -> str:
    """What the tool says, once the stack is there."""
    while True:
        answer = await client.call_tool(tool, arguments)
        if not answer.is_error:
            return _text(answer)
        if "is starting" not in _text(answer) or time.monotonic() > ends:
            raise StackError(f"the server answers: {_text(answer)}")
        await asyncio.sleep(_EVERY_S)


def _text(answer: CallToolResult) -> str:
    return "\n".join(one.text for one in answer.content if isinstance(one, TextContent))
