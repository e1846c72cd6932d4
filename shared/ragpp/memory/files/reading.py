"""Memories of a file as they are kept: whose each is, and what is wrong with one. Pure."""

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from pydantic import AliasChoices, JsonValue, ValidationError

from ragpp.api import EntryIn
from ragpp.entries.files import FileMemory, MemoryFile
from ragpp.errors import SecretInId
from ragpp.errors.problems import invalid_fields

MOMENTS: Final = ("timestamp", "expires")
SPELLINGS: Final = frozenset(
    spelling
    for name, field in EntryIn.model_fields.items()
    for spelling in (field.validation_alias.choices if isinstance(field.validation_alias, AliasChoices) else (name,))
)
KNOWN: Final = SPELLINGS - {"user_id", "source_resource_id", "visibility"}
"""Fields that a memory of a file may have, in either spelling of the documents; others are kept as metadata."""
CI_SOURCE: Final = "ci_source"


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A memory of a file, or a part of it that is none, which is not kept, at which line and why."""

    line: int
    reason: str
    memory_id: str | None = None

    def __str__(self) -> str:
        named = f" ({self.memory_id})" if self.memory_id else ""
        return f"line {self.line}{named}: {self.reason}"


@dataclass(frozen=True, slots=True)
class Numbered:
    """A memory that may be kept, with the line at which it begins."""

    line: int
    entry: EntryIn


@dataclass(frozen=True, slots=True)
class Repeated(Numbered):
    """One that stands in the file before."""


def entries_of(file: MemoryFile, ci: str | None, *, of_a_user: bool = True) -> Iterator[Numbered | Repeated | LeftOut]:
    """The memories of a file as they are kept, in their order: of the agent `ci` alone, or, where that is None, for all
    of the user's agents, each as of whom it names; not `of_a_user`: as the key says. What is wrong with one is told. Of
    two of one id the first counts."""
    seen: dict[str | None, tuple[int, str]] = {}
    for memory in file.memories:
        try:
            entry = EntryIn.model_validate(fields_of(memory, ci, of_a_user=of_a_user))
        except ValidationError as error:
            refused = invalid_fields([dict(item) for item in error.errors()])
            yield LeftOut(memory.line, refused.message, None if isinstance(refused, SecretInId) else memory.memory_id)
            continue
        if entry.id not in seen:
            seen[entry.id] = (memory.line, entry.content)
            yield Numbered(memory.line, entry)
            continue
        line, content = seen[entry.id]
        if content == entry.content:
            yield Repeated(memory.line, entry)
        else:
            yield LeftOut(memory.line, f"has the id of line {line}, and says something else", entry.id)


def fields_of(memory: FileMemory, ci: str | None, *, of_a_user: bool = True) -> dict[str, JsonValue]:
    """The body that keeps a memory. A moment without a zone is UTC. One without an id is called by what it says, so
    that a repeat is harmless. Of a file of one agent, a memory that another contributed keeps that one's name in its
    metadata."""
    fields = {name: value for name, value in memory.fields.items() if name in KNOWN}
    beside = {name: value for name, value in memory.fields.items() if name not in KNOWN}
    by = fields.pop("ci", None) or fields.pop(CI_SOURCE, None)
    fields.pop(CI_SOURCE, None)
    for name in MOMENTS:
        fields[name] = _zoned(fields.get(name))
    if ci is not None and isinstance(by, str) and by != ci:
        beside[CI_SOURCE] = by
    if not any(fields.get(name) for name in ("memory_id", "id")):
        fields.pop("memory_id", None)
        said = str(fields.get("content")).encode("utf-8", "surrogatepass")
        fields["id"] = f"mem_{hashlib.sha256(said).hexdigest()[:32]}"
    fields["ci"] = ci if ci is not None else by
    fields["visibility"] = "agent" if ci is not None else "shared" if of_a_user else None
    fields["metadata"] = _together(fields.get("metadata"), beside)
    return fields


def _zoned(moment: JsonValue) -> JsonValue:
    if not isinstance(moment, str):
        return moment
    try:
        read = datetime.fromisoformat(moment)
    except ValueError:
        return moment  # refused, with its name, where it is validated
    return read.replace(tzinfo=UTC).isoformat() if read.tzinfo is None else moment


def _together(metadata: JsonValue, beside: Mapping[str, JsonValue]) -> JsonValue:
    if metadata is None:
        return dict(beside)
    return {**beside, **metadata} if isinstance(metadata, dict) else metadata
