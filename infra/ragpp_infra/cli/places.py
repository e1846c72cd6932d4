"""Whose stores a backup is of: the embedded stack's, or those that an administrator's address leads to."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer
from pydantic import SecretStr

from ragpp_infra.embedded.home import NotRunning
from ragpp_infra.embedded.lifecycle import Lifecycle
from ragpp_infra.embedded.servers.server import SERVERS

if TYPE_CHECKING:
    from ragpp_infra.backup.places import Place

AdminOption: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--postgres",
        envvar="PROVISION_POSTGRES_DSN",
        help="PostgreSQL as its superuser, for stores that are not the embedded stack's; the rest is read from the"
        " environment as `ragpp provision` reads it.",
        show_default=False,
    ),
]


def place_of(home: Path, postgres: str | None) -> "Place":
    """The stores, which run. Raises NotRunning, ConfigurationError."""
    if postgres:
        return _elsewhere(postgres)
    lifecycle = Lifecycle(home)
    if missing := sorted({*SERVERS} - lifecycle.running()):
        raise NotRunning(f"of {lifecycle.home.path} there runs no {', '.join(missing)}")
    return embedded(lifecycle)


def embedded(lifecycle: Lifecycle) -> "Place":
    """The embedded stack's."""
    from ragpp_infra.backup.places import Place  # noqa: PLC0415 - the drivers, only here

    key, keep_days = forgetting_of(lifecycle)
    return Place(
        postgres_dsn=lifecycle.stack.postgres_superuser_dsn(),
        endpoints=lifecycle.stack.endpoints(),
        forgetting_key=key,
        key_prefix=_key_prefix(),
        keep_days=keep_days,
    )


def forgetting_of(lifecycle: Lifecycle) -> tuple[SecretStr, int]:
    """FORGETTING_KEY of the embedded stack, made in a folder that is new, and FORGETTING_KEEP_DAYS."""
    from ragpp.settings import ForgettingSettings  # noqa: PLC0415 - only these commands

    home = lifecycle.home
    if not home.is_initialised():
        lifecycle.stack.prepare()
    return SecretStr(home.passwords().forgetting_key), ForgettingSettings().keep_days


def _elsewhere(postgres: str) -> "Place":
    from ragpp.settings import ForgettingSettings  # noqa: PLC0415 - only these commands
    from ragpp_infra.backup.places import Place  # noqa: PLC0415 - the drivers, as above
    from ragpp_infra.cli.provision_command import given_endpoints  # noqa: PLC0415 - as above
    from ragpp_infra.provisioning.endpoints import DATABASE, in_database  # noqa: PLC0415 - as above

    forgetting = ForgettingSettings()
    return Place(
        postgres_dsn=in_database(SecretStr(postgres), DATABASE),
        endpoints=given_endpoints(),
        forgetting_key=forgetting.key,
        key_prefix=_key_prefix(),
        keep_days=forgetting.keep_days,
    )


def _key_prefix() -> str:
    return os.environ.get("REDIS_KEY_PREFIX", "ragpp:")
