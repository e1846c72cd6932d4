"""Passages: what resources say is embedded behind the writes, by whoever works on the catalog."""

from typing import Final

from ragpp.models import Scope
from ragpp_services.workers.parts import WorkerParts

AT_ONCE: Final = 32
"""Passages of one embedding and one transaction: a third of a second."""


async def index_passages(parts: WorkerParts, scope: Scope) -> int:
    """Have all that the user's resources say embedded; returns how many passages that were. Interrupted, it goes on
    where it was. Raises EmbeddingError, TierUnavailable."""
    done = 0
    while some := await parts.catalog.index_passages(scope, AT_ONCE):
        done += some
    return done
