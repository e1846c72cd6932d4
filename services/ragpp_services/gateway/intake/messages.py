"""A request's messages made ready for the tiers: redacted, cut, counted and embedded once."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final
from uuid import uuid4
from zoneinfo import ZoneInfo

from pydantic import JsonValue

from ragpp.api import MessageIn, StoreRequest
from ragpp.aside import aside, portions
from ragpp.clock import Clock
from ragpp.context.echo import own_chunks
from ragpp.embedding import Embedder, FloatMatrix
from ragpp.models import EmbeddedChunk, Interaction, InteractionEntry
from ragpp.observability.traces import stepped
from ragpp.redacting import Redaction
from ragpp.redaction import DIVIDING
from ragpp.text.chunking import TextChunk
from ragpp.text.port import TokenMeter, TokenSpans
from ragpp_services.gateway.intake.times import refuse_future
from ragpp_services.gateway.zones import offset_at

_INLINE_CHARS: Final = 4_000
"""Up to this much text is prepared on the event loop; more goes to a thread, so that nobody waits for it."""

_METADATA_CHARS: Final = 1_000
"""Characters that a message's metadata is taken for, which may be up to sixteen times as long."""

Draft = tuple[Interaction, list[TextChunk], int, int]


class Intake:
    """Turns messages into entries; one instance serves many requests."""

    def __init__(
        self, redaction: Redaction, counter: TokenSpans, reader: TokenMeter, embedder: Embedder, clock: Clock
    ) -> None:
        """`counter`: by which messages are cut; `reader`: by which their lengths are told."""
        self._redaction, self._counter, self._reader = redaction, counter, reader
        self._embedder, self._clock = embedder, clock

    async def prepare(self, request: StoreRequest, zone: ZoneInfo | None = None) -> list[InteractionEntry]:
        """One entry for each message, in order, with embedded chunks; what a message has from memory gets none. `zone`:
        of the user, whose clocks go before the message's own.

        Raises InvalidInput for a message from the future, EmbeddingError.
        """
        now = self._clock()
        refuse_future({f"messages.{index}": message.occurred_at for index, message in enumerate(request.messages)}, now)
        sizes = [_size(message) for message in request.messages]
        if sum(sizes) <= _INLINE_CHARS:
            drafts = self._drafts(request, request.messages, now, zone)
            return self._entries(drafts, await self._embedder.embed(_lines(drafts)))
        drafts = []
        for some in portions(sizes):
            drafts += await aside(self._drafts, request, request.messages[some], now, zone)
        return await aside(self._entries, drafts, await self._embedder.embed(await aside(_lines, drafts)))

    async def entries(self, interactions: Sequence[Interaction]) -> list[InteractionEntry]:
        """The entries of messages that are as they may be stored, with embedded chunks. Raises EmbeddingError."""
        drafts = await aside(self._of, interactions)
        return await aside(self._entries, drafts, await self._embedder.embed(_lines(drafts)))

    def _of(self, interactions: Sequence[Interaction]) -> list[Draft]:
        return [
            (one, own_chunks(one, self._counter), len(DIVIDING.findall(one.content)), self._reader.count(one.content))
            for one in interactions
        ]

    def _entries(self, drafts: Sequence[Draft], embedded: FloatMatrix) -> list[InteractionEntry]:
        """`embedded`: a row for each chunk of `drafts`, in order."""
        vectors = iter(embedded.tolist())
        return [
            InteractionEntry(
                interaction=interaction,
                chunks=tuple(
                    EmbeddedChunk.trusted(
                        ordinal=piece.ordinal,
                        start=piece.start,
                        end=piece.end,
                        tokens=piece.tokens,
                        embedding=tuple(next(vectors)),
                    )
                    for piece in pieces
                ),
                tokens=tokens,
                redactions=redactions,
            )
            for interaction, pieces, redactions, tokens in drafts
        ]

    def redacted(self, text: str) -> str:
        """`text` as it may be stored."""
        return self._redaction.counted(text).text

    def redacted_value(self, key: str, value: JsonValue) -> JsonValue:
        """The value of `key`, as it may be stored: without secrets, those too that only their key gives away."""
        return self._redaction.value(key, value)

    def redacted_label(self, label: str) -> str:
        """A short text as it may be stored; what redaction makes too long is cut."""
        return self._redaction.label(label)

    @stepped("redact")
    def _drafts(
        self, request: StoreRequest, messages: Sequence[MessageIn], now: datetime, zone: ZoneInfo | None
    ) -> list[Draft]:
        """The drafts of some `messages` of `request`: what is stored of each, its chunks, how many secrets were
        removed, and its tokens."""
        drafts = []
        for message in messages:
            interaction, redactions = self._interaction(request, message, now, zone)
            tokens = self._reader.count(interaction.content)
            drafts.append((interaction, own_chunks(interaction, self._counter), redactions, tokens))
        return drafts

    def _interaction(
        self, request: StoreRequest, message: MessageIn, now: datetime, zone: ZoneInfo | None
    ) -> tuple[Interaction, int]:
        content = self._redaction.counted(message.content)
        name = self._redaction.counted(message.name) if message.name else None
        metadata, in_metadata = self._redaction.json(message.metadata)
        labels = {
            field: self._redaction.label(value)
            for field in ("message_type", "channel", "domain", "task_type")
            if (value := getattr(message, field)) is not None
        }
        said_at = message.occurred_at or now
        interaction = Interaction(
            id=message.id or f"m_{uuid4().hex}",
            session_id=request.session_id,
            agent_id=request.agent_id,
            role=message.role,
            name=name.text if name else None,
            content=content.text,
            occurred_at=said_at,
            utc_offset=offset_at(zone, said_at),
            metadata=metadata,
            learn=message.learn,
            visibility=request.visibility or "shared",
            **labels,
        )
        return interaction, content.count + in_metadata + (name.count if name else 0)


def _size(message: MessageIn) -> int:
    return len(message.content) + _METADATA_CHARS * bool(message.metadata)


def _lines(drafts: Sequence[Draft]) -> list[str]:
    """The text of each chunk, which is embedded. Who said it is no part of what it means."""
    return [piece.text for _, pieces, *_ in drafts for piece in pieces]
