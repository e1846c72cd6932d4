"""The patterns of `kin_phrases`, over masked sentences: a possessive, a word for a relative, and perhaps a name."""

import re
from typing import Final

from ragpp.extraction.naming.masking import ENTITY
from ragpp.text.kinship import ADDRESSED, CANONICAL, PLURAL, TITLES

_KIN: Final = "|".join(re.escape(word) for word in sorted(CANONICAL, key=len, reverse=True))
_PLURAL: Final = "|".join(sorted(PLURAL, key=len, reverse=True))
_ADJECTIVES: Final = (
    r"(?:(?:older|younger|elder|eldest|oldest|youngest|little|big|late|dear|lovely|new|old|best|close|good|twin|"
    r"beloved|"
    r"other|amazing|wonderful|sweet|poor|first|second|only|dearest|middle|baby|current|favou?rite|crazy|adorable|"
    r"lazy|tiny|"
    r"next-door|upstairs|downstairs|\d+-year-old|(?P<ex>ex|former|previous|estranged|soon-to-be-ex))[ -]){0,2}"
)
_PLAIN_ADJECTIVES: Final = _ADJECTIVES.replace("?P<ex>", "?:")
_OWNER: Final = rf"(?:\b(?P<own>[Mm]y|[Oo]ur)|\b(?P<yours>[Yy]our|ur)|(?P<ent>{ENTITY})'s?|\b(?P<pron>[Hh]is|[Hh]er))"
_NOT_OWNER: Final = r"(?!')"
"""Who is "my mum's friend" is not my mum."""
_NOT_COMPOUND: Final = r"\b(?!-|\s(?:food|person|people|walker|sitter|jokes?|bed|photos?|appointment|lover)\b)"
STANDS_ALONE: Final = re.compile(
    r"\s*(?:[,.!?;:)]|$)|'s\b|\s(?:is|was|has|had|and|or|but|who|just|got|loves?|likes?|seems|sleeps?|barks?|can|"
    r"will)\b"
)
"""The words behind a pet that is meant itself: not "my horse painting"."""
_BESIDE: Final = (
    rf"(?:\s(?:since|from|at|in)\s[a-z]+(?:\s[a-z]+)?)?,\s(?P<apposed>{ENTITY})(?=\s*(?:[,.!;:)]|$))|"
    rf"\s\((?P<bracketed>{ENTITY})\)"
)
_STATED: Final = (
    rf"(?P<called>'s name is|\s(?:is\s|was\s)?(?:called|named))?\s(?P<name>{ENTITY})|{_BESIDE}|"
    rf"(?:\s(?:at|from|in)\s[a-z]+)?\sis\s(?P<equated>{ENTITY})(?=\s*(?:[,.!;)]|$|(?:and|but)\s))"
)
_RELATIVE: Final = rf"{_OWNER}\s{_ADJECTIVES}(?P<kin>(?i:{_KIN})){_NOT_COMPOUND}"
PHRASE: Final = re.compile(rf"{_RELATIVE}(?:{_STATED})?")
"""A relative; the groups `called` and `equated` where the sentence states the name."""
UNSTATED: Final = re.compile(rf"{_RELATIVE}(?:\s(?P<name>{ENTITY})|{_BESIDE})?")
"""A relative, whatever the sentence states of the name."""
GONE: Final = re.compile(
    r",?\s(?:just\s|sadly\s|recently\s)?(?:died|passed away|passed|ran away|was put down|had to be put down)\b"
)
GIVEN: Final = re.compile(r"\b(?:gave away|give away|given away|re-?homed?|put down|lost|buried|said goodbye to)\s$")
SEVERAL: Final = re.compile(
    rf"{_OWNER}\s{_ADJECTIVES}(?:two |three |four )?(?P<kin>(?i:{_PLURAL}))\b,?\s(?:are (?:called )?|called |named )?"
    rf"(?P<list>{ENTITY}(?:(?:,|,? and|,? &)\s{ENTITY}){{1,5}})"
)
STATED: Final = re.compile(
    rf"(?P<name>{ENTITY})(?:(?P<comma>,)|\sis|'s|\swas|\sbecame)\s{_OWNER}\s{_ADJECTIVES}(?P<kin>(?i:{_KIN}))"
    rf"{_NOT_COMPOUND}{_NOT_OWNER}(?(comma)(?=\s*(?:[,.!;)]|$)))"
)
PRONOUN_STATED: Final = re.compile(
    rf"\b(?P<who>[Ss]he|[Hh]e)(?:'s|\sis|\swas)\s\b(?P<own>[Mm]y|"
    rf"[Oo]ur)\s{_ADJECTIVES}(?P<kin>(?i:{_KIN})){_NOT_COMPOUND}{_NOT_OWNER}"
)
DENIED: Final = re.compile(r"(?:n't|\bnot|\bnever|\bno longer)(?:\s(?:been|be|really|actually|even|have|had))?\s$")
PREDICATE: Final = re.compile(r"(?:\b(?:is|was|were|be|been|being|become|became|as)|'s)\s$")
"""The words before what is said of somebody: "… is my aunt" makes nobody else."""
BOTH: Final = re.compile(
    rf"\b(?P<own>[Mm]y|[Oo]ur)\s{_PLAIN_ADJECTIVES}(?:{_KIN}),?\s{ENTITY},?\s(?:and|"
    rf"&)\s(?:my\s)?{_PLAIN_ADJECTIVES}(?P<kin>{_KIN})\s"
    rf"(?P<name>{ENTITY})"
)
HAS: Final = re.compile(
    rf"(?<![\w'])(?:I|[Ww]e)(?:'ve got|\shave(?:\sgot)?|\sonly have|\sjust had)\s(?:an?|one|two|three|four|"
    rf"five)\s{_PLAIN_ADJECTIVES}"
    rf"(?P<kin>{_KIN}|{_PLURAL})(?:,|:|\s[-–—]|,? called|,? named)\s(?P<list>{ENTITY}(?:(?:,|,? and|"
    rf",? &)\s{ENTITY}){{0,5}})"
)
OF: Final = re.compile(
    rf"(?P<name>{ENTITY})(?:,|\sis|'s|\swas)\s(?:the|"
    rf"an?)\s{_PLAIN_ADJECTIVES}(?P<kin>{_KIN})\sof\s(?:(?P<ent>{ENTITY})|(?P<own>mine))"
)
INTRODUCED: Final = re.compile(
    rf"\b(?:[Aa]n?|[Aa]nother|(?P<own>[Oo]ne of (?:my|our)))\s{_PLAIN_ADJECTIVES}(?:\w+\s)?"
    rf"(?P<kin>(?i:{_KIN}|{_PLURAL}))"
    rf"(?P<mine>\sof (?:mine|ours))?,?\s(?(mine)(?:(?:called|named|whose name is)\s)?|(?:called|named|whose name is)\s)"
    rf"(?P<name>{ENTITY})"
)
BARE: Final = re.compile(rf"\b(?P<kin>{'|'.join(sorted(word.capitalize() for word in ADDRESSED))})\b(?!-)")
TITLED: Final = re.compile(rf"\b(?P<kin>{'|'.join(sorted(word.capitalize() for word in TITLES))})\s(?P<name>{ENTITY})")
UNTIL: Final = re.compile(r"\b(?:until|till|back then|back when|for a while|years ago)\b")
"""Behind "Leo was my boss": he is no more."""
NO_LONGER: Final = re.compile(
    rf"(?P<name>{ENTITY})(?:(?:'s|\sis)\s(?:no longer|not)|\sisn't)\s(?P<own>[Mm]y|"
    rf"[Oo]ur)\s{_PLAIN_ADJECTIVES}(?P<kin>(?i:{_KIN}))"
    rf"\b{_NOT_OWNER}(?P<more>\sany\s?more)?"
)
"""A relative who is one no more; "isn't" alone says that there never was one."""
EX: Final = re.compile(rf"\b[Mm]y\sex,?\s(?P<name>{ENTITY})")
I_AM: Final = re.compile(
    rf"\bI(?:'m|\sam)\s(?:(?P<ent>{ENTITY})'s?\s{_PLAIN_ADJECTIVES}(?P<kin>(?i:{_KIN}))\b{_NOT_OWNER}|(?:the|"
    rf"an?)\s{_PLAIN_ADJECTIVES}"
    rf"(?P<kin2>(?i:{_KIN}))\sof\s(?P<ent2>{ENTITY}))"
)
