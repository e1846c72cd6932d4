"""Sentences: what stored messages tell is embedded behind the writes, by whoever digests them."""

from typing import Final

import structlog

from ragpp.errors import MemorySystemError
from ragpp.errors.summaries import safe_summary
from ragpp.models import Scope
from ragpp_services.workers.parts import WorkerParts

CHUNKS_AT_ONCE: Final = 32
"""Chunks of one embedding and one transaction: some hundred sentences, half a second."""
MOST_BEHIND: Final = 512
"""Chunks that are looked at after a batch of messages: more than it has, so that what was stored before is caught up
with, and no more than keeps the next batch waiting for seconds. The upkeep of the night does the rest."""
_log = structlog.stdlib.get_logger(__name__)


async def index_sentences(parts: WorkerParts, scope: Scope, most: int | None = MOST_BEHIND) -> None:
    """Have what the user's messages tell embedded: `most` chunks of them or a few more, or all. Nothing in a view, for
    they are of the whole memory. An embedder or a store that does not answer leaves it to the next time: until then
    messages are found as a whole."""
    if scope.view is not None:
        return
    done = 0
    try:
        while (most is None or done < most) and (
            looked_at := await parts.episodic.index_sentences(scope, CHUNKS_AT_ONCE)
        ):
            done += looked_at
    except MemorySystemError as error:
        _log.warning("sentences.left", error=safe_summary(error))
