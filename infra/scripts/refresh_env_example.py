"""Write .env.example anew from the settings classes: every variable, its default, what it is for.

python infra/scripts/refresh_env_example.py [--check]
"""

import argparse
import inspect
import json
import sys
from pathlib import Path
from typing import Final

from pydantic.fields import FieldInfo

from ragpp_infra.embedded.known_settings import COMMAND_LINE, settings_classes

ROOT: Final = Path(__file__).resolve().parents[2]
EXAMPLE: Final = ROOT / ".env.example"
COLUMN: Final = 44
HEADER: Final = """\
# Every setting, with its default. The embedded stack (`ragpp up`) sets addresses and passwords by itself; these are for
# services that run on their own, and for what is to differ. A process reads them once, when it starts, from its
# environment: `set -a; . ./settings.env; set +a` puts a file like this one there. `ragpp up`, `restart` and `demo` take
# from a file `.env` in the folder where they are run what the environment has not.
# Written by infra/scripts/refresh_env_example.py from the settings classes: do not edit.
"""
COMMAND_LINE_HEADER: Final = "\n# The command line; these count in the environment alone.\n"


def example_text() -> str:
    """The whole file."""
    parts = [HEADER]
    for kind in settings_classes():
        parts.append("\n" + "".join(f"# {line}\n" for line in (inspect.getdoc(kind) or "").splitlines() if line))
        parts += [_line(kind.variable(name), field) for name, field in kind.model_fields.items()]
    command_line = [_described(name, default, said) for name, (default, said) in COMMAND_LINE.items()]
    return "".join((*parts, COMMAND_LINE_HEADER, *command_line))


def _line(name: str, field: FieldInfo) -> str:
    default = None if field.is_required() else field.get_default(call_default_factory=True)
    value = "" if default is None else json.dumps(default) if isinstance(default, dict) else str(default)
    return _described(name, value, f"{field.description or ''}{' (required)' if field.is_required() else ''}".strip())


def _described(name: str, value: str, said: str) -> str:
    setting = f"{name}={value}" if value else f"#{name}="
    return f"{setting:<{COLUMN - 1}} # {said}".rstrip(" #") + "\n"


def main() -> int:
    """Write the file; with --check, 1 when it would change."""
    parser = argparse.ArgumentParser(description="Write .env.example from the settings classes.")
    parser.add_argument("--check", action="store_true", help="change nothing; exit 1 when the file is out of date")
    text = example_text()
    if parser.parse_args().check:
        return int(not EXAMPLE.exists() or EXAMPLE.read_text(encoding="utf-8") != text)
    EXAMPLE.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
