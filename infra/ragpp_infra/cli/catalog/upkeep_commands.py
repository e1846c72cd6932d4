"""`ragpp catalog stats`, `events` and `rebuild`: how much there is, what happened to it, and its index made anew."""

from typing import Annotated

import typer

from ragpp.catalog import CatalogEvent, CatalogEventType
from ragpp.client import AsyncMemoryClient
from ragpp.errors import VectorIndexError
from ragpp.memory.whose import Whose, listed
from ragpp.paging import PAGE
from ragpp_infra.cli.catalog.options import LimitOption, WhoseOption
from ragpp_infra.cli.catalog.tables import events_table, stats_table
from ragpp_infra.cli.console import emit_json, err, out, safe
from ragpp_infra.cli.jobs_command import with_gateway
from ragpp_infra.cli.options import DEFAULT_HOME, HomeOption, JsonOption, KeyOption, UrlOption, WaitOption
from ragpp_infra.cli.render import count


def stats(
    user: WhoseOption = None,
    home: HomeOption = DEFAULT_HOME,
    url: UrlOption = None,
    key: KeyOption = None,
    as_json: JsonOption = False,
) -> None:
    """How much the catalog has, and when something was last done.

    Example: [bold]ragpp catalog stats --user u1[/bold]
    """
    found = with_gateway(home, url, key, lambda client: client.memory_stats(user))
    if as_json:
        emit_json(found.to_dict())
    else:
        out.print(stats_table(found))


def events(
    user: WhoseOption = None,
    event_type: Annotated[
        CatalogEventType | None, typer.Option("--type", "-t", help="Only these, as memory.items_extracted.")
    ] = None,
    about: Annotated[str | None, typer.Option("--about", help="Only of this resource, item or category.")] = None,
    session: Annotated[str | None, typer.Option("--session", "-s", help="Only of this conversation.")] = None,
    limit: LimitOption = 20,
    home: HomeOption = DEFAULT_HOME,
    url: UrlOption = None,
    key: KeyOption = None,
    as_json: JsonOption = False,
) -> None:
    """The catalog's events, newest first; never what was said.

    Example: [bold]ragpp catalog events --user u1 --type memory.items_extracted[/bold]
    """

    async def found(client: AsyncMemoryClient) -> list[CatalogEvent]:
        return await listed(
            lambda cursor: client.events(
                user, event_type=event_type, subject_id=about, session_id=session, cursor=cursor, limit=min(limit, PAGE)
            ),
            limit,
        )

    rows = with_gateway(home, url, key, found)
    if as_json:
        emit_json({"items": [row.to_dict() for row in rows]})
    else:
        out.print(events_table(rows))


def rebuild(
    user: WhoseOption = None,
    wait: WaitOption = 600.0,
    home: HomeOption = DEFAULT_HOME,
    url: UrlOption = None,
    key: KeyOption = None,
    as_json: JsonOption = False,
) -> None:
    """Make what items and resources are found by anew, of what they say: after a damaged index, or another embedder.

    Example: [bold]ragpp catalog rebuild --user u1[/bold]
    """

    async def run(client: AsyncMemoryClient) -> int | None:
        job = await client.rebuild_index(user_id=user)
        if wait <= 0:
            err.print(safe(f"{job.id} is under way: ragpp jobs show {job.id}", "yellow"))
            return None
        rebuilt = (await Whose(client, user, patience_s=wait).done(job, VectorIndexError)).get("rebuilt")
        return rebuilt if isinstance(rebuilt, int) else 0

    rebuilt = with_gateway(home, url, key, run)
    if rebuilt is None:
        return
    if as_json:
        emit_json({"rebuilt": rebuilt})
    else:
        out.print(f"{count(rebuilt, 'row')} made anew")
