"""Words: from a text to the term weights that are stored with it, and from a question to the terms it asks for.

Lexical search keeps one sparse vector a chunk: dimension = hashed stem, value = BM25's share for that term. The
rarity of a term belongs to the question and is counted when it is asked, so a stored row never goes stale.
"""

import re
import threading
import unicodedata
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from typing import Final, Literal

import snowballstemmer

from ragpp.models import Interaction
from ragpp.text.affixes import ARABIC, HANGUL, arabic_forms, asked_korean, pairs_beside, stored_korean
from ragpp.text.english import FUNCTION_WORDS, STOP_WORDS, day_in_words
from ragpp.text.folding import folded
from ragpp.text.function_words import CHINESE_QUESTION, OTHER_FUNCTION_WORDS
from ragpp.text.unspaced import UNSPACED, asked_in, letters_in, pairs, segments, stored_in

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
"""Characters of a word that are read: longer ones are data, not language."""

MAX_QUESTION_CHARS: Final = 20_000
"""Characters that are read of a folded question: the most a recall takes, of which no more comes in any language."""

QUESTIONS_KEPT: Final = 16
"""Questions whose words are remembered: several tiers ask for those of the same one at about the same time."""

_LETTER: Final = r"(?:[^\W_]|[\u0300-\u036f\u0610-\u061a\u064b-\u065f\u0900-\u0963\u0966-\u0dff])"
"""A letter or digit, and the marks that Python's `\\w` leaves out: accents, Arabic points, Indic vowel signs."""

_WORD: Final = re.compile(rf"{_LETTER}+(?:['’]{_LETTER}+)*")
_JOINED: Final = re.compile(r"[\uac00-\ud7a3]+|[^\W_\uac00-\ud7a3]+")
"""The parts that Korean joins to one word: its own, and what it has from elsewhere."""

_IDLE: Final = FUNCTION_WORDS | OTHER_FUNCTION_WORDS

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
    """An interaction, or the part `text` of it, as `Name: text`, or the text alone without a name: questions name
    people, and what is said in the first person does not. Its words are indexed so, and its sentences embedded; the
    vector of the whole is of its text, for with a name before them any two texts of one speaker are alike."""
    body = interaction.content if text is None else text
    return f"{interaction.name}: {body}" if interaction.name else body


def lexical_line(interaction: Interaction, text: str | None = None) -> str:
    """The words that an interaction is found by: its index line after the date where it was said, `8 May 2023`, since
    questions name months and years that the interactions themselves leave out."""
    return f"{day_in_words(interaction.wall_clock)} {index_line(interaction, text)}"


def words(text: str) -> list[str]:
    """The words of `text` in order: compatibility forms unified, lower case, an accented Latin letter as its plain
    one, apostrophes straight; scripts without spaces as overlapping pairs of characters."""
    return _words_of(folded(text))


def terms(text: str) -> list[int]:
    """The dimensions of the stems of `text`, in order, repeated as they are repeated; each in [0, DIMENSIONS)."""
    return [_dimension(word) for word in words(text)]


def stored_terms(text: str) -> list[int]:
    """The terms that find a stored text: its `terms`, and after them what else it may be asked for with in a script
    that has other forms of a word than its stem."""
    found = terms(text)
    if not text.isascii():
        found += [_dimension(form[:MAX_WORD_CHARS]) for form in _further(folded(text))]
    return found


def document_weights(line: str) -> dict[int, float]:
    """BM25's weights of the terms of `line`, without their inverse document frequency: dimension to f / (f + K).

    f is how often the term occurs, K = k1 · (1 - b + b · length / average length). Every weight is in (0, 1): the
    usual factor k1 + 1 is left out, so that the sum of weight · idf over the terms of a question is at most the
    sum of their idf. At most MAX_TERMS terms, the weightiest, the earlier of equals. Empty for a line without words.
    Source: Robertson and Zaragoza, The Probabilistic Relevance Framework, 2009.
    """
    counts = Counter(stored_terms(line))
    length = counts.total()
    k = SATURATION * (1 - LENGTH_NORMALISATION + LENGTH_NORMALISATION * length / AVERAGE_TERMS)
    return {dimension: count / (count + k) for dimension, count in counts.most_common(MAX_TERMS)}


@lru_cache(QUESTIONS_KEPT)
def question_words(text: str) -> tuple[str, ...]:
    """The `words` of a question, of at most MAX_QUESTION_CHARS of it, as all that questions are read for."""
    return tuple(_words_of(_question(text)))


@lru_cache(QUESTIONS_KEPT)
def query_terms(text: str) -> tuple[int, ...]:
    """The distinct terms that a question asks for, in the order of `text`, all of them `stored_terms` of it: function
    words only where there is nothing else, and of more than MAX_QUERY_TERMS the longest words, which are the rarest
    (Zipf)."""
    spoken = _asked(text, _IDLE) or _asked(text, frozenset()) or question_words(text)
    distinct = list(dict.fromkeys(spoken))
    kept = set(sorted(distinct, key=len, reverse=True)[:MAX_QUERY_TERMS])
    return tuple(dict.fromkeys(_dimension(word) for word in distinct if word in kept))


@lru_cache(QUESTIONS_KEPT)
def asked_words(text: str) -> tuple[frozenset[int], ...]:
    """For each word that `text` asks for the terms of which a text that has the word has one, in order: function words
    only where there is nothing else."""
    asked = _asked_words(text, _IDLE) or _asked_words(text, frozenset()) or [[word] for word in question_words(text)]
    return tuple(frozenset(_dimension(form[:MAX_WORD_CHARS]) for form in forms) for forms in asked)


@lru_cache(QUESTIONS_KEPT)
def content_words(text: str) -> tuple[frozenset[int], ...]:
    """As `asked_words`; what says little by itself ("about", "since") only where there is nothing else."""
    forms = _asked_words(text, _IDLE | STOP_WORDS)
    return tuple(frozenset(_dimension(form[:MAX_WORD_CHARS]) for form in word) for word in forms) or asked_words(text)


def read_question(text: str) -> None:
    """Have what is asked of a question remembered, so that asking for it takes no time: for a long one, of which that
    takes tens of milliseconds, to be done beside an event loop."""
    question_words(text)
    query_terms(text)
    content_words(text)


def word_count(text: str) -> int:
    """How many words `text` has, as somebody would count them also where there are no spaces."""
    parts = _parts(folded(text))
    return sum(
        len([one for one in segments(part) if letters_in(one)]) if bare else len(_spaced(part)) for part, bare in parts
    )


def _question(text: str) -> str:
    """The part of a question that is read: up to a white space where there is more."""
    line = folded(text)
    if len(line) <= MAX_QUESTION_CHARS:
        return line
    head = line[:MAX_QUESTION_CHARS]
    return head.rpartition(" ")[0] or head


def _words_of(line: str) -> list[str]:
    """The words of a folded text."""
    if line.isascii():
        return [word[:MAX_WORD_CHARS] for word in _WORD.findall(line)]
    found: list[str] = []
    for part, is_unspaced in _parts(line):
        if is_unspaced:
            for run in letters_in(part):
                found += pairs(run) or [run]
        else:
            found += _spaced(part)
    return [word[:MAX_WORD_CHARS] for word in found]


def _parts(line: str) -> Iterator[tuple[str, bool]]:
    """A text's stretches in order, and whether each is a run of UNSPACED."""
    start = 0
    for run in UNSPACED.finditer(line):
        if run.start() > start:
            yield line[start : run.start()], False
        yield run.group(), True
        start = run.end()
    if start < len(line):
        yield line[start:], False


def _spaced(part: str) -> list[str]:
    """The words of what has no run of UNSPACED."""
    found = _WORD.findall(part)
    if part.isascii():
        return found
    return [word for one in found if (word := _plain(one.replace("’", "'")))]


def _further(line: str) -> Iterator[str]:
    """The forms that find a text beside its words."""
    for part, is_unspaced in _parts(line):
        if is_unspaced:
            yield from stored_in(part)
        elif HANGUL.search(part) or ARABIC.search(part):
            for word in _spaced(part):
                yield from _further_of(word)


def _further_of(word: str) -> Iterator[str]:
    if HANGUL.search(word):
        for part in _JOINED.findall(word):
            if HANGUL.match(part):
                yield from stored_korean(part)
            if part != word:
                yield part
    elif ARABIC.search(word):
        yield from arabic_forms(word)


def _asked(text: str, idle: frozenset[str]) -> list[str]:
    """The words and forms that a question asks for, in order, without the words `idle`."""
    if text.isascii():
        return [word for word in question_words(text) if word not in idle]
    found = [form for forms in _asked_words(text, idle) for form in (*forms, *pairs_beside(forms))]
    return [form[:MAX_WORD_CHARS] for form in found]


@lru_cache(QUESTIONS_KEPT)
def _asked_words(text: str, idle: frozenset[str]) -> Sequence[Sequence[str]]:
    """The forms of each of these words."""
    line = _question(text)
    found: list[list[str]] = []
    for part, is_unspaced in _parts(CHINESE_QUESTION.sub(" ", line) if idle else line):
        if is_unspaced:
            found += [[word] for word in asked_in(part, idle)]
        else:
            found += [forms for word in _spaced(part) if word not in idle for forms in _forms(word)]
    return found


def _forms(word: str) -> list[list[str]]:
    if HANGUL.search(word):
        return [asked_korean(part) if HANGUL.match(part) else [part] for part in _JOINED.findall(word)]
    return [(arabic_forms(word) if ARABIC.search(word) else None) or [word]]


def _plain(word: str) -> str:
    """`word` without accents where that leaves plain letters, else unchanged."""
    if word.isascii():
        return word
    bare = "".join(c for c in unicodedata.normalize("NFKD", word) if not "\u0300" <= c <= "\u036f")
    return bare if bare.isascii() else word


@lru_cache(maxsize=1 << 16)
def _dimension(word: str) -> int:
    return zlib.crc32(stem(word).encode()) % DIMENSIONS


def stem(word: str) -> str:
    """A word of `words` without what Snowball takes for its inflection, by its script; as it is in any other."""
    script = unicodedata.name(word[0], "").partition(" ")[0]
    stemmer = _stemmer(script)
    if stemmer is None:
        return word
    with _stemming:
        stemmed: str = stemmer.stemWord(word)
        return stemmed


@cache
def _stemmer(script: str) -> "snowballstemmer.stemmer | None":
    algorithm = dict(_STEMMERS).get(script)
    return snowballstemmer.stemmer(algorithm) if algorithm else None


CACHES: Final[Mapping[Literal["questions", "stems"], Sequence[Callable[[], tuple[int, int, int | None, int]]]]] = {
    "questions": [one.cache_info for one in (question_words, query_terms, asked_words, content_words, _asked_words)],
    "stems": [_dimension.cache_info],
}
"""The counters of each cache: how often it knew the answer, and how often not, the first two that `lru_cache` has."""

_stemming: Final = threading.Lock()  # a Snowball stemmer keeps the word it works on in itself
