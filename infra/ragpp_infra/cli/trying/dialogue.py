"""The questions at the terminal: which things are wrong or to be forgotten, questions to the memory, keep or erase."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Final

from ragpp.api import RecallRequest
from ragpp.client import AsyncMemoryClient
from ragpp.errors import InvalidInput, MemorySystemError, NotFound
from ragpp_infra.cli.act_commands import forget_item
from ragpp_infra.cli.console import out, safe, show_problem
from ragpp_infra.cli.judging import verdict
from ragpp_infra.cli.render import context, count
from ragpp_infra.cli.trying.listing import listed
from ragpp_infra.cli.trying.marks import Mark, marks_of
from ragpp_infra.cli.trying.things import Thing, resting_on

Ask = Callable[[str], str | None]
"""Asks at the terminal; None where the input has ended."""
PAGE: Final = 20
TOKEN_BUDGET: Final = 400
DEADLINE_MS: Final = 5_000
_MARKS_TOLD: Final = (
    "Each with what it rests on. Say which are wrong: they are not believed any\n"
    "more, and what was said stays; or which to forget: what was said goes as well."
)
_NOT_ABOUT: Final = "Nothing that I know seems to be about that. The nearest:"


def typed(prompt: str) -> str | None:
    """The line that the person types; None at the end of the input."""
    try:
        return input(prompt)
    except EOFError:
        out.print()
        return None


class Dialogue:
    """One person at a terminal, before the memory `user` of `client`; `runner` runs what the client does."""

    def __init__(self, runner: asyncio.Runner, client: AsyncMemoryClient, user: str, ask: Ask = typed) -> None:
        self._runner, self._client, self._user, self._ask = runner, client, user, ask

    def judge(self, things: Sequence[Thing]) -> list[Thing]:
        """Show `things`, a page at a time, and do what is said of them; those that are left."""
        gone: set[int] = set()
        out.print(safe(_MARKS_TOLD, "dim"))
        for begin in range(0, len(things), PAGE):
            page = things[begin : begin + PAGE]
            out.print(*listed(page, first=begin + 1), sep="\n")
            more = len(things) - begin - len(page)
            go_on = f"Enter for the next {min(PAGE, more)} of {more}, ask to go on" if more else "Enter to go on"
            while True:
                said = self._ask(f"\nwrong 3 5, forget 7; {go_on}: ")
                if not (said or "").strip():
                    break
                if (said or "").strip().casefold() == "ask":
                    return [thing for number, thing in enumerate(things) if number not in gone]
                self._mark(said or "", things, gone)
            if said is None:
                break
        return [thing for number, thing in enumerate(things) if number not in gone]

    def _mark(self, said: str, things: Sequence[Thing], gone: set[int]) -> None:
        try:
            marks = marks_of(said, most=len(things))
        except InvalidInput as error:
            out.print(safe(f"  {error.message}. {' '.join(error.suggestions)}", "yellow"))
            return
        before = set(gone)
        try:
            for number, mark in marks.of.items():
                if number - 1 in gone:
                    if number - 1 in before:
                        out.print(f"  {number} is gone already")
                    continue
                self._runner.run(act(self._client, self._user, things[number - 1], mark))
                gone.add(number - 1)
                out.print(safe(f"  {number} {'is not believed any more' if mark == 'wrong' else 'is forgotten'}"))
                if mark == "forget":
                    self._with_it(things, number - 1, gone)
        except MemorySystemError as error:
            show_problem(error, as_json=False)

    def _with_it(self, things: Sequence[Thing], place: int, gone: set[int]) -> None:
        """Take out what rested on nothing but the messages that went, and show it."""
        also = [things.index(thing) for thing in resting_on(things, things[place].sources)]
        if new := [one for one in also if one not in gone]:
            gone.update(new)
            out.print(safe(f"  with it, as it was said in the same message: {', '.join(str(one + 1) for one in new)}"))

    def answer(self) -> None:
        """Questions, each with what an assistant would be given for it, until one is empty."""
        while question := (self._ask("\nAsk me something (Enter ends): ") or "").strip():
            try:
                request = RecallRequest(
                    user_id=self._user, query=question, token_budget=TOKEN_BUDGET, deadline_ms=DEADLINE_MS
                )
                found = self._runner.run(self._client.recall(request))
            except ValueError as error:  # as pydantic refuses a question that is far too long
                out.print(safe(str(error), "yellow"))
                continue
            except MemorySystemError as error:
                show_problem(error, as_json=False)
                continue
            if found.relevance == "none":
                out.print(safe(_NOT_ABOUT, "yellow"))
            out.print(context(found))

    def wants_to_keep(self) -> bool:
        """True where all of it is kept; it is, where nothing is said."""
        while True:
            said = (self._ask("\nKeep this memory, or erase it? [keep/erase]: ") or "keep").strip().casefold()
            for word in ("keep", "erase"):
                if word.startswith(said or "keep"):
                    return word == "keep"
            out.print("keep, or erase?")


async def act(client: AsyncMemoryClient, user: str, thing: Thing, mark: Mark) -> None:
    """`wrong`: all that was read in the sentence is rejected; what was said stays. `forget`:
    the messages go, with all that was learned from them."""
    if mark == "forget":
        for source in thing.sources:
            with suppress(NotFound):
                await client.forget_interaction(user, source, replies=True)
    for item in thing.items:
        with suppress(NotFound):  # it went with its message
            if mark == "wrong":
                await verdict(client, user, item, right=False)
            else:
                await forget_item(client, user, item)


def heading(things: Sequence[Thing], *, one_speaker: bool) -> str:
    """How much it is."""
    return f"I would remember {count(len(things), 'thing')}{' about you' if one_speaker else ''}:"
