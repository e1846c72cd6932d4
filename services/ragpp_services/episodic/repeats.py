"""Repetitions in a user's messages of what was said before: noted with them, and found when something goes."""

import asyncio
from collections.abc import Collection, Sequence

from ragpp.models import Interaction, Repetition, Scope
from ragpp.text.repeating import repetitions, told_stems
from ragpp_services.episodic.rows import StoredInteraction
from ragpp_services.episodic.store import EpisodicStore, Writer
from ragpp_services.episodic.user_rows import Rows


class Repeats:
    """Notes and finds repetitions."""

    def __init__(self, store: EpisodicStore) -> None:
        self._store = store

    async def note_repetitions(self, scope: Scope, found: Sequence[Repetition], epoch: int | None = None) -> None:
        if found:
            async with self._store.writer(scope, epoch) as writer:
                await writer.note_repetitions(found)

    async def repetitions(self, scope: Scope, ids: Collection[str]) -> list[Repetition]:
        if not ids:
            return []
        async with self._store.reader(scope) as reader:
            return await reader.repetitions(ids)

    async def repeated_by(self, scope: Scope, ids: Collection[str]) -> list[str]:
        """See the protocol. Those of which it is noted, and those that are found to by their words."""
        async with self._store.reader(scope) as reader:
            noted = await reader.noted_repeats(ids)
        found, _ = await self.of(scope, ids)
        async with self._store.reader(scope) as reader:
            return [stored.interaction.id for stored in await reader.get(noted | {one.id for one in found})]

    async def of(self, scope: Scope, ids: Collection[str]) -> tuple[list[Repetition], set[int]]:
        """The repetitions of these messages, which are about to be forgotten, and the ordinals of what was looked at.
        They are looked for after the transaction, whose server ends one that is silent for long."""
        async with self._store.reader(scope) as reader:
            gone = await _said(reader, ids)
            replies = await _replies_since(reader, gone, ())
        return await _repeating(replies, gone), {stored.ordinal for stored in replies}


async def note_what_repeats(
    writer: Writer, ids: Collection[str], found: Sequence[Repetition], seen: set[int]
) -> dict[str, dict[str, int]]:
    """Note, before the messages `ids` go, what repeats them: `found`, and what came since those of the ordinals `seen`
    were looked at. Answers by the ids of repeated messages which others teach less than before for it, with the ids of
    the events that recorded these."""
    gone = await _said(writer, ids)
    late = await _repeating(await _replies_since(writer, gone, seen), gone)
    less: dict[str, dict[str, int]] = {}
    for one in await writer.note_repetitions([*found, *late]):
        if one.repeats is not None:
            less.setdefault(one.repeats, {})[one.id] = one.event_id
    return less


async def _said(rows: Rows, ids: Collection[str]) -> list[Interaction]:
    return [stored.interaction for stored in await rows.get(ids)]


async def _replies_since(rows: Rows, gone: Sequence[Interaction], seen: Collection[int]) -> list[StoredInteraction]:
    """The messages of others than the user since `gone` with any of its words, but for the ordinals `seen`."""
    stems = frozenset[int]().union(*(told_stems(f"{one.said_by} {one.content}") for one in gone))
    return await rows.replies_sharing(gone, stems, seen) if stems else []


async def _repeating(replies: Sequence[StoredInteraction], gone: Sequence[Interaction]) -> list[Repetition]:
    if not replies:
        return []
    return await asyncio.to_thread(repetitions, [stored.interaction for stored in replies], gone)
