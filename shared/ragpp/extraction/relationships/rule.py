"""What the patterns of `relations` are made of: a subject, a verb phrase, and a marked object in a masked sentence."""

import re
from dataclasses import dataclass
from typing import Final

from ragpp.extraction.naming.masking import ENTITY
from ragpp.extraction.port import EntityLabel
from ragpp.text.english import word_set

SUBJECT: Final = (
    rf"(?:\b(?P<i>[Ii]|[Ww]e)|(?P<s>{ENTITY})(?:, who [^,]{{1,60}},|,? who|,)?|\b(?P<p>[Ss]he|[Hh]e)|"
    r",? (?P<e>and|but))"
)
"""Groups: i the speaker, s a mark, p a pronoun, e nobody: the subject of the sentence goes on."""
SPEAKER_IMPLIED: Final = r"(?P<s>(?!))?(?P<p>(?!))?(?P<e>(?!))?(?P<i>)"
AFTER: Final = r"(?P<i>(?!))?(?P<s>(?!))?(?P<p>(?!))?(?P<e>,|\sand|\sbut)"
CONTINUED: Final = r"(?P<i>(?!))?(?P<s>(?!))?(?P<p>(?!))?,? (?P<e>and)"
TARGET: Final = rf"(?:the\s)?(?P<o>{ENTITY})(?!'s)"
ADVERBS: Final = (
    r"(?:\s(?:still|now|just|also|both|all|actually|really|recently|finally|already|happily|currently|usually|often|"
    r"always|absolutely|totally|truly|once|even|originally|only|quite)){0,2}"
)
BE: Final = r"(?:'m|'re|'s|\sam|\sare|\sis|'ve been|'s been|\shave been|\shas been)"
HAVE: Final = r"(?:'ve|'s|\shave|\shas)?"
NO_MORE: Final = r"(?=.*\b(?:any\s?more|now|these days|nowadays|since|for (?:years|months|ages|a while))\b)"
NOT: Final = r"(?:\s(?:don't|do not|doesn't|does not|didn't|no longer|never)|'m not|\sam not|\sis not|\sisn't|'s not)"
AS: Final = r"(?:\s(?:full[- ]time|part[- ]time|remotely|nights|as an? [\w-]{1,20}(?: [\w-]{1,20})?))?"
CALLED: Final = rf"(?:called|named|whose name is)\s(?P<o>{ENTITY})"
POST: Final = r"(?:a|an|the|my|his|her)(?:\s[\w-]{1,20}){0,2}?\s(?:job|position|role|post|place|internship)"


@dataclass(frozen=True, slots=True)
class Rule:
    """`pattern` has the groups i, s, p or e of SUBJECT, and o, the object.

    `wants` is the label of the object; a guessed label gives way to it, a known one must be it. `ends` marks a
    statement that the relationship holds no longer; without `overrides` even a guessed label must be the wanted one,
    because the verb alone ("joined", "visited") does not tell a person from a place or a club. `only` and `besides`
    are the last words that the object must or must not have.
    """

    type: str
    pattern: re.Pattern[str]
    wants: EntityLabel
    lasting: bool = False
    ends: bool = False
    overrides: bool = True
    only: frozenset[str] | None = None
    besides: frozenset[str] = frozenset()


def rules(
    kind: str,
    wants: EntityLabel,
    *bodies: str,
    lasting: bool = False,
    ends: bool = False,
    overrides: bool = True,
    subject: str = SUBJECT,
    only: frozenset[str] | None = None,
    besides: frozenset[str] = frozenset(),
) -> tuple[Rule, ...]:
    patterns = (re.compile(subject + body) for body in bodies)
    return tuple(Rule(kind, pattern, wants, lasting, ends, overrides, only, besides) for pattern in patterns)


CLUB: Final = word_set(
    "club choir society band orchestra team league association union church group troupe federation rovers united "
    "chorus quartet guild scouts singers players rangers runners riders swimmers climbers cyclists crew circle "
    "wanderers "
    "athletic hikers dancers ensemble"
)
"""Last words of what one is a member of and not employed by."""
SCHOOL: Final = word_set(
    "school college university academy primary nursery kindergarten institute gymnasium lyceum polytechnic"
)
"""Last words of where pupils start as well as teachers."""
