"""Parts of a sentence that can be checked: numbers, dates, names, addresses, identifiers; and what is left of it when
praise and small talk are taken away. English; a heuristic of this project."""

import re
from typing import Final

from ragpp.text.english import (
    ANY_MONTH,
    ANY_WEEKDAY,
    CHAT_WORDS,
    NUMBERS,
    SENTENCE_OPENERS,
    STOP_WORDS,
    word_set,
)

_NUMBER_WORDS: Final = "|".join((*(word for word in NUMBERS if word != "one"), "thirteen", "fourteen", "fifteen",
    "sixteen", "eighteen", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety", "hundred",
    "thousand", "million", "billion", "dozen", "half", "twice", "double", "zero"))  # fmt: skip
_NUMBER: Final = re.compile(
    rf"(?<![\w.])(?:[$€£¥]\s?)?\d|\b(?:{_NUMBER_WORDS})\b(?!\s(?:questions?|things?|points?|ideas?|thoughts?|of us|"
    r"concerns?))",
    re.IGNORECASE,
)
_DATE: Final = re.compile(
    rf"\b(?:(?:on|by|until|till|since|from|every|last|next|this|in|before|after|of)\s{ANY_WEEKDAY}s?\b|"
    rf"(?:in|by|until|till|since|from|last|next|early|late|mid|end of|before|after)[ -]{ANY_MONTH}\b|"
    r"(?:yesterday|tomorrow|tonight|last (?:night|week|month|year|summer|spring|autumn|fall|winter|quarter)|"
    r"next (?:week|month|year|summer|spring|autumn|fall|winter|quarter)|q[1-4]|midnight|noon|weekly|monthly|daily|"
    r"quarterly|annually|yearly|hourly|nightly|every (?:day|week|month|year|morning|evening|night|quarter|hour)))\b",
    re.IGNORECASE,
)
_ADDRESS: Final = re.compile(r"\b[\w.+-]+@[\w-]+\.[\w.]+|https?://\S+|\bwww\.\S+|\b[\w-]+\.(?:com|org|net|io|dev|eu)\b")
_IDENTIFIER: Final = re.compile(
    r"\b[a-z][a-z0-9]*(?:_[a-z0-9]+)+\b|\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b|\b[a-z]+[A-Z]\w+|`[^`\n]+`|"
    r"\b[A-Z]{2,}[\w-]*\b|\b[A-Z]+-\d+\b|\b[A-Z][a-z]+[A-Z]\w*|(?<![\w/])/[\w/.-]{2,}|\b\w+\.(?:py|js|ts|ya?ml|json|"
    r"toml|md|csv|sql|txt|pdf|xlsx?|docx?|conf|ini|env|sh)\b"
)
_SHOUTED: Final = word_set("OK TV LOL OMG BTW FYI ASAP DIY IMO IMHO TBH IDK PS AM PM AND NOT NO YES TODO NOTE WOW EDIT")
_NAME: Final = re.compile(r"(?<![\w'-])[A-Z][\w'’-]*[a-z][\w'’-]*(?:\s[A-Z][\w'’-]*)*")
_VOCATIVE: Final = re.compile(r",\s[A-Z][a-z]+[.!]*$|^[A-Z][a-z]+,\s(?=[a-z]+\s)")
_WORD: Final = re.compile(r"[^\W\d_][\w'’-]*")

EVALUATIVE: Final = word_set(
    "good great nice amazing awesome excellent fantastic wonderful lovely brilliant perfect superb outstanding "
    "impressive "
    "incredible terrific fabulous solid decent fine okay bad terrible awful horrible poor worst worse better best "
    "lousy disappointing disappointed disappointment frustrating frustrated frustration annoying annoyed confusing "
    "confused clunky ugly beautiful pretty sleek clean modern intuitive simple easy hard difficult complicated complex "
    "cumbersome tedious boring fun enjoyable pleasant unpleasant useful useless helpful unhelpful friendly unfriendly "
    "polite rude professional unprofessional fast slow quick sluggish responsive smooth reliable unreliable buggy "
    "powerful flexible robust scalable cheap expensive overpriced affordable reasonable fair unfair worth worthless "
    "happy unhappy glad pleased satisfied dissatisfied excited thrilled delighted sad sorry angry upset proud worried "
    "love loved loves like liked likes hate hated hates enjoy enjoyed adore appreciate appreciated recommend "
    "impressed "
    "job experience improvement improvements product service thing stuff lot bit kudos cheers praise quality value "
    "overall team's ui ux interesting weird strange odd silly ridiculous unacceptable acceptable painful pain joy "
    "delight treat seamless effortless essential important crucial key vital welcome tricky messy neat cool handy tidy "
    "comfortable cozy cosy cramped noisy quiet loud dull bright fresh tasty delicious bland gorgeous stunning "
    "considerably noticeably significantly dramatically somewhat slightly extremely incredibly super totally "
    "absolutely completely honestly frankly truly highly deeply rather fairly overly way far much too so "
    "feeling feels look looks looking seem seems seemed sense world class leading top-notch next-level cutting-edge "
    "best-in-class game-changer state-of-the-art effort efforts hopefully potential future success challenge "
    "challenges journey passion everyone everybody nobody somebody people user users customer customers fan fans"
)
"""Words that judge, or say how much, and what such words are mostly said of: nothing of it can be checked."""

_TALK: Final = word_set(
    "question questions call calls meeting chat discussion conversation talk email message note topic details detail "
    "information info update updates feedback suggestion suggestions advice help answer answers response reply issue "
    "moment minute second hand hands line thanks regards everything anything something nothing today tomorrow "
    "yesterday morning afternoon evening night weekend day week month year word words idea thoughts point points "
    "story example examples sentence paragraph section chapter page document guide introduction overview summary"
)
"""Words of talk about talking, and of texts about themselves."""


def numbers(text: str) -> bool:
    """True where `text` states a number, a sum or a share."""
    return _NUMBER.search(text) is not None


def names(text: str, *, from_the_start: bool = False) -> bool:
    """True where `text` has a name: a word with a capital, not as its first word unless `from_the_start`, nor somebody
    who is only spoken to."""
    rest = _VOCATIVE.sub("", text)
    for match in _NAME.finditer(rest):
        if match.start() == 0 and not from_the_start:
            if " " in match.group():
                return True
            continue
        first = match.group().split()[0].lower().replace("’", "'")
        if first not in SENTENCE_OPENERS and first.partition("'")[0] not in {"i", "it", "that", "you", "we", "he"}:
            return True
        if " " in match.group() and first not in {"i", "i'm", "i've"}:
            return True
    return False


def identifiers(text: str) -> bool:
    """True where `text` has an address, a path, or a word that only a program or an abbreviation is spelt like."""
    if _ADDRESS.search(text):
        return True
    return any(match.group() not in _SHOUTED for match in _IDENTIFIER.finditer(text))


def dates(text: str) -> bool:
    """True where `text` says when, or how often."""
    return _DATE.search(text) is not None


def is_strong(text: str) -> bool:
    """True where `text` has something that can be looked up."""
    return numbers(text) or dates(text) or identifiers(text) or names(text, from_the_start=True)


def content(text: str) -> list[str]:
    """The words of `text`, in lower case, that neither only join nor judge nor speak of talking."""
    found = [match.group().lower().replace("’", "'") for match in _WORD.finditer(text)]
    return [
        word
        for word in found
        if len(word) > 2
        and word not in STOP_WORDS
        and word not in CHAT_WORDS
        and word not in EVALUATIVE
        and word not in _TALK
        and not (word.endswith("ly") and len(word) > 4)
    ]
