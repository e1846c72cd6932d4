"""The audit trail: every access is on disk before it is answered, and in PostgreSQL soon after.

An entry is appended to a journal file (a SIGKILL of this process loses nothing of it) and moved to PostgreSQL in
batches; while PostgreSQL is down the journal grows. An entry has an id, so one that is moved twice is stored once.
"""

import asyncio
import os
import time
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Final
from uuid import UUID

import orjson
import psutil
import structlog

from ragpp.errors import MemorySystemError
from ragpp.errors.summaries import safe_summary, trace_of
from ragpp_services.gateway.refusals import Refusals
from ragpp_services.gateway.store import Access

_BATCH: Final = 500
_INTERVAL_S: Final = 0.5
_RETRY_S: Final = 2.0
_log = structlog.stdlib.get_logger(__name__)

InsertAccesses = Callable[[Sequence[Access]], Awaitable[None]]


class Audit:
    """Journal first, database after; `insert` moves a batch and may raise any of our errors.

    `journal` names the files: this process writes `{stem}.{pid}.jsonl`; `{stem}.….moving` are being moved, what dead
    processes left among them; `{stem}.….refused` are what PostgreSQL will never take, kept for a person to look at.
    """

    def __init__(self, journal: Path, insert: InsertAccesses, refusals: Refusals) -> None:
        self._stem, self._folder, self._insert = journal.stem, journal.parent, insert
        self._refusals = refusals
        self._journal = journal.with_name(f"{journal.stem}.{os.getpid()}.jsonl")
        self._file: int | None = None
        self._task: asyncio.Task[None] | None = None
        self._stopping, self._moving = asyncio.Event(), asyncio.Lock()

    @property
    def folder(self) -> Path:
        """Where the journal is."""
        return self._folder

    def record(self, access: Access) -> None:
        """Append to the journal; returns once the operating system has it. A disk that is full is logged: the answer
        is not withheld for it."""
        try:
            if self._file is None:
                self._folder.mkdir(parents=True, exist_ok=True)
                self._file = os.open(self._journal, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
            os.write(self._file, _line(access))
        except OSError as error:
            _log.error("audit.not_written", error=repr(error), action=access.action, key_id=access.key_id)

    def refuse(self, prefix: str, action: str, *, known: bool) -> None:
        """Take note of a request whose key, of this prefix, is not valid; empty where it had none. `known`: there is a
        key of that prefix."""
        entry = self._refusals.first(prefix, action, known=known)
        if entry is not None:
            self.record(entry)

    def refuse_key(self, tenant_id: str, key_id: str, action: str) -> None:
        """Take note of a request that a valid key has too many of."""
        entry = self._refusals.first_of_key(tenant_id, key_id, action)
        if entry is not None:
            self.record(entry)

    def start(self) -> None:
        """Begin moving entries to PostgreSQL in the background, those of an earlier run first."""
        self._task = asyncio.create_task(self._run())

    async def stop(self) -> None:
        """Move what is there, once, and stop; what cannot be moved stays on disk for the next start."""
        self._stopping.set()
        if self._task is not None:
            await self._task
        self._count(stopping=True)
        await self.flush()

    async def flush(self) -> bool:
        """Move every entry that is on disk; False when PostgreSQL would not take them."""
        async with self._moving:
            return await self._move()

    async def _run(self) -> None:
        while not self._stopping.is_set():
            try:
                moved = await self.flush()
            except Exception as error:  # noqa: BLE001 - a journal that is no longer moved would be noticed too late
                _log.error("audit.crashed", error=safe_summary(error), where=trace_of(error))
                moved = False
            try:
                await asyncio.wait_for(self._stopping.wait(), _INTERVAL_S if moved else _RETRY_S)
            except TimeoutError:
                continue

    def _count(self, *, stopping: bool = False) -> None:
        for entry in self._refusals.ended(stopping=stopping):
            self.record(entry)

    async def _move(self) -> bool:
        self._count()
        self._rotate()
        for path in sorted(self._folder.glob(f"{self._stem}.*.moving")):
            entries = await asyncio.to_thread(_read, path)
            try:
                for start in range(0, len(entries), _BATCH):
                    await self._insert(entries[start : start + _BATCH])
            except MemorySystemError as error:
                _log.warning("audit.deferred", entries=len(entries), code=error.code, retryable=error.retryable)
                if error.retryable:
                    return False
                path.rename(path.with_suffix(".refused"))
            else:
                path.unlink(missing_ok=True)
        return True

    def _rotate(self) -> None:
        """Set aside this process's journal and those of dead ones."""
        if self._file is not None:
            os.close(self._file)
            self._file = None
        for path in self._folder.glob(f"{self._stem}.*.jsonl"):
            pid = path.suffixes[-2].removeprefix(".") if len(path.suffixes) > 1 else ""
            if path == self._journal or not (pid.isdigit() and psutil.pid_exists(int(pid))):
                path.rename(path.with_name(f"{path.stem}.{time.time_ns():020}.moving"))


def _line(access: Access) -> bytes:
    return orjson.dumps(access) + b"\n"


def _read(path: Path) -> list[Access]:
    """The entries of a journal; a last line that a crash cut short is left out."""
    entries = []
    for line in path.read_bytes().splitlines():
        try:
            fields = orjson.loads(line)
        except orjson.JSONDecodeError:
            continue
        fields["access_id"] = UUID(fields["access_id"])
        fields["at"] = datetime.fromisoformat(fields["at"])
        fields["memory_ids"] = tuple(fields.get("memory_ids", ()))  # none in a journal of before there were any
        entries.append(Access(**fields))
    return entries
