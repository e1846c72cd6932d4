"""The single-process shape: the gateway, or a worker, with all tiers in its own process.

`python -m ragpp_services.all_in_one` serves the API; with `worker` it runs the Celery worker, and with
`migrate` it brings every schema up to date and ends. A tier that has an address
(TIER_…_URL) is taken over HTTP instead. This is the one file that may import more than one service.
"""

import sys
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from typing import Annotated, TypeVar

import anyio
import typer
import uvicorn

from ragpp.clock import Clock
from ragpp.embedding import Embedder
from ragpp.embedding.factory import make_embedder
from ragpp.errors import ConfigurationError, MemorySystemError
from ragpp.models import TierName
from ragpp.observability.logs import configure_logs
from ragpp.settings import (
    EmbeddingSettings,
    GatewaySettings,
    LogSettings,
    Neo4jSettings,
    PostgresSettings,
    RedisSettings,
    ShortTermSettings,
    TierSettings,
)
from ragpp.text.tokens import TokenCounter
from ragpp.tiers import EpisodicTier, MemoryTier, ProceduralTier, SemanticTier, ShortTermTier
from ragpp.web.remote import remote_client, remote_tier
from ragpp_services.episodic import app as episodic
from ragpp_services.gateway import app as gateway
from ragpp_services.procedural import app as procedural
from ragpp_services.semantic import app as semantic
from ragpp_services.short_term import app as short_term
from ragpp_services.workers.app import THREADS, run_worker

TierT = TypeVar("TierT", bound=MemoryTier)
cli = typer.Typer(help="All of RAG++ in one process.", invoke_without_command=True, pretty_exceptions_enable=False)


@asynccontextmanager
async def open_tiers(embedder: Embedder, counter: TokenCounter, clock: Clock) -> AsyncIterator[gateway.Tiers]:
    """The four tiers: over HTTP where the settings have an address, else in this process on connections of its own.

    Raises ConfigurationError for an address without TIER_CREDENTIAL, EmbeddingMismatch.
    """
    tiers = TierSettings()
    async with AsyncExitStack() as stack:

        async def take(
            protocol: type[TierT],
            name: TierName,
            url: str | None,
            local: Callable[[], AbstractAsyncContextManager[TierT]],
        ) -> TierT:
            if not url:
                return await stack.enter_async_context(local())
            if tiers.credential is None:
                raise ConfigurationError(f"TIER_{name.upper()}_URL is set, and TIER_CREDENTIAL is not")
            client = remote_client(url, tiers.credential.get_secret_value(), gateway.TIER_TIMEOUT_S)
            return remote_tier(protocol, name, await stack.enter_async_context(client))

        yield gateway.Tiers(
            short_term=await take(
                ShortTermTier,
                "short_term",
                tiers.short_term_url,
                lambda: short_term.open_tier(RedisSettings(), ShortTermSettings(), counter=counter, clock=clock),
            ),
            episodic=await take(
                EpisodicTier,
                "episodic",
                tiers.episodic_url,
                lambda: episodic.open_tier(PostgresSettings(), embedder=embedder, counter=counter, clock=clock),
            ),
            semantic=await take(
                SemanticTier,
                "semantic",
                tiers.semantic_url,
                lambda: semantic.open_tier(Neo4jSettings(), embedder=embedder, counter=counter, clock=clock),
            ),
            procedural=await take(
                ProceduralTier,
                "procedural",
                tiers.procedural_url,
                lambda: procedural.open_tier(PostgresSettings(), embedder=embedder, counter=counter, clock=clock),
            ),
        )


async def migrate_all() -> int:
    """Bring every store's schema up to date; returns how many migrations were applied."""
    postgres = PostgresSettings()
    applied = await gateway.migrate(postgres)
    applied += await episodic.migrate(postgres)
    applied += await procedural.migrate(postgres)
    embedder = make_embedder(EmbeddingSettings())
    try:
        applied += await semantic.migrate(Neo4jSettings(), embedder=embedder)
    finally:
        await embedder.close()
    return applied


@cli.callback()
def serve(
    context: typer.Context,
    host: Annotated[str | None, typer.Option(help="GATEWAY_HOST, unless given.")] = None,
    port: Annotated[int | None, typer.Option(help="GATEWAY_PORT, unless given.")] = None,
) -> None:
    """Serve the API."""
    if context.invoked_subcommand is not None:
        return
    configure_logs(LogSettings(), "gateway")
    settings = GatewaySettings()

    @asynccontextmanager
    async def tiers(tools: gateway.Tools) -> AsyncIterator[gateway.Tiers]:
        async with open_tiers(tools.embedder, tools.counter, tools.clock) as opened:
            yield opened

    app = gateway.create_app(lambda: gateway.open_parts(tiers))
    uvicorn.run(
        app,
        host=host or settings.host,
        port=settings.port if port is None else port,
        log_config=None,
        access_log=False,
        timeout_graceful_shutdown=5,
    )


@cli.command()
def worker(
    concurrency: Annotated[
        int,
        typer.Option(min=1, max=64, help="Batches at once, on one event loop; of all stages together."),
    ] = THREADS,
) -> None:
    """Run the Celery worker."""
    configure_logs(LogSettings(), "worker")
    run_worker(open_tiers, concurrency=concurrency)


@cli.command()
def migrate() -> None:
    """Bring every schema up to date."""
    configure_logs(LogSettings(), "migrate")
    typer.echo(f"{anyio.run(migrate_all)} migrations applied")


def main() -> None:
    """Run a command; an error of ours is told in one line, with exit code 1."""
    try:
        cli()
    except MemorySystemError as error:
        typer.echo(f"{error.code} {error.message}", err=True)
        sys.exit(1)


if __name__ == "__main__":
    main()
