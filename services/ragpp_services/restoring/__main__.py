"""The services' parts in a restore: their migrations, and their ways of forgetting.

python -m ragpp_services.restoring known               migrations, as JSON: checksums by component and version
python -m ragpp_services.restoring until VERSIONS      empty stores to these: JSON of versions by component
python -m ragpp_services.restoring forget              what is noted in `restoring.to_forget`; how much, as JSON
"""

import json
from collections.abc import Mapping
from typing import Annotated

import anyio
import asyncpg
import typer

from ragpp.errors import ConfigurationError
from ragpp.errors.summaries import exit_on_error
from ragpp.observability.logs import configure_logs
from ragpp.settings import LogSettings, Neo4jSettings, PostgresSettings
from ragpp.stores.neo4j import create_driver
from ragpp.stores.postgres import create_pool, ensure_open
from ragpp_services.restoring import schemas

cli = typer.Typer(help="What a restore needs of the services.", pretty_exceptions_enable=False)


@cli.command()
def known() -> None:
    """Tell the migrations that this version knows."""
    typer.echo(json.dumps(schemas.known()))


@cli.command()
def until(versions: Annotated[str, typer.Argument(help="JSON: versions by component.")]) -> None:
    """Bring empty stores to the migrations of these versions."""

    async def run() -> None:
        async with create_driver(Neo4jSettings()) as driver:
            await schemas.migrate_until(PostgresSettings(), driver, json.loads(versions))

    anyio.run(run)


@cli.command()
def forget() -> None:
    """Forget what is noted, and tell how much of each kind that was."""
    typer.echo(json.dumps(dict(anyio.run(_forget))))


async def _forget() -> Mapping[str, int]:
    from ragpp_services.all_in_one import open_tiers  # noqa: PLC0415 - models, which the other commands need not load
    from ragpp_services.restoring.forgetting import forget_again  # noqa: PLC0415 - as above
    from ragpp_services.workers.app import open_parts  # noqa: PLC0415 - as above

    postgres = PostgresSettings()
    if postgres.owner_dsn is None:
        raise ConfigurationError("POSTGRES_OWNER_DSN is not set")
    owner = await asyncpg.connect(postgres.owner_dsn.get_secret_value())
    pool = create_pool(postgres)
    try:
        await ensure_open(pool)
        async with open_parts(open_tiers) as parts:
            return await forget_again(parts, pool, owner)
    finally:
        await pool.close()
        await owner.close()


def main() -> None:
    """Run a command; an error of ours is told in one line, with exit code 1."""
    configure_logs(LogSettings(), "restore")
    with exit_on_error():
        cli()


if __name__ == "__main__":
    main()
