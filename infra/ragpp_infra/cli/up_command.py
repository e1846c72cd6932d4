"""`ragpp up`: the embedded stack started, or kept up in the foreground."""

import os
from dataclasses import asdict
from typing import Annotated

import typer
from rich.text import Text

from ragpp_infra.cli.console import emit_json, name_misspelt, out, safe
from ragpp_infra.cli.foreground import bring_up, stop_what_was_started, watch
from ragpp_infra.cli.options import DEFAULT_HOME, HomeOption, JsonOption
from ragpp_infra.embedded.environment import unknown_settings
from ragpp_infra.embedded.lifecycle import Lifecycle
from ragpp_infra.embedded.services import MOST_WORKERS


def up(
    home: HomeOption = DEFAULT_HOME,
    workers: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=MOST_WORKERS,
            help="Worker processes, from now on; surplus ones are stopped. Default: as many as there were, at first 1.",
        ),
    ] = None,
    foreground: Annotated[
        bool, typer.Option("--foreground", help="Stay, start again what ends by itself, stop all on Ctrl-C.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Start PostgreSQL, Valkey, Neo4j, the gateway and the workers. What runs already is left as it is, unless it was
    started with other settings than the environment has now: that is started again with these, and with the default of
    each that is not given.

    The first start downloads Neo4j once.

    Example: [bold]ragpp up --workers 3 && ragpp status[/bold]
    """
    lifecycle = Lifecycle(home)
    unknown = unknown_settings(os.environ)
    if not as_json:
        name_misspelt(unknown)
    started = bring_up(lifecycle, workers=workers, quiet=as_json)
    if as_json:
        emit_json(
            {
                "url": lifecycle.home.url(),
                "key_path": str(lifecycle.home.key_path),
                "unknown_settings": unknown,
                "seconds": round(started.seconds, 3),
                "servers": [asdict(report) for report in started.servers],
                "services": [asdict(report) for report in started.services],
            }
        )
    else:
        out.print(access(lifecycle, seconds=started.seconds), soft_wrap=True)
    if foreground:
        try:
            watch(lifecycle)
        except KeyboardInterrupt:
            pass  # asked for
        finally:
            stop_what_was_started(lifecycle)


def access(lifecycle: Lifecycle, *, seconds: float) -> Text:
    """Where the gateway is and how to use it."""
    home = lifecycle.home
    return safe(
        f"ready in {seconds:.1f} s: {home.url()} (API: {home.url()}/docs), key in {home.key_path}\n"
        'try: ragpp remember "My sister Elena moved to Porto." --user me\n'
        '     ragpp recall "Where does my sister live?" --user me'
    )
