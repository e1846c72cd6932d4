"""Build what one command installs: the wheel of `ragpp`, and `ragpp-minilm` with the weights of the default model.

    python infra/scripts/build_wheels.py [--out dist]

The weights are those of the package that `make install` brought, compared with the published files' SHA-256; they are
in no repository.
"""

import argparse
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2]
SOURCES: Final = ROOT / "infra" / "minilm"
"""All of `ragpp-minilm` but the weights."""
MOST_BYTES: Final = 100_000_000
"""Bytes of one file that package indexes take without being asked."""


def build_wheels(out: Path) -> list[Path]:
    """Both wheels, in `out`. Raises EmbeddingError for weights that are not the published ones."""
    out.mkdir(parents=True, exist_ok=True)
    return [_built(ROOT, out), _built_weights(out)]


def _built_weights(out: Path) -> Path:
    from ragpp.embedding.checkpoint import installed_checkpoint  # noqa: PLC0415 - `--help` needs no model

    checkpoint = installed_checkpoint()
    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder) / "minilm"
        shutil.copytree(SOURCES, project)
        shutil.copy(ROOT / "LICENSE", project)
        model = project / "ragpp_minilm" / "model"
        model.mkdir()
        for path in (checkpoint.weights, checkpoint.tokenizer):
            shutil.copy(path, model)
        return _built(project, out)


def _built(project: Path, out: Path) -> Path:
    """Raises SystemExit for a wheel that is too large."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", folder]
        subprocess.run(command, cwd=project, check=True, capture_output=True)
        [wheel] = Path(folder).glob("*.whl")
        if wheel.stat().st_size > MOST_BYTES:
            sys.exit(f"{wheel.name} has {wheel.stat().st_size:,} bytes, over {MOST_BYTES:,}")
        return Path(shutil.move(wheel, out / wheel.name))


def main() -> None:
    """Build them, and say how large they are."""
    parser = argparse.ArgumentParser(description="Build the wheels of a release.")
    parser.add_argument("--out", type=Path, default=ROOT / "dist")
    for wheel in build_wheels(parser.parse_args().out):
        print(f"{wheel.stat().st_size / 1_000_000:>6.1f} MB  {wheel}")


if __name__ == "__main__":
    main()
