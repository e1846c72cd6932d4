"""One tier as a process of its own: its application from the environment's settings, and the command that serves it."""

import argparse
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from functools import cache

from fastapi import FastAPI

from ragpp.embedding import Embedder, SecondEncoder
from ragpp.embedding.factory import make_embedder, make_second
from ragpp.errors import ConfigurationError
from ragpp.errors.summaries import exit_on_error
from ragpp.observability.logs import configure_logs
from ragpp.observability.metrics import count_if, watch_cache
from ragpp.observability.tracing import tracing
from ragpp.settings import (
    EmbeddingSettings,
    LogSettings,
    MetricsSettings,
    ReaderSettings,
    TierSettings,
    TracingSettings,
)
from ragpp.settings.variables import check_all
from ragpp.text.lexical import CACHES
from ragpp.text.readers import Tokenizers
from ragpp.tierkit.deployment import TierService, Tools
from ragpp.tierkit.remote import TierT, tier_app
from ragpp.tierkit.traced import traced_embedder
from ragpp.web.serving import serve


@asynccontextmanager
async def open_tools() -> AsyncIterator[Tools]:
    """The tiers' tools, by the settings. Embedder and second encoder are made when they are first asked for, and closed
    at the end."""
    async with AsyncExitStack() as stack:

        @cache
        def embedder() -> Embedder:
            made = make_embedder(EmbeddingSettings())
            stack.push_async_callback(made.close)
            return traced_embedder(made)

        @cache
        def second() -> SecondEncoder | None:
            made = make_second(EmbeddingSettings())
            if made is not None:
                stack.push_async_callback(made.close)
            return made

        tools = Tools(embedder, tokenizers=Tokenizers(ReaderSettings().tokenizer), second=second)
        stack.callback(watch_cache("tokens", tools.counter.cache_info))
        for name, infos in CACHES.items():
            for info in infos:
                stack.callback(watch_cache(name, info))
        yield tools


def create_app(service: TierService[TierT]) -> FastAPI:
    """The tier over HTTP. Raises ConfigurationError without a credential."""
    credential = TierSettings().credential
    if credential is None:
        raise ConfigurationError("TIER_CREDENTIAL is not set: a tier service answers the gateway alone")

    @asynccontextmanager
    async def opened() -> AsyncIterator[TierT]:
        with tracing(TracingSettings(), service.name):
            async with open_tools() as tools, service.open_tier(tools) as tier:
                yield tier

    return tier_app(service.protocol, opened, credential.get_secret_value(), MetricsSettings())


def run_service(service: TierService[TierT], arguments: Sequence[str] | None = None) -> None:
    """Serve the tier until stopped, at --host and --port of the command line.

    Logs are configured first: other formats would show the variables of a traceback, which hold what users said.
    An error of ours is told in one line, with exit code 1. `arguments`: the command line's, unless given.
    """
    name = service.name
    parser = argparse.ArgumentParser(prog=f"ragpp_services.{name}", description=f"The {name} tier of RAG++ over HTTP.")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=service.port)
    given = parser.parse_args(arguments)
    with exit_on_error():
        check_all((LogSettings, MetricsSettings, TracingSettings, TierSettings, *service.settings))
        configure_logs(LogSettings(), name)
        count_if(MetricsSettings().enabled)
        app = create_app(service)
    serve(app, host=given.host, port=given.port)
