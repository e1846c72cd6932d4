"""The options that several commands share, each with the environment variable that replaces it."""

import os
from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from ragpp.environment import USER, is_address

HomeOption: TypeAlias = Annotated[
    Path,
    typer.Option("--home", envvar="RAGPP_HOME", help="Folder of the embedded stack: data, logs, pid files, key."),
]


def address(url: str | None) -> str | None:
    """An address as it is given. Raises BadParameter for one that is none."""
    if url and not is_address(url):
        raise typer.BadParameter(f"{url!r} has no http:// or https:// before it")
    return url


def named(user: str | None) -> str | None:
    """A user as it is given. Raises WrongUsage for an empty name, which is nobody's."""
    if user is not None and not user.strip():
        from ragpp_infra.cli.arguments import WrongUsage  # noqa: PLC0415 - the models, which most commands need not wait for

        raise WrongUsage.of({"--user": "is empty"}, suggestions=("Name the user, or leave the option out.",))
    return user


UrlOption: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--url", envvar="RAGPP_URL", callback=address, help="Address of a gateway; default: the embedded stack's."
    ),
]
KeyOption: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--key",
        envvar="RAGPP_API_KEY",
        help="API key; default: the embedded stack's, for that stack alone.",
        show_envvar=True,
    ),
]
UserOption: TypeAlias = Annotated[
    str, typer.Option("--user", "-u", envvar="RAGPP_USER", callback=named, help="Whose memory.", show_default=False)
]
OnlyUserOption: TypeAlias = Annotated[
    str | None, typer.Option("--user", "-u", envvar="RAGPP_USER", callback=named, help="Only this user's.")
]
WhoseArgument: TypeAlias = Annotated[
    str | None, typer.Argument(metavar="USER", callback=named, help="Whose memory; or --user.", show_default=False)
]
WhoseOption: TypeAlias = Annotated[
    str | None, typer.Option("--user", "-u", callback=named, help=f"The same, as an option; or {USER}.")
]


def whose(argument: str | None, option: str | None, *, variable: str | None = USER) -> str:
    """The user who is named by either, else by the environment's `variable`. Raises WrongUsage where none is, or one by
    each."""
    from ragpp_infra.cli.arguments import WrongUsage  # noqa: PLC0415 - the models, as above

    if argument and option and argument != option:
        told = f"names {option!r}, and the argument {argument!r}"
        raise WrongUsage.of({"--user": told}, suggestions=("Name one user.",))
    user = argument or option or (named(os.environ.get(variable) or None) if variable else None)
    if user is None:
        raise WrongUsage.of({"--user": "is missing"}, suggestions=("Name the user: ragpp … --user u1.",))
    return user


def see_user_behind(context: typer.Context) -> None:
    """Raises BadParameter where --user stands before a command of the group, which takes one of its own or none."""
    source = context.get_parameter_source("user")
    if source is not None and source.name == "COMMANDLINE":
        raise typer.BadParameter("--user stands behind the command", context)


TokenizerOption: TypeAlias = Annotated[
    str | None,
    typer.Option(
        help="What the model that reads counts in: o200k, cl100k, mistral, or bytes, a bound for any other. Default: "
        "the gateway's."
    ),
]
JsonOption: TypeAlias = Annotated[bool, typer.Option("--json", help="Answer with JSON on standard output.")]
DryRunOption: TypeAlias = Annotated[
    bool, typer.Option("--dry-run", help="Change nothing, and only tell what would go.")
]
WaitOption: TypeAlias = Annotated[
    float, typer.Option(help="Longest wait for the job to end, in seconds; 0 only asks for it.")
]

DEFAULT_HOME = Path(".ragpp")
