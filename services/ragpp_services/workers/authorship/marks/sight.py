"""A text as a reader sees it, and which stretch of it is which of the text as it was typed. Pure.

What does not show, and of which kind a space or a line end is, hides no mark: whoever looks for one looks here.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import accumulate
from typing import Final

from ragpp.names import INVISIBLE
from ragpp.text.spans import Span

_UNSEEN: Final = re.compile(rf"{INVISIBLE.pattern}|\r(?=\n)")
_SEEN_AS: Final = str.maketrans(
    {
        **dict.fromkeys("\r\v\f\x1c\x1d\x1e\x85\u2028\u2029", "\n"),
        **dict.fromkeys("\x1f\xa0\u1680\u202f\u205f\u3000", " "),
        **dict.fromkeys(map(chr, range(0x2000, 0x200B)), " "),
        **{chr(wide): chr(wide - 0xFEE0) for wide in range(0xFF01, 0xFF5F)},
    }
)


@dataclass(frozen=True, slots=True)
class Seen:
    """`text` has "\\n" at the end of every line, spaces and tabs between words, narrow marks, and nothing that does
    not show."""

    text: str
    _cuts: tuple[int, ...] = ()
    """Where in `text` something is left out, in order."""
    _gone: tuple[int, ...] = ()
    """How many characters are left out up to there, with those."""

    def typed(self, spans: Iterable[Span]) -> list[Span]:
        """Those stretches of `text` in the text as it was typed, with what does not show at their ends."""
        return [
            Span(
                span.start + self._gone_before(bisect_left(self._cuts, span.start)),
                span.end + self._gone_before(bisect_right(self._cuts, span.end)),
            )
            for span in spans
        ]

    def _gone_before(self, cuts: int) -> int:
        return self._gone[cuts - 1] if cuts else 0


def seen(text: str) -> Seen:
    """`text` as a reader sees it."""
    if text.isascii() and "\r" not in text and text.replace("\n", "").isprintable():
        return Seen(text)
    unseen = [match.span() for match in _UNSEEN.finditer(text)]
    if not unseen:
        return Seen(text.translate(_SEEN_AS))
    gone = tuple(accumulate(end - start for start, end in unseen))
    cuts = tuple(end - left_out for (_, end), left_out in zip(unseen, gone, strict=True))
    return Seen(_UNSEEN.sub("", text).translate(_SEEN_AS), cuts, gone)
