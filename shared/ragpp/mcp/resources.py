"""What a person puts into a conversation by hand: resources, and a prompt."""

from typing import Any

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ResourceError

from ragpp.mcp.connecting import NOTHING, Connect, Request, refusing
from ragpp.mcp.knowing import known_of
from ragpp.mcp.tools import BEHIND, USUAL_TOKENS


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
    @refusing(ValueError)
    async def brief_me(context: Request, about: str = "") -> str:
        async with connect(context.headers) as memory:
            parts = [f"What is known of me: {(await known_of(memory)).summary}"]
            if about:
                found = await memory.client.recall(
                    user_id=memory.whose(), query=about, token_budget=USUAL_TOKENS, tiers=BEHIND
                )
                parts.append(f"What my memory has on “{about}”:\n\n{found.context or NOTHING}")
        return "\n\n".join([*parts, "Brief me in a few sentences, and ask what you need to know."])
