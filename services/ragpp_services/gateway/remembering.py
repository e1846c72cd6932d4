"""Messages on their way into memory: kept for good, then appended to the running conversation."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from ragpp.api import StoredMessage, StoreRequest, TierStatusName
from ragpp.models import Interaction, InteractionEntry, Scope, Stored
from ragpp.observability.metrics import messages_kept
from ragpp.observability.traces import note, stepped
from ragpp.placeholders import kinds_in
from ragpp.receipts import Receipt
from ragpp_services.gateway.forgetting import attempt
from ragpp_services.gateway.parts import Parts

APPEND_S: Final = 2.0
"""Longest that an acknowledgement waits for short-term memory; the ledger repairs what it missed."""


@dataclass(frozen=True)
class Kept:
    """The outcome of each message, in order, and of the running conversation."""

    entries: Sequence[InteractionEntry]
    stored: Sequence[Stored]
    short_term: TierStatusName

    @property
    def receipt(self) -> str:
        return str(Receipt.of(item.event_id for item in self.stored))

    @property
    def messages(self) -> tuple[StoredMessage, ...]:
        """As they are answered."""
        return tuple(
            StoredMessage(
                id=item.id,
                duplicate=item.duplicate,
                forgotten=item.forgotten,
                redactions=entry.redactions,
                redacted=_redacted(entry.interaction) if entry.redactions else (),
            )
            for item, entry in zip(self.stored, self.entries, strict=True)
        )


def _redacted(said: Interaction) -> tuple[str, ...]:
    return kinds_in(said.content, said.name, json.dumps(said.metadata))


@stepped("remember")
async def keep(parts: Parts, scope: Scope, said: StoreRequest) -> Kept:
    """Store all of the messages, or none. Raises Conflict, InvalidInput, EmbeddingError, TierUnavailable."""
    entries = await parts.intake.prepare(said, await parts.choices.zone_of(scope))
    stored = await parts.episodic.store(scope, entries)
    fresh = [e for e, s in zip(entries, stored, strict=True) if not (s.duplicate or s.forgotten)]
    gone = sum(one.forgotten for one in stored)
    note(messages=len(entries))
    messages_kept(stored=len(fresh), duplicates=len(stored) - len(fresh) - gone, forgotten=gone)
    return Kept(entries, stored, await _append(parts, scope, [entry.without_chunks for entry in fresh]))


async def _append(parts: Parts, scope: Scope, entries: list[InteractionEntry]) -> TierStatusName:
    """Append to the running conversation; what fails here is in the ledger and repaired from there."""
    if not entries:
        return "ok"
    return await attempt(parts.short_term.store(scope, entries), timeout_s=APPEND_S)
