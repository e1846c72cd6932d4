"""Words beside which something may stand: where they are in a text. To look for them is cheaper than to look for that,
and is done first, or once for all that asks. Pure."""

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from functools import cache, partial
from typing import Final

_FOLDED: Final = ("\u0131", "\u0130", "\u017f")
"""Letters that a search without regard to case takes for ASCII ones, and lower case does not: a dotless i, a dotted I,
a long s."""


_PLAIN: Final = str.maketrans({"’": "'", "_": " "})


def disguised(text: str) -> bool:
    """True where `text` has letters that hide a word."""
    return not text.isascii() and any(letter in text for letter in _FOLDED)


def later(pattern: str, flags: int = re.IGNORECASE) -> Callable[[], re.Pattern[str]]:
    """The compiled pattern, made when it is first asked for: a long one takes a millisecond, which a program that never
    looks into a text need not pay."""
    return cache(partial(re.compile, pattern, flags))


def any_of(words: str) -> str:
    """A pattern of any of some words in lower case, parted by spaces, which is tried letter by letter rather than word
    by word. In a word `_` is a space, and `|` is where a word begins or ends."""
    return _branches([word.replace("_", " ") for word in words.split()])


def _branches(words: Iterable[str]) -> str:
    tails: dict[str, list[str]] = {}
    for word in words:
        tails.setdefault(word[:1], []).append(word[1:])
    if "" in tails:  # a word ends here that all the others begin with: it is enough
        return ""
    found = [(r"\b" if head == "|" else re.escape(head)) + _branches(rest) for head, rest in tails.items()]
    return found[0] if len(found) == 1 else f"(?:{'|'.join(found)})"


class Signs:
    """Words in lower case, as `any_of` reads them, or a `pattern` of lower case, or an `exact` one of the text as it is
    written. An apostrophe is the straight one, and what joins the words of a key in JSON is a space."""

    def __init__(self, words: str = "", *, pattern: str = "", exact: bool = False) -> None:
        self._words, self._pattern, self._exact = words, pattern, exact
        self._lower, self._any = cache(partial(self._compiled, 0)), cache(partial(self._compiled, re.IGNORECASE))

    def _compiled(self, flags: int) -> re.Pattern[str]:
        return re.compile(self._pattern or any_of(self._words), flags)

    def spans(self, text: str) -> Iterator[tuple[int, int]]:
        """Start and end of each sign, whatever its case, left to right."""
        lowered = text if self._exact else text.lower()
        if len(lowered) == len(text) and (
            self._exact or not disguised(text)
        ):  # else places are others, or one is hidden
            signs = self._lower().finditer(lowered.translate(_PLAIN))
        else:
            signs = self._any().finditer(text.translate(_PLAIN))
        for sign in signs:
            yield sign.span()

    def stretches(self, text: str, before: int, after: int) -> Iterator[tuple[int, int]]:
        """The parts of a text around its signs, from so many characters before each to so many behind it, joined where
        they overlap."""
        return joined((start - before, end + after, len(text)) for start, end in self.spans(text))


class Places:
    """The signs in one text, looked for when they are first asked for."""

    def __init__(self, signs: Signs, text: str) -> None:
        self._signs, self._text = signs, text
        self._starts: list[int] | None = None
        self._ends: list[int] = []

    def within(self, start: int, end: int) -> bool:
        """True where a sign stands between `start` and `end`."""
        starts = self._found()
        first = bisect_left(starts, start)
        return first < len(starts) and self._ends[first] <= end

    def last(self, start: int, end: int) -> int | None:
        """The end of the last sign between `start` and `end`, None where there is none."""
        starts = self._found()
        last = bisect_left(self._ends, end + 1) - 1
        return self._ends[last] if last >= 0 and starts[last] >= start else None

    def _found(self) -> list[int]:
        if self._starts is None:
            spans = list(self._signs.spans(self._text))
            self._starts, self._ends = [start for start, _ in spans], [end for _, end in spans]
        return self._starts


def joined(windows: Iterable[tuple[int, int, int]]) -> Iterator[tuple[int, int]]:
    """Windows into a text, each with the length of that, left to right, without what is outside of it, joined where
    they overlap."""
    open_window: tuple[int, int] | None = None
    for first, last, length in windows:
        first, last = max(0, first), min(length, last)  # noqa: PLW2901 - within the text
        if open_window is None or first > open_window[1]:
            if open_window is not None:
                yield open_window
            open_window = (first, last)
        else:
            open_window = (open_window[0], max(open_window[1], last))
    if open_window is not None:
        yield open_window
