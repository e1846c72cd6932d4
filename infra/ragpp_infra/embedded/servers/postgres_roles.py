"""The roles, the database and the extension that RAG++ expects of a PostgreSQL; harmless to repeat.

| role | may |
|---|---|
| `ragpp_owner` | own the database `ragpp` and run migrations; make further databases (tests do) |
| `ragpp_app` | connect; whatever a migration grants; never bypass row-level security |
| `ragpp_relay` | the same, for the process that hands out the ledger's events |
"""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Final

from ragpp.errors import StackError
from ragpp_infra.embedded.servers.server import NotReady

if TYPE_CHECKING:
    import asyncpg

SUPERUSER: Final = "postgres"
OWNER: Final = "ragpp_owner"
APP: Final = "ragpp_app"
RELAY: Final = "ragpp_relay"
DATABASE: Final = "ragpp"
TEMPLATE: Final = "template1"
CONFINED: Final = "LOGIN NOSUPERUSER NOCREATEROLE NOREPLICATION NOBYPASSRLS"


@asynccontextmanager
async def connected(dsn: str) -> "AsyncIterator[asyncpg.Connection]":
    """A connection for a moment. Raises NotReady while the server starts, StackError when it knows another password."""
    import asyncpg  # noqa: PLC0415 - a tenth of a second that a stop need not wait

    try:
        connection = await asyncpg.connect(dsn, timeout=5.0)
    except asyncpg.InvalidPasswordError as error:
        raise StackError("PostgreSQL does not know the password in secrets.json") from error
    except (OSError, TimeoutError, asyncpg.PostgresError, asyncpg.InterfaceError) as error:
        raise NotReady(f"{type(error).__name__}: {error}") from error
    try:
        yield connection
    finally:
        await connection.close()


async def provision(dsn: Callable[[str], str], *, owner: str, app: str, relay: str) -> None:
    """Bring roles, database and extension up to date.

    `dsn` gives the superuser's for a database; `owner`, `app` and `relay` are the passwords of new roles. The extension
    goes into the template, so that databases made later have it: the owner, who makes them, could not add it.
    Raises NotReady, StackError.
    """
    async with connected(dsn(TEMPLATE)) as template:
        await template.execute("CREATE EXTENSION IF NOT EXISTS vector")
        for role, password in ((OWNER, owner), (APP, app), (RELAY, relay)):
            if not await template.fetchval("SELECT EXISTS (SELECT FROM pg_roles WHERE rolname = $1)", role):
                rights = f"{CONFINED} {'CREATEDB' if role == OWNER else 'NOCREATEDB'}"
                statement = await template.fetchval(
                    "SELECT format('CREATE ROLE %I ' || $3 || ' PASSWORD %L', $1::text, $2::text)",
                    role,
                    password,
                    rights,
                )
                await template.execute(statement)
        if not await template.fetchval("SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1)", DATABASE):
            await template.execute(f"CREATE DATABASE {DATABASE} OWNER {OWNER}")
    async with connected(dsn(DATABASE)) as database:
        await database.execute(
            f"REVOKE ALL ON DATABASE {DATABASE} FROM PUBLIC; GRANT CONNECT ON DATABASE {DATABASE} TO {APP}, {RELAY}"
        )
        if await database.fetchval(
            "SELECT installed_version <> default_version FROM pg_available_extensions WHERE name = 'vector'"
        ):
            await database.execute("ALTER EXTENSION vector UPDATE")
