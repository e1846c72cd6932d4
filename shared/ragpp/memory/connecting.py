"""Which gateway a MemoryManager speaks to where nobody says: the environment's, else that of the stack's folder."""

import os
import sys
from pathlib import Path
from typing import Final

from pydantic import BaseModel, ValidationError

from ragpp.client import MemoryClient
from ragpp.client.environment import API_KEY, URL, is_address
from ragpp.errors import ConfigurationError

HOME: Final = "RAGPP_HOME"
USUAL_HOME: Final = Path(".ragpp")
CLIENT_FILE: Final = "client.json"
"""In the stack's folder, written by `ragpp up`: `url` and `key`, readable by its owner alone."""
START: Final = (
    "Start a stack in this folder: ragpp up",
    f"Or name its folder with {HOME}, or another gateway with {URL} and {API_KEY}.",
)


class Access(BaseModel):
    """What the file has."""

    url: str
    key: str


def connected() -> MemoryClient:
    """A client of the gateway of RAGPP_URL and RAGPP_API_KEY, or, where neither is set, of the stack's folder.

    Raises ConfigurationError when there is none, or when others than its owner may have written the file or read it.
    """
    if os.environ.get(URL) or os.environ.get(API_KEY):
        return MemoryClient()
    access = _access(Path(os.environ.get(HOME) or USUAL_HOME).expanduser().absolute() / CLIENT_FILE)
    return MemoryClient(access.url, access.key)


def _access(path: Path) -> Access:
    try:
        if not _is_private(path.stat()):
            raise ConfigurationError(
                f"{path} is not yours alone, so it is not trusted to say where the memory is",
                suggestions=(f"Have it written anew by `ragpp up`, or name a gateway with {URL} and {API_KEY}.",),
            )
        access = Access.model_validate_json(path.read_bytes())
    except FileNotFoundError as error:
        raise ConfigurationError(
            f"no gateway is named: {URL} and {API_KEY} are not set, and there is no {path}", suggestions=START
        ) from error
    except (OSError, ValidationError) as error:
        raise ConfigurationError(f"{path} cannot be read", suggestions=START) from error
    if not is_address(access.url):
        raise ConfigurationError(f"{path} names no address", suggestions=START)
    return access


def _is_private(found: os.stat_result) -> bool:
    if sys.platform == "win32":  # whose mode says nothing
        return True
    return found.st_uid == os.geteuid() and not found.st_mode & 0o077
