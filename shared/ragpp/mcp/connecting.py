"""How a tool reaches the memory, and how what it answers is told to a model."""

from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Annotated, Any, Final, TypeAlias

from mcp.server.mcpserver import Context
from mcp_types import CallToolResult, TextContent
from pydantic import BaseModel, Field

from ragpp.client import AsyncMemoryClient
from ragpp.errors import InvalidInput

LISTED: Final = 20
"""Messages that are listed before they are forgotten, and facts of each kind in a profile."""
NOTHING: Final = "Nothing is known about that."
NAME_ONE: Final = "Give `user`: whose memory is meant. Or use a key bound to one: `ragpp key create --user ana`."
User = Annotated[str | None, Field(description="Whose memory, where it is not the usual one's.")]
Request: TypeAlias = Context[Any, Any]
"""The library's context of one call; tools may keep nothing in it."""


@dataclass(frozen=True, slots=True)
class Connected:
    """A client for one request. `user`: whose memory is meant where none is named, None where one has to be."""

    client: AsyncMemoryClient
    user: str | None

    def whose(self, user: str | None = None) -> str:
        """The user that is meant. Raises InvalidInput where nobody is."""
        whose = self.usual(user)
        if whose is None:
            raise InvalidInput("no user is named", suggestions=(NAME_ONE,))
        return whose

    def usual(self, user: str | None) -> str | None:
        """The same where nobody need be meant. Raises InvalidInput for a name that is empty."""
        if user is not None and not user.strip():
            raise InvalidInput("user: is empty", suggestions=("Leave it out, or say whose memory is meant.",))
        return user or self.user or None


Connect = Callable[[Mapping[str, str] | None], AbstractAsyncContextManager[Connected]]
"""Reaches the gateway for a request with these HTTP headers, None without HTTP. Raises MemorySystemError."""
UsualUser = Callable[[Mapping[str, str] | None], Awaitable[str | None]]
"""Whose memory is meant by such a request where it names nobody, known without a connection; None where one has to."""


def answered(text: str, value: BaseModel) -> CallToolResult:
    """`text` for the model, `value` for the program around it."""
    return CallToolResult(
        content=[TextContent(type="text", text=text)], structured_content=value.model_dump(mode="json")
    )
