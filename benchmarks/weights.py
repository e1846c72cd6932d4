"""The files of trained weights: how far what was learned now is from what is there, and taking its place."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt


def compare_and_keep(path: Path, made: Mapping[str, npt.NDArray[Any]], *, write: bool) -> None:
    """Print the farthest that a weight is from the file's, where there is one; with `write` they take its place."""
    if path.exists():
        with np.load(path) as before:
            same = made.keys() == set(before.files) and all(made[name].shape == before[name].shape for name in made)
            far = max(float(np.abs(made[name] - before[name]).max()) for name in made) if same else float("inf")
        print(f"the farthest that a weight is from the file's: {far:.4f}")
    if write:
        np.savez_compressed(path, **made)  # type: ignore[arg-type]  # none of the names is an option's
