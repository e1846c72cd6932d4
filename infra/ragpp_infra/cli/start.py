"""Where `ragpp` begins: an installation of the client alone has the command, and not what it runs on."""

import json
import shlex
import sys
from typing import Final

from ragpp.errors import ConfigurationError

_OURS: Final = frozenset({"ragpp", "ragpp_services", "ragpp_infra"})
_FAILURE: Final = 1  # as ExitCode, which needs what may be missing


def main() -> None:
    """The command line; or what to install for it, with the exit code of a failure."""
    if sys.argv[1:2] == ["hook"]:  # an assistant waits for it, so the other commands are not loaded
        from ragpp_infra.cli.hooking.command import run as run_hook  # noqa: PLC0415 - which no other command needs

        run_hook(sys.argv[2:])
        return
    try:
        from ragpp_infra.cli.main import main as run  # noqa: PLC0415 - it may be missing what it imports

        run()
    except ModuleNotFoundError as error:
        missing = (error.name or "").partition(".")[0]
        if missing in _OURS:
            raise
        _tell(missing)
        sys.exit(_FAILURE)


def _tell(missing: str) -> None:
    command = shlex.join((sys.executable, "-m", "pip", "install", "--find-links", "dist", "ragpp[embedded]"))
    kind, detail = ConfigurationError, f"the extra `embedded` is not installed: there is no module {missing}"
    advice = f"Install it, in a clone after `make wheels`: {command}"
    if "--json" in sys.argv:
        problem = {"title": kind.title, "status": kind.status, "detail": detail, "code": kind.code}
        sys.stderr.write(json.dumps({"type": "about:blank", **problem, "recovery_suggestions": [advice]}) + "\n")
        return
    sys.stderr.write(f"{kind.title} ({kind.code})\n  {detail}\n  → {advice}\n")


if __name__ == "__main__":
    main()
