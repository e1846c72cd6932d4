"""Room on a disk."""

import shutil
from pathlib import Path
from typing import Final, NamedTuple

LEAST_FREE_BYTES: Final = 1_000_000_000
LEAST_FREE_SHARE: Final = 0.05
"""With less than either a disk is as good as full: a store that cannot write its log ends."""


class Room(NamedTuple):
    """`told`: how much is free, in words."""

    enough: bool
    told: str


def room_at(folder: Path) -> Room:
    """How much is free on the disk of `folder`, or of the nearest above it that is there."""
    there = next((path for path in (folder, *folder.parents) if path.exists()), Path("/"))
    usage = shutil.disk_usage(there)
    share = usage.free / usage.total
    enough = usage.free >= LEAST_FREE_BYTES and share >= LEAST_FREE_SHARE
    return Room(enough, f"{usage.free / 1e9:.1f} GB free, {share:.0%}")
