"""The terminal's output: safe text, problems that say what to do, and the exit codes."""

import json
import sys
from collections.abc import Mapping
from enum import IntEnum
from typing import Final

from rich.console import Console
from rich.text import Text

from ragpp.errors import MemorySystemError

out: Final = Console(highlight=False)
err: Final = Console(stderr=True, highlight=False)

_CONTROLS: Final = {code: "\N{REPLACEMENT CHARACTER}" for code in (*range(32), *range(127, 160)) if code not in (9, 10)}


class ExitCode(IntEnum):
    """The code with which a command ends."""

    OK = 0
    FAILURE = 1
    USAGE = 2
    NOT_RUNNING = 3
    INTERRUPTED = 130


def plain(text: str) -> str:
    """`text` without the control characters that a terminal would obey; tabs and newlines stay."""
    return text.translate(_CONTROLS)


def safe(text: str, style: str = "") -> Text:
    """`text` as it is: no markup, no control characters."""
    return Text(plain(text), style=style)


def name_misspelt(unknown: Mapping[str, str | None], places: Mapping[str, str] | None = None) -> None:
    """Settings that there are not, each with the one that was probably meant and where it stands, on standard error."""
    for name, meant in unknown.items():
        advice = f": did you mean {meant}?" if meant else ""
        place = f" ({places[name]})" if places and name in places else ""
        err.print(safe(f"there is no setting {name}{advice}{place}", "yellow"), soft_wrap=True)


def emit_json(value: object) -> None:
    """One JSON document on standard output."""
    sys.stdout.write(json.dumps(value, ensure_ascii=False, indent=2) + "\n")


def show_problem(error: MemorySystemError, *, as_json: bool) -> None:
    """The problem on standard error: what happened, its code, what to do."""
    if as_json:
        from ragpp.errors.problems import problem_of  # noqa: PLC0415 - pydantic, which not every command needs

        sys.stderr.write(json.dumps(problem_of(error).model_dump(), ensure_ascii=False) + "\n")
        return
    err.print(safe(f"{error.title} ({error.code})", "bold red"))
    err.print(safe(f"  {error.message}"), soft_wrap=True)
    for suggestion in error.suggestions:
        err.print(safe(f"  → {suggestion}", "dim"), soft_wrap=True)
