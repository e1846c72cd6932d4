"""`ragpp config`: which settings are in force, and where each comes from."""

from dataclasses import asdict
from typing import Annotated, Final

import typer
from rich.table import Table
from rich.text import Text

from ragpp_infra.cli.arguments import WrongUsage
from ragpp_infra.cli.console import emit_json, out, safe
from ragpp_infra.cli.foreground import unheeded
from ragpp_infra.cli.options import DEFAULT_HOME, HomeOption, JsonOption
from ragpp_infra.embedded.environment import environment_of
from ragpp_infra.embedded.in_force import Setting, settings_in_force
from ragpp_infra.embedded.known_settings import check_settings
from ragpp_infra.embedded.lifecycle import Lifecycle
from ragpp_infra.embedded.settings_file import adopt

_STYLES: Final = {"default": "dim", "stack": "cyan", ".env": "green", "environment": "green"}


def config(
    prefix: Annotated[str | None, typer.Argument(help="Only settings whose names begin so, e.g. LLM.")] = None,
    changed: Annotated[bool, typer.Option("--changed", help="Only those that differ from their default.")] = False,
    home: HomeOption = DEFAULT_HOME,
    as_json: JsonOption = False,
) -> None:
    """Show which settings are in force, and where each comes from: its default, the file .env of this folder, the
    environment, or the stack itself. Secrets are masked. What a running service has otherwise is shown beside it; it
    gets these values with [bold]ragpp restart[/bold].

    What counts for nothing is told: names that there are no settings of, lines of the file that are no assignment.
    Answers 1 when a value is wrong, and names it.

    Example: [bold]ragpp config LLM[/bold], or what is not as it comes: [bold]ragpp config --changed[/bold]
    """
    lifecycle = Lifecycle(home)
    adopted = adopt()
    nothing = unheeded(adopted, quiet=as_json)
    found = [
        setting
        for setting in settings_in_force(_of_stack(lifecycle), adopted.names, lifecycle.services.pids())
        if setting.name.startswith((prefix or "").upper()) and not (changed and setting.origin == "default")
    ]
    if prefix and not found and not changed:
        raise WrongUsage.of({"prefix": f"no setting begins with {prefix!r}"}, suggestions=("See `ragpp config`.",))
    if as_json:
        emit_json(
            {
                "settings": [asdict(setting) for setting in found],
                "unknown_settings": nothing.unknown,
                "broken_lines": nothing.broken_lines,
            }
        )
    else:
        _show(found)
    check_settings()


def _of_stack(lifecycle: Lifecycle) -> dict[str, str]:
    """The settings that the stack sets; none before its first start."""
    home = lifecycle.home
    if not home.is_initialised() or home.recall("valkey_port") is None or home.recall("neo4j_port") is None:
        return {}
    return environment_of(home, lifecycle.stack.endpoints(), int(home.recall("gateway_port") or 0))


def _show(found: list[Setting]) -> None:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("setting", "value", "from", "running"):
        table.add_column(heading, overflow="fold")
    for setting in found:
        others = "; ".join(f"{service}: {_value(other)}" for service, other in setting.running.items())
        table.add_row(
            setting.name,
            safe(_value(setting.value)),
            Text(setting.origin, style=_STYLES[setting.origin]),
            safe(others, "yellow"),
        )
    out.print(table)


def _value(value: str | None) -> str:
    return "–" if value is None or not value else value
