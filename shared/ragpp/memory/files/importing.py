"""A file of memories into the catalog: each kept or refused by itself, and what is not kept is told with its line."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from ragpp.api.files import MAX_IMPORTED, EntriesIn, ImportedEntry
from ragpp.client import MemoryClient
from ragpp.entries.files import GLOBAL, MemoryFile, read_file
from ragpp.memory.files.reading import Numbered, Told, entries_of

MAX_CHARS: Final = 1_000_000
"""Of contents in one request, so that it stays below the gateway's limit of a body whatever their letters."""


@dataclass
class ImportReport:
    """What became of a file's memories. `ci`: whose they are, None where all of the user's agents see them; `read`: how
    many it has, those that cannot be read not counted; `kept`, `known` (kept before), `same` (another says it): how
    many; `expired` and `refused`: which were not taken, and why; `redactions`: how many secrets were removed;
    `missing`: how many its statistics tell of that are not there."""

    ci: str | None
    read: int = 0
    kept: int = 0
    known: int = 0
    same: int = 0
    redactions: int = 0
    missing: int = 0
    expired: list[Told] = field(default_factory=list)
    refused: list[Told] = field(default_factory=list)

    @property
    def held(self) -> int:
        """How many of the file's memories the catalog has now."""
        return self.kept + self.known + self.same


def whose(file: MemoryFile, ci: str | None) -> str | None:
    """The agent that a file's memories are of: the one that is named, else the file's own; None for all that the user's
    agents share."""
    named = ci if ci is not None else file.ci_name
    return None if named == GLOBAL else named


async def import_file(
    client: MemoryClient,
    data: bytes,
    *,
    user_id: str | None = None,
    ci: str | None = None,
    on_memory: Callable[[int], None] = lambda _count: None,
) -> ImportReport:
    """Keep the memories of a file as it stands on disk, of the agent that `ci`, or else the file, names; `global`: for
    all of the user's agents. Repeating it is harmless, also after it was interrupted. `on_memory`: called with how many
    were dealt with. Raises what the client raises that no memory is to blame for."""
    file = read_file(data)
    agent = whose(file, ci)
    report = ImportReport(agent, len(file.memories), missing=file.missing)
    report.refused += [Told(one.line, one.reason, one.memory_id) for one in file.problems]
    good: list[Numbered] = []
    for one in entries_of(file, agent, of_a_user=user_id is not None):
        if isinstance(one, Told):
            report.refused.append(one)
        else:
            good.append(one)
    on_memory(len(file.memories) - len(good))
    for batch in batches(good):
        request = EntriesIn(user_id=user_id, memories=tuple(one.entry for one in batch))
        answer = await client.import_entries(request)
        report.redactions += answer.redactions
        for one, result in zip(batch, answer.results, strict=True):
            _count(report, one, result)
        on_memory(len(batch))
    report.refused.sort(key=lambda told: told.line)
    return report


def batches(entries: Sequence[Numbered]) -> Iterator[list[Numbered]]:
    """At most MAX_IMPORTED together, of MAX_CHARS."""
    batch: list[Numbered] = []
    chars = 0
    for one in entries:
        if batch and (len(batch) == MAX_IMPORTED or chars + len(one.entry.content) > MAX_CHARS):
            yield batch
            batch, chars = [], 0
        batch.append(one)
        chars += len(one.entry.content)
    if batch:
        yield batch


def _count(report: ImportReport, one: Numbered, result: ImportedEntry) -> None:
    if result.outcome in {"expired", "refused"}:
        told = Told(one.line, result.reason or result.outcome, one.entry.id)
        (report.expired if result.outcome == "expired" else report.refused).append(told)
    elif result.outcome == "kept":
        report.kept += 1
    elif result.outcome == "known":
        report.known += 1
    else:
        report.same += 1
