"""What RAG++ expects of its stores wherever they run: accounts that may do no more than their work, and that a crash
loses nothing that was acknowledged."""

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
from tests.support.asking import in_neo4j, in_postgres, in_redis
from tests.support.stacks import RunStack
from tests.support.waiting import waited_for

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


def test_postgres_killed_comes_back_with_what_was_committed(own_stack: RunStack) -> None:
    owner = own_stack.endpoints().postgres_owner_dsn
    in_postgres(owner, "CREATE TABLE kept (n int)", "INSERT INTO kept VALUES (1) RETURNING n")
    own_stack.kill("postgres")
    own_stack.revive("postgres")
    assert in_postgres(owner, "SELECT count(*) FROM kept") == 1


def test_redis_killed_comes_back_with_its_accounts_and_every_write_that_is_in_its_file(
    own_stack: RunStack,
) -> None:
    with in_redis(own_stack.endpoints()) as client:
        for number in range(1000):
            client.set(f"ragpp:kept:{number}", number)
    # at once, unless the disk is at a sync just then: then what is acknowledged waits for up to two seconds
    waited_for(lambda: in_the_file(own_stack, b"ragpp:kept:999"), within_s=10, what="the last write is in the file")
    own_stack.kill("valkey")
    own_stack.revive("valkey")
    with in_redis(own_stack.endpoints()) as client:
        assert all(client.get(f"ragpp:kept:{number}") == str(number).encode() for number in range(1000))


def in_the_file(stack: RunStack, written: bytes) -> bool:
    return any(written in content for content in stack.append_only_files())


def test_neo4j_killed_comes_back_with_what_was_committed(own_stack: RunStack) -> None:
    in_neo4j(own_stack.endpoints(), "CREATE (:Kept {name: 'before the kill'})")
    own_stack.kill("neo4j")
    own_stack.revive("neo4j")
    kept = in_neo4j(own_stack.endpoints(), "MATCH (k:Kept) RETURN k.name AS name")
    assert [record["name"] for record in kept] == ["before the kill"]
