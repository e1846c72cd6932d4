"""The password of Neo4j's one user: Neo4j Community has no roles, so RAG++ is this user."""

from typing import TYPE_CHECKING

from pydantic import SecretStr

from ragpp_infra.provisioning.errors import NotReady, ProvisioningError

if TYPE_CHECKING:
    import neo4j
    from neo4j import exceptions


async def provision_neo4j(uri: str, user: str, *, password: SecretStr, former: SecretStr) -> bool:
    """Have `user` get in with `password`, and with `former` no more; whether it had to be changed.

    Raises NotReady, also while Neo4j makes whoever guessed wrong wait; ProvisioningError when it knows neither.
    """
    if await _accepts(uri, user, password):
        return False
    import neo4j  # noqa: PLC0415 - a quarter of a second that a stop need not wait
    from neo4j import exceptions  # noqa: PLC0415 - as above

    try:
        async with _driver(uri, user, former) as driver:
            await driver.execute_query(
                "ALTER CURRENT USER SET PASSWORD FROM $former TO $new",
                former=former.get_secret_value(),
                new=password.get_secret_value(),
                database_="system",
                routing_=neo4j.RoutingControl.WRITE,
            )
    except exceptions.AuthError as error:
        if _must_wait(error):
            raise NotReady(f"Neo4j: {error.message}") from error
        raise ProvisioningError(f"Neo4j knows neither the password nor the former one of the user {user}") from error
    except exceptions.ClientError as error:  # such as a password that it finds too short
        raise ProvisioningError(f"Neo4j: {error.message}") from error
    except (OSError, exceptions.DriverError, exceptions.Neo4jError) as error:
        raise NotReady(f"Neo4j: {type(error).__name__}: {error}") from error
    return True


async def _accepts(uri: str, user: str, password: SecretStr) -> bool:
    from neo4j import exceptions  # noqa: PLC0415 - a quarter of a second that a stop need not wait

    try:
        async with _driver(uri, user, password) as driver:
            await driver.execute_query("RETURN 1")
    except exceptions.AuthError as error:
        if _must_wait(error):
            raise NotReady(f"Neo4j: {error.message}") from error
        return False
    except (OSError, exceptions.DriverError, exceptions.Neo4jError) as error:
        raise NotReady(f"Neo4j: {type(error).__name__}: {error}") from error
    return True


def _driver(uri: str, user: str, password: SecretStr) -> "neo4j.AsyncDriver":
    import neo4j  # noqa: PLC0415 - a quarter of a second that a stop need not wait

    return neo4j.AsyncGraphDatabase.driver(
        uri,
        auth=(user, password.get_secret_value()),
        connection_timeout=5.0,
        max_transaction_retry_time=0.0,
        telemetry_disabled=True,
        notifications_min_severity="OFF",
    )


def _must_wait(error: "exceptions.AuthError") -> bool:
    return str(error.code).endswith("AuthenticationRateLimit")
