"""What in the messages of a user only repeats what was said before: noted with them, and found when something goes."""

import asyncio
from collections.abc import Collection, Sequence

from ragpp.models import Interaction, Repetition, Scope
from ragpp.repeating import repetitions, told_stems
from services.episodic.store import EpisodicStore, Rows, Writer


class RepeatVerbs:
    """The verbs of the tier about repetitions."""

    _store: EpisodicStore

    async def note_repetitions(self, scope: Scope, found: Sequence[Repetition], epoch: int | None = None) -> None:
        """See the protocol."""
        if found:
            async with self._store.writer(scope, epoch) as writer:
                await writer.note_repetitions(found)

    async def repetitions(self, scope: Scope, ids: Collection[str]) -> list[Repetition]:
        """See the protocol."""
        if not ids:
            return []
        async with self._store.reader(scope) as reader:
            return await reader.repetitions(ids)

    async def repeated_by(self, scope: Scope, ids: Collection[str]) -> list[str]:
        """See the protocol. Those of which it is noted, and those that are found to by their words."""
        async with self._store.reader(scope) as reader:
            noted = await reader.noted_repeats(ids)
            found, _ = await repeating(reader, await _said(reader, ids), ())
            return [turn.interaction.id for turn in await reader.get(noted | {one.id for one in found})]

    async def _repetitions_of(self, scope: Scope, ids: Collection[str]) -> tuple[list[Repetition], set[int]]:
        """What repeats these messages, which are about to be forgotten, and the ordinals of what was looked at."""
        async with self._store.reader(scope) as reader:
            return await repeating(reader, await _said(reader, ids), ())


async def note_what_repeats(writer: Writer, ids: Collection[str], found: Sequence[Repetition], seen: set[int]) -> None:
    """Note, before the messages `ids` go, what repeats them: `found`, and what came since those of the ordinals `seen`
    were looked at."""
    late, _ = await repeating(writer, await _said(writer, ids), seen)
    await writer.note_repetitions([*found, *late])


async def _said(rows: Rows, ids: Collection[str]) -> list[Interaction]:
    return [turn.interaction for turn in await rows.get(ids)]


async def repeating(
    rows: Rows, gone: Sequence[Interaction], seen: Collection[int]
) -> tuple[list[Repetition], set[int]]:
    """What repeats `gone` in what others than the user said since, and the ordinals of what was looked at; those in
    `seen` were looked at before."""
    stems = frozenset[int]().union(*(told_stems(f"{one.said_by} {one.content}") for one in gone))
    if not stems:
        return [], set()
    turns = await rows.replies_sharing(gone, stems, seen)
    if not turns:
        return [], set()
    found = await asyncio.to_thread(repetitions, [turn.interaction for turn in turns], gone)
    return found, {turn.ordinal for turn in turns}
