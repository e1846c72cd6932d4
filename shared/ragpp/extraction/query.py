"""Finds what a query names, without a pipeline: fast enough for the event loop of a recall."""

import re
from typing import Final

from ragpp.extraction.naming.lexicon import CONNECTORS, is_ordinary
from ragpp.names import SPEAKER
from ragpp.text.english import SENTENCE_OPENERS
from ragpp.text.kinship import CANONICAL, words
from ragpp.text.persons import in_the_first_person

MAX_QUERY: Final = 2000
"""Characters read; a longer query names things early."""
MAX_CANDIDATES: Final = 16

_TOKEN: Final = re.compile(r"[^\W_](?:[\w.&-]*[^\W_])?|[&]")
_POSSESSIVE: Final = re.compile(r"['’]s?\b")
_KIN_WORDS: Final = "|".join(re.escape(word) for word in sorted(CANONICAL, key=len, reverse=True))
_KIN: Final = re.compile(rf"\b({_KIN_WORDS})s?\b", re.IGNORECASE)
_OWNED_KIN: Final = re.compile(rf"([^\W\d_][\w-]*)['’]s\s(?:\w+\s)?({_KIN_WORDS})\b", re.IGNORECASE)


def query_entities(text: str) -> tuple[str, ...]:
    """Names and kinship words in a query, most specific first, at most MAX_CANDIDATES, distinct without regard to case.

    A capitalised sequence is a name, except an ordinary word that opens the sentence. "Noor's mum" also gives
    "Noor's mother", and a kinship word all its synonyms. A query without any capital inside ("where does salma live")
    gives its content words, since any of them may be a name. One in the first person names SPEAKER, too.
    """
    window = text[:MAX_QUERY]
    owned = [
        f"{owner}'s {CANONICAL[kin.lower()]}"
        for owner, kin in _OWNED_KIN.findall(window)
        if owner.lower() not in SENTENCE_OPENERS
    ]
    names = _capitalised(window)
    kin = [word for found in _KIN.findall(window) for word in words(CANONICAL[found.lower()])]
    content = [] if names or kin else _content(window)
    speaker = [SPEAKER] if in_the_first_person(window) else []
    return _distinct([*owned, *sorted(names, key=lambda name: -name.count(" ")), *kin, *speaker, *content])


def _capitalised(text: str) -> list[str]:
    """Sequences of capitalised words, and the parts of the longer ones, which may be the name that is known."""
    sequences: list[list[str]] = []
    current: list[str] = []
    end = -1
    for match in _TOKEN.finditer(_POSSESSIVE.sub(lambda found: "\x00" * len(found.group()), text)):
        word = match.group()
        follows = bool(current) and text[end : match.start()] == " "
        if word[0].isupper() and word.lower() not in CANONICAL and not is_ordinary(word):
            if follows:
                current.append(word)
            else:
                current = [word]
                sequences.append(current)
        elif not (follows and word in CONNECTORS):
            current = []
        else:
            current.append(word)
        end = match.end()
    names: list[str] = []
    for sequence in sequences:
        while sequence and sequence[-1] in CONNECTORS:
            sequence.pop()
        while sequence and sequence[0].lower() in SENTENCE_OPENERS and not set(sequence[1:2]) & CONNECTORS:
            del sequence[0]
        if sequence:
            names.append(" ".join(sequence))
            names.extend(part for part in sequence if len(sequence) > 1 and part[0].isupper())
    return names


def _content(text: str) -> list[str]:
    tokens = [token for token in _TOKEN.findall(_POSSESSIVE.sub("", text)) if len(token) > 1]
    return [token for token in tokens if token.lower() not in SENTENCE_OPENERS and not token.isdigit()]


def _distinct(candidates: list[str]) -> tuple[str, ...]:
    kept: dict[str, str] = {}
    for candidate in candidates:
        kept.setdefault(candidate.casefold(), candidate)
    return tuple(kept.values())[:MAX_CANDIDATES]
