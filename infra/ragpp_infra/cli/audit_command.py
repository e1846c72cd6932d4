"""`ragpp audit`: who asked for what, and which memories that returned or changed."""

from collections.abc import Sequence
from datetime import UTC
from typing import Annotated, Final, get_args

import typer
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from ragpp.api import AuditEntry, AuditOutcome
from ragpp.client import AsyncMemoryClient
from ragpp.paging import PAGE, read_all
from ragpp_infra.cli.administering import as_administrator
from ragpp_infra.cli.arguments import WrongUsage, one_of, parse_window
from ragpp_infra.cli.console import emit_json, out, safe
from ragpp_infra.cli.options import DEFAULT_HOME, HomeOption, JsonOption, KeyOption, OnlyUserOption, UrlOption
from ragpp_infra.embedded.lifecycle import Lifecycle

KEY_ID: Final = "key_"
"""The beginning of a key's id."""
SHOWN: Final = 3
"""Memories of an entry that the table names; of more it says how many they are."""
ID_CHARS: Final = 24
"""Characters that are shown of a memory's id."""


def audit(
    user: OnlyUserOption = None,
    by: Annotated[
        str | None, typer.Option("--by", help="Only with this key: its id, as `ragpp key list` has it.")
    ] = None,
    route: Annotated[str | None, typer.Option(help="Only of this route: /v1/recall, or 'POST /v1/recall'.")] = None,
    outcome: Annotated[str | None, typer.Option(help="Only ok, refused or failed.")] = None,
    since: Annotated[str | None, typer.Option(help="From this moment on, as in 2026-03-08.")] = None,
    until: Annotated[str | None, typer.Option(help="Before this moment.")] = None,
    memory: Annotated[
        str | None, typer.Option(help="Only what returned, changed or deleted this memory, by its id.")
    ] = None,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=100_000, help="Most requests.")] = 50,
    home: HomeOption = DEFAULT_HOME,
    url: UrlOption = None,
    key: KeyOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show who asked for what, and which memories that returned or changed, newest first.

    With --memory: who has seen a memory, also one that was forgotten where --user says whose it was. The embedded stack
    has a key for it; another gateway wants one with the scope `admin`.

    Example: [bold]ragpp audit --user u1 --memory m-17 --since 2026-03-01[/bold]

    Example: [bold]ragpp audit --by key_0123456789ab --outcome refused --json[/bold]
    """
    if key is not None and key.startswith(KEY_ID):
        told = f"{key!r} is the id of a key, and opens nothing"
        raise WrongUsage.of({"--key": told}, suggestions=("What a key asked for: ragpp audit --by KEY_ID.",))
    wanted: AuditOutcome | None = one_of(outcome, get_args(AuditOutcome), "--outcome")  # type: ignore[assignment]  # it is one
    begin, end = parse_window(since, until, options=("--since", "--until"))

    async def read(client: AsyncMemoryClient) -> list[AuditEntry]:
        return await read_all(
            lambda cursor: client.audit(
                user_id=user,
                key_id=by,
                route=route,
                outcome=wanted,
                since=begin,
                until=end,
                memory_id=memory,
                cursor=cursor,
                limit=min(limit, PAGE),
            ),
            most=limit,
        )

    found = as_administrator(Lifecycle(home), url, key, read)
    if as_json:
        emit_json({"entries": [one.model_dump(mode="json") for one in found]})
    elif memory is not None and not found:
        out.print(safe("no request; --memory takes a whole id, as `ragpp inspect --json` has them", "dim"))
    else:
        out.print(audit_view(found, full=len(found) == limit))


def audit_view(entries: Sequence[AuditEntry], *, full: bool = False) -> RenderableType:
    """A line for each request; `full`: there may be more."""
    if not entries:
        return safe("no request", "dim")
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for heading in ("at (UTC)", "key", "user", "request", "answer", "memories"):
        table.add_column(heading, no_wrap=heading in {"at (UTC)", "key"}, overflow="fold")
    for one in entries:
        table.add_row(
            f"{one.at.astimezone(UTC):%Y-%m-%d %H:%M:%S}",
            safe(one.key_id),
            safe(one.user_id or ""),
            safe(one.action),
            safe(str(one.status), "" if one.status < 400 else "red"),
            _memories(one),
        )
    more = safe(f"{len(entries):,} requests; there may be more: --limit, --since", "dim")
    return Group(table, more) if full else table


def _memories(entry: AuditEntry) -> Text:
    """The first of them by their ids, and how many more there are, with those whose ids are no longer known."""
    named = [one if len(one) <= ID_CHARS else f"{one[: ID_CHARS - 1]}…" for one in entry.memory_ids[:SHOWN]]
    details = entry.details or {}
    told = safe(", ".join(named))
    more = max(entry.items, len(entry.memory_ids) + len(entry.marks)) - len(named)
    if more > 0:
        told.append(f" +{more:,}" if named else f"{more:,}", "dim")
    if "deleted" in details:
        told.append(f" deleted: {details['deleted']}", "red")
    elif "attempts" in details:
        told.append(f" {details['attempts']} times", "red")
    return told
