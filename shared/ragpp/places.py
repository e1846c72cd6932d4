"""Where files are kept that can be fetched or made again."""

import os
from pathlib import Path


def cache_folder() -> Path:
    """`RAGPP_CACHE`, else `ragpp` in the user's cache folder: `XDG_CACHE_HOME`, which counts where it is absolute (XDG
    base directory specification), else `~/.cache`."""
    if configured := os.environ.get("RAGPP_CACHE"):
        return Path(configured).expanduser().absolute()
    named = Path(os.environ.get("XDG_CACHE_HOME") or "")
    return (named if named.is_absolute() else Path.home() / ".cache") / "ragpp"
