"""What is asked of a tier, or of the embedder, as steps of a trace, whoever asks and wherever it is."""

import inspect
from collections.abc import Awaitable, Callable, Collection
from typing import Final, TypeVar, cast

from ragpp.embedding import Embedder
from ragpp.models import TierName
from ragpp.observability.traces import Attributes, recording, step
from ragpp.tiers import PROTOCOLS, MemoryTier

TierT = TypeVar("TierT", bound=MemoryTier)
EMBEDS: Final = frozenset({"embed"})


def traced_tier(name: TierName, tier: TierT) -> TierT:
    """`tier`, each verb of its protocol a step; itself where nobody records."""
    if not recording():
        return tier
    verbs = {verb for verb, _ in inspect.getmembers(PROTOCOLS[name], inspect.iscoroutinefunction) if verb[0] != "_"}
    return cast("TierT", _Traced(tier, f"{name}.", verbs - {"health_check"}, {"tier": name}))


def traced_embedder(embedder: Embedder) -> Embedder:
    """`embedder`, whose embedding is a step; itself where nobody records."""
    return cast("Embedder", _Traced(embedder, "", EMBEDS, {})) if recording() else embedder


class _Traced:
    """Another object, some of whose coroutines are steps."""

    def __init__(self, of: object, prefix: str, verbs: Collection[str], attributes: Attributes) -> None:
        self._of, self._prefix, self._verbs, self._attributes = of, prefix, verbs, attributes

    def __getattr__(self, name: str) -> object:
        found = getattr(self._of, name)
        if name not in self._verbs:
            return found
        verb = cast("Callable[..., Awaitable[object]]", found)

        async def called(*args: object, **kwargs: object) -> object:
            with step(self._prefix + name, **self._attributes):
                return await verb(*args, **kwargs)

        return called
