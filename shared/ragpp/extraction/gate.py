"""The gate: whether what a rule finds in a sentence is meant as a fact: a match of a pattern (`lets`), or a clause of a
parsed sentence (`assertion`).

No pattern asks it: `engine` does, of every match, before the rule reads it. So a rule cannot forget to; it has to say
what its match claims.
"""

import re
from enum import Enum, auto
from functools import cached_property
from typing import TYPE_CHECKING, Final

from ragpp.extraction.grammar.assertion import Assertion, assertion_of
from ragpp.extraction.naming.masking import ENTITY
from ragpp.text.sentences import Sentence

if TYPE_CHECKING:
    from spacy.tokens import Token


class Claim(Enum):
    """The claim of a match, which decides what may stand around it."""

    OWN = auto()
    """A clause about the speaker, "I live in Porto": no fact where somebody else is reported to have said it."""
    OTHERS = auto()
    """A clause about somebody else, "Marta lives in Porto": a fact where Leo says so as well."""
    PHRASE = auto()
    """Words that are no clause, "a brother called Tom": a fact about the speaker only where the clause around them
    affirms it, and of nobody else."""
    GIVEN = auto()
    """Words taken for granted whatever the sentence says: "my sister" is there in a question and in a denial, too."""


_NEVER: Final = 1 << 30
"""An offset behind every sentence."""

_HYPOTHETICAL: Final = re.compile(
    r"\b(?:if|unless|whether|suppose|supposing|imagine|wish\w*|pretend\w*|hypothetically|joking\w*|dream(?:ed|t|s|"
    r"ing)?|"
    r"as though|what if|in case|let's say|would|could|might|lest|maybe|perhaps|fictional|role-?play\w*|"
    r"in (?:my|the|this|that|a) (?:novel|story|game|book|film|movie|play|script)|my character)\b",
    re.IGNORECASE,
)
_FICTION: Final = re.compile(
    r"^(?:translate|rewrite|correct|proofread|paraphrase|example|e\.g\.|for example|hypothetical)\b|"
    r"(?:^|[,;:] )(?:imagine|suppose|supposing|let's say)\b|\b(?:pretend\w*|hypothetically|fictional|role-?play\w*|"
    r"dreamt|dreamed|"
    r"(?:had|have|having) (?:a|this|that|the) (?:\w+ )?(?:dream|nightmare)|my dream|"
    r"(?:song|sign|shirt|slogan|lyrics?|ad|mug|poster|line) (?:goes|go|reads|says)|"
    r"jk|just kidding|in (?:my|the|this|that|a) (?:game|novel|story|book|film|movie|play|script|dream)|"
    r"(?:my|the|our) (?:main )?character)\b",
    re.IGNORECASE,
)
"""A sentence that tells of no world that there is."""
_REPORTED: Final = re.compile(
    r"\b(?:says?|said|saying|thinks?|thought|thinking|claims?|claimed|believes?|believed|rumou?rs?|told|tells|swears?|swore|asks?|"
    r"asked|"
    r"wrote|writes|insists?|insisted|joked|jokes|assumes?|assumed|reckons?|supposed to|according to|"
    r"the (?:song|sign|shirt|slogan|lyrics?|ad|mug|poster) (?:goes|reads))\b",
    re.IGNORECASE,
)
_OWN_REPORT: Final = re.compile(
    r"\b(?:i|we)(?:'ve)? (?:\w+ )?(?:say|said|think|thought|told|believed?|swear|swore|claim|asked|wrote)\b",
    re.IGNORECASE,
)
_REPORTED_BEHIND: Final = re.compile(
    r",\s(?:or so |as )?(?:he|she|they|you|[A-Z][a-z]+|(?:my|his|her|the|our) \w+)\s(?:said|says|claimed|claims|"
    r"told|wrote|joked|"
    r"insisted|insists|put it|thinks?|keeps? (?:saying|telling))\b"
)
_FRONTED: Final = re.compile(
    r"\b(?:neither|nor)\s+$|"
    r"\b(?:nor|neither|never|hardly|rarely|seldom|not once)\s(?:do|does|did|have|has|had|am|is|are|was|were|will|can)"
    r"\s*$",
    re.IGNORECASE,
)
"""A denial before the subject of a clause: "neither Leo nor …", or "nor do", which turns the clause round."""
_WINDOW: Final = 24

_SUBJECT: Final = re.compile(
    rf"(?<![\w'])(?P<own>i|we)(?!\w)|\b(?:he|she|they|you|who|has|hasn't|does|doesn't)\b|"
    rf"{ENTITY}(?:'s\s(?:got|had)\b|\s(?!(?:and|or|but|nor|with|without|in|at|on|from|to|for|of|about|near|around|by|"
    r"as|than|called|named|too|last|this|next|again|yesterday|today)\b)[a-z])",
    re.IGNORECASE,
)
"""Whom a clause is about: the speaker in the group `own`; or somebody else, who is a name with a verb behind it or told
by the form of a verb."""
_THIRD: Final = re.compile(
    rf"(?:(?:and|but|so|well|yes|no|also|then|now|today|yesterday|\w+ly),?\s)*+"
    rf"(?:(?:my|our|your|his|her|their|its|the|an?|some|any|every|each|both|all|most|many|one)\s|{ENTITY}'s?\s)",
    re.IGNORECASE,
)
"""A clause that begins with a noun: that is its subject."""
_LISTED: Final = re.compile(r"(?:,|\band|\bor|&)\s$", re.IGNORECASE)
_FINITE: Final = re.compile(r"\b(?:have|had|is|are|was|were|will|can|did|do)\b|'(?:ve|ll|d|re)\b", re.IGNORECASE)
_NOT: Final = re.compile(
    r"n't\b|\b(?:not|no|nor|never|neither|without|nobody|none|nothing|hardly|cannot)\b", re.IGNORECASE
)
_TURN: Final = re.compile(r".*(?:\bbut\b|[:(]|,(?=\s(?:(?!n?or\b|and\b)\w+\s)?$))", re.IGNORECASE | re.DOTALL)
"""Up to where no denial reaches what comes next: a "but", or a comma at most one word before it."""
_UNREAL: Final = re.compile(
    r"(?:\b(?:want(?:s|ed)?|hop(?:e|ed|ing)\sfor|need(?:s|ed)?)|'d\s(?:love|like|prefer))(?:\sto\s(?:have|get|be))?\s$|"
    r"(?:'ll|'d|\bwill|\bshall|\bcan|\bmay|\bmust|\bshould|\bgoing\sto|\bgonna)\s(?:\w+\s)?(?:have|get|be)\s$",
    re.IGNORECASE,
)
"""Words before a thing that is wanted or to come, and not there."""


class Gate:
    """The gate of one sentence: what it asserts, and where. Offsets are those of `sentence.text`."""

    def __init__(self, sentence: Sentence) -> None:
        self.sentence = sentence

    def lets(self, claim: Claim, at: int, text: str) -> bool:
        """True where the claim of a match at offset `at` is meant as a fact. `text` is the sentence as the rule reads
        it, at its length, perhaps with marks for names."""
        if claim is Claim.GIVEN:
            return True
        if self.sentence.asks or self._doubted_from <= at or _FRONTED.search(text, max(0, at - _WINDOW), at):
            return False
        if claim is Claim.OTHERS:
            return True
        if self._reported_from <= at < self._told_from or at <= self._reported_until:
            return False
        return claim is Claim.OWN or _affirms(text[:at])

    @property
    def is_open(self) -> bool:
        """True where the sentence asserts nothing as a whole: it asks, or mocks."""
        return self.sentence.asks

    @property
    def takes_for_granted(self) -> bool:
        """True where what the sentence speaks of as somebody's is theirs, whatever it says of it: "my anaemia"."""
        return not self._is_fiction

    def assertion(self, verb: "Token", *, despite: frozenset[str] = frozenset()) -> Assertion:
        """The assertion that the sentence makes of the clause of a verb in it; see `grammar.assertion.assertion_of`."""
        if self.sentence.asks or self._is_fiction:
            return Assertion.OPEN
        return assertion_of(verb, despite=despite)

    @cached_property
    def _is_fiction(self) -> bool:
        """True where the sentence speaks of something made up or dreamt."""
        return _FICTION.search(self.sentence.text) is not None

    @cached_property
    def _doubted_from(self) -> int:
        """Where the first word ends that makes a hypothesis of what follows."""
        return _end_of(_HYPOTHETICAL, self.sentence.text)

    @cached_property
    def _reported_from(self) -> int:
        return _end_of(_REPORTED, self.sentence.text)

    @cached_property
    def _told_from(self) -> int:
        """Where the speaker's own "I said" ends: what follows is theirs."""
        return _end_of(_OWN_REPORT, self.sentence.text)

    @cached_property
    def _reported_until(self) -> int:
        """Where the last ", he said" begins."""
        return max((match.start() for match in _REPORTED_BEHIND.finditer(self.sentence.text)), default=-1)


def _end_of(cue: re.Pattern[str], text: str) -> int:
    match = cue.search(text)
    return match.end() if match else _NEVER


def _affirms(before: str) -> bool:
    """True where a clause that begins with `before` affirms of the speaker what comes next: its subject is the speaker,
    or what comes next; and nothing denies it or only wishes for it."""
    subject: re.Match[str] | None = None
    for found in _SUBJECT.finditer(before):
        subject = found
    if subject is not None and subject["own"] is None:
        return False
    if subject is None and _THIRD.match(before) and (not _LISTED.search(before) or _FINITE.search(before)):
        return False
    if _UNREAL.search(before) or (subject is not None and _FRONTED.search(before, 0, subject.start())):
        return False
    begin = subject.end() if subject else 0
    turn = _TURN.match(before, begin)
    return _NOT.search(before, turn.end() if turn else begin) is None
