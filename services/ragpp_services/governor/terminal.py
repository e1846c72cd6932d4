"""The governor in a terminal: a line said, what was recalled or offered for it and how fast, the answer."""

import json
import sys
from collections.abc import Iterator
from datetime import timedelta
from typing import Final, TextIO

import typer
from pydantic import ValidationError

from ragpp.errors import MemorySystemError
from ragpp.errors.problems import invalid_fields, problem_of
from ragpp_services.governor.graph import Governor
from ragpp_services.governor.orders import FIRST, after
from ragpp_services.governor.showing import dim, flat, plain, told_before, told_behind
from ragpp_services.governor.turn import Turn
from ragpp_services.governor.values import Event, Invocation, MemoryUsed, NodeName, TurnResult

SHOWN: Final = 3
"""How many of the recalled memories a turn shows."""
BETWEEN_TURNS: Final = timedelta(minutes=1)
"""How far a simulated clock moves from one line to the next."""


def said_lines(source: TextIO) -> Iterator[str]:
    """The lines that are typed, one at a time until Ctrl-D, or those of `source`; blank lines say nothing."""
    if not (source.isatty() and sys.stdout.isatty()):
        yield from (line.strip() for line in source if line.strip())
        return
    import readline  # noqa: F401, PLC0415 - importing it gives input() its line editing, which only a terminal needs

    while True:
        try:
            line = input("you> ").strip()
        except EOFError:
            typer.echo()
            return
        if line:
            yield line


class Chat:
    """One session; `say` after `say`.

    `opening`: the event that every line is said in, and the state to begin with; where it has a time, that is the first
    line's, and the clock moves on with each.
    """

    def __init__(
        self,
        governor: Governor,
        opening: Invocation,
        *,
        as_json: bool = False,
        shows_input: bool = False,
        answerer: str = "assistant",
    ) -> None:
        self._governor, self._event, self._state = governor, opening.event, opening.state
        self._as_json, self._shows_input, self._answerer = as_json, shows_input, answerer
        self._streamed = False
        self.failures = 0

    def on_text(self, piece: str) -> None:
        """A piece of the answer, as it is written."""
        if not self._as_json and piece:
            typer.echo(plain(piece) if self._streamed else f"{self._answerer}> {plain(piece)}", nl=False)
            self._streamed = True

    async def say(self, line: str) -> None:
        """One line and its answer. What goes wrong is told, counted in `failures`, and the chat goes on."""
        self._streamed = False
        if self._shows_input and not self._as_json:
            typer.echo(f"you> {plain(line)}")
        try:
            result = await self._run(Invocation(state=self._state, event=self._said(line)))
        except MemorySystemError as error:
            self.failures += 1
            if self._streamed:
                typer.echo()
            tell(error, as_json=self._as_json)
            return
        self._state = result.state
        if self._event.at is not None:
            self._event = self._event.model_copy(update={"at": self._event.at + BETWEEN_TURNS})
        self._show(line, result)

    def _said(self, line: str) -> Event:
        try:
            return Event.model_validate(self._event.model_dump() | {"content": line})
        except ValidationError as error:
            raise invalid_fields([dict(item) for item in error.errors()]) from error

    async def _run(self, invocation: Invocation) -> TurnResult:
        turn = self._governor.begin(invocation)
        name: NodeName | None = FIRST
        while name is not None:
            turn = await self._governor.step(name, turn, on_text=self.on_text)
            if name == "assemble" and not self._as_json:
                _show_memories(turn)
            name = after(name, turn)
        return self._governor.finish(turn)

    def _show(self, line: str, result: TurnResult) -> None:
        if self._as_json:
            said = {"said": line, **result.model_dump(mode="json", exclude={"state", "transitions"})}
            typer.echo(json.dumps(said, ensure_ascii=False))
            return
        if self._streamed:
            typer.echo()
        else:
            typer.echo(f"{self._answerer}> {plain(result.response.text)}")
        for told in told_behind(result):
            typer.echo(dim(told))
        if result.memory != "ok":
            typer.echo(dim(f"  memory {result.memory}: {plain('; '.join(result.problems))}"))


def tell(error: MemorySystemError, *, as_json: bool) -> None:
    """A problem on standard error: what happened, its code, what to do."""
    if as_json:
        typer.echo(json.dumps(problem_of(error).model_dump(), ensure_ascii=False), err=True)
        return
    typer.echo(f"{error.title} ({error.code})\n  {plain(error.message)}", err=True)
    for suggestion in error.suggestions:
        typer.echo(f"  → {plain(suggestion)}", err=True)


def _show_memories(turn: Turn) -> None:
    if turn.mode == "catalog":
        for line in told_before(turn):
            typer.echo(dim(line))
    else:
        _show_recall(turn)


def _show_recall(turn: Turn) -> None:
    answer = turn.answers.get("recall")
    memories = turn.prompt.memories if turn.prompt else ()
    if answer is None or answer.recalled is None:
        typer.echo(dim(f"  nothing recalled: {answer.outcome if answer else 'not asked'}"))
        return
    noun = "memory" if len(memories) == 1 else "memories"
    about = ", none of which seems to be about it" if memories and answer.recalled.relevance == "none" else ""
    typer.echo(dim(f"  recalled {len(memories)} {noun} in {answer.ms:.0f} ms{about}"))
    for memory in memories[:SHOWN]:
        typer.echo(dim(f"    {memory.score:.2f} {memory.tier:<10} {_shown(memory)}"))


def _shown(memory: MemoryUsed) -> str:
    when = f"[{memory.occurred_at.isoformat(sep=' ')[:16]}] " if memory.occurred_at else ""
    who = f"{memory.said_by}: " if memory.said_by else ""
    return when + flat(f"{who}{memory.text}")
