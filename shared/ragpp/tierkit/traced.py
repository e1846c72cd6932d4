"""Requests to a tier, or to the embedder, as steps of a trace, whoever asks and wherever it is."""

from collections.abc import Awaitable, Callable, Sequence
from functools import cache
from typing import Final, TypeVar, cast

from ragpp.embedding import Embedder, FloatMatrix
from ragpp.models import TierName
from ragpp.observability.traces import recording, step
from ragpp.tierkit.verbs import add_verbs
from ragpp.tiers import PROTOCOLS, MemoryTier

TierT = TypeVar("TierT", bound=MemoryTier)
_NO_STEP: Final = "health_check"


def traced_tier(name: TierName, tier: TierT) -> TierT:
    """`tier`, each verb of its protocol a step; itself where nobody records."""
    return cast("TierT", _traced_class(PROTOCOLS[name])(name, tier)) if recording() else tier


def traced_embedder(embedder: Embedder) -> Embedder:
    """`embedder`, whose embedding is a step; itself where nobody records."""
    return _TracedEmbedder(embedder) if recording() else embedder


class _Traced:
    """A tier, some of whose verbs are steps."""

    def __init__(self, name: TierName, of: MemoryTier) -> None:
        self.name: Final = name
        self._of: Final = of


@cache
def _traced_class(protocol: type[MemoryTier]) -> type[_Traced]:
    def make(verb: str) -> Callable[..., Awaitable[object]]:
        async def stepped(self: _Traced, *args: object, **kwargs: object) -> object:
            with step(f"{self.name}.{verb}", tier=self.name):
                return await getattr(self._of, verb)(*args, **kwargs)

        async def called(self: _Traced, *args: object, **kwargs: object) -> object:
            return await getattr(self._of, verb)(*args, **kwargs)

        return called if verb == _NO_STEP else stepped

    return add_verbs(type(f"Traced{protocol.__name__}", (_Traced,), {}), protocol, make)


class _TracedEmbedder:
    """An embedder, whose embedding is a step."""

    def __init__(self, of: Embedder) -> None:
        self._of = of
        self.model: Final = of.model
        self.dimension: Final = of.dimension
        self.warm, self.health_check, self.close = of.warm, of.health_check, of.close

    async def embed(self, texts: Sequence[str]) -> FloatMatrix:
        with step("embed"):
            return await self._of.embed(texts)
