"""`ragpp provision`: servers that somebody else started, made ready for RAG++."""

import asyncio
import os
from dataclasses import asdict
from typing import Annotated

import typer
from pydantic import SecretStr

from ragpp.errors import ConfigurationError
from ragpp_infra.cli.console import emit_json, err, name_misspelt, out, safe
from ragpp_infra.cli.options import JsonOption
from ragpp_infra.embedded.known_settings import check_settings, unknown_settings
from ragpp_infra.provisioning.endpoints import Admin, Endpoints, account_of
from ragpp_infra.provisioning.provision import provision as make_ready
from ragpp_infra.secret_file import check_secrets


def provision(
    postgres: Annotated[
        str,
        typer.Option(envvar="PROVISION_POSTGRES_DSN", help="PostgreSQL as its superuser.", show_default=False),
    ],
    redis: Annotated[
        str,
        typer.Option(envvar="PROVISION_REDIS_URL", help="Redis or Valkey as its administrator.", show_default=False),
    ],
    neo4j_password: Annotated[
        str,
        typer.Option(
            envvar="PROVISION_NEO4J_PASSWORD",
            help="The password that Neo4j has as long as it does not have NEO4J_PASSWORD.",
            show_default=False,
        ),
    ],
    schemas: Annotated[bool, typer.Option(help="Run the migrations, too.")] = True,
    patience: Annotated[float, typer.Option(min=0, help="How long a server may take to answer, in seconds.")] = 120.0,
    as_json: JsonOption = False,
) -> None:
    """Make PostgreSQL, Redis and Neo4j ready for the services: roles, database, extension, accounts, passwords and
    migrations.

    What the services are started with is read from the environment as they read it (POSTGRES_DSN, POSTGRES_OWNER_DSN,
    POSTGRES_RELAY_DSN, REDIS_URL, REDIS_REWRITE_URL, NEO4J_URI, NEO4J_PASSWORD), and works afterwards. Repeat it as
    often as you like, also from several hosts at once: each waits for its turn and finds done what is done.

    The addresses hold passwords: better in the environment than among the arguments, which every user of a machine can
    read. Weak ones are refused, as `ragpp init --check` does.

    Example: [bold]docker compose run --rm provision[/bold]
    """
    endpoints = given_endpoints()
    admin = Admin(SecretStr(postgres), SecretStr(redis), endpoints.neo4j_uri, SecretStr(neo4j_password))
    check_secrets(_passwords(endpoints))
    if not as_json:  # in containers nobody else sees what is misspelt in settings.env
        name_misspelt(unknown_settings(os.environ))
    check_settings()  # nor waits for this without reading what ended the service that could not
    done = asyncio.run(
        make_ready(
            admin,
            endpoints,
            schemas=schemas,
            patience_s=patience,
            on_step=lambda step: None if as_json else err.print(safe(step, "dim")),
        )
    )
    if as_json:
        emit_json(asdict(done))
        return
    out.print(safe(f"ready in {done.seconds:.1f} s{f': {done.migrations}' if done.migrations else ''}"))
    if done.neo4j_password_changed:
        out.print("Neo4j has its password now")
    if not done.redis_keeps_accounts:
        advice = "start it with --aclfile, or repeat this after each start of it"
        err.print(safe(f"Redis forgets its accounts when it ends: {advice}", "yellow"), soft_wrap=True)


def _passwords(endpoints: Endpoints) -> dict[str, str]:
    """The password that each account is about to get, by where it is set."""
    passwords = {f"the password in {name}": account_of(url)[1] for name, url in endpoints.addresses().items()}
    return {**passwords, "NEO4J_PASSWORD": endpoints.neo4j_password.get_secret_value()}


def given_endpoints() -> Endpoints:
    """The endpoints that the services are started with. Raises ConfigurationError naming what is missing."""
    from ragpp.settings import Neo4jSettings, PostgresSettings, RedisSettings  # noqa: PLC0415 - only this command

    postgres, redis, neo4j = PostgresSettings(), RedisSettings(), Neo4jSettings()
    if postgres.owner_dsn is None or postgres.relay_dsn is None or redis.rewrite_url is None:
        raise ConfigurationError("POSTGRES_OWNER_DSN, POSTGRES_RELAY_DSN and REDIS_REWRITE_URL are to be set")
    return Endpoints(
        postgres_owner_dsn=postgres.owner_dsn,
        postgres_app_dsn=postgres.dsn,
        postgres_relay_dsn=postgres.relay_dsn,
        redis_url=redis.url,
        redis_rewrite_url=redis.rewrite_url,
        neo4j_uri=neo4j.uri,
        neo4j_user=neo4j.user,
        neo4j_password=neo4j.password,
    )
