"""`ragpp review`: what was learned and is not sure, with what was said, and a person's verdict on it."""

import asyncio
from collections.abc import Sequence
from typing import Annotated, Any

import typer
from rich.table import Table

from ragpp.client import AsyncMemoryClient
from ragpp.fields import Confidence
from ragpp.learned import ReviewList
from ragpp.models import Value
from ragpp_infra.cli.arguments import checked
from ragpp_infra.cli.console import emit_json, out, safe
from ragpp_infra.cli.judging import verdict
from ragpp_infra.cli.options import (
    DEFAULT_HOME,
    HomeOption,
    JsonOption,
    KeyOption,
    UrlOption,
    UserOption,
    named,
    see_user_behind,
)
from ragpp_infra.cli.waiting import Waiting, chosen, quoted, short_ids, waiting_of
from ragpp_infra.embedded.home import Home

LISTED = 200
"""Items of each kind among which an id is looked for."""

Ids = Annotated[
    list[str], typer.Argument(help="As `ragpp review` shows them; a beginning will do.", show_default=False)
]

app = typer.Typer(
    help="List what was learned and is not sure, and confirm or reject it.\n\n"
    "Example: [bold]ragpp review --user u1[/bold]",
    rich_markup_mode="rich",
    invoke_without_command=True,
)


class _Threshold(Value):
    below: Confidence | None


@app.callback()
def review(
    context: typer.Context,
    user: Annotated[
        str | None, typer.Option("--user", "-u", envvar="RAGPP_USER", callback=named, help="Whose memory.")
    ] = None,
    below: Annotated[
        float | None, typer.Option(help="Only what is less sure, 0 to 1. Default: LEARNING_REVIEW_BELOW, 0.5.")
    ] = None,
    limit: Annotated[int, typer.Option(min=1, max=LISTED, help="Most of each kind.")] = 20,
    home: HomeOption = DEFAULT_HOME,
    url: UrlOption = None,
    key: KeyOption = None,
    as_json: JsonOption = False,
) -> None:
    """List what waits for a person, with what was said: relationships and preferences of little confidence, and rules
    that nobody said plainly.

    Example: [bold]ragpp review --user u1 && ragpp review confirm 3b6063 --user u1[/bold]
    """
    if context.invoked_subcommand is not None:
        see_user_behind(context)
        return
    if user is None:
        raise typer.BadParameter("say whose memory: --user", context)
    checked(_Threshold, {"below": below})

    async def read() -> tuple[ReviewList, list[Waiting]]:
        async with Home(home).client(url, key) as client:
            found = await client.review(user, below=below, limit=limit)
            return found, [] if as_json else await quoted(client, user, waiting_of(found))

    found, waiting = asyncio.run(read())
    if as_json:
        emit_json(found.model_dump(mode="json"))
    elif waiting:
        out.print(_table(waiting))
        out.print(safe(f"next: ragpp review confirm ID --user {user}, or reject", "dim"), soft_wrap=True)
    else:
        out.print("nothing waits for review")


@app.command()
def confirm(
    ids: Ids,
    user: UserOption,
    home: HomeOption = DEFAULT_HOME,
    url: UrlOption = None,
    key: KeyOption = None,
    as_json: JsonOption = False,
) -> None:
    """It is so: a relationship or preference is sure from now on, a proposed rule is one.

    Example: [bold]ragpp review confirm 3b6063 --user u1[/bold]
    """
    _judge(Home(home).client(url, key), user, ids, right=True, as_json=as_json)


@app.command()
def reject(
    ids: Ids,
    user: UserOption,
    home: HomeOption = DEFAULT_HOME,
    url: UrlOption = None,
    key: KeyOption = None,
    as_json: JsonOption = False,
) -> None:
    """It is not so: it is not shown, and not learned again however often it is said.

    Example: [bold]ragpp review reject 3b6063 pref-2ac281 --user u1[/bold]
    """
    _judge(Home(home).client(url, key), user, ids, right=False, as_json=as_json)


def _judge(memory: AsyncMemoryClient, user: str, ids: Sequence[str], *, right: bool, as_json: bool) -> None:
    """Judge all of `ids`. Raises NotFound or InvalidInput, before anything is judged, for one that names nothing or
    several."""

    async def judged() -> list[tuple[Waiting, Any]]:
        async with memory as client:
            meant = await _meant(client, user, ids)
            return [(one, await verdict(client, user, one, right=right)) for one in meant]

    done = asyncio.run(judged())
    if as_json:
        emit_json({one.id: answer.model_dump(mode="json") for one, answer in done})
        return
    for one, _ in done:
        said = safe("confirmed" if right else "rejected", "bold")
        out.print(said.append_text(safe(f" the {one.kind}: {one.text}")), soft_wrap=True)


async def _meant(client: AsyncMemoryClient, user: str, ids: Sequence[str]) -> list[Waiting]:
    """The things that `ids` name of those that wait, or, where none of these begins with an id, also of those that are
    surer and were not judged yet."""
    waiting = waiting_of(await client.review(user, limit=LISTED))
    if any(not any(one.id.startswith(given) for one in waiting) for given in ids):
        known = {one.id for one in waiting}
        surer = waiting_of(await client.review(user, below=1.0, limit=LISTED))
        waiting += [one for one in surer if one.id not in known]
    return list({one.id: one for one in (chosen(waiting, given) for given in ids)}.values())


def _table(waiting: Sequence[Waiting]) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    table.add_column("id", no_wrap=True)
    table.add_column("conf.", justify="right", no_wrap=True)
    table.add_column("what, and what was said", overflow="fold")
    short = short_ids([one.id for one in waiting])
    for one in waiting:
        what = safe(f"{one.kind}: {one.text}")
        for quote in one.quotes:
            what.append_text(safe(f"\n“{quote}”", "dim"))
        table.add_row(safe(short[one.id]), "" if one.confidence is None else f"{one.confidence:.2f}", what)
    return table
