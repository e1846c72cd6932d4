"""`ragpp catalog delete`: a resource with what was taken from it, an item, a category."""

from collections.abc import Awaitable, Callable
from typing import Annotated

import typer

from ragpp.api import Forgotten
from ragpp.client import AsyncMemoryClient
from ragpp.errors import InvalidInput, NotFound
from ragpp_infra.cli.catalog.options import WhoseOption
from ragpp_infra.cli.console import emit_json, out, safe
from ragpp_infra.cli.jobs_command import with_gateway
from ragpp_infra.cli.options import DEFAULT_HOME, HomeOption, JsonOption, KeyOption, UrlOption

YesOption = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask whether it is meant.")]

app = typer.Typer(
    help="Delete a resource with its items, an item, or a category, whose items stay.\n\n"
    "Example: [bold]ragpp catalog delete item item_550e8400-e29b-41d4-a716-446655440000 --user u1[/bold]",
    rich_markup_mode="rich",
    no_args_is_help=True,
)


@app.command()
def resource(
    resource_id: Annotated[str, typer.Argument(help="As `ragpp catalog resources` shows it.", show_default=False)],
    user: WhoseOption = None,
    keep_items: Annotated[
        bool, typer.Option("--keep-items", help="Only its content goes; what was taken from it stays.")
    ] = False,
    yes: YesOption = False,
    home: HomeOption = DEFAULT_HOME,
    url: UrlOption = None,
    key: KeyOption = None,
    as_json: JsonOption = False,
) -> None:
    """Delete a resource and what was taken from it.

    Example: [bold]ragpp catalog delete resource res_550e8400-e29b-41d4-a716-446655440000 --user u1[/bold]
    """
    _confirm(resource_id, yes=yes, as_json=as_json)

    def ask(client: AsyncMemoryClient) -> Awaitable[Forgotten]:
        return client.forget_resource(resource_id, user_id=user, cascade=not keep_items)

    _deleted(home, url, key, resource_id, ask, as_json=as_json)


@app.command()
def item(
    item_id: Annotated[str, typer.Argument(help="As `ragpp catalog items` shows it.", show_default=False)],
    user: WhoseOption = None,
    yes: YesOption = False,
    home: HomeOption = DEFAULT_HOME,
    url: UrlOption = None,
    key: KeyOption = None,
    as_json: JsonOption = False,
) -> None:
    """Delete an item; it is not extracted again.

    Example: [bold]ragpp catalog delete item item_550e8400-e29b-41d4-a716-446655440000 --user u1[/bold]
    """
    _confirm(item_id, yes=yes, as_json=as_json)
    _deleted(home, url, key, item_id, lambda client: client.forget_item(item_id, user_id=user), as_json=as_json)


@app.command()
def category(
    name: Annotated[str, typer.Argument(help="Its name.", show_default=False)],
    user: WhoseOption = None,
    yes: YesOption = False,
    home: HomeOption = DEFAULT_HOME,
    url: UrlOption = None,
    key: KeyOption = None,
    as_json: JsonOption = False,
) -> None:
    """Delete a category and its page; its items stay, without one.

    Example: [bold]ragpp catalog delete category product_knowledge --user u1[/bold]
    """
    _confirm(name, yes=yes, as_json=as_json)
    _deleted(home, url, key, name, lambda client: client.delete_category(name, user_id=user), as_json=as_json)


def _confirm(identifier: str, *, yes: bool, as_json: bool) -> None:
    """Ask. Raises InvalidInput where nobody can answer, Abort for a no."""
    if yes:
        return
    if as_json:
        raise InvalidInput("with --json nobody is asked", suggestions=("Add --yes.",))
    typer.confirm(f"Delete {identifier!r} for good?", abort=True)


def _deleted(
    home: HomeOption,
    url: str | None,
    key: str | None,
    identifier: str,
    ask: Callable[[AsyncMemoryClient], Awaitable[Forgotten]],
    *,
    as_json: bool,
) -> None:
    gone = with_gateway(home, url, key, ask)
    if not gone.forgotten:
        raise NotFound(f"there is nothing called {identifier!r}")
    if as_json:
        emit_json(gone.model_dump(mode="json"))
    else:
        out.print(safe("deleted", "bold"))
