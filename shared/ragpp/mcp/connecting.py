"""How a tool reaches the memory, and how what it answers or is refused is told to a model."""

from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from functools import wraps
from typing import Annotated, Any, Final, ParamSpec, TypeAlias, TypeVar

from mcp.server.mcpserver import Context
from mcp_types import CallToolResult, TextContent
from pydantic import BaseModel, Field

from ragpp.client import AsyncMemoryClient
from ragpp.errors import InvalidInput, MemorySystemError

P = ParamSpec("P")
T = TypeVar("T")

LISTED: Final = 20
"""Messages that are listed before they are forgotten, and facts of each kind in a profile."""
NOTHING: Final = "Nothing is known about that."
User = Annotated[str | None, Field(description="Whose memory, where it is not the usual one's.")]
Request: TypeAlias = Context[Any, Any]
"""What the library tells of one call; tools may keep nothing in it."""


@dataclass(frozen=True, slots=True)
class Connected:
    """A client for one request. `user`: whose memory is meant where none is named, None where one has to be."""

    client: AsyncMemoryClient
    user: str | None

    def whose(self, user: str | None = None) -> str:
        """The user that is meant. Raises InvalidInput where nobody is."""
        whose = user or self.user
        if whose is None:
            raise InvalidInput("no user is named", suggestions=("Give `user`: whose memory is meant.",))
        return whose


Connect = Callable[[Mapping[str, str] | None], AbstractAsyncContextManager[Connected]]
"""Reaches the gateway for a request with these HTTP headers, None without HTTP. Raises MemorySystemError."""


def refusing(refusal: type[Exception]) -> Callable[[Callable[P, Awaitable[T]]], Callable[P, Awaitable[T]]]:
    """Tells what is refused as a `refusal` of the protocol: what is wrong, and what to do about it."""

    def decorate(function: Callable[P, Awaitable[T]]) -> Callable[P, Awaitable[T]]:
        @wraps(function)
        async def told(*args: P.args, **kwargs: P.kwargs) -> T:
            try:
                return await function(*args, **kwargs)
            except MemorySystemError as error:
                raise refusal(" ".join((f"{error.message.rstrip('.')}.", *error.suggestions))) from error

        return told

    return decorate


def answered(text: str, value: BaseModel) -> CallToolResult:
    """`text` for the model, `value` for the program around it."""
    return CallToolResult(
        content=[TextContent(type="text", text=text)], structured_content=value.model_dump(mode="json")
    )
