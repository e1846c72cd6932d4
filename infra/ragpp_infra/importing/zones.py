"""The time zone of this machine, under its name."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Final
from zoneinfo import ZoneInfo

from ragpp.fields import known_zone

_LINK: Final = Path("/etc/localtime")


def machine_zone(environment: Mapping[str, str] = os.environ, link: Path = _LINK) -> ZoneInfo | None:
    """The zone that TZ names, else the system's, which is UTC where none is set; None for one without a name."""
    named = environment.get("TZ", "").removeprefix(":")
    if not named:
        if not link.exists():
            return ZoneInfo("UTC")
        _, found, named = str(link.resolve()).rpartition("zoneinfo/")
        if not found:
            return None
    try:
        return ZoneInfo(known_zone(named))
    except ValueError:
        return None
