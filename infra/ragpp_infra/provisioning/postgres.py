"""The roles, the database and the extension that RAG++ expects of a PostgreSQL; harmless to repeat.

| role | may |
|---|---|
| `ragpp_owner` | own the database `ragpp` and run migrations; make further databases (tests do) |
| `ragpp_app` | connect; whatever a migration grants; never bypass row-level security |
| `ragpp_relay` | the same, for the process that hands out the ledger's events |
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Final

from pydantic import SecretStr

from ragpp_infra.provisioning.endpoints import APP, DATABASE, OWNER, RELAY, in_database
from ragpp_infra.provisioning.errors import NotReady, ProvisioningError

if TYPE_CHECKING:
    import asyncpg

TEMPLATE: Final = "template1"
MAINTENANCE: Final = "postgres"
"""A database that every server has, and that none is copied from, as the template is: whoever waits may be in it."""
CONFINED: Final = "LOGIN NOSUPERUSER NOCREATEROLE NOREPLICATION NOBYPASSRLS"
PROVISIONING_LOCK: Final = 0x52414751
"""Key of the advisory lock under which a deployment makes its servers ready; one below is that of migrations."""
LOCK_PATIENCE: Final = "10min"
UNFINISHED: Final = "restoring"
"""The schema that a restore leaves while it is under way: half a memory is served to nobody."""


@asynccontextmanager
async def connected(dsn: SecretStr) -> "AsyncIterator[asyncpg.Connection]":
    """A connection for a moment. Raises NotReady while the server does not answer, ProvisioningError when it refuses
    the password or a statement."""
    import asyncpg  # noqa: PLC0415 - a tenth of a second that a stop need not wait

    try:
        connection = await asyncpg.connect(dsn.get_secret_value(), timeout=5.0)
    except asyncpg.InvalidPasswordError as error:
        raise ProvisioningError(f"PostgreSQL refuses the password: {error}") from error
    except (OSError, TimeoutError, asyncpg.PostgresError, asyncpg.InterfaceError) as error:
        raise NotReady(f"PostgreSQL: {type(error).__name__}: {error}") from error
    try:
        yield connection
    except asyncpg.LockNotAvailableError as error:
        raise ProvisioningError(f"another deployment has been at it for {LOCK_PATIENCE}") from error
    except (asyncpg.InterfaceError, asyncpg.PostgresConnectionError, asyncpg.OperatorInterventionError) as error:
        raise NotReady(f"PostgreSQL: {type(error).__name__}: {error}") from error
    except asyncpg.PostgresError as error:
        raise ProvisioningError(f"PostgreSQL: {error}") from error
    finally:
        await connection.close()


@asynccontextmanager
async def alone(admin_dsn: SecretStr) -> AsyncIterator[None]:
    """Keep every other deployment of this server waiting. The server gives the lock back when its holder dies.

    Raises NotReady, ProvisioningError when another holds it for ten minutes.
    """
    async with connected(in_database(admin_dsn, MAINTENANCE)) as connection:
        await connection.execute(f"SET lock_timeout = '{LOCK_PATIENCE}'")
        await connection.execute("SELECT pg_advisory_lock($1)", PROVISIONING_LOCK)
        yield


async def provision_postgres(admin_dsn: SecretStr, *, owner: str, app: str, relay: str) -> None:
    """Bring roles, database and extension up to date.

    `owner`, `app` and `relay` are the passwords that the roles have from now on. The extension goes into the template,
    so that databases made later have it: the owner, who makes them, could not add it.
    Raises NotReady, ProvisioningError. Two at once are not safe: see `alone`.
    """
    async with connected(in_database(admin_dsn, TEMPLATE)) as template:
        await template.execute("CREATE EXTENSION IF NOT EXISTS vector")
        for role, password in ((OWNER, owner), (APP, app), (RELAY, relay)):
            known = await template.fetchval("SELECT EXISTS (SELECT FROM pg_roles WHERE rolname = $1)", role)
            statement = await template.fetchval(
                "SELECT format($1::text || ' ROLE %I ' || $2::text || ' PASSWORD %L', $3::text, $4::text)",
                "ALTER" if known else "CREATE",
                f"{CONFINED} {'CREATEDB' if role == OWNER else 'NOCREATEDB'}",
                role,
                password,
            )
            await template.execute(statement)
        if not await template.fetchval("SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1)", DATABASE):
            await template.execute(f"CREATE DATABASE {DATABASE} OWNER {OWNER}")
    async with connected(in_database(admin_dsn, DATABASE)) as database:
        await database.execute(
            # it may have been made with the server, by somebody else and before the template had the extension
            f"ALTER DATABASE {DATABASE} OWNER TO {OWNER}; CREATE EXTENSION IF NOT EXISTS vector;"
            f"REVOKE ALL ON DATABASE {DATABASE} FROM PUBLIC"
        )
        if not await has_unfinished(database):
            await database.execute(f"GRANT CONNECT ON DATABASE {DATABASE} TO {APP}, {RELAY}")
        if await database.fetchval(
            "SELECT installed_version <> default_version FROM pg_available_extensions WHERE name = 'vector'"
        ):
            await database.execute("ALTER EXTENSION vector UPDATE")


async def has_unfinished(database: "asyncpg.Connection[asyncpg.Record]") -> bool:
    """True where a restore into this database began and did not end."""
    known: bool = await database.fetchval("SELECT to_regnamespace($1) IS NOT NULL", UNFINISHED)
    return known


async def is_unfinished(admin_dsn: SecretStr) -> bool:
    """As `has_unfinished`, of the server's database. Raises NotReady."""
    async with connected(in_database(admin_dsn, DATABASE)) as database:
        return await has_unfinished(database)
