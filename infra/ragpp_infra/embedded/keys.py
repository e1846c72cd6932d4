"""The gateway's key command, run beside the stack, and the first key of a folder."""

import json
import re
import subprocess
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, Literal

from ragpp.errors import MemorySystemError, NotFound, StackError
from ragpp_infra.embedded.environment import environment_of
from ragpp_infra.embedded.home import Home
from ragpp_infra.programs import run_module

if TYPE_CHECKING:
    from ragpp_infra.provisioning.endpoints import Endpoints

Key = Literal["kept", "made", "replaced"]
"""The outcome for a folder's key: `replaced` where the one it had was revoked, or of another database."""
_TOLD: Final = re.compile(r"^(?P<code>MEM-\d{3}) (?P<message>.+)\Z", re.MULTILINE | re.DOTALL)


def run_keys(home: Home, endpoints: "Endpoints", arguments: Sequence[str]) -> subprocess.CompletedProcess[str]:
    """Run the gateway's key command in a process of its own; its output is captured."""
    return run_module(
        "ragpp_services.gateway.keys", arguments, folder=home.path, settings=environment_of(home, endpoints, 0)
    )


def problem_told(stderr: str) -> MemorySystemError | None:
    """The error that the key command ended with, from the line that it wrote: its code, then what happened."""
    match = _TOLD.search(stderr)
    if match is None:
        return None
    kind = MemorySystemError.by_code.get(match["code"], MemorySystemError)
    suggestions = ("`ragpp key list` lists them.",) if kind is NotFound else ()
    return kind.worded(match["message"].strip(), suggestions=suggestions)


def ensure_key(home: Home, endpoints: "Endpoints") -> Key:
    """Make the first key when there is none, or another when the stored one is not known. The caller holds the lock.

    Raises StackError when it cannot be made, or the gateway was stopped meanwhile.
    """
    key, url = home.key(), home.url()
    if key is not None and url is not None:
        import httpx  # noqa: PLC0415 - a fifth of a second that whoever starts nothing need not wait

        headers = {"authorization": f"Bearer {key}"}
        try:
            answer = httpx.get(
                f"{url}/v1/pending", params={"user_id": "-"}, headers=headers, timeout=10.0, trust_env=False
            )
        except httpx.TransportError as error:
            raise StackError("the gateway was stopped while it was being started: another `ragpp down`?") from error
        if answer.status_code != 401:
            return "kept"
    make_own_key(home, endpoints)
    return "made" if key is None else "replaced"


def is_own(home: Home, key_id: str) -> bool:
    """True where the folder's own key is the one of this id."""
    key = home.key() or ""
    return key.split("_")[1:2] == [key_id.removeprefix("key_")]


def admin_key(home: Home, endpoints: "Endpoints", *, anew: bool = False) -> str:
    """The folder's key for what an administrator alone may ask; made when there is none, or `anew`. Raises
    StackError when it cannot be made."""
    with home.locked():
        kept = None if anew else home.admin_key()
        if kept is not None:
            return kept
        made = _made(home, endpoints, "admin")
        home.write_admin_key(made)
        return made


def make_own_key(home: Home, endpoints: "Endpoints") -> None:
    """Make a key and keep it in the folder, in the place of the one there. Raises StackError when it cannot be made."""
    home.write_key(_made(home, endpoints, "read,write,forget"))


def _made(home: Home, endpoints: "Endpoints", scopes: str) -> str:
    made = run_keys(home, endpoints, ["create", "--tenant", "default", "--scopes", scopes, "--json"])
    if made.returncode != 0:
        raise StackError(f"no API key could be made: {made.stderr.strip()[-500:]}")
    return str(json.loads(made.stdout)["key"])
