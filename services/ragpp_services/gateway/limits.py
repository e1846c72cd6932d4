"""The limits of one request, checked before its work begins."""

import re
from dataclasses import dataclass
from typing import Final

import numpy as np
from pydantic import BaseModel, JsonValue

from ragpp.api import CategoryPageIn, ItemSearchIn, ItemsIn, ResourceIn
from ragpp.errors import TooMuchAtOnce
from ragpp_services.gateway.costs import PIECE, cost_of

FIELDS: Final = 20_000
"""More values than the fields of a request of as many messages, or items, as any may have."""
WITH_VECTORS: Final[tuple[type[BaseModel], ...]] = (ItemsIn, ItemSearchIn)
"""The requests that may have vectors, whose numbers are cheap to read and many."""
BYTES_OF_A_NUMBER: Final = 8
"""The fewest bytes of a number, as vectors are written; so no more numbers are taken than a body of vectors has."""
PIECE_BYTES: Final = 262_144
"""Bytes of a body that are looked at in one go, for under a millisecond or two."""
_SIGNS: Final = b'",[{-0123456789'
_QUOTE, _COMMA, _OPENING, _NUMBER = range(1, 5)
_KINDS: Final = bytes.maketrans(_SIGNS, bytes([_QUOTE, _COMMA, *[_OPENING] * 2, *[_NUMBER] * 11]))
_NO_SIGNS: Final = bytes(byte for byte in range(256) if byte not in _SIGNS)
"""Most of a text; what is counted is told by the rest of it."""
_NO_ESCAPE: Final = re.compile(rb"[^\\]")
"""Behind what is none an escape cannot go on, so that a text may be cut there."""
_NOTES: Final = {"characters": f"; of other than Latin letters, digits and spaces each counts {PIECE}"}


@dataclass
class Size:
    """The amount of work for a request. `parts`: its messages, items or memories. `characters`: of all its texts, as
    `cost_of` counts them. `metadata`: values in free JSON, each counted once for every key above it, as redaction looks
    at it."""

    parts: int = 0
    characters: int = 0
    metadata: int = 0

    def add(self, value: object) -> None:
        """Count `value`, and all that it holds."""
        if isinstance(value, str):
            self.characters += cost_of(value)
        elif isinstance(value, BaseModel):
            for held in vars(value).values():
                self.add(held)
        elif isinstance(value, dict):
            if value:
                self._add_json(value, 0)
        elif isinstance(value, tuple | list) and value and not isinstance(value[0], float | int):  # no vector
            self.parts += len(value) if isinstance(value[0], BaseModel) else 0
            for held in value:
                self.add(held)

    def _add_json(self, value: JsonValue, above: int) -> None:
        if isinstance(value, dict) and value:
            for key, held in value.items():
                self.characters += cost_of(key)
                self._add_json(held, above + 1)
        elif isinstance(value, list) and value:
            for held in value:
                self._add_json(held, above)
        else:
            self.characters += cost_of(value) if isinstance(value, str) else 0
            self.metadata += max(above, 1)


@dataclass(frozen=True)
class Values:
    """The numbers of values in the lists and objects of a JSON text. `numbers`: those behind another value of a list,
    as those of a vector are. `others`: all other values; one that is a list or an object counts as one more, in which
    the first value is counted."""

    others: int
    numbers: int


@dataclass(frozen=True)
class RequestLimits:
    """The most that one request may have, 0 for no limit but those of its fields. `body_bytes`: of its body.
    `characters`: of texts that are embedded before the answer, so not of a resource, which workers read later, or a
    page. `body_s`: seconds in which all of the body has come."""

    body_bytes: int
    parts: int = 0
    characters: int = 0
    metadata: int = 0
    body_s: float = 0

    def check_json(self, raw: bytes, model: type[BaseModel]) -> None:
        """Raises TooMuchAtOnce for a JSON text with more in it than a request that has as much metadata as is allowed,
        each value in a list of its own, the numbers of vectors aside where `model` has some: reading it, and telling
        what is wrong with each, would take longer than all the work for one that is."""
        if not self.metadata:
            return
        most, vectors = most_values(self.metadata), model in WITH_VECTORS
        numbers = max(most, self.body_bytes // BYTES_OF_A_NUMBER) if vectors else most
        if sum(map(raw.count, (b",", b"[", b"{"))) <= most:
            return
        found = values_in(raw, most, numbers)
        if vectors and found.numbers > numbers:
            raise _too_much("numbers", numbers, found.numbers, counted="at least ")
        counted = found.others if vectors else found.others + found.numbers
        if counted > most:
            raise _too_much("values, lists and objects", most, counted, counted="at least ")

    def check(self, body: BaseModel) -> None:
        """Raises TooMuchAtOnce."""
        size = size_of(body)
        for of, most, found in (
            ("messages", self.parts, size.parts),
            ("characters", 0 if isinstance(body, ResourceIn | CategoryPageIn) else self.characters, size.characters),
            ("values of metadata", self.metadata, size.metadata),
        ):
            if most and found > most:
                raise _too_much(of, most, found, note=_NOTES.get(of, ""))


def most_values(metadata: int) -> int:
    """How many values, lists and objects may be in the body of a request that may have so many values of metadata."""
    return 2 * metadata + FIELDS


def values_in(raw: bytes, enough: int | None = None, enough_numbers: int | None = None) -> Values:
    """How much a JSON text has in it; where that is more than `enough`, or more numbers than `enough_numbers`, at least
    so much. Commas and opening brackets tell that are in no quotation marks. A piece at a time, so that other threads
    have their turns."""
    others, numbers, within, before, start = 0, 0, 0, False, 0
    while start < len(raw):
        if (enough is not None and others > enough) or (enough_numbers is not None and numbers > enough_numbers):
            break
        whole = _NO_ESCAPE.search(raw, start + PIECE_BYTES - 1)
        end = whole.end() if whole else len(raw)
        bare = raw[start:end].replace(b"\\\\", b"").replace(b'\\"', b"").translate(_KINDS, _NO_SIGNS)
        start = end
        if not bare:
            continue
        kinds = np.frombuffer(bare, dtype=np.uint8)
        quotes = np.add.accumulate(kinds == _QUOTE, dtype=np.uint8) + np.uint8(within)  # parity outlives overflow
        outside = (quotes & 1) == 0
        commas = outside & (kinds == _COMMA)
        found = int(np.count_nonzero(commas[:-1] & (kinds[1:] == _NUMBER))) + int(before and kinds[0] == _NUMBER)
        others += int(np.count_nonzero(commas)) + int(np.count_nonzero(outside & (kinds == _OPENING))) - found
        numbers += found
        within, before = int(quotes[-1]) & 1, bool(commas[-1])
    return Values(others, numbers)


def size_of(body: BaseModel) -> Size:
    """The size of a request's body."""
    size = Size()
    size.add(body)
    return size


def _too_much(of: str, most: int, found: int, counted: str = "", note: str = "") -> TooMuchAtOnce:
    return TooMuchAtOnce(
        f"the request has {counted}{found:,} {of}, and {most:,} are taken at once{note}",
        details={"of": of, "most": most, "found": found},
    )
