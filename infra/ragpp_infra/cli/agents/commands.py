"""`ragpp agents`: what agents keep for themselves, from the terminal."""

import typer

from ragpp_infra.cli.agents.file_commands import archive, backfill, export, import_memories
from ragpp_infra.cli.agents.source_commands import compare, source, usage

app = typer.Typer(
    help="What agents keep and choose: files of their memories, where these come from, what they were given.\n\n"
    "From files to the catalog, an agent at a time: [bold]import[/bold], [bold]source AGENT parallel[/bold], "
    "[bold]compare[/bold], [bold]source AGENT catalog[/bold], [bold]archive[/bold].",
    rich_markup_mode="rich",
    no_args_is_help=True,
)
app.command("import")(import_memories)
app.command()(export)
app.command()(source)
app.command()(compare)
app.command()(archive)
app.command()(backfill)
app.command()(usage)
