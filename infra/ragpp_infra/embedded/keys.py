"""The gateway's key command, run beside the stack, and the first key of a folder."""

import json
import subprocess
from collections.abc import Sequence
from typing import TYPE_CHECKING

import httpx

from ragpp.errors import StackError
from ragpp_infra.embedded.environment import environment_of
from ragpp_infra.embedded.place import Place
from ragpp_infra.embedded.services import run_module

if TYPE_CHECKING:
    from ragpp_infra.embedded.stack import Endpoints


def run_keys(place: Place, endpoints: "Endpoints", arguments: Sequence[str]) -> subprocess.CompletedProcess[str]:
    """Run the gateway's key command in a process of its own; its output is captured."""
    return run_module("ragpp_services.gateway.keys", arguments, place, environment_of(place, endpoints, 0))


def ensure_key(place: Place, endpoints: "Endpoints") -> bool:
    """Make the first key when there is none, or when the stored one is not known; True when one was made.

    Raises StackError when it cannot be made.
    """
    key, url = place.key(), place.url()
    if key is not None and url is not None:
        headers = {"authorization": f"Bearer {key}"}
        answer = httpx.get(f"{url}/v1/pending", params={"user_id": "-"}, headers=headers, timeout=10.0, trust_env=False)
        if answer.status_code != 401:
            return False
    made = run_keys(place, endpoints, ["create", "--tenant", "default", "--json"])
    if made.returncode != 0:
        raise StackError(f"no API key could be made: {made.stderr.strip()[-500:]}")
    place.write_key(str(json.loads(made.stdout)["key"]))
    return True
