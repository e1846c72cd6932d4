"""The five tools."""

from typing import Annotated, Any, Final, Literal

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import CallToolResult, ToolAnnotations
from pydantic import Field

from ragpp.mcp.answers import Forgetting, Item, Items, Known, Line, Recalled, Remembered
from ragpp.mcp.connecting import NOTHING, Connect, Request, User, answered
from ragpp.mcp.forgetting import forget_listed, in_words, list_messages
from ragpp.mcp.knowing import known_of
from ragpp.mcp.refusals import refusing
from ragpp.models import TierName

USUAL_TOKENS: Final = 800
"""Tokens of a context, where no length is asked for."""
BEHIND: Final[tuple[TierName, ...]] = ("episodic", "semantic", "procedural", "catalog")
"""The running conversation an assistant has before it."""
_READS: Final = ToolAnnotations(read_only_hint=True, open_world_hint=False)
_WRITES: Final = ToolAnnotations(read_only_hint=False, destructive_hint=False, open_world_hint=False)
_DELETES: Final = ToolAnnotations(
    read_only_hint=False, destructive_hint=True, idempotent_hint=True, open_world_hint=False
)


def add_tools(server: MCPServer[Any], connect: Connect) -> None:
    """Give `server` the tools, each of which connects for itself."""
    _add_conversation(server, connect)
    _add_knowledge(server, connect)


def _add_conversation(server: MCPServer[Any], connect: Connect) -> None:
    @server.tool(
        title="Remember",
        description="Store what was said, in the words it was said in. What it tells is learned within seconds.",
        annotations=_WRITES,
    )
    @refusing(ToolError)
    async def remember(
        context: Request,
        text: Annotated[str, Field(description="What was said.")],
        role: Annotated[Literal["user", "assistant"], Field(description="Who said it.")] = "user",
        name: Annotated[str | None, Field(description="The name of who said it, where several share a memory.")] = None,
        user: User = None,
    ) -> Annotated[CallToolResult, Remembered]:
        async with connect(context.headers) as memory:
            message = {"role": role, "name": name, "content": text}
            answer = await memory.client.remember(user_id=memory.whose(user), messages=(message,))
        stored = answer.stored[0]
        known: Literal["known already", "stored"] = "known already" if stored.duplicate else "stored"
        kept = Remembered(
            id=stored.id,
            outcome="forgotten before" if stored.forgotten else known,
            secrets_removed=stored.redactions,
        )
        removed = f" Taken out of it first: {', '.join(stored.redacted)}." if kept.secrets_removed else ""
        return answered(f"{kept.outcome.capitalize()}, as {kept.id}.{removed}", kept)

    @server.tool(
        title="Recall",
        description="What the memory has to say to a question: what was said, what is known, and what the user wants.",
        annotations=_READS,
    )
    @refusing(ToolError)
    async def recall(
        context: Request,
        question: Annotated[str, Field(description="A whole question, such as: Where does Maria's sister live?")],
        token_budget: Annotated[int, Field(ge=50, le=20_000, description="Longest context.")] = USUAL_TOKENS,
        name: Annotated[str | None, Field(description='Whom "I" means, where several share a memory.')] = None,
        user: User = None,
    ) -> Annotated[CallToolResult, Recalled]:
        async with connect(context.headers) as memory:
            answer = await memory.client.recall(
                user_id=memory.whose(user), query=question, token_budget=token_budget, name=name, tiers=BEHIND
            )
        found = Recalled(
            context=answer.context,
            relevance=answer.relevance,
            partial=answer.status == "partial",
            tokens=answer.tokens,
            memories=[
                Line(id=one.id, kind=one.kind, text=one.text, said_by=one.said_by, occurred_at=one.occurred_at)
                for one in answer.memories
                if one.in_context
            ],
        )
        missing = "\n\n(A part of the memory did not answer in time.)" if found.partial else ""
        return answered((found.context or NOTHING) + missing, found)

    @server.tool(
        title="Forget",
        description="Forget all that was said about somebody or something, and what was learned from it. The first "
        "call changes nothing: it lists the messages and gives a token. Show them to the user, and call again with the "
        "token when they agree.",
        annotations=_DELETES,
    )
    @refusing(ToolError)
    async def forget(
        context: Request,
        about: Annotated[str, Field(description="A name, or words that all of the messages have.")],
        token: Annotated[str | None, Field(description="From the first call: forget what it listed.")] = None,
        only_ids: Annotated[
            list[str] | None, Field(min_length=1, description="Of the listed messages, these alone.")
        ] = None,
        user: User = None,
    ) -> Annotated[CallToolResult, Forgetting]:
        async with connect(context.headers) as memory:
            client, whose = memory.client, memory.whose(user)
            if token is None:
                told = await list_messages(client, whose, about)
            else:
                told = await forget_listed(client, whose, about, token, only_ids)
        return answered(in_words(told, about), told)


def _add_knowledge(server: MCPServer[Any], connect: Connect) -> None:
    @server.tool(
        title="Profile",
        description="What is known of the user, the surest first.",
        annotations=_READS,
    )
    @refusing(ToolError)
    async def profile(context: Request, user: User = None) -> Annotated[CallToolResult, Known]:
        async with connect(context.headers) as memory:
            known = await known_of(memory, user)
        lines = [known.summary, *(f"- {fact.text} ({fact.kind}, {fact.confidence:.2f})" for fact in known.facts)]
        return answered("\n".join(lines), known)

    @server.tool(
        title="Search the catalog",
        description="Facts of the curated catalog: documents, configurations and conversations that were put into it.",
        annotations=_READS,
    )
    @refusing(ToolError)
    async def search_catalog(
        context: Request,
        question: Annotated[str, Field(description="What is to be known.")],
        limit: Annotated[int, Field(ge=1, le=50, description="Most facts.")] = 5,
        user: User = None,
    ) -> Annotated[CallToolResult, Items]:
        async with connect(context.headers) as memory:
            found = await memory.client.retrieve(user_id=memory.usual(user), query=question, k=limit)
        items = Items(
            items=[
                Item(
                    id=item.item_id,
                    text=item.content,
                    category=item.category,
                    score=round(score, 2),
                    source=item.source_resource_id,
                )
                for item, score in zip(found.items, found.confidence_scores, strict=True)
            ]
        )
        return answered("\n".join(f"- {one.text} ({one.score:.2f})" for one in items.items) or NOTHING, items)
