"""Messages of a file into the memory: in batches, by session, resumable, every refused line named."""

import asyncio
import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Final

from ragpp.api import StoreRequest
from ragpp.client import AsyncMemoryClient
from ragpp.errors import Conflict, InvalidInput, MemorySystemError, PayloadTooLarge, TooMuchAtOnce
from ragpp.models import Visibility
from ragpp_infra.cli.lines import START, BadLine, GoodLine, Position
from ragpp_infra.cli.render import count

MAX_BATCH_BYTES: Final = 6_000_000
"""Bytes of lines in one request, which never gets longer than they are: below the gateway's default limit of 8 MiB."""
WINDOW_BATCHES: Final = 4
"""Batches read ahead; the sessions among them are sent at the same time, each in its own order."""


@dataclass
class IngestReport:
    """The outcome of the lines. `forgotten`: were so before, and are not stored. `position`: everything before it is
    done with."""

    position: Position = START
    stored: int = 0
    duplicates: int = 0
    forgotten: int = 0
    redactions: int = 0
    refused: list[BadLine] = field(default_factory=list)

    @property
    def acknowledged(self) -> int:
        """Lines that the gateway has answered for, whatever became of them."""
        return self.stored + self.duplicates + self.forgotten


class BadLines(
    MemorySystemError,
    code="MEM-033",
    status=422,
    title="Lines that cannot be stored",
    suggestions=("Correct the lines named in the message, or leave them out with --skip-bad.",),
):
    """A file holds lines that are no messages, or that the gateway refuses."""


def bad_lines(refused: Sequence[BadLine], *, stored: int) -> BadLines:
    """The problem that names the first of `refused`."""
    shown = "; ".join(map(str, refused[:5]))
    more = f"; and {len(refused) - 5} more" if len(refused) > 5 else ""
    kept = f"; {count(stored, 'other message')} of the file {'is' if stored == 1 else 'are'} stored" if stored else ""
    kept = kept or "; nothing was stored"
    return BadLines(shown + more + kept)


async def ingest(
    client: AsyncMemoryClient,
    user_id: str,
    lines: Iterable[GoodLine | BadLine],
    *,
    batch: int = 200,
    skip_bad: bool = False,
    agent_id: str | None = None,
    visibility: Visibility | None = None,
    on_window: Callable[[IngestReport], None] = lambda _report: None,
) -> IngestReport:
    """Store `lines` for one user, at most `batch` messages a request.

    `on_window` is called with the report so far after each stretch of lines that is wholly acknowledged. Raises
    BadLines at the first stretch with a bad line, unless `skip_bad`; and what the client raises.
    """
    report = IngestReport()
    iterator = iter(lines)
    while window := list(islice(iterator, batch * WINDOW_BATCHES)):
        bad = [line for line in window if isinstance(line, BadLine)]
        if bad and not skip_bad:
            raise bad_lines(bad, stored=report.stored)
        report.refused.extend(bad)
        sessions: dict[str, list[GoodLine]] = {}
        for line in window:
            if isinstance(line, GoodLine):
                sessions.setdefault(line.session_id, []).append(line)
        sender = _Sender(client, user_id, agent_id, visibility, report, skip_bad=skip_bad)
        limit = asyncio.Semaphore(WINDOW_BATCHES)
        try:
            async with asyncio.TaskGroup() as group:
                for session in sessions.values():
                    group.create_task(sender.send_session(list(_batches(session, batch)), limit))
        except BaseExceptionGroup as errors:
            raise errors.exceptions[0] from None
        if sender.stopped:
            raise bad_lines(sorted(sender.stopped, key=lambda line: line.number), stored=report.stored)
        report.position = Position(window[-1].number, window[-1].end)
        on_window(report)
    report.refused.sort(key=lambda line: line.number)
    return report


@dataclass
class _Sender:
    client: AsyncMemoryClient
    user_id: str
    agent_id: str | None
    visibility: Visibility | None
    report: IngestReport
    skip_bad: bool
    stopped: list[BadLine] = field(default_factory=list)
    """Lines that were refused and are not to be skipped: what is under way is waited for, so that what is stored can be
    told, and nothing more is sent."""

    async def send_session(self, batches: Sequence[Sequence[GoodLine]], limit: asyncio.Semaphore) -> None:
        for lines in batches:
            async with limit:
                if self.stopped:
                    return
                await self._send(lines)

    async def _send(self, lines: Sequence[GoodLine]) -> None:
        """Send one batch; lines that the gateway refuses by index are left out and the rest is sent again. A batch that
        has too much for one request goes in halves, in order."""
        while lines:
            request = StoreRequest(
                user_id=self.user_id,
                session_id=lines[0].session_id,
                agent_id=self.agent_id,
                visibility=self.visibility,
                messages=tuple(line.message for line in lines),
            )
            try:
                answer = await self.client.remember(request)
            except (Conflict, InvalidInput, PayloadTooLarge, TooMuchAtOnce) as error:
                too_much = isinstance(error, PayloadTooLarge | TooMuchAtOnce)
                if too_much and len(lines) > 1:
                    middle = len(lines) // 2
                    await self._send(lines[:middle])
                    lines = () if self.stopped else lines[middle:]
                    continue
                reasons = {0: error.message} if too_much else refused_indexes(error)
                refused = [
                    BadLine(line.number, line.end, reasons[index], line.message.id)
                    for index, line in enumerate(lines)
                    if index in reasons
                ]
                if not refused:
                    raise
                if not self.skip_bad:
                    self.stopped.extend(refused)
                    return
                self.report.refused.extend(refused)
                lines = [line for index, line in enumerate(lines) if index not in reasons]
                continue
            for stored in answer.stored:
                self.report.stored += not (stored.duplicate or stored.forgotten)
                self.report.duplicates += stored.duplicate
                self.report.forgotten += stored.forgotten
                self.report.redactions += stored.redactions
            return


def refused_indexes(error: MemorySystemError) -> dict[int, str]:
    """Index in the batch → reason, for the messages that a problem names."""
    reasons: dict[int, str] = {}
    indexes = error.details.get("indexes")
    if isinstance(indexes, list):
        reasons |= {index: error.message for index in indexes if isinstance(index, int)}
    fields = error.details.get("errors")
    for item in fields if isinstance(fields, list) else []:
        _, _, path = str(item["field"]).partition("messages.")
        index, _, name = path.partition(".")
        if index.isdecimal():
            reasons.setdefault(int(index), f"{name}: {item['reason']}" if name else str(item["reason"]))
    return reasons


def _batches(lines: Sequence[GoodLine], size: int) -> Iterator[list[GoodLine]]:
    """Stretches of `lines` of at most `size` messages and MAX_BATCH_BYTES bytes; one message always fits."""
    batch: list[GoodLine] = []
    filled = 0
    for line in lines:
        if batch and (len(batch) == size or filled + line.size > MAX_BATCH_BYTES):
            yield batch
            batch, filled = [], 0
        batch.append(line)
        filled += line.size
    if batch:
        yield batch


@dataclass(frozen=True)
class Progress:
    """How far one file has come, in a small file of its own; it holds for the bytes it was written for."""

    path: Path

    @classmethod
    def of(cls, folder: Path, file: Path, *, url: str, user_id: str, session_id: str | None) -> "Progress":
        """The progress of `file` into one user's memory at one gateway."""
        name = json.dumps([str(file.resolve()), url, user_id, session_id])
        return cls(folder / f"{hashlib.sha256(name.encode()).hexdigest()[:24]}.json")

    def save(self, position: Position, file: Path) -> None:
        """Note that everything before `position` in `file` is stored."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        state = {"lines": position.lines, "offset": position.offset, "sha256": _digest(file, position.offset)}
        temporary = self.path.with_suffix(".new")
        temporary.write_text(json.dumps(state), encoding="utf-8")
        temporary.replace(self.path)

    def load(self, file: Path) -> Position:
        """Where to go on; the start when nothing is noted, or when what lies before is no longer the same."""
        try:
            state = json.loads(self.path.read_text(encoding="utf-8"))
            position = Position(int(state["lines"]), int(state["offset"]))
            same = state["sha256"] == _digest(file, position.offset)
        except (FileNotFoundError, ValueError, KeyError, TypeError):
            return START
        return position if same else START

    def clear(self) -> None:
        """Forget; the file is done."""
        self.path.unlink(missing_ok=True)


def _digest(file: Path, offset: int) -> str:
    """The digest of the last 64 KiB before `offset`: enough to tell a file that grew from another one, at no cost."""
    with file.open("rb") as source:
        source.seek(max(0, offset - 65_536))
        return hashlib.sha256(source.read(min(offset, 65_536))).hexdigest()
