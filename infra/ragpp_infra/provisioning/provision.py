"""Three servers made ready for RAG++, from whatever state: as a deployment's first step, and as often as one likes."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeVar

from ragpp.errors import ConfigurationError
from ragpp_infra.programs import in_short, migrate
from ragpp_infra.provisioning.endpoints import (
    APP,
    DATABASE,
    OWNER,
    REDIS_REWRITER,
    REDIS_USER,
    RELAY,
    Admin,
    Endpoints,
    account_of,
    database_of,
    is_address,
)
from ragpp_infra.provisioning.errors import NotReady, ProvisioningError
from ragpp_infra.provisioning.neo4j import provision_neo4j
from ragpp_infra.provisioning.postgres import alone, is_unfinished, provision_postgres
from ragpp_infra.provisioning.redis import provision_redis

DoneT = TypeVar("DoneT")
OnStep = Callable[[str], None]
POLL_S: Final = 0.5
LAST_LINES: Final = 3
ROLES: Final = {
    "POSTGRES_OWNER_DSN": OWNER,
    "POSTGRES_DSN": APP,
    "POSTGRES_RELAY_DSN": RELAY,
    "REDIS_URL": REDIS_USER,
    "REDIS_REWRITE_URL": REDIS_REWRITER,
}
"""Whose each address is to be."""
HALF_RESTORED: Final = "a restore into these stores was not finished, and half a memory is not served"
REPEAT: Final = ("Repeat it with --replace: `ragpp restore FILE --replace`.",)


@dataclass(frozen=True)
class Provisioned:
    """The result of provisioning: what was found and done. `migrations`: how the program that brings the schemas up to
    date answered, empty where it was not asked to."""

    redis_keeps_accounts: bool
    neo4j_password_changed: bool
    migrations: str
    seconds: float


async def provision(
    admin: Admin,
    endpoints: Endpoints,
    *,
    schemas: bool = True,
    patience_s: float = 120.0,
    on_step: OnStep = lambda _step: None,
) -> Provisioned:
    """Make `endpoints` work on the servers that `admin` leads to: PostgreSQL's roles, database and extension, the
    accounts of Redis, Neo4j's password and, with `schemas`, every migration.

    What is done already is found done, and the passwords are those of `endpoints` afterwards. It is done under a lock
    in PostgreSQL, so that of several deployments at once each finds a finished one. `patience_s`: how long a server may
    take to answer, not counting the wait for another deployment. Raises ConfigurationError for what is no address and
    for endpoints of other roles, ProvisioningError.
    """
    began = time.monotonic()
    _check_addresses(admin, endpoints)
    _check_roles(endpoints)
    owner, app, relay = (
        account_of(dsn)[1]
        for dsn in (endpoints.postgres_owner_dsn, endpoints.postgres_app_dsn, endpoints.postgres_relay_dsn)
    )
    password, rewriter = (account_of(url)[1] for url in (endpoints.redis_url, endpoints.redis_rewrite_url))
    on_step("waiting for PostgreSQL and for other deployments")
    async with AsyncExitStack() as held:
        await _patiently(lambda: held.enter_async_context(alone(admin.postgres_dsn)), began + patience_s)
        deadline = time.monotonic() + patience_s
        on_step("PostgreSQL: roles, database, extension")
        await _patiently(lambda: provision_postgres(admin.postgres_dsn, owner=owner, app=app, relay=relay), deadline)
        if await _patiently(lambda: is_unfinished(admin.postgres_dsn), deadline):
            raise ProvisioningError(HALF_RESTORED, suggestions=REPEAT)
        on_step("Redis: accounts")
        kept = await _patiently(
            lambda: provision_redis(admin.redis_url, password=password, rewriter=rewriter), deadline
        )
        on_step("Neo4j: password")
        changed = await _patiently(
            lambda: provision_neo4j(
                admin.neo4j_uri,
                endpoints.neo4j_user,
                password=endpoints.neo4j_password,
                former=admin.neo4j_password,
            ),
            deadline,
        )
        said = ""
        if schemas:
            on_step("migrations")
            said = await _migrate(endpoints)
    return Provisioned(kept, changed, said, time.monotonic() - began)


def _check_addresses(admin: Admin, endpoints: Endpoints) -> None:
    """Refuse what is no address: of a password with a `#` or `/` in it a part would be taken for the port, and a driver
    would repeat that part. Raises ConfigurationError."""
    addresses = {
        "PROVISION_POSTGRES_DSN": admin.postgres_dsn,
        "PROVISION_REDIS_URL": admin.redis_url,
        "POSTGRES_OWNER_DSN": endpoints.postgres_owner_dsn,
        "POSTGRES_DSN": endpoints.postgres_app_dsn,
        "POSTGRES_RELAY_DSN": endpoints.postgres_relay_dsn,
        "REDIS_URL": endpoints.redis_url,
        "REDIS_REWRITE_URL": endpoints.redis_rewrite_url,
    }
    wrong = [name for name, address in addresses.items() if not is_address(address)]
    if wrong:
        raise ConfigurationError(
            f"{', '.join(wrong)}: no address",
            suggestions=("In a password, write %23 for #, %2F for /, %3F for ? and %40 for @.",),
        )


def _check_roles(endpoints: Endpoints) -> None:
    """Migrations grant to roles by name, and keys are granted by prefix: other names would get nothing."""
    addresses = endpoints.addresses()
    accounts = {name: account_of(address) for name, address in addresses.items()}
    wrong = [f"{name} is to be of the user {role}" for name, role in ROLES.items() if accounts[name][0] != role]
    wrong += [f"{name} has no password" for name, (_, password) in accounts.items() if not password]
    wrong += [
        f"{name} is to be of the database {DATABASE}"
        for name, address in addresses.items()
        if name.startswith("POSTGRES_") and database_of(address) != DATABASE
    ]
    if wrong:
        raise ConfigurationError("; ".join(wrong))


async def _patiently(step: Callable[[], Awaitable[DoneT]], deadline: float) -> DoneT:
    """`step`, repeated while its server does not answer. Raises ProvisioningError when it does not in time."""
    while True:
        try:
            return await step()
        except NotReady as reason:
            if time.monotonic() > deadline:
                raise ProvisioningError(f"no answer in time: {reason}") from reason
        await asyncio.sleep(POLL_S)


async def _migrate(endpoints: Endpoints) -> str:
    done = await asyncio.to_thread(migrate, folder=Path("/"), settings=endpoints.settings())
    if done.returncode != 0:
        last = "\n".join((done.stdout + done.stderr).strip().splitlines()[-LAST_LINES:])
        raise ProvisioningError(f"the schemas cannot be brought up to date. The end:\n{in_short(last)}")
    return done.stdout.strip().splitlines()[-1]
