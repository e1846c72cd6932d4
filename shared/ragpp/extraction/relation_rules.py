"""The patterns of `relations`, over masked sentences: a subject, a verb phrase, and a marked object."""

import re
from dataclasses import dataclass
from typing import Final

from ragpp.extraction.kinship import PETS
from ragpp.extraction.masking import ENTITY
from ragpp.extraction.port import EntityLabel

SUBJECT: Final = (
    rf"(?:\b(?P<i>[Ii]|[Ww]e)|(?P<s>{ENTITY})(?:, who [^,]{{1,60}},|,? who|,)?|\b(?P<p>[Ss]he|[Hh]e)|"
    r",? (?P<e>and|but))"
)
"""Groups: i the speaker, s a mark, p a pronoun, e nobody: the subject of the sentence goes on."""
_CONTINUED: Final = r"(?P<i>(?!))?(?P<s>(?!))?(?P<p>(?!))?,? (?P<e>and)"
_O: Final = rf"(?:the\s)?(?P<o>{ENTITY})(?!'s)"
ADVERBS: Final = (
    r"(?:\s(?:still|now|just|also|both|all|actually|really|recently|finally|already|happily|currently|usually|often|"
    r"always|absolutely|totally|truly|once|even|originally|only|quite)){0,2}"
)
BE: Final = r"(?:'m|'re|'s|\sam|\sare|\sis|'ve been|'s been|\shave been|\shas been)"
_HAVE: Final = r"(?:'ve|'s|\shave|\shas)?"
NOT: Final = r"(?:\s(?:don't|do not|doesn't|does not|didn't|no longer|never)|'m not|\sam not|\sis not|\sisn't|'s not)"
_AS: Final = r"(?:\s(?:full[- ]time|part[- ]time|remotely|nights|as an? [\w-]{1,20}(?: [\w-]{1,20})?))?"
_CALLED: Final = rf"(?:called|named|whose name is)\s(?P<o>{ENTITY})"
_POST: Final = r"(?:a|an|the|my|his|her)(?:\s[\w-]{1,20}){0,2}?\s(?:job|position|role|post|offer|place|internship)"


@dataclass(frozen=True, slots=True)
class Rule:
    """`pattern` has the groups i, s, p or e of SUBJECT, and o, the object.

    `wants` is the label of the object; a guessed label gives way to it, a known one must be it. `ends` marks a
    statement that the relationship holds no longer; without `overrides` even a guessed label must be the wanted one,
    because the verb alone ("joined", "visited") does not tell a person from a place or a club.
    """

    type: str
    pattern: re.Pattern[str]
    wants: EntityLabel
    lasting: bool = False
    ends: bool = False
    overrides: bool = True


def _rules(
    kind: str,
    wants: EntityLabel,
    *bodies: str,
    lasting: bool = False,
    ends: bool = False,
    overrides: bool = True,
    subject: str = SUBJECT,
) -> tuple[Rule, ...]:
    return tuple(Rule(kind, re.compile(subject + body), wants, lasting, ends, overrides) for body in bodies)


_MOVED: Final = rf"{_HAVE}{ADVERBS}\s(?:moved|relocated)(?:\s(?:back|over|up|down|out|house|away|here)){{0,2}}"

RESIDENCE: Final = (
    *_rules(
        "LIVES_IN",
        "GPE",
        rf"{ADVERBS}\s(?:lives?|resides?|settled(?: down)?)\sin\s{_O}",
        rf"(?:{BE}{ADVERBS}\s(?:living|based)|\s(?:love|like|enjoy)s? living)\sin\s{_O}",
        rf"{_HAVE}{ADVERBS}\slived in {_O}\s(?:for|since)\b(?!.*\b(?:before|until|ago)\b)",
        rf"{_MOVED}(?:\sfrom {ENTITY})?,?\sto\s{_O}",
    ),
    *_rules(
        "LIVES_IN",
        "GPE",
        rf"{NOT}\s(?:lives?|living)\sin\s{_O}",
        rf"{ADVERBS}\sused to live in {_O}",
        rf"{_MOVED}\s(?:from|of)\s{_O}",
        rf"{_HAVE}{ADVERBS}\sleft {_O}\s(?:for good|behind|forever)",
        ends=True,
    ),
    *_rules(
        "FROM",
        "GPE",
        rf"{BE}(?: both)?(?:\s(?:originally|actually))?\sfrom\s{_O}",
        rf"{ADVERBS}\s(?:comes? from|(?:was|were) (?:born|raised|born and raised) in|grew up in|hails? from)\s{_O}",
        lasting=True,
    ),
)
WORK: Final = (
    *_rules(
        "WORKS_AT",
        "ORG",
        rf"{ADVERBS}\s(?:works?|teach(?:es)?|volunteers?)(?:\s(?:in|on) \w+)?{_AS}\s(?:at|for)\s{_O}",
        rf"{BE}{ADVERBS}\s(?:working|employed|teaching|interning|volunteering){_AS}\s(?:at|for|by)\s{_O}",
        rf"{ADVERBS}\s(?:love|like|enjoy)s? working{_AS}\s(?:at|for)\s{_O}",
        rf"{BE}{ADVERBS}\s(?:an?|the|one of the)\s[\w-]{{3,20}}(?:\s[\w-]{{3,20}})?\sat\s{_O}",
        rf"{_HAVE}{ADVERBS}\s(?:started|began)(?:\s(?:work|working|{_POST}))?{_AS}\s(?:at|for|with)\s{_O}",
        rf"{_HAVE}{ADVERBS}\s(?:got|accepted|took|landed|found)\s{_POST}\s(?:at|with|from)\s{_O}",
        rf"(?:\swas|\swere|'ve been|'s been|\sgot|\shas been|\shave been)\shired (?:by|at)\s{_O}",
    ),
    *_rules(
        "WORKS_AT",
        "ORG",
        rf"{NOT}\s(?:works?|working|teach)\s(?:at|for)\s{_O}",
        rf"{ADVERBS}\sused to (?:work|teach) (?:at|for) {_O}",
        rf"{_HAVE}{ADVERBS}\s(?:quit(?: {_POST} at)?|resigned from|retired from)\s{_O}",
        rf"{_HAVE}{ADVERBS}\s(?:handed in (?:my|his|her) notice at|left (?:my|his|her) job at)\s{_O}",
        rf"(?:\swas|\sgot|'ve been|\shave been|\shas been)\s(?:fired|laid off) (?:by|from)\s{_O}",
        ends=True,
    ),
    *_rules(
        "STUDIES_AT",
        "ORG",
        rf"{ADVERBS}\sstud(?:y|ies)(?:\s[\w-]+){{0,3}}?\sat\s{_O}",
        rf"{BE}{ADVERBS}\sstudying(?:\s[\w-]+){{0,3}}?\sat\s{_O}",
    ),
    *_rules(
        "STUDIED_AT",
        "ORG",
        rf"{_HAVE}{ADVERBS}\s(?:graduated from|studied(?:\s[\w-]+){{0,3}}?\sat)\s{_O}",
        lasting=True,
    ),
)
PURSUITS: Final = (
    *_rules(
        "MEMBER_OF",
        "ORG",
        rf"{_HAVE}{ADVERBS}\s(?:joined|plays? (?:in|for|with)|sings? (?:in|with)|volunteer(?:s|ed)? with)\s{_O}",
        rf"{BE}{ADVERBS}\s(?:a member|part)\sof\s{_O}",
        overrides=False,
    ),
    *_rules(
        "TAKES_PART_IN",
        "EVENT",
        rf"{_HAVE}{ADVERBS}\s(?:(?:signed up|registered) for|entered|attended|took part in|ran|finished)\s{_O}",
        overrides=False,
    ),
    *_rules(
        "VISITED",
        "GPE",
        rf"{_HAVE}{ADVERBS}\s(?:visited|went(?: back| over| up| down)? to|flew to|travell?ed to|drove to)\s{_O}",
        rf"{_HAVE}{ADVERBS}\s(?:been to|got back from|returned from)\s{_O}",
        rf"{BE}{ADVERBS}\sback from\s{_O}",
        overrides=False,
    ),
    *_rules(
        "OWNS",
        "PRODUCT",
        rf"{_HAVE}{ADVERBS}\s(?:bought|own|owns|drive|drives|ordered)\s(?:an?|my|our|his|her)\s"
        rf"(?:(?:new|used|old|second-hand|first)\s){{0,2}}(?P<o>{ENTITY})(?!'s)",
    ),
)
COMPANY: Final = (
    *_rules(
        "OWNS",
        "PERSON",
        rf"{_HAVE}{ADVERBS}\s(?:have|has|got|have got|has got|adopted|owns?|rescued|bought|keeps?)\s"
        rf"(?:an?|another|one|two)\s(?:[\w-]+\s){{0,3}}{_CALLED}",
        lasting=True,
    ),
    *_rules(
        "OWNS",
        "PERSON",
        rf"\san?\s(?:[\w-]+\s){{0,2}}(?:{'|'.join(PETS)})\s{_CALLED}",
        lasting=True,
        subject=_CONTINUED,
    ),
    *_rules("SPOUSE_OF", "PERSON", rf"(?:{BE}|\sgot)?{ADVERBS}\smarried(?: to)?\s{_O}", lasting=True),
    *_rules(
        "PARTNER_OF",
        "PERSON",
        rf"(?:{BE}|\sgot|{_HAVE}){ADVERBS}\s(?:proposed to|engaged to|dating|going out with)\s{_O}",
        lasting=True,
    ),
    *_rules("FRIEND_OF", "PERSON", rf"{BE}{ADVERBS}\s(?:(?:best|good|old|close|great)\s)?friends with\s{_O}"),
)
RULES: Final = (*RESIDENCE, *WORK, *PURSUITS, *COMPANY)
"""All of them, in the order in which they are tried."""

_FOND: Final = r"a (?:big |huge |great )?fan of|into|fond of|crazy about|obsessed with"
_HATES: Final = r"hates?|dislikes?|detests?|can't stand|cannot stand|can't bear"
TASTE: Final = re.compile(
    rf"{SUBJECT}(?:{ADVERBS}\s(?P<like>loves?|likes?|enjoys?|adores?)|(?P<fan>{BE}{ADVERBS}\s(?:{_FOND}))|"
    rf"{ADVERBS}\s(?P<hate>{_HATES})|(?P<not>{NOT}\s(?:really\s)?(?:like|enjoy|a fan of|into)))\s"
)
"""What somebody likes or not; the object follows."""
PAIR: Final = re.compile(
    rf"(?P<s>{ENTITY}) (?:and|&) (?P<o>{ENTITY})(?: are|'re| got| were| have been){ADVERBS}\s"
    r"(?P<what>married|engaged|(?:(?:best|good|old|close)\s)?friends|siblings|colleagues|dating)\b"
)
"""What two people are to each other, in the group `what`."""
