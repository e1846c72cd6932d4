"""`ragpp remember`, `recall` and `pending`: what an application does with the gateway, by hand."""

import asyncio
import shlex
from typing import Annotated

import typer

from ragpp.api import MessageIn, RecallRequest, RecallResponse, StoreRequest, StoreResponse
from ragpp.client import AsyncMemoryClient
from ragpp.errors import InvalidInput
from ragpp.models import DEFAULT_SESSION, Visibility
from ragpp_infra.cli.arguments import checked, parse_moment, parse_tiers
from ragpp_infra.cli.console import ExitCode, emit_json, out, safe
from ragpp_infra.cli.digesting import wait_until_digested
from ragpp_infra.cli.options import (
    DEFAULT_HOME,
    HomeOption,
    JsonOption,
    KeyOption,
    TokenizerOption,
    UrlOption,
    UserOption,
)
from ragpp_infra.cli.render import recall_view
from ragpp_infra.embedded.home import Home


def remember(
    text: Annotated[str, typer.Argument(help="What was said.", show_default=False)],
    user: UserOption,
    session: Annotated[
        str | None, typer.Option("--session", "-s", help=f"The conversation it belongs to; default: {DEFAULT_SESSION}.")
    ] = None,
    name: Annotated[str | None, typer.Option(help="Who said it.")] = None,
    role: Annotated[str, typer.Option(help="user, assistant, system or tool.")] = "user",
    at: Annotated[str | None, typer.Option(help="When, as in 2026-03-08T13:56:00Z; default: the present.")] = None,
    identifier: Annotated[
        str | None, typer.Option("--id", help="Its id; a repeat with the same id is harmless.")
    ] = None,
    agent: Annotated[str | None, typer.Option(help="The agent that it was said to.")] = None,
    visibility: Annotated[
        Visibility | None,
        typer.Option(
            help="Who may see it: that agent alone, or all of the user's. Default: agent with a key bound to one, else "
            "shared."
        ),
    ] = None,
    learn: Annotated[
        bool, typer.Option(help="Whether anything may be learned from it; recall finds it either way.")
    ] = True,
    home: HomeOption = DEFAULT_HOME,
    url: UrlOption = None,
    key: KeyOption = None,
    as_json: JsonOption = False,
) -> None:
    """Store one message.

    Example: [bold]ragpp remember "My sister Elena moved to Porto." --user u1 --name Maria[/bold]
    """
    message = {"id": identifier, "role": role, "name": name, "content": text, "occurred_at": parse_moment(at, "--at")}
    kept = {} if learn else {"learn": False}
    given = {field: value for field, value in message.items() if value is not None} | kept
    request = checked(
        StoreRequest,
        {
            "user_id": user,
            "session_id": session or DEFAULT_SESSION,
            "agent_id": agent,
            "visibility": visibility,
            "messages": [checked(MessageIn, given)],
        },
    )

    async def store() -> StoreResponse:
        async with Home(home).client(url, key) as client:
            try:
                return await client.remember(request)
            except InvalidInput as error:
                refused = error.details.get("errors")
                fields = [one.get("field") for one in refused] if isinstance(refused, list) else []
                if fields == ["agent_id"] and agent is None:  # a bound key has an agent, and is not refused
                    hint = ("Add --agent NAME: the agent that it was said to.",)
                    raise InvalidInput(error.message, suggestions=hint, details=error.details) from error
                raise

    answer = asyncio.run(store())
    if as_json:
        emit_json(answer.model_dump(mode="json"))
        return
    stored = answer.stored[0]
    became = "known already" if stored.duplicate else "remembered"
    if stored.forgotten:
        became = "forgotten before, so not stored,"
    line = safe(became, "bold").append_text(safe(f" as {stored.id}", "dim"))
    if stored.redactions:
        line.append_text(safe(f", {stored.redactions} taken out: {', '.join(stored.redacted)}", "yellow"))
    out.print(line)
    if learn and not (stored.duplicate or stored.forgotten):
        until = f"ragpp pending --user {shlex.quote(user)} --wait"
        out.print(safe(f"recall finds it now; what it teaches is being digested: {until}", "dim"), soft_wrap=True)


def recall(
    query: Annotated[str, typer.Argument(help="The question.", show_default=False)],
    user: UserOption,
    name: Annotated[str | None, typer.Option(help='The name of who asks: whom "I" means in a household.')] = None,
    session: Annotated[
        str | None, typer.Option("--session", "-s", help=f"The running conversation; default: {DEFAULT_SESSION}.")
    ] = None,
    budget: Annotated[
        int | None, typer.Option("--budget", "--token-budget", help="Longest context, in tokens.")
    ] = None,
    tokenizer: TokenizerOption = None,
    deadline: Annotated[int | None, typer.Option(help="Longest wait, in ms.")] = None,
    limit: Annotated[int, typer.Option(help="Most memories in the ranking, 1 to 200.")] = 20,
    tiers: Annotated[str | None, typer.Option(help="Only these, separated by commas.")] = None,
    as_of: Annotated[str | None, typer.Option(help="Only what had been said by then.")] = None,
    explain: Annotated[bool, typer.Option("--explain", help="How each score came about.")] = False,
    home: HomeOption = DEFAULT_HOME,
    url: UrlOption = None,
    key: KeyOption = None,
    as_json: JsonOption = False,
) -> None:
    """Ask the memory: what was found, from which tier, how fast, and the context; and whether anything of it is about
    the question.

    Example: [bold]ragpp recall "Where does Maria's sister live?" --user u1 --budget 500[/bold]
    """
    given = {
        "user_id": user,
        "query": query,
        "name": name,
        "session_id": session,
        "token_budget": budget,
        "tokenizer": tokenizer,
        "deadline_ms": deadline,
        "limit": limit,
        "tiers": parse_tiers(tiers),
        "as_of": parse_moment(as_of, "--as-of"),
        "explain": explain,
    }
    request = checked(RecallRequest, {field: value for field, value in given.items() if value is not None})

    async def ask() -> RecallResponse:
        async with Home(home).client(url, key) as client:
            return await client.recall(request)

    answer = asyncio.run(ask())
    if as_json:
        emit_json(answer.model_dump(mode="json"))
    else:
        out.print(recall_view(answer, explain=explain))


def pending(
    user: UserOption,
    wait: Annotated[bool, typer.Option("--wait", help="Return when nothing is pending.")] = False,
    timeout: Annotated[
        float, typer.Option(min=0, help="Longest wait, in seconds; exit code 1 when something is pending then.")
    ] = 300.0,
    home: HomeOption = DEFAULT_HOME,
    url: UrlOption = None,
    key: KeyOption = None,
    as_json: JsonOption = False,
) -> None:
    """How many of a user's messages the workers have not yet digested; with --wait, when they have digested all.

    Example: [bold]ragpp pending --user u1 --wait[/bold]
    """

    async def ask() -> int:
        async with Home(home).client(url, key) as client:
            return await _left(client, user, timeout, quiet=as_json) if wait else await client.pending(user)

    number = asyncio.run(ask())
    if as_json:
        emit_json({"pending": number})
    else:
        out.print(f"{number} pending" if number else "nothing pending")
    if wait and number:
        raise typer.Exit(ExitCode.FAILURE)


async def _left(client: AsyncMemoryClient, user: str, timeout_s: float, *, quiet: bool) -> int:
    """The number of events that are pending after `timeout_s`; 0 as soon as none is."""
    try:
        async with asyncio.timeout(timeout_s):
            await wait_until_digested(client, user, patience_s=timeout_s, quiet=quiet)
    except TimeoutError:
        return await client.pending(user)
    return 0
