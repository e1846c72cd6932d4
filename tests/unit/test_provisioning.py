"""Making servers ready, as far as it needs none: what is refused before any is asked, and how long one may take."""

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest
from pydantic import SecretStr

from ragpp.errors import ConfigurationError
from ragpp_infra.provisioning import provision as module
from ragpp_infra.provisioning.endpoints import AccountPasswords, Admin, endpoints_beside, is_address
from ragpp_infra.provisioning.errors import NotReady
from ragpp_infra.provisioning.provision import provision
from tests.support.each import each_case

ADMIN = Admin(
    postgres_dsn=SecretStr("postgresql://postgres:p%23w@db:5432/postgres"),
    redis_url=SecretStr("redis://default:p%2Fw@cache:6379/0"),
    neo4j_uri="bolt://graph:7687",
    neo4j_password=SecretStr("former"),
)
ENDPOINTS = endpoints_beside(ADMIN, AccountPasswords())


@each_case("password", ["s3cr#t", "s3cr/t", "s3cr?t", "12#3", "12/3"])
async def test_a_password_that_no_address_can_hold_is_refused_and_no_part_of_it_told(password: str) -> None:
    """The drivers took a part of it for the port and repeated that in their errors, which a container logs."""
    redis_url = SecretStr(f"redis://default:{password}@cache:6379/0")
    with pytest.raises(ConfigurationError, match=r"^PROVISION_REDIS_URL: no address$") as refused:
        await provision(replace(ADMIN, redis_url=redis_url), ENDPOINTS, patience_s=0)
    assert "s3cr" not in f"{refused.value!r} {refused.value.__cause__!r} {refused.value.__context__!r}"


@each_case(
    "url",
    [
        "postgresql://postgres:p%40w@db/postgres",
        "postgresql://postgres@/postgres?host=/run/postgresql",
        "postgresql://postgres:pw@one:5432,two:5432/postgres",
        "postgresql://postgres:pw@[::1]:5432/postgres",
        "unix://default:pw@/run/redis.sock?db=0",
    ],
)
def test_sockets_several_hosts_and_numbers_are_addresses(url: str) -> None:
    assert is_address(SecretStr(url))


async def test_the_wait_for_another_deployment_is_not_taken_off_a_servers_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """The one of two deployments that waited longest failed at the first server that was not there yet."""
    patience_s, asked = 0.05, list[str]()

    @asynccontextmanager
    async def held_by_another(_dsn: SecretStr) -> AsyncIterator[None]:
        until = time.monotonic() + 2 * patience_s
        while time.monotonic() < until:
            continue
        yield

    async def starting(*_where: object, **_accounts: object) -> bool:
        asked.append("asked")
        if len(asked) == 1:
            raise NotReady("it is starting")
        return True

    async def finished(_dsn: SecretStr) -> bool:
        return False

    monkeypatch.setattr(module, "alone", held_by_another)
    monkeypatch.setattr(module, "is_unfinished", finished)
    for step in ("provision_postgres", "provision_redis", "provision_neo4j"):
        monkeypatch.setattr(module, step, starting)
    done = await provision(ADMIN, ENDPOINTS, schemas=False, patience_s=patience_s)
    assert done.neo4j_password_changed
    assert len(asked) == 4
