"""The demands of RAG++ on its stores, wherever they run: accounts that may do no more than their work."""

from urllib.parse import urlsplit
from uuid import uuid4

import asyncpg
import pytest
import redis
from pydantic import SecretStr
from redis.backoff import NoBackoff
from redis.retry import Retry

from ragpp_infra.embedded.stack import Endpoints
from ragpp_infra.provisioning.endpoints import in_database
from tests.support.asking import in_postgres, in_redis

pytestmark = [pytest.mark.server, pytest.mark.timeout(300)]


def test_each_role_of_postgres_may_do_its_work_and_no_more(endpoints: Endpoints) -> None:
    rights = "SELECT concat_ws(' ', rolsuper, rolbypassrls, rolcreaterole) FROM pg_roles WHERE rolname = current_user"
    for dsn in (endpoints.postgres_app_dsn, endpoints.postgres_relay_dsn, endpoints.postgres_owner_dsn):
        assert in_postgres(dsn, rights) == "f f f"
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        in_postgres(endpoints.postgres_app_dsn, "CREATE TABLE forbidden (n int)")
    assert in_postgres(endpoints.postgres_app_dsn, "SELECT '[1,2]'::vector <-> '[1,3]'::vector") == 1.0
    assert in_postgres(endpoints.postgres_app_dsn, "SHOW synchronous_commit") == "on"
    wrong = SecretStr(endpoints.postgres_app_dsn.get_secret_value().replace("ragpp_app:", "ragpp_app:wrong"))
    with pytest.raises(asyncpg.InvalidPasswordError):
        in_postgres(wrong, "SELECT 1")


def test_a_database_made_by_the_owner_has_the_extension(endpoints: Endpoints) -> None:
    owner, name = endpoints.postgres_owner_dsn, f"another_{uuid4().hex}"
    in_postgres(owner, f"CREATE DATABASE {name}", "SELECT 1")
    try:
        assert in_postgres(in_database(owner, name), "SELECT '[1]'::halfvec <#> '[2]'::halfvec") == -2.0
    finally:
        in_postgres(owner, f"DROP DATABASE {name}", "SELECT 1")


@pytest.mark.parametrize("command", ["SET other 1", "KEYS *", "FLUSHALL", "CONFIG GET *", "SHUTDOWN", "ACL LIST"])
def test_the_applications_account_of_redis_is_confined_to_the_projects_keys(endpoints: Endpoints, command: str) -> None:
    with in_redis(endpoints) as client, pytest.raises(redis.exceptions.NoPermissionError):
        client.execute_command(*command.split())  # type: ignore[no-untyped-call]  # redis has no types for it


def test_redis_answers_nobody_without_a_password(endpoints: Endpoints) -> None:
    address = urlsplit(endpoints.redis_url.get_secret_value())
    assert address.hostname is not None
    assert address.port is not None
    with (
        redis.Redis(address.hostname, address.port, retry=Retry(NoBackoff(), 0)) as stranger,
        pytest.raises(redis.exceptions.AuthenticationError),
    ):
        stranger.ping()
