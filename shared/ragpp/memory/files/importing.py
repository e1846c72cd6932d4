"""A file of memories into the catalog: each kept or refused by itself, and what is not kept is told with its line."""

import gzip
import zlib
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from ragpp.api.files import MAX_IMPORTED, EntriesIn, ImportedEntry
from ragpp.client import AsyncMemoryClient
from ragpp.entries.files import GLOBAL, MemoryFile, read_file
from ragpp.errors import InvalidInput, PayloadTooLarge, TooMuchAtOnce
from ragpp.memory.files.reading import LeftOut, Numbered, Repeated, entries_of

MAX_BYTES: Final = 4_000_000
"""Bytes of one request, half of the gateway's default limit; one memory is always below it."""
_GZIP: Final = b"\x1f\x8b"


@dataclass
class ImportReport:
    """The outcome of a file's memories. `ci`: whose they are, None where all of the user's agents see them; `read`: how
    many it has, those that cannot be read not counted; `kept`, `known` (kept before, or twice in the file), `same` (one
    with another memory): how many; `expired`, `refused` and, where nothing was to be kept, `absent`: which the catalog
    does not have, and why; `redactions`: how many secrets were removed; `missing`: how many its statistics tell of that
    are none of all these."""

    ci: str | None
    read: int = 0
    kept: int = 0
    known: int = 0
    same: int = 0
    redactions: int = 0
    missing: int = 0
    expired: list[LeftOut] = field(default_factory=list)
    refused: list[LeftOut] = field(default_factory=list)
    absent: list[LeftOut] = field(default_factory=list)

    @property
    def held(self) -> int:
        """How many of the file's memories the catalog has now."""
        return self.kept + self.known + self.same


def unpacked(data: bytes) -> bytes:
    """The file as it was before it was archived, where it was. Raises InvalidInput for an archive that is broken."""
    if not data.startswith(_GZIP):
        return data
    try:
        return gzip.decompress(data)
    except (OSError, EOFError, zlib.error) as error:
        raise InvalidInput("the file is a broken archive: it cannot be decompressed") from error


def whose(file: MemoryFile, ci: str | None) -> str | None:
    """The agent that a file's memories are of: the one that is named, else the file's own; None for all that the user's
    agents share. Raises InvalidInput where neither says so: what was one agent's must not become everybody's."""
    named = ci if ci is not None else file.ci_name
    if not named:
        raise InvalidInput(
            "the file does not say whose memories these are",
            suggestions=("Name the agent (--agent NAME), or `global` for what all of the user's agents see.",),
        )
    return None if named == GLOBAL else named


async def import_file(
    client: AsyncMemoryClient,
    data: bytes,
    *,
    user_id: str | None = None,
    ci: str | None = None,
    dry_run: bool = False,
    on_memory: Callable[[int], None] = lambda _count: None,
) -> ImportReport:
    """Keep the memories of a file as it stands on disk, or as it was archived, of the agent that `ci`, or else the
    file, names; `global`: for all of the user's agents. Repeating it is harmless, also after it was interrupted.
    `dry_run`: nothing is kept, and what the catalog does not have is told. `on_memory`: called with how many were dealt
    with. Raises InvalidInput where nobody says whose they are, and what the client raises that no memory is to blame
    for."""
    file = read_file(unpacked(data))
    agent = whose(file, ci)
    report = ImportReport(agent, len(file.memories), missing=max(0, file.missing - len(file.problems)))
    report.refused += [LeftOut(one.line, one.reason, one.memory_id) for one in file.problems]
    good: list[Numbered] = []
    for one in entries_of(file, agent, of_a_user=user_id is not None):
        if isinstance(one, LeftOut):
            report.refused.append(one)
        elif isinstance(one, Repeated):
            report.known += 1
        else:
            good.append(one)
    on_memory(len(file.memories) - len(good))
    left = deque(batches(good))
    while left:
        batch = left.popleft()
        memories = tuple(one.entry for one in batch)
        try:
            answer = await client.import_entries(EntriesIn(user_id=user_id, memories=memories, dry_run=dry_run))
        except (PayloadTooLarge, TooMuchAtOnce):
            if len(batch) == 1:
                raise
            left.extendleft((batch[len(batch) // 2 :], batch[: len(batch) // 2]))
            continue
        report.redactions += answer.redactions
        for one, result in zip(batch, answer.results, strict=True):
            _count(report, one, result)
        on_memory(len(batch))
    report.refused.sort(key=lambda told: told.line)
    return report


def batches(entries: Sequence[Numbered]) -> Iterator[list[Numbered]]:
    """At most MAX_IMPORTED together, of MAX_BYTES."""
    batch: list[Numbered] = []
    filled = 0
    for one in entries:
        size = len(one.entry.model_dump_json().encode())
        if batch and (len(batch) == MAX_IMPORTED or filled + size > MAX_BYTES):
            yield batch
            batch, filled = [], 0
        batch.append(one)
        filled += size
    if batch:
        yield batch


def _count(report: ImportReport, one: Numbered, result: ImportedEntry) -> None:
    told = LeftOut(one.line, result.reason or result.outcome, one.entry.id)
    if result.outcome == "expired":
        report.expired.append(told)
    elif result.outcome == "refused":
        report.refused.append(told)
    elif result.outcome == "absent":
        report.absent.append(told)
    elif result.outcome == "kept":
        report.kept += 1
    elif result.outcome == "known":
        report.known += 1
    else:
        report.same += 1
