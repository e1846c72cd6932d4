"""Old raw text, kept small without losing a byte of it."""

import zlib
from collections.abc import Mapping
from typing import Final

LEAST_BYTES: Final = 512
"""Shorter texts are left alone: deflate gains little on them, and a row has a header of its own."""
WORTH: Final = 0.8
"""A text is kept compressed when that takes at most this share of its bytes."""
_LEVEL: Final = 9


def packed(content: str) -> bytes:
    """`content` deflated, or nothing when that is not worth it."""
    raw = content.encode()
    small = zlib.compress(raw, _LEVEL)
    return small if len(small) <= WORTH * len(raw) else b""


def packed_all(contents: Mapping[str, str]) -> dict[str, bytes]:
    """`packed` for each of them, by the same keys."""
    return {key: packed(content) for key, content in contents.items()}


def unpacked(content: str, small: bytes | None) -> str:
    """The text that was stored: `content`, unless `small` holds it."""
    return zlib.decompress(small).decode() if small else content


def beginning(content: str, small: bytes | None, characters: int) -> str:
    """The first `characters` of what was stored, also where `small` is but the beginning of what holds it; fewer where
    it holds fewer."""
    if not small:
        return content[:characters]
    raw = zlib.decompressobj().decompress(small, 4 * characters)
    return raw.decode(errors="ignore")[:characters]
