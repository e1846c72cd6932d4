"""Which gateway is meant where the caller does not say: the environment's, else that of the stack's folder. It imports
next to nothing: a hook of an assistant waits for it."""

import hashlib
import json
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ragpp.births import birth_on_linux
from ragpp.errors import ConfigurationError

URL: Final = "RAGPP_URL"
API_KEY: Final = "RAGPP_API_KEY"
HOME: Final = "RAGPP_HOME"
USER: Final = "RAGPP_USER"
USUAL_HOME: Final = Path(".ragpp")
CLIENT_FILE: Final = "client.json"
"""In the stack's folder, written by `ragpp up`: `url`, `key`, the gateway's `pid` and `birth`; for its owner alone."""
START: Final = (
    f"Where a stack runs from another folder: export {HOME}=that folder/{USUAL_HOME}",
    f"Start one in this folder: ragpp up. For a gateway elsewhere, set {URL} and {API_KEY}.",
)


@dataclass(frozen=True, slots=True)
class Access:
    """The part of the file that is for a client."""

    url: str
    key: str


def gateway_of(base_url: str | None, api_key: str | None) -> tuple[str, str]:
    """Address and key as given, else from RAGPP_URL and RAGPP_API_KEY; where there is none of them, those of the stack
    that `ragpp up` started in RAGPP_HOME or in `.ragpp`.

    Raises ConfigurationError, which names what is neither given nor set, that an address has no http:// before it, that
    a key has what no key has, or that others than its owner may have written the stack's file or read it.
    """
    found = {URL: base_url or os.environ.get(URL), API_KEY: api_key or os.environ.get(API_KEY)}
    if not any(found.values()):
        access = access_of(stack_folder())
        return access.url, access.key
    url, key = found[URL], found[API_KEY]
    if not url or not key:
        raise _half_named(*((URL, API_KEY) if url else (API_KEY, URL)), is_given=bool(base_url or api_key))
    if not isinstance(url, str) or not is_address(url):
        raise ConfigurationError(
            "the gateway's address has no http:// or https:// before it",
            suggestions=("Write it as http://127.0.0.1:8700.",),
        )
    if not isinstance(key, str) or not (key.isascii() and key.isprintable()):
        raise ConfigurationError(
            "the key is no text, or has a line break or another character that no key has",
            suggestions=(f"Give `api_key`, or set {API_KEY}, as `ragpp key create` or `ragpp env` shows it.",),
        )
    return url, key


def _half_named(name: str, setting: str, *, is_given: bool) -> ConfigurationError:
    """The error of a gateway of which `name` is known alone, and `setting` is not."""
    if not is_given:
        message = f"no gateway is named: {name} is set, and {setting} is not"
    elif name == URL:
        message = f"no gateway is named: `base_url` is given without `api_key`, and {API_KEY} is not set"
    else:
        message = f"no gateway is named: `api_key` is given without `base_url`, and {URL} is not set"
    return ConfigurationError(
        message,
        suggestions=(
            "Give both to the client or neither: MemoryClient(base_url, api_key) asks that gateway, MemoryClient() the "
            "one of the environment or of the stack that runs here.",
            "`ragpp env` shows address and key of the embedded stack.",
        ),
    )


def stack_folder() -> Path:
    """The folder of the stack: RAGPP_HOME, else `.ragpp` in the current one."""
    return Path(os.environ.get(HOME) or USUAL_HOME).expanduser().absolute()


def is_elsewhere() -> bool:
    """True where the environment names a gateway, whose stack is not that of the folder."""
    return bool(os.environ.get(URL) or os.environ.get(API_KEY))


def outbox_folder(api_key: str | None = None) -> Path:
    """Where what was said waits for the gateway of this key; without one, for that of the stack's folder."""
    return stack_folder() / "outbox" / (hashlib.sha256(api_key.encode()).hexdigest()[:12] if api_key else "stack")


def is_address(url: str) -> bool:
    """True where a request can go to `url`."""
    return url.startswith(("http://", "https://"))


def access_of(folder: Path) -> Access:
    """Where the gateway of the stack in `folder` is. Raises ConfigurationError when none runs, or as `gateway_of`."""
    path = folder / CLIENT_FILE
    try:
        if not _is_private(path.stat()):
            raise ConfigurationError(
                f"{path} is not yours alone, so it is not trusted to say where the memory is",
                suggestions=(f"Have it written anew by `ragpp up`, or name a gateway with {URL} and {API_KEY}.",),
            )
        written = json.loads(path.read_bytes())
        access = Access(str(written["url"]), str(written["key"]))
        is_there = sys.platform != "linux" or birth_on_linux(int(written["pid"])) == str(written["birth"])
    except FileNotFoundError as error:
        raise ConfigurationError(
            f"no gateway is named: {URL} and {API_KEY} are not set, and there is no {path}", suggestions=START
        ) from error
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise ConfigurationError(f"{path} cannot be read", suggestions=START) from error
    if not is_address(access.url):
        raise ConfigurationError(f"{path} names no address", suggestions=START)
    if not is_there:  # another may listen at its port by now, and would be told the key
        raise ConfigurationError(f"the gateway that {path} names does not run any more", suggestions=START)
    return access


def _is_private(found: os.stat_result) -> bool:
    if sys.platform == "win32":  # whose mode says nothing
        return True
    return found.st_uid == os.geteuid() and not found.st_mode & 0o077
