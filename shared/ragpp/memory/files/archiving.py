"""A file whose memories the catalog has is put away: compressed, read back, and only then taken from its place."""

import asyncio
import gzip
import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final

from ragpp.client import MemoryClient
from ragpp.entries.files import read_file
from ragpp.errors import MemorySystemError
from ragpp.memory.files.exporting import exported
from ragpp.memory.files.importing import whose
from ragpp.memory.files.reading import Told, entries_of
from ragpp.memory.whose import or_none

SUFFIX: Final = ".gz"


class FileNotHeld(
    MemorySystemError,
    code="MEM-038",
    status=409,
    title="The catalog does not have all of this file",
    suggestions=(
        "Import it (`ragpp agents import FILE`), and see what is refused.",
        "What was deleted or let go since, or is not wanted, stays in the archive alone: archive it with --anyway.",
    ),
):
    """A file is to be put away of which the catalog lacks a memory, or of which a part cannot be read."""


@dataclass(frozen=True, slots=True)
class Archived:
    """Where a file is now, its SHA-256 as it was, how many memories it has that the catalog has, and which it lacks."""

    path: Path
    sha256: str
    held: int
    lacking: tuple[Told, ...] = ()


async def archive_file(
    client: MemoryClient,
    path: Path,
    now: datetime,
    *,
    user_id: str | None = None,
    ci: str | None = None,
    anyway: bool = False,
    remove: bool = False,
    on_memory: Callable[[int], None] = lambda _count: None,
) -> Archived:
    """Compress a file beside itself once the catalog has its memories, and read it back; with `remove` the file then
    goes. `ci`: whose it is, where that is not the agent that it names. Raises FileNotHeld where anything is lacking,
    unless `anyway`; OSError; what the client raises."""
    data = await asyncio.to_thread(path.read_bytes)
    file = read_file(data)
    agent = whose(file, ci)
    lacking = [Told(one.line, one.reason, one.memory_id) for one in file.problems]
    known = {one.id async for one in exported(client, user_id, agent)}
    held = 0
    for one in entries_of(file, agent):
        if isinstance(one, Told):
            lacking.append(one)
        elif one.entry.expires is not None and one.entry.expires <= now:
            pass  # nobody wants it in the catalog any more
        elif one.entry.id in known or await or_none(client.entry(one.entry.id or "", user_id=user_id)) is not None:
            held += 1
        else:
            lacking.append(Told(one.line, "the catalog does not have it", one.entry.id))
        on_memory(1)
    lacking.sort(key=lambda told: told.line)
    if lacking and not anyway:
        more = f"; and {len(lacking) - 5} more" if len(lacking) > 5 else ""
        raise FileNotHeld("; ".join(map(str, lacking[:5])) + more, details={"lines": [one.line for one in lacking]})
    target = path.with_name(path.name + SUFFIX)
    await asyncio.to_thread(_put_away, path, target, data, remove=remove)
    return Archived(target, hashlib.sha256(data).hexdigest(), held, tuple(lacking))


def _put_away(path: Path, target: Path, data: bytes, *, remove: bool) -> None:
    """Write `target` in one step, as readable as `path`, and see that it holds `data`."""
    made = target.with_name(target.name + ".part")
    made.touch(mode=0o600)
    made.write_bytes(gzip.compress(data, mtime=0))
    if gzip.decompress(made.read_bytes()) != data:
        made.unlink()
        raise OSError(f"{made.name} was not written as it should have been")
    made.chmod(path.stat().st_mode & 0o777)
    made.replace(target)
    if remove:
        path.unlink()
