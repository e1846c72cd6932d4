"""`ragpp init`: the secrets that containers are started with."""

from pathlib import Path
from typing import Annotated

import typer

from ragpp.errors import ConfigurationError
from ragpp_infra.cli.console import emit_json, out, safe
from ragpp_infra.cli.options import JsonOption
from ragpp_infra.secret_file import SECRETS, check_secrets, is_private, read, write_new


def init(
    file: Annotated[Path, typer.Option(help="Where the secrets are.")] = Path(".env"),
    check: Annotated[bool, typer.Option("--check", help="Write nothing; see whether those that are there do.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Write .env with new secrets for docker compose, readable by you alone. A file that is there is never overwritten.

    With --check, weak secrets are refused: missing, short or guessable ones, and one that is used for two things.

    Example: [bold]ragpp init && docker compose up --build --wait[/bold]
    """
    if not check:
        write_new(file)
    check_secrets(read(file))
    if not is_private(file):
        raise ConfigurationError(f"others can read {file}", suggestions=(f"chmod 600 {file}",))
    if as_json:
        emit_json({"path": str(file), "written": not check, "secrets": list(SECRETS)})
        return
    if check:
        out.print(safe(f"{file}: {len(SECRETS)} secrets, none of them weak"), soft_wrap=True)
        return
    out.print(
        safe(
            f"{len(SECRETS)} secrets are in {file}, which you alone can read\n"
            "next: docker compose up --build --wait\n"
            "      export RAGPP_URL=http://127.0.0.1:8700 RAGPP_API_KEY=$(docker compose run --rm -T keys create)\n"
            "      ragpp demo --url $RAGPP_URL"
        ),
        soft_wrap=True,
    )
