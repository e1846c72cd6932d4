"""`ragpp demo`: the sample conversation goes in, five questions are asked, the contexts come out."""

import asyncio
import json
import time
from importlib.resources import files
from typing import Annotated, Final

import typer
from rich.rule import Rule

from ragpp.api import RecallRequest, RecallResponse
from ragpp.client import AsyncMemoryClient
from ragpp.models import Value
from ragpp_infra.cli.arguments import WrongUsage
from ragpp_infra.cli.console import out, safe
from ragpp_infra.cli.digesting import wait_until_digested
from ragpp_infra.cli.foreground import bring_up, settings_taken, stop_what_was_started, watch
from ragpp_infra.cli.ingest import IngestReport, ingest
from ragpp_infra.cli.lines import read_lines
from ragpp_infra.cli.options import DEFAULT_HOME, HomeOption, KeyOption, address
from ragpp_infra.cli.render import context, timings
from ragpp_infra.embedded.lifecycle import Lifecycle

USER: Final = "demo"
TOKEN_BUDGET: Final = 400
_STEPS: Final = """\
1. Start PostgreSQL, Valkey, Neo4j, the gateway and a worker as processes of yours, with all data in {home}
2. Store a conversation of two friends, and let the worker learn from it
3. Ask five questions, and show the context that an assistant would be given for each"""


class Question(Value):
    """A question, and the ids of the messages that answer it."""

    question: str
    evidence: tuple[str, ...]


def demo(
    home: HomeOption = DEFAULT_HOME,
    serve: Annotated[bool, typer.Option("--serve", help="Then go on serving until Ctrl-C.")] = False,
    # not from the environment: with an address left there, `ragpp demo` would no longer start anything
    url: Annotated[
        str | None,
        typer.Option("--url", callback=address, help="Address of a gateway to show instead; nothing is started then."),
    ] = None,
    key: KeyOption = None,
) -> None:
    """Start the stack, load a sample conversation, ask it five questions; what it started it stops again.

    Example: [bold]ragpp demo --serve[/bold], or of a gateway elsewhere, with its key in RAGPP_API_KEY:
    [bold]ragpp demo --url http://127.0.0.1:8700[/bold]
    """
    lifecycle = Lifecycle(home)
    if url is not None:
        if serve:
            raise WrongUsage("--serve is for a stack of one's own, --url for a gateway that serves already")
        asyncio.run(_show(lifecycle.home.client(url, key)))
        return
    settings_taken()
    ran_before = lifecycle.running()
    try:
        out.print(_STEPS.format(home=home), soft_wrap=True)
        bring_up(lifecycle)
        asyncio.run(_show(lifecycle.home.client()))
        if serve:
            out.print(_invitation(lifecycle), soft_wrap=True)
            watch(lifecycle)
    except KeyboardInterrupt:
        if not serve:
            raise
    finally:
        stop_what_was_started(lifecycle, ran_before)


async def _show(gateway: AsyncMemoryClient) -> None:
    async with gateway as client:
        began = time.monotonic()
        report = await _load(client)
        seconds = time.monotonic() - began
        known = f" ({report.duplicates} were known already)" if report.duplicates else ""
        rate = report.acknowledged / seconds
        out.print(f"\nStored {report.stored} messages of two friends{known} in {seconds:.2f} s ({rate:,.0f}/s)")
        began = time.monotonic()
        await wait_until_digested(client, USER)
        out.print(f"Digested them into a graph and preferences in {time.monotonic() - began:.1f} s more")
        for question in questions():
            request = RecallRequest(user_id=USER, query=question.question, token_budget=TOKEN_BUDGET, limit=50)
            show_answer(question, await client.recall(request))


async def _load(client: AsyncMemoryClient) -> IngestReport:
    with (files("ragpp_infra") / "samples" / "conversation.jsonl").open("rb") as source:
        return await ingest(client, USER, read_lines(source))


def questions() -> list[Question]:
    """The sample's questions."""
    text = (files("ragpp_infra") / "samples" / "questions.json").read_text(encoding="utf-8")
    return [Question.model_validate(item) for item in json.loads(text)]


def show_answer(question: Question, answer: RecallResponse) -> None:
    """One question, how the tiers answered, and the context."""
    shown = {source for memory in answer.memories if memory.in_context for source in memory.sources[:3]}
    found = len(shown & set(question.evidence))
    out.print()
    out.print(Rule(safe(question.question, "bold"), align="left"))
    out.print(timings(answer))
    out.print(f"{found} of the {len(question.evidence)} messages that answer it are in the context")
    out.print(context(answer))


def _invitation(lifecycle: Lifecycle) -> str:
    url, key = lifecycle.home.url(), lifecycle.home.key()
    body = json.dumps({"user_id": USER, "query": "Whose wedding was in August, and where?", "token_budget": 200})
    return (
        f"Serving at {url} (API: {url}/docs) until Ctrl-C. The key: {key}\n\n"
        f"curl -s {url}/v1/recall -H 'Authorization: Bearer {key}' -H 'Content-Type: application/json' \\\n"
        f"  -d '{body}'\n"
    )
