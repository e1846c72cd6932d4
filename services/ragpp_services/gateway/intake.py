"""Intake: a request's messages made ready for the tiers: redacted, cut, counted and embedded once."""

import asyncio
import re
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final
from uuid import uuid4

from pydantic import JsonValue

from ragpp.api import MessageIn, StoreRequest
from ragpp.clock import Clock
from ragpp.context.echo import own_chunks
from ragpp.embedding import Embedder
from ragpp.errors import InvalidInput
from ragpp.models import Chunk, Interaction, InteractionEntry
from ragpp.redaction import Redactor
from ragpp.text.chunking import Piece, TokenSpans
from ragpp.text.lexical import index_line

FUTURE_TOLERANCE: Final = timedelta(minutes=5)
_INLINE_CHARS: Final = 4_000
"""Up to this much text is prepared on the event loop; more goes to a thread, so that nobody waits for it."""

_METADATA_CHARS: Final = 1_000
"""What a message's metadata is taken for, which may be up to sixteen times as long."""
_LABEL_CHARS: Final = 100
_NAME: Final = re.compile(r"[\w .-]{1,64}")
"""A key that may tell what its value is; a longer one, or a path, is a text of its own."""


class Intake:
    """Turns messages into entries; one instance serves many requests."""

    def __init__(self, redactor: Redactor, counter: TokenSpans, embedder: Embedder, clock: Clock) -> None:
        self._redactor, self._counter, self._embedder, self._clock = redactor, counter, embedder, clock

    async def prepare(self, request: StoreRequest) -> list[InteractionEntry]:
        """One entry for each message, in order, with embedded chunks; what a message has from memory gets none.

        Raises InvalidInput for a message from the future, EmbeddingError.
        """
        now = self._clock()
        _refuse_future(request.messages, now)
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
                    Chunk.model_construct(
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
        return self._redactor.redact(text).text

    def redacted_value(self, key: str, value: str) -> str:
        """What `key` is set to, as it may be stored: also a secret that only its key gives away."""
        hidden = self._telling(key, value)
        return self.redacted(value) if hidden is None else hidden

    def _telling(self, key: str, value: str) -> str | None:
        """`value` redacted for its key ("password": …); None when the key says nothing that the value does not."""
        if not _NAME.fullmatch(key) or self._redactor.redact(value).count or self._redactor.redact(key).count:
            return None
        beginning = f"{key}: "
        both = self._redactor.redact(f"{beginning}{value}")
        return both.text.removeprefix(beginning) if both.count and both.text.startswith(beginning) else None

    def redacted_label(self, label: str) -> str:
        """A short text as it may be stored; what redaction makes too long is cut."""
        return self._redactor.redact(label).text[:_LABEL_CHARS]

    def _drafts(self, request: StoreRequest, now: datetime) -> list[tuple[Interaction, list[Piece], int]]:
        drafts = []
        for message in request.messages:
            interaction, redactions = self._interaction(request, message, now)
            drafts.append((interaction, own_chunks(interaction, self._counter), redactions))
        return drafts

    def _tokens(self, interaction: Interaction, pieces: Sequence[Piece]) -> int:
        """Of the whole content, also of what has no chunk."""
        whole = sum(piece.end - piece.start for piece in pieces) == len(interaction.content)
        return sum(piece.tokens for piece in pieces) if whole else self._counter.count(interaction.content)

    def _interaction(self, request: StoreRequest, message: MessageIn, now: datetime) -> tuple[Interaction, int]:
        content = self._redactor.redact(message.content)
        name = self._redactor.redact(message.name) if message.name else None
        metadata, in_metadata = self._redact_json(message.metadata)
        labels = {
            field: self.redacted_label(value)
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

    def _redact_json(self, metadata: dict[str, JsonValue]) -> tuple[dict[str, JsonValue], int]:
        """`metadata` with every text in it redacted, keys as well; and how many secrets there were."""
        count = 0

        def text(part: str) -> str:
            nonlocal count
            redacted = self._redactor.redact(part)
            count += redacted.count
            return redacted.text

        def under(key: str, item: JsonValue) -> JsonValue:
            nonlocal count
            if isinstance(item, str) and (hidden := self._telling(key, item)) is not None:
                count += 1
                return hidden
            return walk(item)

        def walk(item: JsonValue) -> JsonValue:
            if isinstance(item, str):
                return text(item)
            if isinstance(item, list):
                return [walk(part) for part in item]
            if isinstance(item, dict):
                return {text(key): under(key, part) for key, part in item.items()}
            return item

        return {text(key): under(key, item) for key, item in metadata.items()}, count


def _refuse_future(messages: Sequence[MessageIn], now: datetime) -> None:
    late = [
        index
        for index, message in enumerate(messages)
        if message.occurred_at is not None and message.occurred_at > now + FUTURE_TOLERANCE
    ]
    if late:
        reason = "is more than five minutes in the future"
        raise InvalidInput(
            f"messages.{late[0]}.occurred_at {reason}",
            suggestions=("Send the time at which it was said, with its UTC offset; check the sender's clock.",),
            details={"errors": [{"field": f"messages.{i}.occurred_at", "reason": reason} for i in late[:50]]},
        )
