"""The forms in which names are compared, and the names that a query may mean."""

import hashlib
import re
import unicodedata
from collections.abc import Iterable
from itertools import islice
from typing import Final

from ragpp.models import EntityLabel
from ragpp.text.english import STOP_WORDS, word_set
from ragpp.text.mentions import names_in
from ragpp.text.unspaced import UNSPACED, pairs

MAX_KEY_BYTES: Final = 512
"""A longer key is cut and closed with its hash: Neo4j's range index takes some 8,000 bytes for scope and key."""

_SPACE: Final = re.compile(r"\s+")
_WORD: Final = re.compile(r"[^\W_]+(?:['’.&-][^\W_]+)*")
_LETTERS: Final = re.compile(r"[^\W_]+")
_POSSESSIVE: Final = re.compile(r"['’]s$")
_ACCENT: Final = re.compile(r"([a-z])[\u0300-\u036f]+")
_SILENT: Final = re.compile(r"[.,'’‘\"“”!?;:()]")
_DASH: Final = re.compile(r"[-‐-―_/]")
_WITH_ARTICLE: Final = frozenset({"ORG", "GPE", "EVENT"})
_LONGEST_NAME_WORDS: Final = 4
_MOST_WORDS: Final = 64
_MOST_KEYS: Final = 160
_MOST_CHARS_JOINED: Final = 500
"""Characters read in scripts without spaces, where names come early as well."""

_EMPTY_WORDS: Final = STOP_WORDS | word_set("mention mentioned talked d ll m re s t ve")
"""Words that name nothing and by which nothing is found: also those that ask what was said, and what is left of a
contraction without its apostrophe."""
_STEM_CHARS: Final = 5
"""As much of a word as its relatives share: "Portugal" and "Portuguese", "swimmer" and "swimming". Coarser than the
stems of `ragpp.text.lexical`, which part a country from its people, and computed in passing for every relationship that
a query may mean."""


def _folded(text: str) -> str:
    """NFKC and case folded. Case folding comes between two normalisations, since each can undo the other
    (Unicode 3.13, D146)."""
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())


def name_key(name: str) -> str:
    """The form in which names are equal: NFKC, case folded, white space collapsed, at most MAX_KEY_BYTES long."""
    key = _SPACE.sub(" ", _folded(name)).strip()
    encoded = key.encode()
    if len(encoded) <= MAX_KEY_BYTES:
        return key
    digest = hashlib.sha256(encoded).hexdigest()
    return f"{encoded[: MAX_KEY_BYTES - 65].decode(errors='ignore')}#{digest}"


def loose_key(name: str, label: EntityLabel) -> str:
    """The form in which spellings of one name are equal: as `name_key`, without accents on Latin letters, full stops,
    commas, quotes and closing marks, `&` as `and`, a dash as a space; of places, organisations and events also without
    a leading `the`. What may tell two names apart stays: `+` and `#` (C, C++, C#), digits, marks of other scripts."""
    key = name_key(name)
    bare = unicodedata.normalize("NFC", _ACCENT.sub(r"\1", unicodedata.normalize("NFD", key)))
    spoken = _SPACE.sub(" ", _SILENT.sub("", _DASH.sub(" ", bare.replace("&", " and ")))).strip()
    if label in _WITH_ARTICLE:
        spoken = spoken.removeprefix("the ")
    return spoken or key


def query_keys(text: str, entities: Iterable[str]) -> list[str]:
    """Keys under which an entity that the query names may be found: the given names, the text as a whole when it
    could be a name, its runs of one to four words that neither begin nor end in a word like `the`, and what may be a
    name in a script that has no spaces or joins something to it.

    At most 160, in this order of precedence; linear in the length of `text`.
    """
    keys = dict.fromkeys(name_key(entity) for entity in entities)
    if text and len(text) <= 200:
        keys[name_key(text)] = None
    words = [match[0] for match in _WORD.finditer(text[:4_000])][:_MOST_WORDS]
    folded = [name_key(word) for word in words]
    bare = [_POSSESSIVE.sub("", word) for word in folded]
    for length in range(1, _LONGEST_NAME_WORDS + 1):
        for start in range(len(words) - length + 1):
            end = start + length - 1
            if bare[start] in _EMPTY_WORDS or bare[end] in _EMPTY_WORDS:
                continue
            keys[" ".join((*folded[start:end], bare[end]))] = None
            if bare[end] != folded[end]:
                keys[" ".join(folded[start : end + 1])] = None
    for name in islice(names_in(text[:_MOST_CHARS_JOINED]), _MOST_KEYS):
        if (key := name_key(name)) not in _EMPTY_WORDS:
            keys[key] = None
    return list(keys)[:_MOST_KEYS]


def content_words(text: str) -> frozenset[str]:
    """The stems of the words that carry the text's meaning; a stem is a word's first _STEM_CHARS characters, folded."""
    words = _words(text)
    return frozenset(word[:_STEM_CHARS] for word in words if len(word) > 1 and word not in _EMPTY_WORDS)


def shared_words(text: str, stems: frozenset[str]) -> frozenset[str]:
    """Those of `stems` that a word of `text` has."""
    return stems.intersection([word[:_STEM_CHARS] for word in _words(text)])


def _words(text: str) -> list[str]:
    """The words of `text`, of a script without spaces its pairs of characters; 4,000 characters are read."""
    found = _LETTERS.findall(_folded(text[:4_000]))
    if text.isascii():
        return found
    return [part for word in found for part in (pairs(word) if UNSPACED.search(word) else [word])]
