"""The file that a backup is: a tar of gzipped pieces, written and read from the beginning to the end.

`header.json`      `{"format": 1}`, first
`PART/000001.gz`   the pieces of one part after the other; a part's pieces, one behind the other, are one gzip file
`manifest.json`    last: what the backup is of, and of each part its size and SHA-256. Without it there is no backup.

So no part needs be known before it is written, and a file that was cut off is none.
"""

import asyncio
import errno
import hashlib
import json
import tarfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Final

from ragpp_infra.backup.errors import BackupFailed, BadBackup
from ragpp_infra.backup.manifest import FORMAT, Manifest, PartFacts, manifest_from

PIECE: Final = 8 << 20
"""Bytes before compression."""
LEVEL: Final = 3
"""Half vectors hardly get smaller; texts do at any level, and learning waits for some of it."""
LARGEST_PIECE: Final = 2 * PIECE
HEADER: Final = "header.json"
MANIFEST: Final = "manifest.json"
SUFFIX: Final = ".gz"
_GZIP: Final = 31
"""zlib's word for a gzip member with the largest window."""


class ArchiveWriter:
    """Writes one backup into a file that need not be seekable. One part is open at a time."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file, self._into = file, file
        self.parts: dict[str, PartFacts] = {}
        self._add(HEADER, json.dumps({"format": FORMAT}).encode())

    @contextmanager
    def aside(self) -> Iterator[None]:
        """Inside, until `send`, what is written goes into a file of ours that keeps nobody waiting; it has no name by
        which anybody else could open it, or which could stay."""
        with TemporaryFile() as spool:
            self._into = spool
            yield

    async def send(self) -> None:
        """Add what was put aside, and write on. Raises BackupFailed."""
        spool, self._into = self._into, self._file
        spool.seek(0)
        while some := await asyncio.to_thread(spool.read, PIECE):
            await asyncio.to_thread(self._write, some)
        spool.truncate(0)

    def part(self, name: str) -> "PartWriter":
        """Begin a part. Close it before the next."""
        return PartWriter(self, name)

    def finish(self, manifest: Manifest) -> None:
        """Write the manifest; the file itself stays the caller's."""
        self._add(MANIFEST, manifest.text().encode())
        self._write(bytes(2 * tarfile.BLOCKSIZE))  # by which a tar ends

    def add_piece(self, name: str, number: int, packed: bytes) -> None:
        """One piece of a part."""
        self._add(f"{name}/{number:06}{SUFFIX}", packed)

    def _add(self, name: str, content: bytes) -> None:
        member = tarfile.TarInfo(name)
        member.size, member.mode = len(content), 0o600
        self._write(member.tobuf(tarfile.GNU_FORMAT) + content + bytes(-len(content) % tarfile.BLOCKSIZE))

    def _write(self, data: bytes) -> None:
        try:
            self._into.write(data)
            self._into.flush()
        except OSError as error:
            raise BackupFailed(
                f"it cannot be written ({errno.errorcode.get(error.errno or 0, type(error).__name__)})",
                suggestions=("Make room where it goes to, and in the folder for temporary files (TMPDIR).",),
            ) from error


@dataclass
class PartWriter:
    """Gathers what is written to pieces. `rows` is counted by whoever writes them."""

    _archive: ArchiveWriter
    name: str
    rows: int = 0
    _pending: bytearray = field(default_factory=bytearray)
    _digest: "hashlib._Hash" = field(default_factory=hashlib.sha256)
    _bytes: int = 0
    _pieces: int = 0

    async def write(self, data: bytes) -> None:
        """Add some bytes; packed beside the event loop, a piece at a time."""
        self._pending += data
        while len(self._pending) >= PIECE:
            piece = bytes(self._pending[:PIECE])
            del self._pending[:PIECE]
            await self._piece(piece)

    async def close(self) -> None:
        """Write what is left; the part is in the manifest from now on."""
        if self._pending or not self._pieces:
            await self._piece(bytes(self._pending))
        self._archive.parts[self.name] = PartFacts(
            rows=self.rows, bytes=self._bytes, pieces=self._pieces, sha256=self._digest.hexdigest()
        )

    async def _piece(self, piece: bytes) -> None:
        packed = await asyncio.to_thread(zlib.compress, piece, LEVEL, _GZIP)
        self._digest.update(piece)
        self._bytes += len(piece)
        self._pieces += 1
        await asyncio.to_thread(self._archive.add_piece, self.name, self._pieces, packed)


@dataclass(frozen=True)
class Piece:
    """Some bytes of a part, in their order."""

    part: str
    data: bytes


class ArchiveReader:
    """A backup in a file. `verify` reads all of it; `pieces` once more, for whoever puts it back. `file`: where it is
    that has no name, and can be read anew from its beginning; `path` is what it is called then."""

    def __init__(self, path: Path, file: IO[bytes] | None = None) -> None:
        self.path, self._file = path, file

    def verify(self, advance: Callable[[int], None] = lambda _read: None) -> Manifest:
        """The manifest, when everything is as it says. `advance` is told how many bytes of the file were read. Raises
        BadBackup, with the file's name, for what is damaged, cut off, no backup, or of a newer format."""
        try:
            return self._verified(advance)
        except BadBackup as error:
            raise BadBackup(f"{self.path}: {error.message}", suggestions=error.suggestions) from error.__cause__

    def _verified(self, advance: Callable[[int], None]) -> Manifest:
        manifest: Manifest | None = None
        found: dict[str, tuple[int, int, hashlib._Hash]] = {}
        for name, content, read in self._members():
            advance(read)
            if manifest is not None:
                raise BadBackup("something follows the manifest")
            if name == MANIFEST:
                manifest = manifest_from(content)
                continue
            part, piece = _unpacked(name, content)
            size, pieces, digest = found.setdefault(part, (0, 0, hashlib.sha256()))
            digest.update(piece)
            found[part] = (size + len(piece), pieces + 1, digest)
        if manifest is None:
            raise BadBackup("it ends before its manifest: it was cut off")
        told = {name: (part.bytes, part.pieces, part.sha256) for name, part in manifest.parts.items()}
        real = {name: (size, pieces, digest.hexdigest()) for name, (size, pieces, digest) in found.items()}
        if told != real:
            wrong = sorted(name for name in {*told, *real} if told.get(name) != real.get(name))
            raise BadBackup(f"damaged: {', '.join(wrong)}")
        return manifest

    def pieces(self, wanted: Callable[[str], bool]) -> Iterator[Piece]:
        """The pieces of those parts, in the order in which they were written; others are passed over. Raises
        BadBackup."""
        for name, content, _ in self._members(lambda name: name != MANIFEST and wanted(name.rpartition("/")[0])):
            yield Piece(*_unpacked(name, content))

    def _members(self, wanted: Callable[[str], bool] = lambda _name: True) -> Iterator[tuple[str, bytes, int]]:
        """Name, content and bytes of the file of each wanted member behind the header."""
        last = ""
        try:
            if self._file is not None:
                self._file.seek(0)
            with tarfile.open(self.path, mode="r:", fileobj=self._file) as tar:
                before = 0
                for number, member in enumerate(tar):
                    if number and not wanted(member.name):
                        continue
                    if member.size > LARGEST_PIECE and member.name != MANIFEST:
                        raise BadBackup("a piece is larger than any that is written")
                    file = tar.extractfile(member)
                    content = b"" if file is None else file.read()
                    if len(content) != member.size:
                        raise BadBackup(f"it is cut off within {member.name}")
                    last = member.name
                    if number == 0:
                        _check_header(member.name, content)
                        continue
                    end = member.offset_data + member.size
                    yield member.name, content, end - before
                    before = end
        except (tarfile.TarError, EOFError) as error:
            raise BadBackup(f"it is cut off or damaged behind {last}" if last else "it is no backup") from error
        except OSError as error:
            raise BadBackup(f"it cannot be read: {error.strerror}") from error


def _check_header(name: str, content: bytes) -> None:
    if name != HEADER:
        raise BadBackup("it is no backup")
    try:
        version = json.loads(content)["format"]
    except (ValueError, KeyError, TypeError) as error:
        raise BadBackup("it is no backup") from error
    if version != FORMAT:
        raise BadBackup(f"its format is {version!r}, this version knows {FORMAT}")


def _unpacked(name: str, content: bytes) -> tuple[str, bytes]:
    """The part that a piece is of, and its bytes."""
    part, _, number = name.rpartition("/")
    if not part or not number.endswith(SUFFIX):
        raise BadBackup(f"{name[:100]!r} is nothing that a backup has")
    unpacking = zlib.decompressobj(_GZIP)
    try:
        piece = unpacking.decompress(content, LARGEST_PIECE)
    except zlib.error as error:
        raise BadBackup(f"damaged: {name}") from error
    if not unpacking.eof:
        raise BadBackup(f"damaged: {name}")
    return part, piece
