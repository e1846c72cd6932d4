"""`ragpp profile` and `ragpp users`: what is known of one in a few words, and of whom anything is."""

import asyncio
from typing import Annotated

import typer
from rich.table import Table

from ragpp.api import Profile
from ragpp.fields import Confidence
from ragpp.models import KnownUser, Page, Value
from ragpp_infra.cli.arguments import checked
from ragpp_infra.cli.console import emit_json, err, out, safe
from ragpp_infra.cli.options import (
    DEFAULT_HOME,
    HomeOption,
    JsonOption,
    KeyOption,
    UrlOption,
    WhoseArgument,
    WhoseOption,
    whose,
)
from ragpp_infra.cli.waiting import short_ids
from ragpp_infra.embedded.home import Home


class _Least(Value):
    min_confidence: Confidence


def profile(
    named: WhoseArgument = None,
    user: WhoseOption = None,
    limit: Annotated[int, typer.Option(min=1, max=200, help="Most of each kind.")] = 20,
    min_confidence: Annotated[float, typer.Option(help="What is less sure is left out, 0 to 1.")] = 0.1,
    home: HomeOption = DEFAULT_HOME,
    url: UrlOption = None,
    key: KeyOption = None,
    as_json: JsonOption = False,
) -> None:
    """A user's profile: all that is known, as a paragraph and a list with ids to confirm, reject, correct or forget by.

    Example: [bold]ragpp profile u1[/bold]
    """
    checked(_Least, {"min_confidence": min_confidence})
    whom = whose(named, user)

    async def read() -> tuple[Profile, Table, int]:
        async with Home(home).client(url, key) as client:
            known = await client.profile(whom, min_confidence=min_confidence, limit=limit)
            table = _table(known)
            return known, table, 0 if as_json or table.row_count else await client.pending(whom)

    known, table, waiting = asyncio.run(read())
    if as_json:
        emit_json(known.model_dump(mode="json"))
        return
    out.print(safe(known.text))
    if waiting:
        err.print(f"{waiting} messages wait to be learned from: ask again in a moment.")
    if table.row_count:
        out.print()
        out.print(table)


def users(
    limit: Annotated[int, typer.Option(min=1, max=200, help="Users a page.")] = 50,
    cursor: Annotated[str | None, typer.Option(help="As --json gave it, of the page before.")] = None,
    home: HomeOption = DEFAULT_HOME,
    url: UrlOption = None,
    key: KeyOption = None,
    as_json: JsonOption = False,
) -> None:
    """The users of whom something is known, by id, with the day of the latest message.

    Example: [bold]ragpp users --limit 20[/bold]
    """

    async def read() -> Page[KnownUser]:
        async with Home(home).client(url, key) as client:
            return await client.users(cursor=cursor, limit=limit)

    page = asyncio.run(read())
    if as_json:
        emit_json(page.model_dump(mode="json"))
        return
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for heading in ("user", "latest message"):
        table.add_column(heading, overflow="fold")
    for one in page.items:
        table.add_row(safe(one.user_id), "" if one.last_at is None else one.last_at.date().isoformat())
    out.print(table if table.row_count else safe("nobody is known", "dim"))
    if page.next_cursor is not None:
        out.print(safe(f"more: ragpp users --cursor {page.next_cursor}", "dim"), soft_wrap=True)


def _table(known: Profile) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("id", no_wrap=True)
    table.add_column("kind", no_wrap=True)
    table.add_column("conf.", justify="right", no_wrap=True)
    table.add_column("what", overflow="fold")
    items = (*known.relationships, *known.preferences, *known.rules, *known.findings, *known.entities)
    short = short_ids([one.id for one in items])
    for one in items:
        what = safe(one.text) if one.sure else safe(one.text, "dim").append_text(safe(" (not sure)", "dim"))
        table.add_row(safe(short[one.id]), one.kind, f"{one.confidence:.2f}", what)
    return table
