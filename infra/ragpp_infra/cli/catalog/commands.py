"""`ragpp catalog`: curated knowledge beside what was said, from the terminal."""

import typer

from ragpp_infra.cli.catalog import category_commands, delete_commands
from ragpp_infra.cli.catalog.import_command import import_folder
from ragpp_infra.cli.catalog.item_commands import items, retrieve
from ragpp_infra.cli.catalog.resource_commands import extract, resources, store
from ragpp_infra.cli.catalog.upkeep_commands import events, rebuild, stats

app = typer.Typer(
    help="Curated knowledge: documents and conversations, the facts taken from them, pages made of those.\n\n"
    "Example: [bold]ragpp catalog import handbook --user u1 --extract[/bold]",
    rich_markup_mode="rich",
    no_args_is_help=True,
)
app.command("import")(import_folder)
app.command()(store)
app.command()(extract)
app.command()(retrieve)
app.command()(resources)
app.command()(items)
app.add_typer(category_commands.app, name="categories")
app.add_typer(delete_commands.app, name="delete")
app.command()(stats)
app.command()(events)
app.command()(rebuild)
