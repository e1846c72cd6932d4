"""The bytes of an export: a file, or the conversations inside of a zip; none that is absurdly large, or a bomb."""

import re
import zipfile
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final

from ragpp_infra.importing.reading import UnreadableExport

MAX_BYTES: Final = 512 * 1024 * 1024
"""The most of conversations, unpacked: years of daily use have a tenth of it."""
MAX_ENTRIES: Final = 200_000
MAX_RATIO: Final = 200
"""The most bytes for a compressed one: conversations have 3 to 20, and a bomb a thousand."""
_LEAST_SUSPECT: Final = 1024 * 1024
"""Smaller than this, a ratio tells nothing."""
_ZIP: Final = (b"PK\x03\x04", b"PK\x05\x06")
_CONVERSATIONS: Final = re.compile(r"conversations(?:[-_]\d+)?\.json", re.IGNORECASE)
_CHAT: Final = re.compile(r"_chat\.txt|.*whatsapp.*\.txt", re.IGNORECASE)


@dataclass(frozen=True)
class Part:
    """One text of an export. `name`: the file's own, without folders."""

    name: str
    data: bytes


def parts_of(path: Path, *, most: int = MAX_BYTES) -> list[Part]:
    """The file itself, or the conversations of the zip that it is, in the order of their names; at least one, and
    `most` bytes in all. Raises UnreadableExport."""
    try:
        with path.open("rb") as source:
            if source.read(4) in _ZIP:
                source.seek(0)
                return _unzipped(source, path, most)
            source.seek(0)
            return [Part(path.name, _bounded(source, path.name, most))]
    except IsADirectoryError as error:
        raise UnreadableExport(
            f"{path} is a folder", suggestions=("Name a file of it, such as conversations.json.",)
        ) from error
    except OSError as error:
        raise UnreadableExport(
            f"{path} cannot be read: {error.strerror}", suggestions=("Nothing was stored.",)
        ) from error


def _unzipped(source: IO[bytes], path: Path, most: int) -> list[Part]:
    try:
        with zipfile.ZipFile(source) as archive:
            chosen = _chosen(archive.infolist(), path)
            parts: list[Part] = []
            for entry in chosen:
                name = Path(entry.filename).name
                if entry.flag_bits & 1:
                    raise UnreadableExport(
                        f"{name} in {path} is encrypted", suggestions=("Unpack it, and import that.",)
                    )
                if entry.file_size > max(_LEAST_SUSPECT, MAX_RATIO * entry.compress_size):
                    times = entry.file_size / max(1, entry.compress_size)
                    raise UnreadableExport(
                        f"{name} in {path} unpacks to {times:,.0f} times its size",
                        suggestions=("No export does. Where it is one, unpack it, and import that.",),
                    )
                with archive.open(entry) as packed:
                    parts.append(Part(name, _bounded(packed, name, most - sum(len(part.data) for part in parts))))
            return parts
    except (zipfile.BadZipFile, NotImplementedError, EOFError, zlib.error) as error:
        raise UnreadableExport(
            f"{path} is a broken zip", suggestions=("Download the export again, or unpack it, and import that.",)
        ) from error


def _chosen(entries: Sequence[zipfile.ZipInfo], path: Path) -> list[zipfile.ZipInfo]:
    if len(entries) > MAX_ENTRIES:
        raise UnreadableExport(f"{path} holds {len(entries):,} files, over {MAX_ENTRIES:,}")
    files = [entry for entry in entries if not entry.is_dir() and not entry.filename.startswith("__MACOSX/")]
    named = [(Path(entry.filename).name, entry) for entry in files]
    conversations = [entry for name, entry in named if _CONVERSATIONS.fullmatch(name)]
    chats = [entry for name, entry in named if _CHAT.fullmatch(name)]
    if conversations:
        return sorted(conversations, key=lambda entry: entry.filename)
    if len(chats) > 1:
        raise UnreadableExport(f"{path} holds {len(chats)} chats", suggestions=("Unpack it, and import each of them.",))
    if not chats:
        raise UnreadableExport(
            f"{path} is a zip without conversations.json, as exports of ChatGPT and Claude have it, and without a chat "
            "of WhatsApp"
        )
    return chats


def _bounded(source: IO[bytes], name: str, most: int) -> bytes:
    """All of `source`. Raises UnreadableExport for more than `most` bytes, whatever a header says of it."""
    data = source.read(most + 1)
    if len(data) > most:
        raise UnreadableExport(
            f"{name} is over {MAX_BYTES // (1024 * 1024)} MiB",
            suggestions=("Import it in parts.", "Nothing was stored."),
        )
    return data
