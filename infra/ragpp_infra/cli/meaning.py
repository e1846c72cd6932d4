"""The question whether it is meant, asked before anything is forgotten for good."""

from typing import Annotated, TypeAlias

import typer

from ragpp.errors import InvalidInput

YesOption: TypeAlias = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask whether it is meant.")]


def see_meant(question: str, *, dry_run: bool, yes: bool, as_json: bool) -> None:
    """Ask, unless nothing would be changed. Raises InvalidInput where nobody can answer, Abort for a no."""
    if dry_run or yes:
        return
    if as_json:
        raise InvalidInput("with --json nobody is asked", suggestions=("Add --yes, or --dry-run.",))
    typer.confirm(question, abort=True)
