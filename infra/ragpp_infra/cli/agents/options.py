"""The options that the commands about agents share."""

from typing import Annotated, TypeAlias

import typer

AgentArgument: TypeAlias = Annotated[str, typer.Argument(metavar="AGENT", help="The agent's name.", show_default=False)]
FileAgentOption: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--agent",
        "-a",
        help="The agent whose memories they are; `global`: all of the user's. Default: whom the file names.",
        show_default=False,
    ),
]
