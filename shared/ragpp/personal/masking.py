"""Masks: a keyed code in the place of a value, the same for the same value in any notation. No table of them is kept.
Pure."""

import base64
import hashlib
import hmac
from typing import Final

from ragpp.personal.kinds import CODE_CHARS, PersonalKind
from ragpp.personal.normal import normal_form

SHORTEST_KEY: Final = 16
"""Bytes: a value of few possible ones, such as a telephone number, is found by trying all where the key is known."""


def masked(kind: PersonalKind, value: str, key: bytes) -> str:
    """`[EMAIL_x7f2ab3c]`: the kind, and a code of CODE_CHARS of the alphabet of base32 (RFC 4648), in lower case, from
    HMAC-SHA256 of the kind and the normal form of `value`. Raises: ValueError for a key of less than SHORTEST_KEY
    bytes."""
    if len(key) < SHORTEST_KEY:
        raise ValueError(f"the key of masks has {len(key)} bytes, and needs {SHORTEST_KEY}")
    digest = hmac.digest(key, f"{kind}\x1f{normal_form(kind, value)}".encode("utf-8", "surrogatepass"), hashlib.sha256)
    return f"[{kind.upper()}_{base64.b32encode(digest).decode()[:CODE_CHARS].lower()}]"
