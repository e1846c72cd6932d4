"""`python -m ragpp_services.governor`: a conversation with the governor, at a terminal or from a file of lines.

`ragpp chat` runs this. The gateway's address and key come by the environment: RAGPP_URL, RAGPP_API_KEY.
"""

import asyncio
import logging
import sys
from contextlib import AsyncExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Final

import structlog
import typer
from pydantic import ValidationError

from ragpp.client import AsyncMemoryClient, GatewayUnreachable
from ragpp.errors import InvalidInput, MemorySystemError
from ragpp.errors.problems import invalid_fields
from ragpp.fields import TokenizerName
from ragpp_services.governor.app import open_governor
from ragpp_services.governor.graph import replay
from ragpp_services.governor.terminal import Chat, said_lines, tell
from ragpp_services.governor.values import Invocation, Limits, Mode, Record

FAILURE: Final = 1
NOT_RUNNING: Final = 3
INTERRUPTED: Final = 130
ANSWERS_WITHIN_S: Final = 5.0
"""Longest the first look at the gateway may take, where nobody waits longer for the memory."""

cli = typer.Typer(help="The governor.", add_completion=False, pretty_exceptions_enable=False, no_args_is_help=True)


@cli.command()
def chat(
    url: Annotated[str, typer.Option(envvar="RAGPP_URL", help="Address of the gateway.")],
    key: Annotated[str, typer.Option(envvar="RAGPP_API_KEY", help="API key.", show_default=False)],
    user: Annotated[str, typer.Option("--user", "-u", envvar="RAGPP_USER", help="Whose memory.")],
    session: Annotated[
        str | None, typer.Option("--session", "-s", help="The conversation; default: a new one.")
    ] = None,
    name: Annotated[str | None, typer.Option(help="The name of who types.")] = None,
    persona: Annotated[str | None, typer.Option(help="Who the assistant is.")] = None,
    at: Annotated[str | None, typer.Option(help="When this is said, as in 2026-03-08T13:56:00Z.")] = None,
    deadline: Annotated[int, typer.Option(min=10, max=60_000, help="Longest wait for the memory, in ms.")] = 500,
    budget: Annotated[int, typer.Option(min=0, max=200_000, help="Length of the context, in tokens.")] = 2_000,
    tokenizer: Annotated[
        TokenizerName | None, typer.Option(help="Whose tokens: those of the model that reads. Default: the gateway's.")
    ] = None,
    record: Annotated[Path | None, typer.Option(help="Append each turn to this file, for a replay.")] = None,
    echo: Annotated[bool, typer.Option("--echo", help="Answer without a language model, from memory alone.")] = False,
    catalog: Annotated[bool, typer.Option("--catalog", help="The assistant chooses its memories each turn.")] = False,
    agent: Annotated[str | None, typer.Option(help="The agent that is talked with.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object a turn.")] = False,
) -> None:
    """Talk; each turn shows what was recalled, or offered and chosen, and how fast. Ends with Ctrl-D."""
    event: dict[str, object] = {
        "user_id": user,
        "session_id": session,
        "content": "-",
        "name": name,
        "agent_id": agent,
        "at": _moment(at),
    }
    opening = _opening(event, {"persona": persona})
    with asyncio.Runner() as runner:
        stack = AsyncExitStack()
        mode: Mode = "catalog" if catalog else "recall"
        governed = open_governor(
            url, key, echoing=echo, mode=mode, limits=_limits(deadline, budget, tokenizer), record_to=record
        )
        try:
            governor, client, answerer = runner.run(stack.enter_async_context(governed))
            runner.run(_see_that_it_answers(client, user, max(ANSWERS_WITHIN_S, deadline / 1_000)))
            talk = Chat(governor, opening, as_json=as_json, shows_input=not sys.stdin.isatty(), answerer=answerer)
            for line in said_lines(sys.stdin):
                runner.run(talk.say(line))
            unsaved = runner.run(governor.aclose())
        finally:
            runner.run(stack.aclose())
    if unsaved:
        typer.echo(f"{len(unsaved)} messages could not be stored: the memory did not answer", err=True)
    if unsaved or talk.failures:
        sys.exit(FAILURE)


def _limits(deadline_ms: int, token_budget: int, tokenizer: TokenizerName | None) -> Limits:
    """A caller who waits longer for a recall waits as long for a write."""
    usual = Limits()
    return Limits(
        deadline_ms=deadline_ms,
        store_ms=max(usual.store_ms, deadline_ms),
        token_budget=token_budget,
        tokenizer=tokenizer,
    )


def _moment(text: str | None) -> datetime | None:
    """A date or a moment; without a time zone it is UTC. Raises InvalidInput."""
    if text is None:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        hint = ("Write it as 2026-03-08 or 2026-03-08T13:56:00Z.",)
        raise InvalidInput(f"--at: {text!r} is no moment", suggestions=hint) from error
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _opening(event: dict[str, object], state: dict[str, object]) -> Invocation:
    """The invocation that every line is said in. Raises InvalidInput for an option that no event can have."""
    if event["session_id"] is None:
        began = event["at"] if isinstance(event["at"], datetime) else datetime.now(UTC)
        event |= {"session_id": began.strftime("chat-%Y-%m-%dT%H-%M-%S")}
    try:
        return Invocation.model_validate({"event": event, "state": state})
    except ValidationError as error:
        raise invalid_fields([dict(item) for item in error.errors()]) from error


@cli.command(name="replay")
def replay_file(file: Annotated[Path, typer.Argument(help="What `chat --record` wrote.")]) -> None:
    """Run recorded turns again, without memory or model, and say whether each comes to the same answer."""
    differing = 0
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1):
        try:
            record = Record.model_validate_json(line)
        except ValidationError as error:
            raise InvalidInput(f"{file}:{number} is no record of this version") from error
        try:
            same = replay(record) == record.result
            typer.echo(f"{number}: {'same answer' if same else 'another answer'}")
        except MemorySystemError as error:
            same = False
            typer.echo(f"{number}: {error.code} {error.message}")
        differing += not same
    if differing:
        sys.exit(FAILURE)


async def _see_that_it_answers(client: AsyncMemoryClient, user: str, within_s: float) -> None:
    try:
        async with asyncio.timeout(within_s):
            await client.pending(user)
    except TimeoutError as error:
        raise GatewayUnreachable(f"the gateway did not answer within {within_s:.0f} s") from error


def main() -> None:
    """Run a command; an error of ours is told in words."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    try:
        cli()
    except MemorySystemError as error:
        tell(error, as_json="--json" in sys.argv)
        sys.exit(NOT_RUNNING if isinstance(error, GatewayUnreachable) else FAILURE)
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)


if __name__ == "__main__":
    main()
