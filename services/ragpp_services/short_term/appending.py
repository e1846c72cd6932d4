"""Messages as they are appended: counted, marked, and written for Redis."""

import asyncio
from collections.abc import Sequence
from typing import Final

from ragpp.models import Entry, Scope
from ragpp.stores.forgetting import SourceMarks
from ragpp.text.tokens import TokenCounter
from ragpp_services.short_term.records import NewMessage, content_hash, encode_body, interaction_entries, moment_key

LONG_TEXT: Final = 4_000
"""Characters. A longer text is counted in a thread, so that other calls do not wait for it."""


async def new_messages(
    scope: Scope, entries: Sequence[Entry], counter: TokenCounter, marks: SourceMarks
) -> list[NewMessage]:
    """`entries`, each for its own session. Raises InvalidInput for one that is no message."""
    return [
        NewMessage(
            session_id=entry.interaction.session_id,
            id=entry.id,
            mark=marks.of(scope, entry.id),
            hash=content_hash(entry.interaction),
            moment=moment_key(entry.interaction.occurred_at),
            tokens=max(1, entry.tokens or await _count(entry.interaction.content, counter)),
            body=encode_body(entry.interaction),
        )
        for entry in interaction_entries(entries)
    ]


async def _count(text: str, counter: TokenCounter) -> int:
    if len(text) > LONG_TEXT:
        return await asyncio.to_thread(counter.count, text)
    return counter.count(text)
