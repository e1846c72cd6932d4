"""A folder of texts: what is to be stored of it, each file under an id made of its place and its content."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from uuid import NAMESPACE_URL, uuid5

from ragpp.catalog import MAX_RESOURCE_CHARS
from ragpp.errors import InvalidInput
from ragpp.fields import storable

ENDINGS: Final = frozenset({".txt", ".text", ".md", ".markdown"})
_HEADING: Final = re.compile(r"^\s{0,3}#{1,6}\s+(.+?)\s*#*\s*$", re.MULTILINE)
_MAX_TITLE_CHARS: Final = 200


@dataclass(frozen=True)
class TextFile:
    """A file to store. `place`: its path below the folder, with forward slashes on every system."""

    place: str
    id: str
    title: str
    content: str


@dataclass(frozen=True)
class BadFile:
    """A file that cannot be stored, and why."""

    place: str
    reason: str


def places_of(folder: Path) -> list[str]:
    """Places of all texts in `folder` and below it, in order; what is hidden, and what a link leads to, is left out.

    Raises InvalidInput when it is no folder that can be read.
    """
    if not folder.is_dir():
        raise InvalidInput(f"{folder} is no folder", suggestions=("Name a folder of .txt or .md files.",))
    found: list[str] = []
    waiting = [folder]
    while waiting:
        current = waiting.pop()
        try:
            inside = list(current.iterdir())
        except OSError as error:
            raise InvalidInput(f"{current} cannot be read: {error.strerror}") from error
        for path in inside:
            if path.name.startswith(".") or path.is_symlink():
                continue
            if path.is_dir():
                waiting.append(path)
            elif path.suffix.lower() in ENDINGS:
                found.append(path.relative_to(folder).as_posix())
    return sorted(found)


def read_files(folder: Path, places: list[str]) -> Iterator[TextFile | BadFile]:
    """Each of `places`, read when it is asked for; files without a word are passed over."""
    for place in places:
        try:
            content = storable((folder / place).read_text(encoding="utf-8-sig"))
        except OSError as error:
            yield BadFile(place, f"cannot be read: {error.strerror}")
        except UnicodeDecodeError as error:
            yield BadFile(place, f"is not UTF-8 at byte {error.start}")
        except ValueError as error:
            yield BadFile(place, str(error))
        else:
            if len(content) > MAX_RESOURCE_CHARS:
                yield BadFile(place, f"has {len(content):,} characters; at most {MAX_RESOURCE_CHARS:,}: split it")
            elif content.strip():
                yield TextFile(place, id_of(place, content), _title(place, content), content)


def id_of(place: str, content: str) -> str:
    """An id that is the same for the same content at the same place, so that importing again stores nothing twice."""
    return f"res_{uuid5(NAMESPACE_URL, f'ragpp:file:{place}:{content}')}"


def _title(place: str, content: str) -> str:
    """The first heading of Markdown, else the file's name."""
    heading = _HEADING.search(content) if place.lower().endswith((".md", ".markdown")) else None
    return heading[1][:_MAX_TITLE_CHARS] if heading else place.rpartition("/")[2].rpartition(".")[0]
