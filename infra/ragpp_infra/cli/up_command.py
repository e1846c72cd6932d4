"""`ragpp up` and `restart`: the embedded stack started, started again, or kept up in the foreground."""

from dataclasses import asdict
from typing import Annotated

import typer
from rich.text import Text

from ragpp_infra.cli.console import emit_json, out, safe
from ragpp_infra.cli.foreground import Unheeded, bring_up, settings_taken, stop_what_was_started, watch
from ragpp_infra.cli.options import DEFAULT_HOME, HomeOption, JsonOption
from ragpp_infra.embedded.lifecycle import Lifecycle, Started
from ragpp_infra.embedded.services import MOST_WORKERS
from ragpp_infra.embedded.standby import keep_for_person


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
    each that is not given. What is to change can be seen before: ragpp status.

    Settings that the environment has not are taken from a file .env in this folder. The first start downloads Neo4j
    and the second encoder once.

    Example: [bold]ragpp up --workers 3 && ragpp status[/bold]
    """
    lifecycle = Lifecycle(home)
    unheeded = settings_taken(quiet=as_json)
    started = bring_up(lifecycle, workers=workers, quiet=as_json)
    keep_for_person(lifecycle.home)
    _tell(lifecycle, started, unheeded, as_json=as_json)
    if foreground:
        try:
            watch(lifecycle)
        except KeyboardInterrupt:
            pass  # asked for
        finally:
            stop_what_was_started(lifecycle)


def restart(
    home: HomeOption = DEFAULT_HOME,
    workers: Annotated[int | None, typer.Option(min=1, max=MOST_WORKERS, help="Worker processes, from now on.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Start the gateway and the workers again, with the settings of now. What does not run is started. Nothing that was
    acknowledged is lost, and PostgreSQL, Valkey and Neo4j go on running.

    Wrong settings are told before anything is stopped. Two at once take turns.

    Example: [bold]ragpp restart[/bold], or with another setting [bold]LOG_LEVEL=DEBUG ragpp restart[/bold]
    """
    lifecycle = Lifecycle(home)
    unheeded = settings_taken(quiet=as_json)
    started = bring_up(lifecycle, workers=workers, quiet=as_json, again=True)
    keep_for_person(lifecycle.home)
    _tell(lifecycle, started, unheeded, as_json=as_json)


def _tell(lifecycle: Lifecycle, started: Started, unheeded: Unheeded, *, as_json: bool) -> None:
    if not as_json:
        out.print(access(lifecycle, seconds=started.seconds), soft_wrap=True)
        return
    emit_json(
        {
            "url": lifecycle.home.url(),
            "key_path": str(lifecycle.home.key_path),
            "key": started.key,
            "unknown_settings": unheeded.unknown,
            "broken_lines": unheeded.broken_lines,
            "settings_without_effect": started.without_effect,
            "without_second_encoder": started.without_second or None,
            "seconds": round(started.seconds, 3),
            "servers": [asdict(report) for report in started.servers],
            "services": [asdict(report) for report in started.services],
        }
    )


def access(lifecycle: Lifecycle, *, seconds: float) -> Text:
    """Where the gateway is and how to use it."""
    home = lifecycle.home
    return safe(
        f"ready in {seconds:.1f} s: {home.url()} (API: {home.url()}/docs), key in {home.key_path}\n"
        'try: ragpp remember "My sister Elena moved to Porto." --user me\n'
        '     ragpp recall "Where does my sister live?" --user me'
    )
