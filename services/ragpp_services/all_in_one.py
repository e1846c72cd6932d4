"""The single-process shape: the gateway, or a worker, with all tiers in its own process.

`python -m ragpp_services.all_in_one` serves the API; with `worker` it runs the Celery worker, and with
`migrate` it brings every schema up to date and ends. A tier that has an address
(TIER_…_URL) is taken over HTTP instead. This is the one file that may import more than one service.
"""

import sys
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from typing import Annotated, Final

import anyio
import typer

from ragpp.errors.summaries import exit_on_error
from ragpp.observability.logs import configure_logs
from ragpp.observability.metrics import count_if
from ragpp.settings import LogSettings, MetricsSettings, PostgresSettings, TierSettings
from ragpp.settings.variables import Settings, check_all
from ragpp.tierkit import deployment
from ragpp.tierkit.app import open_tools
from ragpp.tierkit.deployment import TierService, Tools
from ragpp.tiers import MemoryTier, Tiers
from ragpp.web import serving
from ragpp_services.catalog import app as catalog
from ragpp_services.episodic import app as episodic
from ragpp_services.gateway.store import migrate as migrate_gateway
from ragpp_services.procedural import app as procedural
from ragpp_services.semantic import app as semantic
from ragpp_services.short_term import app as short_term

SERVICES: Final[Sequence[TierService[MemoryTier]]] = (
    short_term.SERVICE,
    episodic.SERVICE,
    procedural.SERVICE,
    catalog.SERVICE,
    semantic.SERVICE,
)
"""In the order in which their schemas are brought up to date: what is in PostgreSQL with the ledger first."""
cli = typer.Typer(help="All of RAG++ in one process.", invoke_without_command=True, pretty_exceptions_enable=False)


def open_tiers(tools: Tools) -> AbstractAsyncContextManager[Tiers]:
    """The tiers: over HTTP where the settings have an address, else in this process on connections of its own."""
    return deployment.open_tiers(TierSettings(), tools, SERVICES)


def _of_local_tiers() -> list[type[Settings]]:
    """The settings that the tiers in this process read. Raises ConfigurationError."""
    tiers = TierSettings()
    return [kind for service in SERVICES if not tiers.url(service.name) for kind in service.settings]


async def migrate_all() -> int:
    """Bring every store's schema up to date; returns how many migrations were applied."""
    applied = await migrate_gateway(PostgresSettings())
    async with open_tools() as tools:
        for service in SERVICES:
            applied += await service.migrate(tools)
    return applied


@cli.callback()
def serve(
    context: typer.Context,
    host: Annotated[str | None, typer.Option(help="GATEWAY_HOST, unless given.")] = None,
    port: Annotated[int | None, typer.Option(help="GATEWAY_PORT, unless given.")] = None,
    when_told: Annotated[
        bool, typer.Option("--when-told", help="Begin when a line comes on standard input; end where that is closed.")
    ] = False,
) -> None:
    """Serve the API."""
    if context.invoked_subcommand is not None:
        _wait(when_told)
        return
    from ragpp_services.gateway import app as gateway  # noqa: PLC0415 - a hundred routes, which no worker has
    from ragpp_services.gateway.settings import GatewaySettings  # noqa: PLC0415 - as above

    _wait(when_told)
    check_all((*gateway.SETTINGS, *_of_local_tiers()))
    configure_logs(LogSettings(), "gateway")
    count_if(MetricsSettings().enabled)
    settings = GatewaySettings()
    app = gateway.create_app(lambda: gateway.open_parts(open_tiers))
    serving.serve(app, host=host or settings.host, port=settings.port if port is None else port, graceful_s=5)


def _wait(when_told: bool) -> None:
    if when_told and not sys.stdin.readline():
        raise typer.Exit(1)


@cli.command()
def worker(
    concurrency: Annotated[
        int | None,
        typer.Option(min=1, max=64, help="Batches at once, on one event loop; default: what all stages may have."),
    ] = None,
) -> None:
    """Run the Celery worker."""
    from ragpp_services.workers.app import (  # noqa: PLC0415 - Celery, which only a worker needs
        SETTINGS,
        THREADS,
        run_worker,
    )

    check_all((*SETTINGS, *_of_local_tiers()))
    configure_logs(LogSettings(), "worker")
    run_worker(open_tiers, concurrency=THREADS if concurrency is None else concurrency)


@cli.command()
def migrate() -> None:
    """Bring every schema up to date."""
    configure_logs(LogSettings(), "migrate")
    typer.echo(f"{anyio.run(migrate_all)} migrations applied")


def main() -> None:
    """Run a command; an error of ours is told in one line, with exit code 1."""
    with exit_on_error():
        cli()


if __name__ == "__main__":
    main()
