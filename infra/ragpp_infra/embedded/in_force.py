"""Which settings are in force, and where each comes from."""

import json
import os
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal, get_args
from urllib.parse import urlsplit, urlunsplit

from pydantic import SecretStr
from pydantic.fields import FieldInfo

from ragpp.places import cache_folder
from ragpp_infra.embedded.environment import OF_ONE, PORT, SET_BY_THE_STACK, started_with
from ragpp_infra.embedded.known_settings import settings_classes
from ragpp_infra.embedded.second_encoder import SETTING, second_encoder

Origin = Literal["default", ".env", "environment", "stack"]
MASK: Final = "********"


@dataclass(frozen=True)
class Setting:
    """One setting: what the next start gives it, None where nothing does, and where that comes from. `running`: the
    value that a service has which runs with another one, by its name. Secrets are masked."""

    name: str
    value: str | None
    origin: Origin
    secret: bool
    about: str
    running: Mapping[str, str | None] = field(default_factory=dict)


def settings_in_force(
    of_stack: Mapping[str, str], from_file: Collection[str], pids: Mapping[str, int]
) -> list[Setting]:
    """Every setting, in the order of .env.example. `of_stack`: what the stack sets, empty before its first start;
    `from_file`: names that were taken from the file of settings into the environment; `pids`: of running services.
    """
    runs_with = {name: has for name, pid in pids.items() if (has := started_with(pid))}
    found = []
    for kind in settings_classes():
        for key, info in kind.model_fields.items():
            name = kind.variable(key)
            value, origin = _in_force(name, info, of_stack, from_file)
            secret = _is_secret(info)
            default = _default(name, info)
            running = {
                service: shown(other, secret=secret)
                for service, has in runs_with.items()
                if _reads(service, name) and (other := has.get(name, default)) != value and not _own_affair(name)
            }
            found.append(Setting(name, shown(value, secret=secret), origin, secret, info.description or "", running))
    return found


def _in_force(
    name: str, info: FieldInfo, of_stack: Mapping[str, str], from_file: Collection[str]
) -> tuple[str | None, Origin]:
    if name in SET_BY_THE_STACK or (name == PORT and name in of_stack):
        return of_stack.get(name), "stack"
    if name in os.environ:
        value = os.environ[name]
        made_absolute = name in {"EMBEDDING_CACHE_DIR", SETTING} and value
        origin: Origin = ".env" if name in from_file else "environment"
        return str(Path(value).expanduser().absolute()) if made_absolute else value, origin
    return _default(name, info), "default"


def _default(name: str, info: FieldInfo) -> str | None:
    if name == "EMBEDDING_CACHE_DIR":
        return str(cache_folder())
    if name == SETTING:
        return second_encoder()
    value = None if info.is_required() else info.get_default(call_default_factory=True)
    if value is None:
        return None
    if isinstance(value, SecretStr):
        return value.get_secret_value()
    return json.dumps(value) if isinstance(value, dict) else str(value)


def _reads(service: str, name: str) -> bool:
    """True where the service has such a setting at all; the other's settings it is given and never looks at."""
    return not any(name.startswith(prefix) and not service.startswith(one) for prefix, one in OF_ONE.items())


def _own_affair(name: str) -> bool:
    """True where the stack sets it, differently for each service."""
    return name in SET_BY_THE_STACK or name in {PORT, "POSTGRES_POOL_MAX"}


def _is_secret(info: FieldInfo) -> bool:
    return SecretStr in (info.annotation, *get_args(info.annotation))


def shown(value: str | None, *, secret: bool) -> str | None:
    """A value as it may be shown: of an address that holds a password, where it leads and as whom; of another secret
    that there is one."""
    if not value or not (secret or "@" in value):
        return value
    try:
        parts = urlsplit(value)
    except ValueError:
        return MASK
    account, at, where = parts.netloc.rpartition("@")
    if not parts.scheme or not at or account.count(":") != 1:
        return MASK if secret or at else value
    return urlunsplit((parts.scheme, f"{account.partition(':')[0]}:{MASK}@{where}", parts.path, "", ""))
