"""Counting text in the tokens of the model that reads it, by the name of its tokenizer."""

import asyncio
import sys
import threading
import unicodedata
from functools import cached_property
from typing import Final, Literal

from splintr import AnyTokenizer, Tokenizer

from ragpp.embedding.port import require_unicode
from ragpp.fields import TokenizerName
from ragpp.text.port import ReaderMeter

_VOCABULARIES: Final[dict[str, str]] = {"o200k": "o200k_base", "cl100k": "cl100k_base", "mistral": "mistral_v3"}
"""The names by which the package that brings them calls them; `mistral_v3` is Tekken."""
_WINDOW: Final = 8
"""Characters of a text that are looked at first for each token that is wanted of it: most texts have fewer a token."""
_UNSETTLED: Final = 64
"""Tokens before a cut that may differ from those of the whole text."""
_CUTS: Final = 8
"""Times that a cut is made shorter; a cut between tokens seldom needs one."""


class Tokenizers:
    """The tokenizers by name, each loaded when it is first asked for (40 ms, 30 MB). Safe to share between threads."""

    def __init__(self, usual: TokenizerName = "o200k") -> None:
        """`usual`: the one that is meant where none is named."""
        self.usual: Final = usual
        self._meters: dict[str, ReaderMeter] = {}
        self._loaded: set[TokenizerName] = set()
        self._loading = threading.Lock()

    def named(self, name: TokenizerName | None = None) -> ReaderMeter:
        """The meter of that name, the usual one without."""
        wanted = name or self.usual
        with self._loading:
            if wanted not in self._meters:
                self._meters[wanted] = BytesBound() if wanted == "bytes" else Vocabulary(wanted)
            return self._meters[wanted]

    async def ready(self, name: TokenizerName | None = None) -> ReaderMeter:
        """The same, loaded, which on an event loop nobody should wait for."""
        meter = self.named(name)
        if meter.name not in self._loaded:
            await asyncio.to_thread(meter.count, "")
            self._loaded.add(meter.name)
        return meter


class Vocabulary:
    """A byte-pair vocabulary. Text that spells a special token is counted as text, which is never fewer tokens.

    About 1 µs for a sentence of words that were counted before, 5 to 20 ms for 100,000 characters of anything: keep
    long texts off an event loop. Raises InvalidInput for a text with lone surrogates.
    """

    def __init__(self, name: Literal["o200k", "cl100k", "mistral"]) -> None:
        """Nothing is loaded before it is asked."""
        self.name: Final[TokenizerName] = name

    def count(self, text: str) -> int:
        """See `TokenMeter.count`."""
        return len(self._encode(text))

    def truncate(self, text: str, max_tokens: int) -> str:
        """See `TokenMeter.truncate`."""
        if max_tokens < 0:
            raise ValueError(f"max_tokens is {max_tokens}, and must not be negative")
        window = _WINDOW * (max_tokens + _UNSETTLED)
        ids = self._encode(text[:window])
        while window < len(text) and len(ids) < max_tokens + _UNSETTLED:
            window *= 2
            ids = self._encode(text[:window])
        if len(ids) <= max_tokens:
            return text
        kept = max_tokens
        for _ in range(_CUTS):
            cut = text[: self._chars(ids[:kept])]
            over = self.count(cut) - max_tokens
            if over <= 0:
                return cut
            kept = max(0, kept - over)
        return ""

    def _encode(self, text: str) -> list[int]:
        try:
            return self._tokenizer.encode_ordinary(text)
        except UnicodeEncodeError:
            require_unicode(text)  # says which character it is
            raise

    def _chars(self, ids: list[int]) -> int:
        """Whole characters of what these tokens spell."""
        return len(self._tokenizer.decode_bytes(ids).decode(errors="ignore"))

    @cached_property
    def _tokenizer(self) -> AnyTokenizer:
        return Tokenizer.from_pretrained(_VOCABULARIES[self.name])


class BytesBound:
    """A bound for every tokenizer that spells what it does not know in bytes: no token is shorter than a byte of the
    text as that tokenizer normalises it.

    Each character counts the bytes of its longest form in UTF-8: as it is, decomposed (NFD), compatibly decomposed
    (NFKD), and each of them in lower case. Composing makes nothing longer: no character has more bytes than those that
    it decomposes into. One more is counted for what SentencePiece puts before a text; its mark for a space is taken
    for one token, as its vocabularies have it. So `count(a) + count(b)` is never less than `count(a + b)`. Raises
    InvalidInput for a text with lone surrogates.
    """

    name: Final[TokenizerName] = "bytes"

    def count(self, text: str) -> int:
        """See `TokenMeter.count`."""
        if text.isascii():
            return len(text) + 1 if text else 0
        require_unicode(text)
        return sum(_BYTES.of(text)) + 1

    def truncate(self, text: str, max_tokens: int) -> str:
        """See `TokenMeter.truncate`."""
        if max_tokens < 0:
            raise ValueError(f"max_tokens is {max_tokens}, and must not be negative")
        room = max_tokens - 1
        for place, size in enumerate(_BYTES.of(text[: max_tokens + 1])):
            room -= size
            if room < 0:
                return text[:place]
        return text


class _LongestForms:
    """The bytes of each character's longest form: a byte for every character that there is, told when it is met."""

    def __init__(self) -> None:
        self._known = bytearray(sys.maxunicode + 1)

    def of(self, text: str) -> list[int]:
        """The bytes of each character's longest form, in the order of `text`."""
        sizes = [self._known[ord(character)] for character in text]
        if 0 not in sizes:
            return sizes
        for character in {one for one, size in zip(text, sizes, strict=True) if not size}:
            self._known[ord(character)] = _longest(character)
        return [self._known[ord(character)] for character in text]


def _longest(character: str) -> int:
    forms = {character, *(unicodedata.normalize(form, character) for form in ("NFD", "NFKD"))}
    forms |= {form.lower() for form in forms} | {form.casefold() for form in forms}
    forms |= {unicodedata.normalize("NFKD", form) for form in forms}
    return max(len(form.encode(errors="surrogatepass")) for form in forms)


_BYTES: Final = _LongestForms()
