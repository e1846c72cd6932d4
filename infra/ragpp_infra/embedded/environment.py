"""The settings that the services of an embedded stack are started with, and which of them a running one has not."""

import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

import psutil

from ragpp.places import cache_folder
from ragpp_infra.embedded.home import HOST, Home
from ragpp_infra.embedded.known_settings import known_settings
from ragpp_infra.embedded.second_encoder import SETTING, second_encoder
from ragpp_infra.secret_file import SECRETS

if TYPE_CHECKING:
    from ragpp_infra.provisioning.endpoints import Endpoints

WORKERS_CONNECTIONS: Final = 200
"""To PostgreSQL, of all workers together; its configuration allows 256, and a gateway may take 40."""
POOLS: Final = 3
"""The pools of one worker: two tiers' and the ledger's."""
MOST_EACH: Final = 10
OF_ONE: Final = {"GATEWAY_": "gateway", "WORKER_": "workers"}
"""Prefixes of settings that one service alone reads."""
SET_BY_THE_STACK: Final = frozenset(
    {
        *("POSTGRES_DSN", "POSTGRES_OWNER_DSN", "POSTGRES_RELAY_DSN", "REDIS_URL", "REDIS_REWRITE_URL"),
        *("NEO4J_URI", "NEO4J_USER", "NEO4J_PASSWORD", "FORGETTING_KEY"),
        *("GATEWAY_HOST", "GATEWAY_AUDIT_SPOOL"),
    }
)
"""The settings that an embedded stack sets itself, whatever the caller's environment has."""
PORT: Final = "GATEWAY_PORT"
"""The variable of the port that the stack takes where it is free."""
WITHHELD: Final[Mapping[str, frozenset[str]]] = {
    "gateway": frozenset({"POSTGRES_OWNER_DSN", "POSTGRES_RELAY_DSN", "REDIS_REWRITE_URL"}),
    "workers": frozenset({"POSTGRES_OWNER_DSN"}),
}
"""Credentials that a service has no use for: the owner's is for migrations and keys, the relay's for workers."""
ADMINISTRATORS: Final = "PROVISION_"


def environment_of(home: Home, endpoints: "Endpoints", port: int) -> dict[str, str]:
    """The settings that the programs of this stack are started with; everything else is the caller's environment."""
    return {
        **endpoints.settings(),
        "FORGETTING_KEY": home.passwords().forgetting_key,
        "GATEWAY_HOST": HOST,
        "GATEWAY_PORT": str(port),
        "GATEWAY_AUDIT_SPOOL": str(home.path / "audit-spool.jsonl"),
        "EMBEDDING_CACHE_DIR": str(embedding_cache()),
        SETTING: second_encoder(),
    }


def embedding_cache() -> Path:
    """Where the assembled graph is kept, absolute: services run in another folder than the caller."""
    configured = os.environ.get("EMBEDDING_CACHE_DIR")
    return Path(configured).expanduser().absolute() if configured else cache_folder()


def given_settings() -> dict[str, str]:
    """The settings that the caller gives to services started now: the environment, with places as absolute paths."""
    return {**os.environ, "EMBEDDING_CACHE_DIR": str(embedding_cache()), SETTING: second_encoder()}


def of_service(service: str, settings: Mapping[str, str]) -> dict[str, str]:
    """`settings` without the credentials that `service`, the gateway or a worker, has no use for."""
    withheld = next(names for prefix, names in WITHHELD.items() if service.startswith(prefix))
    administrators = SECRETS.keys() - known_settings()
    return {
        name: value
        for name, value in settings.items()
        if name not in withheld and name not in administrators and not name.startswith(ADMINISTRATORS)
    }


def share_of_connections(workers: int) -> dict[str, str]:
    """How many connections each pool of one of so many workers may open."""
    return {"POSTGRES_POOL_MAX": str(max(1, min(MOST_EACH, WORKERS_CONNECTIONS // (POOLS * workers))))}


def print_of(settings: Mapping[str, str]) -> str:
    """A fingerprint of settings: it differs where they do, and does not give them away."""
    return hashlib.sha256(json.dumps(settings, sort_keys=True).encode()).hexdigest()


def changed_settings(service: str, pid: int, given: Mapping[str, str]) -> list[str]:
    """Names of the settings that the running `service` would have other values of, were it started again with `given`;
    what is not given has its default then, and what the stack sets itself is none of them. None where the system does
    not tell what a process was started with.
    """
    has = started_with(pid)
    if not has:
        return []
    known = known_settings() - SET_BY_THE_STACK - {PORT}
    others = [prefix for prefix, name in OF_ONE.items() if not service.startswith(name)]

    def of_interest(name: str) -> bool:
        return name in known and not name.startswith(tuple(others))

    asked = {name for name, value in given.items() if of_interest(name) and has.get(name) != value}
    dropped = {name for name in has if of_interest(name) and name not in {*given, *share_of_connections(1)}}
    return sorted({*asked, *dropped})


def started_with(pid: int) -> Mapping[str, str]:
    """The environment that a process was started with; empty where the system does not tell."""
    try:
        return dict(psutil.Process(pid).environ())
    except psutil.Error:
        return {}


def wanted_port(given: Mapping[str, str]) -> int | None:
    """The gateway's port that is asked for; None where none is, or any."""
    port = given.get(PORT, "")
    return int(port) or None if port.isdecimal() else None


def without_effect(given: Mapping[str, str], settings: Mapping[str, str]) -> list[str]:
    """Names of what is given and the stack sets otherwise, as in `settings`."""

    def meant(name: str, value: str) -> str:
        return str(Path(value).expanduser().absolute()) if name == "GATEWAY_AUDIT_SPOOL" else value

    return sorted(
        name for name in SET_BY_THE_STACK & given.keys() if meant(name, given[name]) != settings.get(name, "")
    )
