"""Pets, partners and friends: whom somebody lives with, and no longer does."""

import re
from typing import Final

from ragpp.extraction.naming.masking import ENTITY
from ragpp.extraction.relationships.rule import ADVERBS, BE, CALLED, CONTINUED, HAVE, SPEAKER_IMPLIED, TARGET, rules
from ragpp.text.kinship import CANONICAL, PETS

_SOMEBODY: Final = rf"(?:{'|'.join(sorted(CANONICAL.keys() - set(PETS)))})\s(?:called|named|whose)\b"
"""A person, whom nobody owns: not "a baby rabbit called …"."""

COMPANY: Final = (
    *rules(
        "OWNS",
        "PERSON",
        rf"{HAVE}{ADVERBS}\s(?:have|has|got|have got|has got|adopted|owns?|rescued|bought|keeps?)\s"
        rf"(?:an?|another|one|two)\s(?:(?!{_SOMEBODY})[\w-]+\s){{0,3}}{CALLED}",
        lasting=True,
    ),
    *rules(
        "OWNS",
        "PERSON",
        rf"\san?\s(?:[\w-]+\s){{0,2}}(?:{'|'.join(PETS)})\s{CALLED}",
        lasting=True,
        subject=CONTINUED,
    ),
    *rules(
        "OWNS",
        "PERSON",
        rf"{HAVE}{ADVERBS}\s(?:have|has|got|adopted|rescued|bought|took in)\s(?:an?|another)\s(?:[\w-]+\s){{0,3}}?"
        rf"(?:{'|'.join(PETS)})\s(?:last \w+ )?(?:and|who we)\s(?:we\s|I\s)?(?:named|called|call)\s(?:her|him|it|"
        rf"them)\s"
        rf"(?P<o>{ENTITY})",
        rf"{HAVE}{ADVERBS}\s(?:named|called)\s(?:my|our|his|her|"
        rf"the)\s(?:[\w-]+\s){{0,2}}?(?:{'|'.join(PETS)})\s(?P<o>{ENTITY})",
        rf"{ADVERBS}\s(?:have|has|got|'ve got)\s(?:an?|"
        rf"another)\s(?:[\w-]+\s){{0,2}}?(?:{'|'.join(PETS)}),\s(?P<o>{ENTITY})",
        lasting=True,
    ),
    *rules(
        "SPOUSE_OF",
        "PERSON",
        rf"(?:{BE}|\sgot|'ve been|\shave been|"
        rf"\shas been)?{ADVERBS}\smarried(?: to)?\s(?:an? (?:[\w-]+\s){{1,3}}(?:called|named)\s)?"
        rf"{TARGET}",
        lasting=True,
    ),
    *rules(
        "SPOUSE_OF",
        "PERSON",
        rf"(?:{BE}|\sgot|{HAVE}){ADVERBS}\s(?:divorced|divorcing|separated)(?: from)?\s{TARGET}",
        rf"{ADVERBS}\s(?:used to be|was once|were once) married to\s{TARGET}",
        ends=True,
    ),
    *rules(
        "PARTNER_OF",
        "PERSON",
        rf"{HAVE}{ADVERBS}\s(?:broke up|split up|split|broken up|ended things|ended it|parted ways)\swith\s{TARGET}",
        rf"{HAVE}{ADVERBS}\s(?:dumped|stopped (?:dating|seeing))\s{TARGET}",
        rf"{ADVERBS}\sused to (?:date|go out with)\s{TARGET}",
        rf"{BE}\s(?:not|no longer)\s(?:dating|seeing|with|engaged to)\s{TARGET}(?:\s(?:any\s?more|now))?",
        ends=True,
    ),
    *rules(
        "PARTNER_OF",
        "PERSON",
        rf"(?:{BE}|\sgot|{HAVE}){ADVERBS}\s(?:proposed to|engaged to|dating|"
        rf"going out with|been dating|been seeing|been going out with|in a relationship with)\s{TARGET}",
        lasting=True,
    ),
    *rules(
        "PARTNER_OF",
        "PERSON",
        rf"(?<![\w'])(?P<o>{ENTITY})(?:\sjust|\sfinally)?\s(?:dumped|left|broke up with|split up with|"
        rf"broke it off with)\sme\b",
        ends=True,
        subject=SPEAKER_IMPLIED,
    ),
    *rules(
        "PARTNER_OF",
        "PERSON",
        rf"(?:{BE}|{HAVE}|\sstarted){ADVERBS}\s(?:been )?(?:dating|seeing|going out with)\s(?:someone|somebody|an?|"
        rf"this)(?:\s[\w-]+){{0,3}}?,?\s"
        rf"(?:called|named|(?:his|her|their) name is|(?:his|her|their) name's)\s{TARGET}",
        lasting=True,
    ),
    *rules("FRIEND_OF", "PERSON", rf"{BE}{ADVERBS}\s(?:(?:best|good|old|close|great)\s)?friends with\s{TARGET}"),
)

PAIR: Final = re.compile(
    rf"(?:(?P<s>{ENTITY}) (?:and|&) (?:(?P<o>{ENTITY})|(?P<i>I|me))|\b(?P<me>Me|I|me) and (?P<with>{ENTITY}))(?P<be>"
    rf"(?: are|'re| got| were| have been| have| just got| are getting| both)?{ADVERBS}\s)"
    r"(?P<what>married|engaged|(?:(?:best|good|old|close)\s)?friends|siblings|sisters|brothers|twins|cousins|"
    r"colleagues|"
    r"co-?workers|teammates|neighbou?rs|flatmates|roommates|housemates|classmates|dating|a couple|work together|"
    r"share an? (?:\w+ )?(?:flat|house|apartment|place|room)|"
    r"(?P<over>(?:broke|broken|split) up|split|(?:got |are |are getting |were )?(?:divorced|separated)|"
    r"(?:are )?no longer together|(?:aren't|are not) together any\s?more|ended things|called off (?:our|"
    r"the) engagement|"
    r"parted ways|called it quits))\b"
)
"""What two people are to each other, in the group `what`, or are no more, in `over`."""
BREAK_UP: Final = re.compile(
    rf"\b[Ww]e(?:'ve|\shave)?{ADVERBS}\s(?:broke up|broken up|split up|split|separated|got divorced|divorced|"
    rf"ended things|"
    r"called it quits|are no longer together|aren't together any\s?more)\b"
)
"""Of the speaker and a partner whom the sentence before named."""
NEW_PET: Final = re.compile(
    rf"(?<![\w'])(?:I|[Ww]e){HAVE}{ADVERBS}\s(?:have|got|adopted|rescued|bought|took in|picked up)\s(?:an?|another|"
    rf"our|my)\s"
    rf"(?:[\w-]+\s){{0,3}}?(?:{'|'.join(PETS)})\b(?!\s(?:called|named))"
)
PET_NAME: Final = re.compile(
    r"^(?:(?:[Hh]er|[Hh]is|[Ii]ts|[Tt]he (?:dog|cat|puppy|kitten))(?:'s)? name(?:'s| is)|(?:[Ss]he|[Hh]e|[Ii]t)(?:'s|"
    r" is) (?:called|named)|"
    rf"(?:[Ww]e|I)(?:'ve)? (?:named|called) (?:her|him|it)) (?P<o>{ENTITY})"
)
"""What a pet of the sentence before is called."""
