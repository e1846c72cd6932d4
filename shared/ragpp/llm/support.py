"""The support that messages give a sentence which a language model made of them: whether they bear it out. Pure."""

import re
from collections.abc import Collection, Iterable, Sequence
from typing import Final

from ragpp.llm.transcripts import Said
from ragpp.text.english import CHAT_WORDS, MONTHS, STOP_WORDS, WEEKDAYS
from ragpp.text.lexical import terms, words

LEAST_SHARED: Final = 0.3
"""The least share of a sentence's words of content that the messages it cites have: it may say in other words what they
say, and has to speak of the same. A judgement, fitted to nothing."""
USER: Final = "user"
"""The word for who speaks where nobody told a name."""
_NAME: Final = re.compile(r"[^\W\d_][\w'’&.-]*")
_DATING: Final = frozenset(word.casefold() for word in (*MONTHS, *WEEKDAYS, USER, "assistant", "am", "pm", "i"))
"""Words with a capital that a sentence may have though nobody said them: days are said as "tomorrow"."""
_IDLE: Final = STOP_WORDS | CHAT_WORDS
_STEM_CHARS: Final = 4
"""As much of a word as its relatives share: "Portugal" and "Portuguese"."""


def lacking_names(text: str, sources: Iterable[Said]) -> list[str]:
    """The names in `text`, as it writes them, that none of `sources` has and none of those who speak there bears. The
    first word counts as one only where it goes on with a name or an "'s", since every sentence begins with a capital.
    """
    said = _spoken(sources)
    found = list[str]()
    for match in _NAME.finditer(text):
        name = re.sub(r"['’]s?$", "", match[0].rstrip(".-"))
        is_first = not text[: match.start()].strip(" \"'“‘(")
        if not name[:1].isupper() or name.casefold() in _DATING or (is_first and not _begins_with_name(text)):
            continue
        if not _is_said(name, said):
            found.append(name)
    return found


def is_borne_out(text: str, sources: Sequence[Said]) -> bool:
    """True where `sources` have the names in `text` and LEAST_SHARED of its words of content, by their stems."""
    if lacking_names(text, sources):
        return False
    wanted = set(terms(" ".join(word for word in words(text) if word not in _IDLE)))
    said = set(terms(" ".join([USER, *(f"{source.said_by} {source.content}" for source in sources)])))
    return not wanted or len(wanted & said) >= LEAST_SHARED * len(wanted)


def _spoken(sources: Iterable[Said]) -> set[str]:
    return {word.removesuffix("'s") for source in sources for word in words(f"{source.said_by} {source.content}")}


def _is_said(name: str, said: Collection[str]) -> bool:
    """True where each word of `name` is there, or one that begins like it."""
    return all(
        any(other == word or (len(word) > _STEM_CHARS and other.startswith(word[:_STEM_CHARS])) for other in said)
        for word in words(name)
    )


def _begins_with_name(text: str) -> bool:
    """True where the first word is sure to be a name: another follows, or what is its own, or what it is or does."""
    first, _, rest = text.strip(" \"'“‘(").partition(" ")
    if first.casefold() in _IDLE:
        return False
    return (
        first.endswith(("'s", "’s", "s'", "s’"))
        or rest[:1].isupper()
        or rest.startswith(("is ", "has ", "was ", "and "))
    )
