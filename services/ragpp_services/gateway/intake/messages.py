"""A request's messages made ready for the tiers: redacted, cut, counted and embedded once."""

import asyncio
from collections.abc import Sequence
from datetime import datetime
from typing import Final
from uuid import uuid4

from pydantic import JsonValue

from ragpp.api import MessageIn, StoreRequest
from ragpp.clock import Clock
from ragpp.context.echo import own_chunks
from ragpp.embedding import Embedder
from ragpp.models import EmbeddedChunk, Interaction, InteractionEntry
from ragpp.text.chunking import TextChunk
from ragpp.text.lexical import index_line
from ragpp.text.port import TokenSpans
from ragpp_services.gateway.intake.redacting import Redaction
from ragpp_services.gateway.intake.times import refuse_future

_INLINE_CHARS: Final = 4_000
"""Up to this much text is prepared on the event loop; more goes to a thread, so that nobody waits for it."""

_METADATA_CHARS: Final = 1_000
"""What a message's metadata is taken for, which may be up to sixteen times as long."""


class Intake:
    """Turns messages into entries; one instance serves many requests."""

    def __init__(self, redaction: Redaction, counter: TokenSpans, embedder: Embedder, clock: Clock) -> None:
        self._redaction, self._counter, self._embedder, self._clock = redaction, counter, embedder, clock

    async def prepare(self, request: StoreRequest) -> list[InteractionEntry]:
        """One entry for each message, in order, with embedded chunks; what a message has from memory gets none.

        Raises InvalidInput for a message from the future, EmbeddingError.
        """
        now = self._clock()
        refuse_future({f"messages.{index}": message.occurred_at for index, message in enumerate(request.messages)}, now)
        if sum(len(message.content) + _METADATA_CHARS * bool(message.metadata) for message in request.messages) > (
            _INLINE_CHARS
        ):
            drafts = await asyncio.to_thread(self._drafts, request, now)
        else:
            drafts = self._drafts(request, now)
        lines = [index_line(interaction, piece.text) for interaction, pieces, _ in drafts for piece in pieces]
        vectors = iter((await self._embedder.embed(lines)).tolist())
        return [
            InteractionEntry(
                interaction=interaction,
                chunks=tuple(
                    EmbeddedChunk.model_construct(
                        ordinal=piece.ordinal,
                        start=piece.start,
                        end=piece.end,
                        tokens=piece.tokens,
                        embedding=tuple(next(vectors)),
                    )
                    for piece in pieces
                ),
                tokens=self._tokens(interaction, pieces),
                redactions=redactions,
            )
            for interaction, pieces, redactions in drafts
        ]

    def redacted(self, text: str) -> str:
        """`text` as it may be stored."""
        return self._redaction.counted(text).text

    def redacted_value(self, key: str, value: JsonValue) -> JsonValue:
        """What `key` is set to, as it may be stored: also a secret that only its key gives away."""
        return self._redaction.value(key, value)

    def redacted_label(self, label: str) -> str:
        """A short text as it may be stored; what redaction makes too long is cut."""
        return self._redaction.label(label)

    def _drafts(self, request: StoreRequest, now: datetime) -> list[tuple[Interaction, list[TextChunk], int]]:
        drafts = []
        for message in request.messages:
            interaction, redactions = self._interaction(request, message, now)
            drafts.append((interaction, own_chunks(interaction, self._counter), redactions))
        return drafts

    def _tokens(self, interaction: Interaction, pieces: Sequence[TextChunk]) -> int:
        """Of the whole content, also of what has no chunk."""
        whole = sum(piece.end - piece.start for piece in pieces) == len(interaction.content)
        return sum(piece.tokens for piece in pieces) if whole else self._counter.count(interaction.content)

    def _interaction(self, request: StoreRequest, message: MessageIn, now: datetime) -> tuple[Interaction, int]:
        content = self._redaction.counted(message.content)
        name = self._redaction.counted(message.name) if message.name else None
        metadata, in_metadata = self._redaction.json(message.metadata)
        labels = {
            field: self._redaction.label(value)
            for field in ("message_type", "channel", "domain", "task_type")
            if (value := getattr(message, field)) is not None
        }
        interaction = Interaction(
            id=message.id or f"m_{uuid4().hex}",
            session_id=request.session_id,
            agent_id=request.agent_id,
            role=message.role,
            name=name.text if name else None,
            content=content.text,
            occurred_at=message.occurred_at or now,
            metadata=metadata,
            learn=message.learn,
            visibility=request.visibility or "shared",
            **labels,
        )
        return interaction, content.count + in_metadata + (name.count if name else 0)
