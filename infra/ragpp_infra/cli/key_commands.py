"""`ragpp key create | list | revoke`: API keys of the embedded stack."""

import json
import sys
from pathlib import Path
from typing import Annotated, Literal

import typer

from ragpp.errors import InvalidInput
from ragpp_infra.cli.arguments import WrongUsage
from ragpp_infra.cli.console import err, plain, safe
from ragpp_infra.cli.options import DEFAULT_HOME, HomeOption, JsonOption
from ragpp_infra.embedded.home import NotRunning
from ragpp_infra.embedded.keys import problem_told, run_keys
from ragpp_infra.embedded.lifecycle import Lifecycle

app = typer.Typer(
    help="Make, list and revoke API keys.\n\nExample: [bold]ragpp key create --scopes read,write[/bold]",
    no_args_is_help=True,
    rich_markup_mode="rich",
)


@app.command()
def create(
    tenant: Annotated[str, typer.Option(help="The tenant that the key speaks for.")] = "default",
    scopes: Annotated[
        str,
        typer.Option(
            help="Separated by commas: read, write, forget, admin, global; share, with which a key that is bound to an "
            "agent writes for the user's other agents, too."
        ),
    ] = "read,write,forget",
    user: Annotated[str | None, typer.Option(help="Bind the key to one user.")] = None,
    agent: Annotated[
        str | None, typer.Option(help="Bind the key to one agent, which then has a memory of its own.")
    ] = None,
    days: Annotated[
        int | None, typer.Option(min=1, max=36_500, help="Days until it expires; never, when absent.")
    ] = None,
    visibility: Annotated[
        Literal["agent", "shared"] | None,
        typer.Option(help="Who sees what is written with it, where a write does not say."),
    ] = None,
    home: HomeOption = DEFAULT_HOME,
    as_json: JsonOption = False,
) -> None:
    """Make a key and show it, this once; its id, by which it is revoked, is on standard error.

    Example: [bold]ragpp key create --tenant acme --scopes read --user u1 --days 30[/bold]

    Example: [bold]ragpp key create --agent sales --scopes read,write,share[/bold]
    """
    given = {"--tenant": tenant, "--scopes": scopes, "--user": user, "--agent": agent, "--days": days}
    given["--visibility"] = visibility
    options = [part for name, value in given.items() if value is not None for part in (name, str(value))]
    made = _answer(home, "create", *options, "--json")
    if as_json:
        sys.stdout.write(plain(made))
        return
    key = json.loads(made)
    typer.echo(key["key"])
    err.print(safe(f"its id: {key['key_id']}; revoke it with: ragpp key revoke {key['key_id']}", "dim"), soft_wrap=True)


@app.command("list")
def list_(
    tenant: Annotated[str | None, typer.Option(help="Only this tenant's.")] = None,
    home: HomeOption = DEFAULT_HOME,
    as_json: JsonOption = False,
) -> None:
    """List the keys, without their secrets; with --json, one document a line.

    Example: [bold]ragpp key list --tenant acme[/bold]
    """
    sys.stdout.write(
        plain(_answer(home, "list", *(["--tenant", tenant] if tenant else []), *(["--json"] if as_json else [])))
    )


@app.command()
def revoke(
    key_id: Annotated[str, typer.Argument(help="As `list` shows it.", show_default=False)],
    home: HomeOption = DEFAULT_HOME,
) -> None:
    """Revoke a key; within seconds no request with it is answered. For the stack's own another is made.

    Example: [bold]ragpp key revoke key_0123456789ab[/bold]
    """
    sys.stdout.write(plain(_answer(home, "revoke", "--", key_id)))
    lifecycle = Lifecycle(home)
    if lifecycle.renew_key(key_id):
        said = (
            f"that was the stack's own key: a new one is in {lifecycle.home.key_path}; whoever has the old one needs it"
        )
        err.print(safe(said, "yellow"), soft_wrap=True)


def _answer(home: Path, *arguments: str) -> str:
    """The output of the gateway's own command, which knows the database. Raises what that refused, as WrongUsage where
    it was a value; Exit with its code where it ended otherwise."""
    lifecycle = Lifecycle(home)
    if "postgres" not in lifecycle.running():
        raise NotRunning(f"no PostgreSQL runs in {lifecycle.home.path}")
    done = run_keys(lifecycle.home, lifecycle.stack.endpoints(), arguments)
    if done.returncode == 0:
        return done.stdout
    problem = problem_told(done.stderr)
    if isinstance(problem, InvalidInput):
        raise WrongUsage(problem.message)
    if problem is not None:
        raise problem
    sys.stderr.write(plain(done.stderr))
    raise typer.Exit(done.returncode)
