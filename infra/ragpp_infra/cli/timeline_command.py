"""`ragpp timeline`: what was said, by time, without a question."""

import itertools
from collections.abc import Iterator, Sequence
from datetime import UTC, date
from typing import Annotated

import typer
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from ragpp.client import AsyncMemoryClient
from ragpp.models import Interaction, Role
from ragpp.paging import PAGE, pages
from ragpp_infra.cli.arguments import parse_window
from ragpp_infra.cli.console import emit_json, out, safe
from ragpp_infra.cli.jobs_command import with_gateway
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


def timeline(
    named: WhoseArgument = None,
    user: WhoseOption = None,
    start: Annotated[str | None, typer.Option("--from", help="From this moment on, as in 2026-03-08.")] = None,
    end: Annotated[str | None, typer.Option("--to", help="Before this moment.")] = None,
    session: Annotated[str | None, typer.Option("--session", "-s", help="Only this conversation.")] = None,
    agent: Annotated[str | None, typer.Option(help="Only what was said to this agent.")] = None,
    role: Annotated[Role | None, typer.Option(help="Only user, assistant, system or tool.")] = None,
    domain: Annotated[str | None, typer.Option(help="Only of this domain.")] = None,
    newest: Annotated[bool, typer.Option("--newest", help="The newest first.")] = False,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=100_000, help="Most messages.")] = 50,
    home: HomeOption = DEFAULT_HOME,
    url: UrlOption = None,
    key: KeyOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show what was said, day by day, the oldest first.

    Example: [bold]ragpp timeline u1 --from 2026-03-01 --to 2026-04-01 --role user[/bold]
    """
    whom = whose(named, user)
    since, until = parse_window(start, end, options=("--from", "--to"))

    async def read(client: AsyncMemoryClient) -> list[Interaction]:
        found = pages(
            lambda cursor: client.interactions(
                whom,
                session_id=session,
                agent_id=agent,
                role=role,
                domain=domain,
                start=since,
                end=until,
                newest_first=newest,
                cursor=cursor,
                limit=min(limit, PAGE),
            ),
            most=limit,
        )
        return [one async for one in found]

    said = with_gateway(home, url, key, read)
    if as_json:
        emit_json({"interactions": [one.model_dump(mode="json") for one in said]})
    else:
        out.print(timeline_view(said, full=len(said) == limit))


def timeline_view(said: Sequence[Interaction], *, full: bool = False) -> RenderableType:
    """The messages under their days, in the order that they have; `full`: there may be more."""
    if not said:
        return safe("nothing was said", "dim")
    parts: list[RenderableType] = []
    for day, messages in itertools.groupby(said, key=_day):
        parts.append(safe(f"{day:%A, %Y-%m-%d}", "bold"))
        parts.extend(_lines(list(messages)))
    if full:
        parts.append(safe(f"{len(said):,} messages; there may be more: --limit, --from", "dim"))
    return Group(*parts)


def _day(one: Interaction) -> date:
    return one.occurred_at.astimezone(UTC).date()


def _lines(messages: Sequence[Interaction]) -> Iterator[RenderableType]:
    for session, said in itertools.groupby(messages, key=lambda one: one.session_id):
        yield safe(f"  {session}", "dim")
        for one in said:
            told = Text.assemble((f"{one.occurred_at.astimezone(UTC):%H:%M} ", "dim"), safe(f"{one.said_by}: ", "cyan"))
            told.append_text(safe(one.content)).append_text(safe(f"  {one.id}", "dim"))
            yield Padding(told, (0, 0, 0, 4))
