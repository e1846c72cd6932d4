"""`ragpp chat`: the governor at this terminal, in the process that this command becomes."""

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from ragpp_infra.cli.arguments import parse_moment
from ragpp_infra.cli.options import (
    DEFAULT_HOME,
    HomeOption,
    JsonOption,
    KeyOption,
    TokenizerOption,
    UrlOption,
    UserOption,
)
from ragpp_infra.embedded.home import Home, NotRunning

MODULE = "ragpp_services.governor"


def chat(
    user: UserOption,
    session: Annotated[str | None, typer.Option("--session", "-s", help="Conversation; default: a new one.")] = None,
    name: Annotated[str | None, typer.Option(help="The name of who types.")] = None,
    persona: Annotated[str | None, typer.Option(help="Who the assistant is.")] = None,
    at: Annotated[
        str | None, typer.Option(help="When this is said, as in 2026-03-08T13:56:00Z; default: the present.")
    ] = None,
    deadline: Annotated[int, typer.Option(min=10, max=60_000, help="Longest wait for the memory, in ms.")] = 500,
    budget: Annotated[
        int,
        typer.Option(
            "--budget",
            "--token-budget",
            min=0,
            max=200_000,
            help="Length of the context, in tokens; with --catalog the agent's own counts.",
        ),
    ] = 2_000,
    tokenizer: TokenizerOption = None,
    record: Annotated[Path | None, typer.Option(help="Append each turn to this file, for a replay.")] = None,
    echo: Annotated[bool, typer.Option("--echo", help="Answer without a language model, from memory alone.")] = False,
    catalog: Annotated[
        bool, typer.Option("--catalog", help="The assistant chooses its memories from a catalog at each turn.")
    ] = False,
    agent: Annotated[
        str | None, typer.Option(help="The agent that is talked with; with --catalog the default is assistant.")
    ] = None,
    home: HomeOption = DEFAULT_HOME,
    url: UrlOption = None,
    key: KeyOption = None,
    as_json: JsonOption = False,
) -> None:
    """Talk with an assistant that has this memory; each turn shows what was recalled and in how many ms.

    LLM_CHAT names the language model; --echo needs none. With --catalog each turn shows what the assistant was offered,
    what it chose and was given, and what of it was useful: the model chooses, or with --echo what is recommended is
    taken. Reads lines from standard input where that is no terminal.

    Example: [bold]ragpp chat --user u1 --echo[/bold]

    Example: [bold]ragpp chat --user u1 --catalog --agent ergon[/bold]
    """
    parse_moment(at, "--at")
    stack = Home(home)
    address, secret = url or stack.url(), key or stack.key()
    if address is None or secret is None:
        raise NotRunning(f"there is no embedded stack in {stack.path}")
    given = {"--session": session, "--name": name, "--persona": persona, "--at": at, "--record": record}
    given |= {"--agent": agent, "--tokenizer": tokenizer}
    arguments = ["--user", user, "--deadline", str(deadline), "--budget", str(budget)]
    arguments += [part for option, value in given.items() if value is not None for part in (option, str(value))]
    arguments += [flag for flag, wanted in (("--echo", echo), ("--catalog", catalog), ("--json", as_json)) if wanted]
    settings = os.environ | {"RAGPP_URL": address, "RAGPP_API_KEY": secret}  # a key on a command line is seen by all
    # becoming the other process hands it the terminal, its signals and the exit code
    os.execve(sys.executable, [sys.executable, "-m", MODULE, "chat", *arguments], settings)  # noqa: S606 - no shell
