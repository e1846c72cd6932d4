"""`ragpp catalog store`, `extract` and `resources`: what facts are taken from."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from ragpp.api import ResourceIn, StoredResource
from ragpp.catalog import MemoryItem, Resource
from ragpp.client import AsyncMemoryClient
from ragpp.errors import ExtractionError, InvalidInput
from ragpp.memory.whose import Whose, listed
from ragpp.paging import PAGE
from ragpp_infra.cli.arguments import WrongUsage, checked, parse_moment
from ragpp_infra.cli.catalog.options import (
    AgentOption,
    AnyTypeOption,
    CategoryOption,
    LimitOption,
    TypeOption,
    VisibilityOption,
    WhoseOption,
    category_name,
)
from ragpp_infra.cli.catalog.tables import items_table, resource_view, resources_table
from ragpp_infra.cli.console import emit_json, err, out, safe
from ragpp_infra.cli.jobs_command import with_gateway
from ragpp_infra.cli.options import DEFAULT_HOME, HomeOption, JsonOption, KeyOption, UrlOption, WaitOption

ResourceId = Annotated[str, typer.Argument(help="As `ragpp catalog resources` shows it.", show_default=False)]


def store(
    text: Annotated[str | None, typer.Argument(help="What it says; else --file.", show_default=False)] = None,
    user: WhoseOption = None,
    file: Annotated[
        str | None, typer.Option("--file", "-f", help="A file of text instead; - reads standard input.")
    ] = None,
    kind: TypeOption = "document",
    title: Annotated[str | None, typer.Option(help="What lists call it.")] = None,
    session: Annotated[str | None, typer.Option("--session", "-s", help="The conversation that it is of.")] = None,
    at: Annotated[str | None, typer.Option(help="The time of what it tells; default: the present.")] = None,
    identifier: Annotated[
        str | None, typer.Option("--id", help="Its id; a repeat with the same id is harmless.")
    ] = None,
    agent: AgentOption = None,
    visibility: VisibilityOption = None,
    home: HomeOption = DEFAULT_HOME,
    url: UrlOption = None,
    key: KeyOption = None,
    as_json: JsonOption = False,
) -> None:
    """Store one resource: a document, a conversation, a configuration, feedback.

    Example: [bold]ragpp catalog store --file prices.md --user u1 --title Prices[/bold]
    """
    given = {
        "user_id": user,
        "id": identifier,
        "resource_type": kind,
        "content": _content(text, file),
        "metadata": {"title": title} if title else None,
        "session_id": session,
        "occurred_at": parse_moment(at, "--at"),
        "agent_id": agent,
        "visibility": visibility,
    }
    request = checked(ResourceIn, {name: value for name, value in given.items() if value is not None})
    stored: StoredResource = with_gateway(home, url, key, lambda client: client.store_resource(request))
    if as_json:
        emit_json(stored.model_dump(mode="json"))
        return
    became = "known already" if stored.duplicate else "stored"
    line = safe(became, "bold").append_text(safe(f" as {stored.resource.resource_id}", "dim"))
    if stored.redactions:
        line.append_text(safe(f", {stored.redactions} taken out: {', '.join(stored.redacted)}", "yellow"))
    out.print(line)
    whose = f" --user {user}" if user else ""
    out.print(safe(f"next: ragpp catalog extract {stored.resource.resource_id}{whose}", "dim"), soft_wrap=True)


def _content(text: str | None, file: str | None) -> str:
    if (text is None) == (file is None):
        raise WrongUsage("either TEXT or --file", suggestions=("Give what it says, or the file that says it.",))
    if text is not None:
        return text
    try:
        raw = sys.stdin.buffer.read() if file == "-" else Path(file or "").read_bytes()
        return raw.decode("utf-8-sig")
    except OSError as error:
        raise InvalidInput(f"{file} cannot be read: {error.strerror}", suggestions=("Nothing was stored.",)) from error
    except UnicodeDecodeError as error:
        raise InvalidInput(
            f"{file} is not UTF-8 at byte {error.start}", suggestions=("Nothing was stored.",)
        ) from error


def extract(
    resource_id: ResourceId,
    user: WhoseOption = None,
    category: CategoryOption = None,
    wait: WaitOption = 120.0,
    home: HomeOption = DEFAULT_HOME,
    url: UrlOption = None,
    key: KeyOption = None,
    as_json: JsonOption = False,
) -> None:
    """Take the facts out of a resource, and show them. Doing it again gives the same.

    Example: [bold]ragpp catalog extract res_550e8400-e29b-41d4-a716-446655440000 --user u1[/bold]
    """
    hint = category_name(category)

    async def run(client: AsyncMemoryClient) -> list[MemoryItem] | None:
        job = await client.extract_resource(resource_id, user_id=user, category_hint=hint)
        if wait <= 0:
            err.print(safe(f"{job.id} is under way: ragpp jobs show {job.id}", "yellow"))
            return None
        await Whose(client, user, patience_s=wait).done(job, ExtractionError)
        return await listed(lambda cursor: client.items(user, resource_id=resource_id, cursor=cursor, limit=PAGE))

    items = with_gateway(home, url, key, run)
    if items is None:
        return
    if as_json:
        emit_json({"items": [item.to_dict() for item in items]})
    else:
        out.print(items_table(items))


def resources(
    resource_id: Annotated[str | None, typer.Argument(help="Show all of this one.", show_default=False)] = None,
    user: WhoseOption = None,
    kind: AnyTypeOption = None,
    session: Annotated[str | None, typer.Option("--session", "-s", help="Only of this conversation.")] = None,
    search: Annotated[str | None, typer.Option("--search", "-q", help="Those with these words, best first.")] = None,
    limit: LimitOption = 20,
    home: HomeOption = DEFAULT_HOME,
    url: UrlOption = None,
    key: KeyOption = None,
    as_json: JsonOption = False,
) -> None:
    """List resources, the one stored last first; or show one.

    Example: [bold]ragpp catalog resources --user u1 --search "refund policy"[/bold]
    """
    if resource_id is not None:
        one = with_gateway(home, url, key, lambda client: client.resource(resource_id, user_id=user))
        if as_json:
            emit_json(one.to_dict())
        else:
            out.print(resource_view(one))
        return

    async def found(client: AsyncMemoryClient) -> list[Resource]:
        return await listed(
            lambda cursor: client.resources(
                user, resource_type=kind, session_id=session, search=search, cursor=cursor, limit=min(limit, PAGE)
            ),
            limit,
        )

    rows = with_gateway(home, url, key, found)
    if as_json:
        emit_json({"items": [row.to_dict() for row in rows]})
    else:
        out.print(resources_table(rows))
