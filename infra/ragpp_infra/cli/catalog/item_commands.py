"""`ragpp catalog retrieve` and `items`: the facts, found by a question or listed."""

from typing import Annotated

import typer

from ragpp.api import RetrieveRequest
from ragpp.catalog import DEFAULT_K, MemoryItem, RetrievalMode
from ragpp.client import AsyncMemoryClient
from ragpp.memory.whose import listed
from ragpp.paging import PAGE
from ragpp_infra.cli.arguments import checked, parse_moment
from ragpp_infra.cli.catalog.options import LimitOption, ModeOption, OnlyCategoryOption, WhoseOption, category_name
from ragpp_infra.cli.catalog.tables import found_view, items_table
from ragpp_infra.cli.console import emit_json, out
from ragpp_infra.cli.jobs_command import with_gateway
from ragpp_infra.cli.options import DEFAULT_HOME, HomeOption, JsonOption, KeyOption, UrlOption


def retrieve(
    query: Annotated[str, typer.Argument(help="The question.", show_default=False)],
    user: WhoseOption = None,
    mode: ModeOption = RetrievalMode.HYBRID,
    k: Annotated[int, typer.Option("-k", help="Most items, 1 to 100.")] = DEFAULT_K,
    category: OnlyCategoryOption = None,
    threshold: Annotated[
        float | None, typer.Option(help="Leave out what is less similar to the question, -1 to 1.")
    ] = None,
    escalation: Annotated[
        float | None,
        typer.Option("--escalation-threshold", help="Below which confidence hybrid asks a language model, 0 to 1."),
    ] = None,
    as_of: Annotated[str | None, typer.Option(help="Only what had been told by then.")] = None,
    home: HomeOption = DEFAULT_HOME,
    url: UrlOption = None,
    key: KeyOption = None,
    as_json: JsonOption = False,
) -> None:
    """Ask the catalog: the items that answer a question, best first.

    Example: [bold]ragpp catalog retrieve "What does the studio plan cost?" --user u1 -k 3[/bold]
    """
    given = {
        "user_id": user,
        "query": query,
        "mode": mode,
        "k": k,
        "category_filter": category_name(category),
        "similarity_threshold": threshold,
        "as_of": parse_moment(as_of, "--as-of"),
        "escalation_threshold": escalation,
    }
    request = checked(RetrieveRequest, {name: value for name, value in given.items() if value is not None})
    result = with_gateway(home, url, key, lambda client: client.retrieve(request))
    if as_json:
        emit_json(result.to_dict())
    else:
        out.print(found_view(result))


def items(
    user: WhoseOption = None,
    category: OnlyCategoryOption = None,
    resource: Annotated[
        str | None, typer.Option("--resource", "-r", help="Only what was taken from this resource.")
    ] = None,
    limit: LimitOption = 20,
    home: HomeOption = DEFAULT_HOME,
    url: UrlOption = None,
    key: KeyOption = None,
    as_json: JsonOption = False,
) -> None:
    """List items, the latest first.

    Example: [bold]ragpp catalog items --user u1 --category product_knowledge[/bold]
    """
    name = category_name(category)

    async def found(client: AsyncMemoryClient) -> list[MemoryItem]:
        return await listed(
            lambda cursor: client.items(
                user, category=name, resource_id=resource, cursor=cursor, limit=min(limit, PAGE)
            ),
            limit,
        )

    rows = with_gateway(home, url, key, found)
    if as_json:
        emit_json({"items": [row.to_dict() for row in rows]})
    else:
        out.print(items_table(rows))
