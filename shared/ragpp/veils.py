"""Texts without what hides words in them from a search: signs that do not show, letters as wide as an ideograph, and
digits of other scripts. Pure."""

import re
import unicodedata
from collections.abc import Callable
from typing import Final

_VEIL: Final = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f"
    "\ufeff\uff01-\uff5e\uffa0\ufff9-\ufffb\U000e0000-\U000e007f]|(?![0-9])\\d"
)
_WIDE: Final = range(0xFF01, 0xFF5F)
_WIDER_BY: Final = 0xFEE0


def is_veiled(text: str) -> bool:
    """True where a search of `text` may miss what a reader sees."""
    return not text.isascii() and _VEIL.search(text) is not None


def unveiled(text: str) -> tuple[str, Callable[[int], int]]:
    """`text` as a search is to see it, and the place in `text` of each of its signs."""
    signs: list[str] = []
    places: list[int] = []
    for place, sign in enumerate(text):
        shown = _shown(sign) if _VEIL.match(sign) else sign
        if shown:
            signs.append(shown)
            places.append(place)
    return "".join(signs), places.__getitem__


def _shown(sign: str) -> str:
    if ord(sign) in _WIDE:
        return chr(ord(sign) - _WIDER_BY)
    digit = unicodedata.decimal(sign, None)
    return "" if digit is None else str(digit)
