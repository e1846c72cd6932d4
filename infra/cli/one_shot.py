"""What the command line runs once, in a process of its own, with the stack's settings: migrations and keys."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import httpx

from infra.cli.place import HOST, Place
from infra.embedded.processes import tail
from ragpp.errors import StackError

if TYPE_CHECKING:
    from infra.embedded.stack import Endpoints


def environment_of(place: Place, endpoints: "Endpoints", port: int) -> dict[str, str]:
    """The settings that the services of this stack are started with; everything else is the caller's environment."""
    cache = os.environ.get("RAGPP_CACHE", "~/.cache/ragpp")
    return {
        "POSTGRES_DSN": endpoints.postgres_app_dsn.get_secret_value(),
        "POSTGRES_OWNER_DSN": endpoints.postgres_owner_dsn.get_secret_value(),
        "POSTGRES_RELAY_DSN": endpoints.postgres_relay_dsn.get_secret_value(),
        "REDIS_URL": endpoints.redis_url.get_secret_value(),
        "NEO4J_URI": endpoints.neo4j_uri,
        "NEO4J_USER": endpoints.neo4j_user,
        "NEO4J_PASSWORD": endpoints.neo4j_password.get_secret_value(),
        "GATEWAY_HOST": HOST,
        "GATEWAY_PORT": str(port),
        "GATEWAY_AUDIT_SPOOL": str(place.home.path / "audit-spool.jsonl"),
        "EMBEDDING_CACHE_DIR": str(Path(cache).expanduser()),
    }


def last_words(log: Path, lines: int = 12) -> str:
    """The end of a log, its JSON lines in short: the event, and the last line of a traceback."""
    said = []
    for line in tail(log, lines).splitlines():
        try:
            event = json.loads(line)
            last = str(event.get("exception") or event["event"]).strip().splitlines()[-1]
            said.append(f"{event.get('level', '')}: {last}")
        except (ValueError, KeyError, TypeError, AttributeError, IndexError):
            said.append(line)
    return "\n".join(said)


def migrate(place: Place, settings: Mapping[str, str]) -> None:
    """Bring every schema up to date, in a process of its own. Raises StackError with what it said."""
    done = _run_module("services.all_in_one", ["migrate"], place, settings)
    if done.returncode != 0:
        log = place.home.logs / "gateway.log"
        with log.open("a", encoding="utf-8") as file:
            file.write(done.stdout + done.stderr)
        said = last_words(log, 3)
        raise StackError(f"the schemas cannot be brought up to date; {log} has it all. Its end:\n{said}")


def _run_module(
    module: str, arguments: Sequence[str], place: Place, settings: Mapping[str, str]
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", module, *arguments],
        env=os.environ | settings,
        cwd=place.home.path,
        capture_output=True,
        text=True,
        check=False,
    )


def run_keys(place: Place, endpoints: "Endpoints", arguments: Sequence[str]) -> subprocess.CompletedProcess[str]:
    """Run the gateway's key command in a process of its own; its output is captured."""
    return _run_module("services.gateway.keys", arguments, place, environment_of(place, endpoints, 0))


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
