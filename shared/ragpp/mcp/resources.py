"""Things that a person puts into a conversation by hand: resources, and a prompt."""

from collections.abc import Mapping
from typing import Annotated, Any, Final

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ResourceError
from mcp.shared.exceptions import MCPError
from mcp_types import INTERNAL_ERROR
from pydantic import Field

from ragpp.mcp.connecting import NOTHING, Connect, Request
from ragpp.mcp.knowing import known_of
from ragpp.mcp.refusals import refusing
from ragpp.mcp.tools import BEHIND, USUAL_TOKENS

OWN_PROFILE: Final[Mapping[str, str]] = {
    "uri": "ragpp://profile",
    "name": "profile",
    "title": "A profile",
    "description": "What is known of you.",
    "mimeType": "text/plain",
}
"""The one resource that can be listed, where the user is known; the others have a name in their address."""


def add_resources(server: MCPServer[Any], connect: Connect) -> None:
    """Give `server` profiles and pages to read, and the prompt to begin with."""

    @server.resource("ragpp://profile{?user}", title="A profile", description="What is known of you, or of a user.")
    @refusing(ResourceError)
    async def profile(context: Request, user: str | None = None) -> str:
        async with connect(context.headers) as memory:
            return (await known_of(memory, user)).summary

    @server.resource(
        "ragpp://pages/{category}",
        title="A page",
        description="A page of the catalog: what is known of one category, with its sources.",
        mime_type="text/markdown",
    )
    @refusing(ResourceError)
    async def page(category: str, context: Request) -> str:
        async with connect(context.headers) as memory:
            return (await memory.client.category(category, user_id=memory.user)).markdown_content

    @server.prompt(title="Brief me", description="Begin with what is known of you, and of a matter.")
    @refusing(_refused)
    async def brief_me(
        context: Request,
        about: Annotated[str, Field(description="A matter to be told of.")] = "",
        user: Annotated[str, Field(description="Whose memory, where it is not the usual one's.")] = "",
    ) -> str:
        async with connect(context.headers) as memory:
            whose = memory.whose(user or None)  # a form sends what nobody filled in as an empty text
            parts = [f"What is known of me: {(await known_of(memory, whose)).summary}"]
            if about:
                found = await memory.client.recall(user_id=whose, query=about, token_budget=USUAL_TOKENS, tiers=BEHIND)
                parts.append(f"What my memory has on “{about}”:\n\n{found.context or NOTHING}")
        return "\n\n".join([*parts, "Brief me in a few sentences, and ask what you need to know."])


def _refused(text: str) -> MCPError:
    return MCPError(INTERNAL_ERROR, text)  # as the library has it for a resource; any other error is a crash to it
