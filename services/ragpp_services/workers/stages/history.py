"""Messages, read back through the episodic tier: windows and days of one user's interactions, and what of them may
teach."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from ragpp.context.echo import CONTEXT_TYPES
from ragpp.models import Filters, Interaction, Scope, TimeRange
from ragpp.paging import PAGE, pages
from ragpp.text.repeating import without
from ragpp.text.spans import Span, merged
from ragpp_services.workers.parts import WorkerParts

LEARNING_ROLES: Final = frozenset({"user", "assistant"})
"""System prompts and tool output are stored and searched; nothing is learned about the user from them."""
READ_PER_TAUGHT: Final = 5
"""So many times as many messages are read at most, where some may not be learned from."""


def teaches(item: Interaction) -> bool:
    """True where anything can be learned from `item`: somebody said it, who did not ask for it not to be, and it is not
    a context given back."""
    return item.learn and item.role in LEARNING_ROLES and item.message_type not in CONTEXT_TYPES


async def said_within(parts: WorkerParts, scope: Scope, span: TimeRange, *, most: int) -> list[Interaction]:
    """The interactions of `span` that may be learned from, oldest first, what in them only repeats what was said before
    blanked; of more than `most` the latest. Raises TierUnavailable."""
    filters, found = Filters(time_range=span), list[Interaction]()
    latest = pages(
        lambda cursor: parts.episodic.list_interactions(scope, filters, cursor, PAGE), most=READ_PER_TAUGHT * most
    )
    async for item in latest:
        if item.learn:
            found.append(item)
        if len(found) == most:
            break
    found.reverse()
    return without(found, await repeating_spans(parts, scope, found))


async def repeating_spans(parts: WorkerParts, scope: Scope, items: Sequence[Interaction]) -> dict[str, list[Span]]:
    """Which stretches of which of `items` are noted as repetitions, in order, by their ids; only those of others than
    the user are. Raises TierUnavailable."""
    spans: dict[str, list[Span]] = defaultdict(list)
    said = [item.id for item in items if item.role != "user"]
    for one in await parts.episodic.repetitions(scope, said) if said else ():
        spans[one.id].append(Span(one.start, one.end))
    return {identifier: merged(found) for identifier, found in spans.items()}


async def vectors_of(parts: WorkerParts, texts: Sequence[str]) -> dict[str, npt.NDArray[np.float32]]:
    """The vector of each text, of unit length. Raises EmbeddingError."""
    distinct = list(dict.fromkeys(texts))
    if not distinct:
        return {}
    return dict(zip(distinct, await parts.embedder.embed(distinct), strict=True))
