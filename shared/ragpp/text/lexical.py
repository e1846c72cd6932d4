"""Words: from a text to the term weights that are stored with it, and from a question to the terms it asks for.

Lexical search keeps one sparse vector a chunk: dimension = hashed stem, value = BM25's share for that term. The
rarity of a term belongs to the question and is counted when it is asked, so a stored row never goes stale.
"""

import re
import threading
import unicodedata
import zlib
from collections import Counter
from functools import cache, lru_cache
from typing import Final

import snowballstemmer

from ragpp.models import Interaction
from ragpp.text.english import FUNCTION_WORDS, day_in_words

DIMENSIONS: Final = 1 << 20
"""Size of the hashed vocabulary: some dozen colliding pairs among 5,000 terms; they are summed, which is harmless."""

MAX_TERMS: Final = 1_000
"""Distinct terms of a stored row: what pgvector's HNSW index takes of a sparsevec."""

MAX_QUERY_TERMS: Final = 32
"""Distinct terms of a question; each costs one inner product a row."""

SATURATION: Final = 0.6
"""BM25's k1: how slowly repeating a term stops to count. Messages are short, so low; flat from 0.5 to 1.2."""

LENGTH_NORMALISATION: Final = 0.4
"""BM25's b: how much a longer line must repeat a term to weigh the same; flat from 0.2 to 0.6."""

AVERAGE_TERMS: Final = 40.0
"""BM25's average line length, in terms: a constant, so that a row is right for good; flat from 25 to 60."""

MAX_WORD_CHARS: Final = 64
"""What is read of a word: longer ones are data, not language."""

_LETTER: Final = r"(?:[^\W_]|[\u0300-\u036f\u0610-\u061a\u064b-\u065f\u0900-\u0963\u0966-\u0dff])"
"""A letter or digit, and the marks that Python's `\\w` leaves out: accents, Arabic points, Indic vowel signs."""

_WORD: Final = re.compile(rf"{_LETTER}+(?:['’]{_LETTER}+)*")
_UNSPACED: Final = re.compile(
    "["
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Burmese, Khmer
    "\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # kana, Han
    "]+"
)
"""Scripts that are written without spaces between words."""

_STEMMERS: Final = (
    ("LATIN", "english"),
    ("CYRILLIC", "russian"),
    ("GREEK", "greek"),
    ("ARABIC", "arabic"),
    ("DEVANAGARI", "hindi"),
    ("ARMENIAN", "armenian"),
    ("TAMIL", "tamil"),
)
"""Snowball's algorithm by the script of a word's first letter; other scripts keep their words whole."""


def index_line(interaction: Interaction, text: str | None = None) -> str:
    """What is embedded of an interaction, or of the part `text` of it: `Name: text`, or the text alone without a
    name. Questions name people, and what is said in the first person does not."""
    body = interaction.content if text is None else text
    return f"{interaction.name}: {body}" if interaction.name else body


def lexical_line(interaction: Interaction, text: str | None = None) -> str:
    """What is indexed by words: the index line after the date, `8 May 2023`, in UTC, since questions name months
    and years that the interactions themselves leave out."""
    return f"{day_in_words(interaction.occurred_at)} {index_line(interaction, text)}"


def words(text: str) -> list[str]:
    """The words of `text` in order: compatibility forms unified, lower case, an accented Latin letter as its plain
    one, apostrophes straight; scripts without spaces as overlapping pairs of characters."""
    found: list[str] = []
    for match in _WORD.finditer(unicodedata.normalize("NFKC", text).lower()):
        word = match.group().replace("’", "'")
        if word.isascii():
            found.append(word)
            continue
        start = 0
        for run in _UNSPACED.finditer(word):
            if run.start() > start:
                found.append(_plain(word[start : run.start()]))
            found.extend(_pairs(run.group()))
            start = run.end()
        if start < len(word):
            found.append(_plain(word[start:]))
    return [word[:MAX_WORD_CHARS] for word in found if word]


def terms(text: str) -> list[int]:
    """The dimensions of the stems of `text`, in order, repeated as they are repeated; each in [0, DIMENSIONS)."""
    return [_dimension(word) for word in words(text)]


def document_weights(line: str) -> dict[int, float]:
    """BM25's weights of the terms of `line`, without their inverse document frequency: dimension to f / (f + K).

    f is how often the term occurs, K = k1 · (1 - b + b · length / average length). Every weight is in (0, 1): the
    usual factor k1 + 1 is left out, so that the sum of weight · idf over the terms of a question is at most the
    sum of their idf. At most MAX_TERMS terms, the weightiest, the earlier of equals. Empty for a line without words.
    Source: Robertson and Zaragoza, The Probabilistic Relevance Framework, 2009.
    """
    counts = Counter(terms(line))
    length = counts.total()
    k = SATURATION * (1 - LENGTH_NORMALISATION + LENGTH_NORMALISATION * length / AVERAGE_TERMS)
    return {dimension: count / (count + k) for dimension, count in counts.most_common(MAX_TERMS)}


def query_terms(text: str) -> tuple[int, ...]:
    """The distinct terms that a question asks for, in the order of `text`: function words only where there is
    nothing else, and of more than MAX_QUERY_TERMS the longest words, which are the rarest (Zipf)."""
    spoken = words(text)
    distinct = list(dict.fromkeys(word for word in spoken if word not in FUNCTION_WORDS) or dict.fromkeys(spoken))
    kept = set(sorted(distinct, key=len, reverse=True)[:MAX_QUERY_TERMS])
    return tuple(dict.fromkeys(_dimension(word) for word in distinct if word in kept))


def _plain(word: str) -> str:
    """`word` without accents where that leaves plain letters, else unchanged."""
    bare = "".join(c for c in unicodedata.normalize("NFKD", word) if not "\u0300" <= c <= "\u036f")
    return bare if bare.isascii() else word


def _pairs(run: str) -> list[str]:
    return [run[i : i + 2] for i in range(len(run) - 1)] or [run]


@lru_cache(maxsize=1 << 16)
def _dimension(word: str) -> int:
    return zlib.crc32(_stem(word).encode()) % DIMENSIONS


def _stem(word: str) -> str:
    script = unicodedata.name(word[0], "").partition(" ")[0]
    stemmer = _stemmer(script)
    if stemmer is None:
        return word
    with _stemming:
        stem: str = stemmer.stemWord(word)
        return stem


@cache
def _stemmer(script: str) -> "snowballstemmer.stemmer | None":
    algorithm = dict(_STEMMERS).get(script)
    return snowballstemmer.stemmer(algorithm) if algorithm else None


_stemming: Final = threading.Lock()  # a Snowball stemmer keeps the word it works on in itself
