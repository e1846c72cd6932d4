"""New knowledge, made ready for the catalog: resources and items, redacted, items embedded once."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import uuid4

import numpy as np

from ragpp.api import AccessIn, ItemIn, ItemsIn, ResourceIn, ResourceMessageIn
from ragpp.aside import aside
from ragpp.catalog import MAX_RESOURCE_CHARS, ItemEntry, ResourceEntry, ResourceMessage
from ragpp.clock import Clock
from ragpp.context.echo import own
from ragpp.embedding import Embedder
from ragpp.episodes import Used
from ragpp.errors import InvalidInput
from ragpp.models import Vector
from ragpp.names import speaker
from ragpp.redacting import Redaction
from ragpp.redaction import Redacted
from ragpp_services.gateway.intake.times import refuse_future

_INLINE_CHARS: Final = 4_000
"""Up to this much text is redacted on the event loop; more goes to a thread, so that nobody waits for it."""


@dataclass(frozen=True, kw_only=True)
class Whose:
    """For whom something is kept: `agent_id` whose it is, `seen_by` the only agent that may see it, `contributor` the
    user whose it is of what all users see."""

    agent_id: str | None = None
    seen_by: str | None = None
    contributor: str = ""


class KnowledgeIntake:
    """Turns resources and items into entries; one instance serves many requests."""

    def __init__(self, redaction: Redaction, embedder: Embedder, clock: Clock) -> None:
        self._redaction, self._embedder, self._clock = redaction, embedder, clock

    async def resource(self, body: ResourceIn, whose: Whose) -> ResourceEntry:
        """The entry of a resource. Of a conversation each message is a line, "Name: what was said". What it has from
        memory stays in it and is blanked where items are taken from it (`ragpp.context.echo.masked`).

        Raises InvalidInput for what is from the future, or too long as one text.
        """
        now = self._clock()
        moments = {f"messages.{index}": message.occurred_at for index, message in enumerate(body.messages)}
        refuse_future({"": body.occurred_at, **moments}, now)
        size = len(body.content or "") + sum(len(message.content) for message in body.messages)
        if size > _INLINE_CHARS:
            return await aside(self._resource, body, whose, now)
        return self._resource(body, whose, now)

    async def items(self, body: ItemsIn, whose: Whose) -> tuple[list[ItemEntry], int]:
        """One entry for each item, in order, with its vector; and how many secrets were removed.

        What an item has from a context of ours is left out: given back, it is no new knowledge. Raises InvalidInput for
        an item that is nothing else, or is from the future, or whose vector is none of the embedder's; EmbeddingError.
        """
        now = self._clock()
        refuse_future({f"items.{index}": item.occurred_at for index, item in enumerate(body.items)}, now)
        drafts, redactions = await aside(self._items, body.items, whose, now)
        texts = [draft.content for draft, item in zip(drafts, body.items, strict=True) if item.embedding is None]
        made = iter((await self._embedder.embed(texts)).tolist()) if texts else iter(())
        vectors = [
            tuple(next(made)) if item.embedding is None else self.unit(item.embedding, f"items.{index}.embedding")
            for index, item in enumerate(body.items)
        ]
        entries = [
            draft.model_copy(update={"embedding": vector}) for draft, vector in zip(drafts, vectors, strict=True)
        ]
        return entries, redactions

    def statement(self, content: str) -> Redacted:
        """The text of an item as it is kept: without what it has from a context of ours, and without secrets."""
        return self._redaction.counted(" ".join(content[start:end] for start, end in own(content)))

    def used(self, body: AccessIn) -> Used:
        """The memory and labels that an access names, as they are stored: without secrets."""
        return Used(
            memory_id=body.memory_id,
            content=None if body.content is None else self._redaction.counted(body.content).text,
            domain=self.label(body.domain),
            task_type=self.label(body.task_type),
            step_reward=body.step_reward,
        )

    def label(self, label: str | None) -> str | None:
        """A short text as it may be stored."""
        return None if label is None else self._redaction.label(label)

    def unit(self, vector: Vector, field: str) -> Vector:
        """`vector` at length 1. Raises InvalidInput for one that is not of the embedder's dimension, or has no
        direction."""
        wanted = self._embedder.dimension
        if len(vector) != wanted:
            raise InvalidInput.of_field(field, f"has {len(vector)} numbers, and the vectors here have {wanted}")
        numbers = np.asarray(vector, dtype=np.float64)
        length = float(np.linalg.norm(numbers))
        if not np.isfinite(length) or length == 0:
            raise InvalidInput.of_field(field, "has no direction")
        return tuple((numbers / length).tolist())

    async def question(self, text: str) -> Vector:
        """The vector of a question. Raises EmbeddingError."""
        (vector,) = (await self._embedder.embed([text])).tolist()
        return tuple(vector)

    def _resource(self, body: ResourceIn, whose: Whose, now: datetime) -> ResourceEntry:
        metadata, redactions = self._redaction.json(body.metadata)
        if body.content is None:
            content, messages, in_content = self._conversation(body.messages)
        else:
            redacted = self._redaction.counted(body.content)
            content, messages, in_content = redacted.text, (), redacted.count
        latest = max((message.occurred_at for message in body.messages if message.occurred_at), default=now)
        return ResourceEntry(
            id=body.id or f"{body.id_prefix}{uuid4()}",
            resource_type=body.resource_type,
            content=content,
            metadata=metadata,
            messages=messages,
            occurred_at=body.occurred_at or latest,
            session_id=body.session_id,
            agent_id=whose.agent_id,
            seen_by=whose.seen_by,
            contributor=whose.contributor,
            redactions=redactions + in_content,
        )

    def _conversation(self, messages: Sequence[ResourceMessageIn]) -> tuple[str, tuple[ResourceMessage, ...], int]:
        """The messages as one text, where each stands in it, and how many secrets were removed."""
        text, redactions = "", 0
        lines: list[str] = []
        placed: list[ResourceMessage] = []
        end = 0
        for message in messages:
            content = self._redaction.counted(message.content)
            name = self._redaction.counted(message.name) if message.name else None
            redactions += content.count + (name.count if name else 0)
            said_by = speaker(name.text, message.role) if name else message.role.capitalize()
            start = end + len(said_by) + 2
            lines.append(f"{said_by}: {content.text}")
            placed.append(
                ResourceMessage(
                    role=message.role,
                    name=name.text if name else None,
                    start=start,
                    end=start + len(content.text),
                    occurred_at=message.occurred_at,
                    interaction_id=message.id,
                )
            )
            end = start + len(content.text) + 1
        text = "\n".join(lines)
        if len(text) > MAX_RESOURCE_CHARS:
            raise InvalidInput.of_field("messages", f"are over {MAX_RESOURCE_CHARS:,} characters as one text")
        return text, tuple(placed), redactions

    def _items(self, items: Sequence[ItemIn], whose: Whose, now: datetime) -> tuple[list[ItemEntry], int]:
        entries, redactions = [], 0
        for index, item in enumerate(items):
            content = self.statement(item.content)
            if not content.text.strip():
                raise InvalidInput.of_field(
                    f"items.{index}.content", "says nothing that is not from a context of this memory"
                )
            metadata, in_metadata = self._redaction.json(item.metadata)
            redactions += content.count + in_metadata
            entries.append(
                ItemEntry(
                    id=item.id or f"{item.id_prefix}{uuid4()}",
                    content=content.text,
                    source_resource_id=item.source_resource_id,
                    category=item.category,
                    confidence=item.confidence,
                    importance=item.importance,
                    item_kind=item.kind,
                    occurred_at=item.occurred_at or now,
                    level=item.level,
                    domain=self.label(item.domain),
                    task_type=self.label(item.task_type),
                    agent_id=whose.agent_id,
                    seen_by=whose.seen_by,
                    metadata=metadata,
                    by_hand=True,
                    contributor=whose.contributor,
                )
            )
        return entries, redactions
