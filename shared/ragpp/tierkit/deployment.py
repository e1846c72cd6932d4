"""The tiers of a deployment: each opened in this process, or reached at its address."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from ragpp.clock import Clock, system_clock
from ragpp.embedding import Embedder, SecondEncoder
from ragpp.errors import ConfigurationError
from ragpp.models import TierName
from ragpp.settings import TierSettings
from ragpp.settings.variables import Settings
from ragpp.text.readers import Tokenizers
from ragpp.text.tokens import TokenCounter
from ragpp.tierkit.remote import remote_client, remote_tier
from ragpp.tierkit.traced import traced_tier
from ragpp.tiers import PROTOCOLS, MemoryTier, Tiers

TierT_co = TypeVar("TierT_co", bound=MemoryTier, covariant=True)


@dataclass(frozen=True)
class Tools:
    """The tools of one process's tiers. `embedder`: the process's one, so that a model is loaded once, and not where no
    tier asks for it; `second`: so the second encoder, None where there is none. `counter`: tokens of the embedding
    model, which bound a chunk. `tokenizers`: those of the models that read what is recalled, which budgets are counted
    in."""

    embedder: Callable[[], Embedder]
    counter: TokenCounter = field(default_factory=TokenCounter)
    tokenizers: Tokenizers = field(default_factory=Tokenizers)
    clock: Clock = system_clock
    second: Callable[[], SecondEncoder | None] = lambda: None


OpenTiers = Callable[[Tools], AbstractAsyncContextManager[Tiers]]


async def nothing_to_migrate(_tools: Tools) -> int:
    """For a store without a schema."""
    return 0


@dataclass(frozen=True)
class TierService(Generic[TierT_co]):
    """One tier as its `app.py` offers it: to a process that holds it, and as a process of its own.

    `open_tier` and `migrate` read the tier's settings from the environment when they are called. `migrate` returns how
    many migrations were applied; `port`: where the service listens unless told otherwise; `settings`: what it reads, so
    that a value that is wrong is told before the service starts.
    """

    name: TierName
    protocol: type[TierT_co]
    port: int
    open_tier: Callable[[Tools], AbstractAsyncContextManager[TierT_co]]
    migrate: Callable[[Tools], Awaitable[int]] = nothing_to_migrate
    settings: Sequence[type[Settings]] = ()


@asynccontextmanager
async def open_tiers(
    settings: TierSettings, tools: Tools, local: Sequence[TierService[MemoryTier]] = ()
) -> AsyncIterator[Tiers]:
    """Every tier: over HTTP where the settings have its address, else in this process if it is among `local`.

    Raises ConfigurationError naming the settings that are missing, EmbeddingMismatch.
    """
    here = {service.name: service for service in local}
    missing = [f"TIER_{name.upper()}_URL" for name in PROTOCOLS if not settings.url(name) and name not in here]
    credential = settings.credential
    if credential is None and any(settings.url(name) or name not in here for name in PROTOCOLS):
        missing.append("TIER_CREDENTIAL")
    if missing:
        raise ConfigurationError(f"not set: {', '.join(missing)}; a tier at an address is asked with TIER_CREDENTIAL")
    async with AsyncExitStack() as stack:
        opened = {}
        for name, protocol in PROTOCOLS.items():
            url = settings.url(name)
            if url and credential is not None:
                client = await stack.enter_async_context(remote_client(url, credential.get_secret_value()))
                tier = remote_tier(protocol, name, client)
            else:
                tier = await stack.enter_async_context(here[name].open_tier(tools))
            opened[name] = traced_tier(name, tier)
        yield Tiers(**opened)  # type: ignore[arg-type]  # each was opened as the protocol of its field
