"""What one request may bring, looked at before its work begins."""

import re
from dataclasses import dataclass
from typing import Final

import numpy as np
from pydantic import BaseModel, JsonValue

from ragpp.api import CategoryPageIn, ResourceIn
from ragpp.errors import TooMuchAtOnce
from ragpp_services.gateway.costs import PIECE, cost_of

FIELDS: Final = 16_000
"""More keys than the fields of a request of as many messages as any may have."""
PIECE_BYTES: Final = 262_144
"""Of a body that is looked at in one go, for under a millisecond or two."""
_QUOTE, _COLON = ord('"'), ord(":")
_NO_ESCAPE: Final = re.compile(rb"[^\\]")
"""Behind what is none an escape cannot go on, so that a text may be cut there."""
_NOTES: Final = {"characters": f"; of other than Latin letters, digits and spaces each counts {PIECE}"}


@dataclass
class Size:
    """What there is to do for a request. `parts`: its messages, items or memories. `characters`: of all its texts,
    as `cost_of` counts them. `metadata`: values in free JSON, each counted once for every key above it, as redaction
    looks at it."""

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
class RequestLimits:
    """The most that one request may have, 0 for no limit but those of its fields. `body_bytes`: of its body.
    `characters`: of texts that are embedded before the answer, so not of a resource, which workers read later, or a
    page. `body_s`: seconds in which all of the body has come."""

    body_bytes: int
    parts: int = 0
    characters: int = 0
    metadata: int = 0
    body_s: float = 0

    def check_json(self, raw: bytes) -> None:
        """Raises TooMuchAtOnce for a JSON text with more keys than a request that has as much metadata as is allowed:
        reading it would take longer than all the work for one that is."""
        if self.metadata and raw.count(b":") > self.metadata + FIELDS:
            found = keys_in(raw, self.metadata + FIELDS) - FIELDS
            if found > self.metadata:
                raise _too_much("values of metadata", self.metadata, found, counted="at least ")

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


def keys_in(raw: bytes, enough: int | None = None) -> int:
    """How many keys the objects of a JSON text have; where it has more than `enough`, at least so many. Of a text in
    quotation marks, the colon behind it tells. A piece at a time, so that other threads have their turns."""
    found, opened, told, start = 0, 0, False, 0
    while start < len(raw) and (enough is None or found <= enough):
        whole = _NO_ESCAPE.search(raw, start + PIECE_BYTES - 1)
        end = whole.end() if whole else len(raw)
        bare = raw[start:end].replace(b"\\\\", b"").replace(b'\\"', b"").translate(None, b" \t\r\n")
        characters = np.frombuffer(bare, dtype=np.uint8)
        quotes = np.flatnonzero(characters == _QUOTE)
        closing = quotes[1 - opened :: 2]
        within = closing[closing + 1 < len(bare)]
        found += int(np.count_nonzero(characters[within + 1] == _COLON)) + (told and bare[:1] == b":")
        told = len(within) < len(closing) or (told and not bare)
        opened = (opened + len(quotes)) % 2
        start = end
    return found


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
