"""The stores of docker-compose.yml as they are written there, for tests that start the same ones without Compose."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import yaml

from tests.support.source import ROOT

FILE: Final = ROOT / "docker-compose.yml"
_VARIABLE: Final = re.compile(r"\$(?:\$|\{(?P<name>\w+)(?::?(?P<kind>[-?])(?P<rest>[^}]*))?\})")
SAME: Final = ("read_only", "mem_limit", "cap_drop", "cap_add", "security_opt", "stop_signal", "entrypoint")
"""Settings that Compose and an engine call by the same name and write the same way."""
OTHERWISE: Final = frozenset({"image", "command", "environment", "tmpfs", "volumes"})
LEFT_OUT: Final = frozenset({"restart", "networks", "stop_grace_period", "healthcheck", "logging"})
"""Settings that mean nothing to one container of some minutes."""


@dataclass(frozen=True)
class Service:
    """One service, with the values of its variables. `command`: None for the image's own; `volumes`: the folders that
    outlive the container; `options`: what else an engine is told of it."""

    image: str
    command: list[str] | None
    environment: dict[str, str]
    tmpfs: dict[str, str]
    volumes: list[str]
    options: dict[str, Any]


def service(name: str, variables: Mapping[str, str]) -> Service:
    """A service by its name. KeyError where a variable that has no default is not among `variables`, ValueError where
    the file says of the service what is not known here."""
    services = yaml.safe_load(FILE.read_text(encoding="utf-8"))["services"]
    found = {key: _filled(value, variables) for key, value in services[name].items()}
    unknown = found.keys() - {*SAME, *OTHERWISE, *LEFT_OUT}
    if unknown:
        raise ValueError(f"{FILE.name} says of {name} what the tests' containers would not be: {sorted(unknown)}")
    return Service(
        image=found["image"],
        command=found.get("command"),
        environment={key: str(value) for key, value in found.get("environment", {}).items()},
        tmpfs=dict(str(one).partition(":")[::2] for one in found.get("tmpfs", [])),
        volumes=[str(one).partition(":")[2] for one in found.get("volumes", [])],
        options={key: found[key] for key in SAME if key in found},
    )


def _filled(value: Any, variables: Mapping[str, str]) -> Any:
    """`value` with the variables in its texts, as Compose fills them in."""
    match value:
        case dict():
            return {key: _filled(one, variables) for key, one in value.items()}
        case list():
            return [_filled(one, variables) for one in value]
        case str():
            return _VARIABLE.sub(lambda found: _value(found, variables), value)
    return value


def _value(found: re.Match[str], variables: Mapping[str, str]) -> str:
    if found["name"] is None:
        return "$"
    if found["kind"] == "-":
        return variables.get(found["name"], found["rest"])
    return variables[found["name"]]
