"""The file `.env` of the folder that a stack is started from: settings that the environment does not have."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from ragpp.errors import ConfigurationError
from ragpp_infra.embedded.environment import SET_BY_THE_STACK
from ragpp_infra.embedded.known_settings import COMMAND_LINE, known_settings, misspelt_in_file

SETTINGS_FILE: Final = Path(".env")
TRUSTED: Final = 0
"""The user whose files count beside one's own: root."""


@dataclass(frozen=True)
class Adopted:
    """The names of settings that were taken from the file; the unknown ones in it, each with the one that was probably
    meant, and in which line; those that only count in the environment; and the numbers of lines that are no
    assignment."""

    names: tuple[str, ...] = ()
    unknown: Mapping[str, str | None] = field(default_factory=dict)
    lines: Mapping[str, int] = field(default_factory=dict)
    without_effect: tuple[str, ...] = ()
    broken_lines: tuple[int, ...] = ()


@dataclass(frozen=True)
class _Read:
    """The values of the file, the line of each, and the lines that are no assignment; of a name that is there twice the
    last one counts."""

    values: Mapping[str, str] = field(default_factory=dict)
    lines: Mapping[str, int] = field(default_factory=dict)
    broken_lines: tuple[int, ...] = ()


def adopt(path: Path = SETTINGS_FILE) -> Adopted:
    """Put the settings of the file into this process's environment, but for those that it has and those that the stack
    sets itself: secrets of containers, which `ragpp init` writes to a file of the same name, are nothing to it.

    What the command line reads (RAGPP_…) is not taken: an address in a folder that somebody else made would be sent
    the key that is in the environment. Raises ConfigurationError for a file that cannot be read, or is another user's.
    """
    given = _read(path)
    known = known_settings() - SET_BY_THE_STACK
    taken = {name: text for name, text in given.values.items() if name in known and name not in os.environ}
    os.environ.update(taken)
    return Adopted(
        names=tuple(sorted(taken)),
        unknown=misspelt_in_file(given.values),
        lines=given.lines,
        without_effect=tuple(sorted(name for name in given.values if name in COMMAND_LINE)),
        broken_lines=given.broken_lines,
    )


def _read(path: Path) -> _Read:
    from dotenv.parser import parse_stream  # noqa: PLC0415 - most commands read no file

    try:
        owner = path.stat().st_uid
        if owner not in {os.geteuid(), TRUSTED}:
            raise ConfigurationError(
                f"{path} is another user's: settings of theirs are not taken",
                suggestions=("Run the command in another folder, or make the file your own.",),
            )
        with path.open(encoding="utf-8") as file:
            bindings = list(parse_stream(file))
    except (FileNotFoundError, NotADirectoryError):
        return _Read()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"{path} cannot be read: {type(error).__name__}") from error
    values, lines, broken = dict[str, str](), dict[str, int](), list[int]()
    for binding in bindings:
        written = binding.original.string
        line = binding.original.line + written[: len(written) - len(written.lstrip())].count("\n")
        if binding.key is not None and binding.value is not None:
            values[binding.key], lines[binding.key] = binding.value, line
        elif binding.error or binding.key is not None:
            broken.append(line)
    return _Read(values, lines, tuple(broken))
