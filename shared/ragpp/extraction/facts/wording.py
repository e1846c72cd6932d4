"""The words of a fact as facts are compared: its names and the part each plays, its content, and whether it denies."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from ragpp.extraction.facts.verbs import AUXILIARIES, words_with_places
from ragpp.text.english import CALENDAR, NUMBERS, SENTENCE_OPENERS, STOP_WORDS, word_set
from ragpp.text.lexical import terms

NEGATORS: Final = word_set("not no never without none neither nor cannot lacks lack lacking nobody nothing hardly")
_OPPOSITES: Final = tuple(
    tuple(word_set(side) for side in pair.split("|"))
    for pair in (
        "enabled enable enables on|disabled disable disables off",
        "allowed allow allows permitted|forbidden prohibited banned blocked denied forbids prohibits disallowed",
        "include includes included including|exclude excludes excluded excluding",
        "open opens opened|closed closes close shut",
        "increase increases increased rise rises rose raised grew|decrease decreases decreased fall falls fell lowered "
        "reduced shrank dropped",
        "more|less fewer", "above over|below under", "before|after", "minimum min least|maximum max most",
        "larger bigger|smaller", "longer|shorter", "faster|slower", "higher|lower", "earlier early|later late",
        "required mandatory|optional", "public|private", "true yes|false", "active|inactive",
        "accept accepts accepted approved|reject rejects rejected refused refuses declined",
        "like likes love loves enjoys|hate hates dislike dislikes", "internal|external", "read reads|write writes",
        "first|last", "inbound incoming|outbound outgoing", "upload uploads|download downloads",
        "import imports|export exports", "starts begins started start|ends stops ended stopped end", "earliest|latest",
        "with|without", "upgraded upgrade upgrades|downgraded downgrade downgrades", "bought buys buy|sold sells sell",
        "borrowed borrows|lent lends", "arrives arrived|leaves departs left departed", "won wins|lost loses",
        "passed passes succeeded succeeds|failed fails", "hired|fired", "joined|left", "same|different", "day|night",
        "morning|evening", "north|south", "east|west", "left|right", "hot|cold", "single|married", "full|empty",
        "synchronous|asynchronous", "front|back", "top|bottom", "ascending|descending", "buyer|seller", "old|new",
        "up|down", "upstream|downstream", "added adds|removed removes deleted", "paid|free", "full-time|part-time",
        "weekdays|weekends", "manual manually|automatic automatically",
    )
)  # fmt: skip
_SIDES: Final = {
    word: [(number, 1 + (word in right)) for number, (left, right) in enumerate(_OPPOSITES) if word in left | right]
    for pair in _OPPOSITES
    for side in pair
    for word in side
}
_UN: Final = ("un", "in", "im", "dis", "non", "non-", "ir", "il", "de")
_OF_CHANGE: Final = word_set("now instead longer anymore any more new currently changed change still already again "
                             "recently today actually just only also been being per")  # fmt: skip
_OF_PERIODS: Final = word_set(
    "day days daily week weeks weekly month months monthly year years yearly annual annually hour hours hourly quarter "
    "quarterly minute minutes second seconds night nightly ms kb mb gb tb am pm km kg percent pct dollars euros "
    "pounds usd eur gbp thousand million billion hundred dozen"
)
"""Words that `measures` reads."""
_AMOUNT: Final = re.compile(
    r"\d[\d.,]*(?:k|m|bn|ms|s|h|min|gb|mb|kb|tb|km|kg|g|st|nd|rd|th|pm|am|x|yr|mo|d)(?:/\w+)?|q[1-4]|\d[\d.,]*/\w+"
)
_PREPOSITIONS: Final = word_set("from to by of in at with for than on into over against before after under via through "
                                "towards behind about as")  # fmt: skip
_PASSIVE: Final = re.compile(
    r"\b(?:is|are|was|were|been|be|being|gets?|got)\s(?:\w+ly\s)?(?:\w+(?:ed|en|wn)|led|made|built|taught|paid|sent|held|"
    r"run|sold|bought|told|kept|read|set)(?:\s\w+){0,4}?\sby\b",
    re.IGNORECASE,
)
_BOUNDS: Final = (
    (
        "most",
        re.compile(
            r"\b(?:up to|at most|maximum|max|no more than|under|less than|fewer than|below|within)\b", re.IGNORECASE
        ),
    ),
    (
        "least",
        re.compile(
            r"\b(?:at least|minimum|min|more than|over|above|no less than|starting (?:at|from))\b", re.IGNORECASE
        ),
    ),
)


_SCOPES: Final = tuple(
    (name, re.compile(rf"\b(?:{words})\b", re.IGNORECASE))
    for name, words in (
        ("some", "some|most|few|several|half of|part of|partly|partially"),
        ("only", "only|solely|exclusively"),
        ("possible", "might|could|maybe|perhaps|probably|possibly|considering|proposed|expected to"),
        ("over", "used to|formerly|previously|was going to|had planned"),
        ("duty", "must|has to|have to|required|mandatory|obliged"),
        ("choice", "can|(?-i:may)|optional|optionally"),
        ("future", "will|going to|plans to"),
        ("past", r"did|was|were|has been"),
    )
)


@dataclass(frozen=True, slots=True)
class Named:
    """A name of a fact. `role`: the preposition before it, else `subject` for the first name and `object` for others;
    `joined`: it stands beside another one, with an "and" or a comma. `first`: it is the first word, whose capital says
    little; `beside`: it stands next to another word with a capital, perhaps as part of one name."""

    name: str
    role: str
    joined: bool
    first: bool
    beside: bool


@dataclass(frozen=True, slots=True)
class Wording:
    """`content`: the stems of what is neither a number nor joins, denies or speaks of change, in order."""

    words: frozenset[str]
    stems: frozenset[int]
    content: tuple[int, ...]
    names: tuple[Named, ...]
    negative: bool
    passive: bool
    bounds: frozenset[str]
    scope: frozenset[str]
    content_words: tuple[str, ...]
    sides: Mapping[int, int]
    """The sides of each pair of opposites with a word: 1 for one of the left, 2 for one of the right, 3 for both."""


@lru_cache(maxsize=4_096)
def wording(text: str) -> Wording:
    """The words of `text`."""
    straight = text.replace("’", "'")
    spoken = [match.group() for match in words_with_places(straight)]
    lowered = [word.lower() for word in spoken]
    content = [
        word
        for word in lowered
        if word not in STOP_WORDS and word not in AUXILIARIES and word not in NUMBERS and word not in CALENDAR
        and word not in NEGATORS and word not in _OF_CHANGE and word not in _OF_PERIODS and not word[0].isdigit()
    ]  # fmt: skip
    return Wording(
        frozenset(lowered),
        stems(lowered),
        tuple(stem for word in content for stem in terms(word)),
        tuple(_names(spoken, straight)),
        any(word in NEGATORS or word.endswith("n't") for word in lowered),
        _PASSIVE.search(straight) is not None,
        frozenset(name for name, pattern in _BOUNDS if pattern.search(straight)),
        frozenset(name for name, pattern in _SCOPES if pattern.search(straight)),
        tuple(content),
        _sides(lowered),
    )


def stems(words: Iterable[str]) -> frozenset[int]:
    """The stems of words, possessives as what owns."""
    return frozenset(stem for word in words for stem in terms(word.removesuffix("'s").removesuffix("'")))


def denies_the_other(one: Wording, other: Wording) -> bool:
    """True where one says what the other denies, by a "not" or by a word that means the opposite."""
    opposed = sum(side != 3 and other.sides.get(pair) == 3 - side for pair, side in one.sides.items())
    opposed += _is_one_undone(one.words - other.words, other.words)
    opposed += _is_one_undone(other.words - one.words, one.words)
    return (opposed > 0) != (one.negative != other.negative)


def _sides(words: Iterable[str]) -> Mapping[int, int]:
    sides = dict[int, int]()
    for word in words:
        for pair, side in _SIDES.get(word, ()):
            sides[pair] = sides.get(pair, 0) | side
    return sides


def _is_one_undone(words: frozenset[str], others: frozenset[str]) -> bool:
    undone = {f"{prefix}{word}" for word in words if len(word) > 3 for prefix in _UN}
    return not undone.isdisjoint(others)


def _names(spoken: list[str], text: str) -> Iterable[Named]:
    seen = False
    for index, word in enumerate(spoken):
        bare = word.removesuffix("'s").removesuffix("'")
        lowered = bare.lower()
        if not _is_a_name(bare, lowered, index):
            continue
        before = spoken[index - 1].lower() if index else ""
        skipped = (
            spoken[index - 2].lower() if before in {"the", "a", "an", "our", "my", "their"} and index > 1 else before
        )
        role = skipped if skipped in _PREPOSITIONS else "object" if seen else "subject"
        joined = _is_joined(bare, text)
        seen = True
        near = spoken[max(0, index - 1) : index] + spoken[index + 1 : index + 2]
        yield Named(lowered, role, joined, index == 0, any(word[0].isupper() for word in near))


def _is_a_name(bare: str, lowered: str, index: int) -> bool:
    if not bare or lowered in CALENDAR or lowered in STOP_WORDS or lowered in _OF_PERIODS:
        return False
    if any(character.isdigit() for character in bare) and any(character.isalpha() for character in bare):
        return not _AMOUNT.fullmatch(lowered)
    if "_" in bare or "@" in bare:
        return True
    if not bare[0].isupper():
        return any(character.isupper() for character in bare)
    return index > 0 or lowered not in SENTENCE_OPENERS


def _is_joined(name: str, text: str) -> bool:
    beside = rf"(?:,|\band\b|\bor\b|&)\s(?:the\s)?{re.escape(name)}\b|\b{re.escape(name)}(?:,\s\w|\s(?:and|or|&)\s)"
    return re.search(beside, text) is not None


def has_another_scope(one: Wording, other: Wording) -> bool:
    """True where one is said of some, or only of them, or as possible or over, and the other is not; or where one is a
    duty and the other a choice, or one past and the other to come."""
    differing = one.scope ^ other.scope
    if differing & {"some", "only", "possible", "over"}:
        return True
    return ({"duty", "choice"} <= one.scope | other.scope and bool(differing & {"duty", "choice"})) or (
        {"past", "future"} <= one.scope | other.scope and bool(differing & {"past", "future"})
    )
