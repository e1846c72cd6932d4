"""`ragpp catalog categories`: the pages that are made of items, listed, read, created and made anew."""

from typing import Annotated

import typer
from rich.markdown import Markdown

from ragpp.api import CategoryIn
from ragpp.catalog import MemoryCategory
from ragpp.client import AsyncMemoryClient
from ragpp.errors import ConsolidationError
from ragpp.memory.whose import Whose, listed
from ragpp.paging import PAGE
from ragpp_infra.cli.arguments import checked
from ragpp_infra.cli.catalog.options import VisibilityOption, WhoseOption, category_name
from ragpp_infra.cli.catalog.tables import categories_table
from ragpp_infra.cli.console import emit_json, err, out, plain, safe
from ragpp_infra.cli.jobs_command import with_gateway
from ragpp_infra.cli.options import DEFAULT_HOME, HomeOption, JsonOption, KeyOption, UrlOption, WaitOption

Name = Annotated[str, typer.Argument(help="Its name, as product_knowledge.", show_default=False)]

app = typer.Typer(
    help="List categories, read and create them, and have their pages made anew.\n\n"
    "Example: [bold]ragpp catalog categories show product_knowledge --user u1[/bold]",
    rich_markup_mode="rich",
    no_args_is_help=True,
)


@app.command("list")
def list_all(
    user: WhoseOption = None,
    home: HomeOption = DEFAULT_HOME,
    url: UrlOption = None,
    key: KeyOption = None,
    as_json: JsonOption = False,
) -> None:
    """List categories by name, with how many items each has.

    Example: [bold]ragpp catalog categories list --user u1[/bold]
    """

    async def found(client: AsyncMemoryClient) -> list[MemoryCategory]:
        return await listed(lambda cursor: client.categories(user, cursor=cursor, limit=PAGE))

    rows = with_gateway(home, url, key, found)
    if as_json:
        emit_json({"items": [row.to_dict() for row in rows]})
    else:
        out.print(categories_table(rows))


@app.command()
def show(
    name: Name,
    user: WhoseOption = None,
    home: HomeOption = DEFAULT_HOME,
    url: UrlOption = None,
    key: KeyOption = None,
    as_json: JsonOption = False,
) -> None:
    """Read a category's page: rendered on a terminal, as Markdown into a file or another program.

    Example: [bold]ragpp catalog categories show product_knowledge --user u1 > prices.md[/bold]
    """
    _shown(with_gateway(home, url, key, lambda client: client.category(name, user_id=user)), as_json=as_json)


@app.command()
def create(
    name: Name,
    description: Annotated[str, typer.Argument(help="What it is to hold, in 10 to 500 characters.")],
    user: WhoseOption = None,
    visibility: VisibilityOption = None,
    home: HomeOption = DEFAULT_HOME,
    url: UrlOption = None,
    key: KeyOption = None,
    as_json: JsonOption = False,
) -> None:
    """Create a category. Items that nobody files are filed by its description.

    Example: [bold]ragpp catalog categories create suppliers "Who delivers what, and when" --user u1[/bold]
    """
    given = {"user_id": user, "name": category_name(name, "name"), "description": description, "visibility": visibility}
    request = checked(CategoryIn, {field: value for field, value in given.items() if value is not None})
    made = with_gateway(home, url, key, lambda client: client.create_category(request))
    if as_json:
        emit_json(made.to_dict())
    else:
        out.print(safe("created", "bold").append_text(safe(f" {made.name}", "dim")))


@app.command()
def defaults(
    user: WhoseOption = None,
    home: HomeOption = DEFAULT_HOME,
    url: UrlOption = None,
    key: KeyOption = None,
    as_json: JsonOption = False,
) -> None:
    """Create the default categories, those that are not there.

    Example: [bold]ragpp catalog categories defaults --user u1[/bold]
    """
    page = with_gateway(home, url, key, lambda client: client.create_default_categories(user_id=user))
    if as_json:
        emit_json(page.model_dump(mode="json"))
    else:
        out.print(categories_table(page.items))


@app.command()
def consolidate(
    name: Name,
    user: WhoseOption = None,
    force: Annotated[
        bool, typer.Option("--force", help="Also where nothing is new, and over what a person wrote.")
    ] = False,
    wait: WaitOption = 120.0,
    home: HomeOption = DEFAULT_HOME,
    url: UrlOption = None,
    key: KeyOption = None,
    as_json: JsonOption = False,
) -> None:
    """Make a category's page of its items, and show it.

    Example: [bold]ragpp catalog categories consolidate product_knowledge --user u1[/bold]
    """

    async def run(client: AsyncMemoryClient) -> MemoryCategory | None:
        job = await client.consolidate_category(name, user_id=user, force=force)
        if wait <= 0:
            err.print(safe(f"{job.id} is under way: ragpp jobs show {job.id}", "yellow"))
            return None
        await Whose(client, user, patience_s=wait).done(job, ConsolidationError)
        return await client.category(name, user_id=user)

    made = with_gateway(home, url, key, run)
    if made is not None:
        _shown(made, as_json=as_json)


def _shown(category: MemoryCategory, *, as_json: bool) -> None:
    if as_json:
        emit_json(category.to_dict())
    elif out.is_terminal:
        out.print(Markdown(plain(category.markdown_content)))
    else:
        typer.echo(plain(category.markdown_content))
