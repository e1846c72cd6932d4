"""The settings that the services of an embedded stack are started with, and which of them a running one has not."""

import hashlib
import json
from collections.abc import Collection, Iterable, Mapping
from difflib import get_close_matches
from importlib import import_module
from importlib.resources import files
from typing import TYPE_CHECKING, Final

import psutil

from ragpp.errors import ConfigurationError
from ragpp_infra.embedded.home import HOST, Home, default_cache

if TYPE_CHECKING:
    from ragpp.settings.variables import Settings
    from ragpp_infra.provisioning.endpoints import Endpoints

WORKERS_CONNECTIONS: Final = 200
"""To PostgreSQL, of all workers together; its configuration allows 256, and a gateway may take 40."""
POOLS: Final = 3
"""Of one worker: two tiers' and the ledger's."""
MOST_EACH: Final = 10
SERVICES: Final = "ragpp_services"
OF_ONE: Final = {"GATEWAY_": "gateway", "WORKER_": "workers"}
"""Prefixes of settings that one service alone reads."""
OF_OTHERS_TOO: Final = ("POSTGRES_", "REDIS_", "NEO4J_", "LOG_")
"""Prefixes that variables of other programs have, too."""


def environment_of(home: Home, endpoints: "Endpoints", port: int) -> dict[str, str]:
    """The settings that the services of this stack are started with; everything else is the caller's environment."""
    return {
        **endpoints.settings(),
        "FORGETTING_KEY": home.passwords().forgetting_key,
        "GATEWAY_HOST": HOST,
        "GATEWAY_PORT": str(port),
        "GATEWAY_AUDIT_SPOOL": str(home.path / "audit-spool.jsonl"),
        "EMBEDDING_CACHE_DIR": str(default_cache()),
    }


def share_of_connections(workers: int) -> dict[str, str]:
    """How many connections each pool of one of so many workers may open."""
    return {"POSTGRES_POOL_MAX": str(max(1, min(MOST_EACH, WORKERS_CONNECTIONS // (POOLS * workers))))}


def print_of(settings: Mapping[str, str]) -> str:
    """What tells one set of settings from another, without telling them."""
    return hashlib.sha256(json.dumps(settings, sort_keys=True).encode()).hexdigest()


def check_settings() -> None:
    """Raises ConfigurationError, which names each variable of the caller's environment that no service could take."""
    problems = []
    for kind in settings_classes():
        set_by_the_stack = {name: "" for name, field in kind.model_fields.items() if field.is_required()}
        try:
            kind(**set_by_the_stack)
        except ConfigurationError as error:
            problems.append(error.message)
    if problems:
        raise ConfigurationError("; ".join(problems))


def changed_settings(service: str, pid: int, given: Mapping[str, str], own: Collection[str]) -> list[str]:
    """Names of the settings that the running `service` would have other values of, were it started again with `given`;
    `own` are those that the stack sets itself. What is not given has its default then. None where the system does not
    tell what a process was started with.
    """
    try:
        has = psutil.Process(pid).environ()
    except psutil.Error:
        return []
    if not has:
        return []
    known = known_settings()
    others = [prefix for prefix, name in OF_ONE.items() if not service.startswith(name)]

    def of_interest(name: str) -> bool:
        return name in known and name not in own and not name.startswith(tuple(others))

    asked = {name for name, value in given.items() if of_interest(name) and has.get(name) != value}
    dropped = {name for name in has if of_interest(name) and name not in {*given, *share_of_connections(1)}}
    return sorted({*asked, *dropped})


def known_settings() -> frozenset[str]:
    """The environment variables that a service reads."""
    return frozenset(kind.variable(field) for kind in settings_classes() for field in kind.model_fields)


def unknown_settings(names: Iterable[str]) -> dict[str, str | None]:
    """Those of `names` that look like settings and are none, each with the setting that was probably meant.

    POSTGRES_USER and its like are other programs': under a prefix of a server's own, only what is nearly a setting
    of ours is named.
    """
    known = known_settings()
    prefixes = tuple(str(kind.model_config.get("env_prefix")) for kind in settings_classes())
    found = dict[str, str | None]()
    for name in sorted(names):
        if name.startswith(prefixes) and name not in known:
            near = get_close_matches(name, known, n=1, cutoff=0.85 if name.startswith(OF_OTHERS_TOO) else 0.7)
            if near or not name.startswith(OF_OTHERS_TOO):
                found[name] = near[0] if near else None
    return found


def settings_classes() -> "list[type[Settings]]":
    """Those that several services read, then each service's own: what is run is known here by its modules' names."""
    from ragpp.settings.variables import Settings  # noqa: PLC0415 - a quarter of a second that recall need not wait

    folders = sorted(one.name for one in files(SERVICES).iterdir() if one.joinpath("settings.py").is_file())
    modules = ["ragpp.settings", *(f"{SERVICES}.{name}.settings" for name in folders)]
    return [
        kind
        for module in modules
        for kind in vars(import_module(module)).values()
        if isinstance(kind, type) and issubclass(kind, Settings) and kind.__module__ == module
    ]
