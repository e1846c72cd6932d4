"""Curated knowledge through its face: a conversation and a document, the facts taken from them, a page made of those.

    python infra/scripts/catalog_demo.py             # starts the embedded stack, or attaches to it

A sales conversation goes in under a new user, and a week later a note that changes one price. Then the catalog is
asked in each of the three modes, its page is made, and an assistant that knows nothing of either is given what a recall
finds.

Without LLM_RETRIEVAL the language model of two of the modes is a stand-in: a server on this machine that counts common
words. It needs no key, and shows how a model is asked, not what one is good for.
"""

import asyncio
import os
import subprocess
import sys
import textwrap
import uuid
from pathlib import Path
from typing import Final

from ragpp import MemoryManager, RetrievalMode
from ragpp.api import RecallRequest
from ragpp.catalog import MemoryItem
from ragpp.client import AsyncMemoryClient
from ragpp.errors import RetrievalError
from ragpp.testing.choosing import by_words, choosing
from ragpp.testing.llm import LlmServer
from ragpp_infra.embedded.home import Home

CATEGORY: Final = "product_knowledge"
ABOUT: Final = "Information about products, pricing, features, and comparisons"
TALK: Final = """\
Customer: Hello! What does Tideline cost?
Agent: The Solo plan costs $19 a month. The Studio plan costs $79 a month. Fleet is priced on request.
Customer: And what is included in Studio?
Agent: Studio includes unlimited calendars, text-message reminders, and API access with 20,000 requests a month.
Customer: Can we try it first?
Agent: Sure. The trial lasts 30 days and needs no credit card.
Customer: Great, thanks a lot!
"""
NOTE: Final = """\
# What changes in April

The Studio plan costs $89 a month.
Tideline stores all data in Frankfurt.
"""
TALKED_AT: Final = "2026-03-09T10:00:00Z"
NOTED_AT: Final = "2026-03-16T09:00:00Z"
QUESTION: Final = "What does the Studio plan cost?"
COMPARED: Final = "How does the Studio plan compare with the Solo plan?"
ASKED: Final = (
    (RetrievalMode.RAG, QUESTION),
    (RetrievalMode.LLM, QUESTION),
    (RetrievalMode.HYBRID, QUESTION),
    (RetrievalMode.HYBRID, COMPARED),
)
WIDTH: Final = 100


async def show(client: AsyncMemoryClient) -> None:
    """Store, extract, ask, consolidate, recall."""
    user = f"catalog-{uuid.uuid4().hex[:8]}"
    memory = MemoryManager(client=client, user_id=user)
    await memory.create_category(CATEGORY, ABOUT)

    told("A sales conversation of 9 March goes in", TALK)
    talk = await kept(client, user, "conversation", TALK, TALKED_AT, "Call with a bakery")
    facts("Its facts, taken out by rules, without a language model", await memory.extract_and_store(talk, CATEGORY))

    told("A week later somebody writes a note", NOTE)
    note = await kept(client, user, "document", NOTE, NOTED_AT, "What changes in April")
    facts("Its facts", await memory.extract_and_store(note, CATEGORY))

    heading("The catalog is asked in each of its modes")
    for mode, question in ASKED:
        await asked(memory, mode, question)

    heading(f"The page of {CATEGORY}, every line with its source")
    quote(await memory.consolidate_category(CATEGORY))

    heading(f"An assistant that heard none of it recalls: {QUESTION}")
    answer = await client.recall(RecallRequest(user_id=user, query=QUESTION, token_budget=400))
    quote(answer.context or "nothing")
    print(f"  {answer.tokens} tokens in {answer.elapsed_ms:.0f} ms")

    stats = await memory.get_stats()
    print(
        f"\n{stats.total_resources} resources, {stats.total_items} facts, {stats.total_categories} category", end="; "
    )
    print(f"to look around: ragpp catalog items --user {user}")


async def asked(memory: MemoryManager, mode: RetrievalMode, question: str) -> None:
    """Print what a mode finds, who found it, and why."""
    print(f"  {mode}: {question}")
    try:
        result = await memory.retrieve(question, mode, k=3)
    except RetrievalError as error:
        print(f"    {error.title}: {error.message}")
        return
    for item, score in zip(result.items, result.confidence_scores, strict=True):
        since = "   (said otherwise since)" if item.replaced_by else ""
        print(f"    [{score:.2f}] {item.content}{since}")
    escalated = "escalated to " if result.escalated else ""
    reason = f": {result.escalation_reason}" if result.escalation_reason else ""
    print(f"    {escalated}{result.mode_used} in {result.search_time_ms:.0f} ms{reason}")


async def kept(client: AsyncMemoryClient, user: str, kind: str, content: str, at: str, title: str) -> str:
    """The id of the resource; through the client, since document 002 has no time of what a resource tells."""
    stored = await client.store_resource(
        user_id=user, resource_type=kind, content=content, occurred_at=at, metadata={"title": title}
    )
    return stored.resource.resource_id


def heading(text: str) -> None:
    """Print the heading of what comes next."""
    print(f"\n{text}")


def told(what: str, content: str) -> None:
    """Print what goes in, as it was said."""
    heading(what)
    quote(content)


def quote(text: str) -> None:
    """A text as it is, but for lines that no terminal is wide enough for."""
    for line in text.rstrip().splitlines():
        for part in textwrap.wrap(line, WIDTH, subsequent_indent="  ") or [""]:
            print(f"  │ {part}".rstrip())


def facts(what: str, items: list[MemoryItem]) -> None:
    """Print what was taken out, with how sure that is."""
    heading(what)
    for item in items:
        print(f"  [{item.confidence:.2f}] {item.content}")


def up(home: Path, **settings: str) -> None:
    """Bring the stack up, or start again what runs with other settings."""
    environment = os.environ | {"RAGPP_HOME": str(home)} | settings
    subprocess.run([sys.executable, "-m", "ragpp_infra.cli.main", "up"], check=True, env=environment)


async def run(home: Path) -> None:
    """Show, with the language model of LLM_RETRIEVAL, else with a stand-in that is taken away again."""
    if os.environ.get("LLM_RETRIEVAL"):
        up(home)
        async with Home(home).client() as client:
            await show(client)
        return
    async with LlmServer() as server:
        server.answers(choosing(by_words))
        up(home, LLM_RETRIEVAL="openai:stand-in", LLM_OPENAI_BASE_URL=server.openai_url)
        try:
            heading("The language model of this demonstration is a stand-in, which counts common words")
            async with Home(home).client() as client:
                await show(client)
        finally:
            heading("The stand-in for a language model is taken away again")
            up(home)


def main() -> None:
    """Bring the stack up and show."""
    asyncio.run(run(Path(os.environ.get("RAGPP_HOME", ".ragpp")).resolve()))


if __name__ == "__main__":
    main()
