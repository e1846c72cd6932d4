"""A file whose memories the catalog has is put away: compressed, read back, and only then taken from its place."""

import asyncio
import gzip
import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ragpp.client import AsyncMemoryClient
from ragpp.errors import Conflict, MemorySystemError
from ragpp.memory.files.importing import import_file
from ragpp.memory.files.reading import LeftOut
from ragpp.memory.files.writing import write_private

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
    lacking: tuple[LeftOut, ...] = ()


async def archive_file(
    client: AsyncMemoryClient,
    path: Path,
    *,
    user_id: str | None = None,
    ci: str | None = None,
    anyway: bool = False,
    remove: bool = False,
    on_memory: Callable[[int], None] = lambda _count: None,
) -> Archived:
    """Compress a file beside itself once the catalog has its memories, and read it back; with `remove` the file then
    goes, unless it was written to meanwhile. What has expired is not missed. `ci`: whose it is, where that is not the
    agent that it names. Raises FileNotHeld where anything is lacking, unless `anyway`; Conflict where there is another
    archive of that name, or the file has changed; OSError; InvalidInput as `import_file`; what the client raises."""
    data = await asyncio.to_thread(path.read_bytes)
    report = await import_file(client, data, user_id=user_id, ci=ci, dry_run=True, on_memory=on_memory)
    lacking = sorted((*report.refused, *report.absent), key=lambda told: told.line)
    if lacking and not anyway:
        more = f"; and {len(lacking) - 5} more" if len(lacking) > 5 else ""
        raise FileNotHeld("; ".join(map(str, lacking[:5])) + more, details={"lines": [one.line for one in lacking]})
    target = path.with_name(path.name + SUFFIX)
    await asyncio.to_thread(_put_away, path, target, data, remove=remove)
    return Archived(target, hashlib.sha256(data).hexdigest(), report.held, tuple(lacking))


def _put_away(path: Path, target: Path, data: bytes, *, remove: bool) -> None:
    """Write `target`, as readable as `path`, and see that it holds `data`."""
    if target.exists():
        if gzip.decompress(target.read_bytes()) != data:
            hint = "Move it away: it may be all that is left of what the catalog lacks."
            raise Conflict(f"there is another archive: {target.name}", suggestions=(hint,))
    else:
        write_private(target, gzip.compress(data, mtime=0))
        target.chmod(path.stat().st_mode & 0o777)
    if gzip.decompress(target.read_bytes()) != data:
        raise OSError(f"{target.name} was not written as it should have been")
    if not remove:
        return
    if path.read_bytes() != data:
        raise Conflict(
            f"{path.name} was written to meanwhile, and is left where it is",
            suggestions=("Let nobody write to it any more, import it again, and archive it then.",),
        )
    path.unlink()
