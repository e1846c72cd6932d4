"""The patterns of `relations`: residence, pursuits, belongings and company, and together with work all of them."""

import re
from typing import Final

from ragpp.extraction.naming.masking import ENTITY
from ragpp.extraction.relationships.company_rules import COMPANY
from ragpp.extraction.relationships.rule import (
    ADVERBS,
    AFTER,
    BE,
    HAVE,
    NO_MORE,
    NOT,
    SPEAKER_IMPLIED,
    SUBJECT,
    TARGET,
    Rule,
    rules,
)
from ragpp.extraction.relationships.work_rules import WORK

_MOVED: Final = rf"{HAVE}{ADVERBS}\s(?:moved|relocated)(?:\s(?:back|over|up|down|out|house|away|here)){{0,2}}"

RESIDENCE: Final = (
    *rules(
        "LIVES_IN",
        "GPE",
        rf"{ADVERBS}\s(?:lives?|resides?|settled(?: down)?)\sin\s{TARGET}",
        rf"{ADVERBS}\slives?\s(?:on|at|near|by|with|above|next to)\s[^,.]{{2,40}}?\sin\s{TARGET}",
        rf"(?:{BE}{ADVERBS}\s(?:living|based)|\s(?:love|like|enjoy)s? living)\sin\s{TARGET}",
        rf"{HAVE}{ADVERBS}\slived in {TARGET}\s(?:for|since|my whole life|all my life|ever since)\b(?!.*\b(?:before|"
        rf"until|ago)\b)",
        rf"{_MOVED}(?:\sfrom {ENTITY})?,?\s(?:in)?to\s{TARGET}",
        rf"{HAVE}{ADVERBS}\s(?:packed up|upped sticks)(?: and left)? {ENTITY} for {TARGET}",
        rf"{HAVE}{ADVERBS}\s(?:settled|made (?:a|our|my) home)\sin\s{TARGET}",
        rf"{BE}{ADVERBS}\s(?:based |living )?(?:in|based out of)\s{TARGET}\s(?:now|these days|nowadays|at the moment|"
        rf"full[- ]time|for good)",
        rf"{BE}{ADVERBS}\s(?:living|based)\s(?:just\s)?(?:outside|out of|near)\s{TARGET}",
        rf"{HAVE}{ADVERBS}\s(?:call|calls|made)\s{TARGET}\s(?:my\s|our\s|her\s|his\s)?home",
        rf"{HAVE}{ADVERBS}\s(?:bought|rented|rent|got|found)\s(?:an?|our|my|the)\s(?:[\w-]+\s){{0,2}}(?:flat|apartment|"
        rf"home)\sin\s{TARGET}",
        rf"{BE}\sback\sin\s{TARGET}\s(?:for good|after|now)",
        rf"{HAVE}{ADVERBS}\smade the (?:big )?move to\s{TARGET}",
        rf"(?:{BE}|{HAVE}){ADVERBS}\s(?:renting|rent|sharing|share)\s(?:an?|the|our|"
        rf"my)\s(?:[\w-]+\s){{1,4}}?in\s{TARGET}",
        rf"{BE}{ADVERBS}\s(?:moving|relocating) (?:back )?to {TARGET} (?:today|this morning|this week)",
        rf"(?:\sgot|\swas|\swere|'ve been|\shave been)\s(?:transferred|relocated|posted)\sto\s{TARGET}",
    ),
    *rules(
        "LIVES_IN",
        "GPE",
        rf"\s(?:now|currently|these days|nowadays)\s(?:lives?|living|based|settled)\sin\s{TARGET}",
        subject=AFTER,
    ),
    *rules(
        "LIVES_IN",
        "GPE",
        rf"\b(?:[Hh]ome(?:\s(?:for|to)\s(?:me|us))?\s(?:is|these days is)(?:\snow)?|(?:the keys to|moved into|"
        rf"settled into|"
        rf"settling into)\s(?:our|my)\s(?:[\w-]+\s)?(?:place|flat|apartment|house|home)\sin|[Mm]y home is in|"
        rf"[Mm]y home town is now)\s{TARGET}",
        rf"(?<![\w'])(?P<o>{ENTITY})(?:'s|\sis|\shas been)(?:\snow)?\s(?:my home|home|our home)(?:\snow)?\b",
        rf"\b(?:transferred|relocated|moved|posted)\s(?:me|us)\sto\s{TARGET}",
        subject=SPEAKER_IMPLIED,
    ),
    *rules(
        "LIVES_IN",
        "GPE",
        rf"{NOT}(?:(?<=no longer)|{NO_MORE})\s(?:lives?|living)\sin\s{TARGET}",
        rf"{ADVERBS}\sused to live in {TARGET}",
        rf"{_MOVED}\s(?:from|of)\s{TARGET}",
        rf"{HAVE}{ADVERBS}\sleft {TARGET}\s(?:for good|behind|forever)",
        rf"{HAVE}{ADVERBS}\s(?:packed up|upped sticks)(?: and left)? {TARGET}",
        rf"{HAVE}{ADVERBS}\s(?:gave|given|give) up (?:my|our|the|her|his) (?:\w+ )?(?:flat|place|apartment|house|"
        rf"room) in\s{TARGET}",
        rf"{HAVE}{ADVERBS}\s(?:sold|left) (?:my|our|the|her|his) (?:\w+ )?(?:flat|place|apartment|home) in\s{TARGET}",
        rf"{BE}\s(?:not|no longer)\s(?:living |based )?in\s{TARGET}\s(?:any\s?more|these days|now|at all)",
        ends=True,
    ),
    *rules(
        "FROM",
        "GPE",
        rf"{BE}(?: both)?(?:\s(?:originally|actually))?\sfrom\s{TARGET}",
        rf"{ADVERBS}\s(?:comes? from|(?:was|were) (?:born|raised|born and raised|brought up) in|grew up in|"
        rf"hails? from|spent (?:my|his|her) (?:whole )?childhood in)\s{TARGET}",
        lasting=True,
    ),
    *rules(
        "FROM",
        "GPE",
        rf"(?:\bI'm|\bI am|\b[Mm]y name is|\b[Mm]y name's)\s{ENTITY},?\s(?:and\s(?:I'm|"
        rf"I am)\s)?(?:originally\s)?from\s{TARGET}",
        rf"\b[Mm]y (?:hometown|home town|birthplace) is\s{TARGET}",
        lasting=True,
        subject=SPEAKER_IMPLIED,
    ),
)
PURSUITS: Final = (
    *rules(
        "MEMBER_OF",
        "ORG",
        rf"{HAVE}{ADVERBS}\s(?:joined|plays? (?:in|for|with)|sings? (?:in|with)|volunteer(?:s|ed)? with)\s{TARGET}"
        r"(?!\sas\s(?:an?|the|their)\b)",
        rf"{BE}{ADVERBS}\s(?:a member|part)\sof\s{TARGET}",
        overrides=False,
    ),
    *rules(
        "MEMBER_OF",
        "ORG",
        rf"(?:{BE}|{HAVE}){ADVERBS}\s(?:play|sing|perform|dance|drum|row|run|am|is|are|joined|"
        rf"started)?s?(?:\s[\w-]+){{0,2}}?\s?"
        rf"\b(?:in|with|for)?\s?(?:an?|the|my|our)\s(?:[\w-]+\s){{0,3}}?(?:band|choir|team|club|orchestra|group|"
        rf"troupe|quartet|trio|league)"
        rf"\s(?:called|named)\s{TARGET}",
    ),
    *rules(
        "MANAGES",
        "PERSON",
        rf"{ADVERBS}\s(?:manages?|supervises?)\s{TARGET}",
    ),
    *rules("REPORTS_TO", "PERSON", rf"{ADVERBS}\sreports?(?:\sdirectly)?\sto\s{TARGET}"),
    *rules(
        "TAKES_PART_IN",
        "EVENT",
        rf"{HAVE}{ADVERBS}\s(?:(?:signed up|registered) for|entered|attended|took part in|ran|finished)\s{TARGET}",
        overrides=False,
    ),
    *rules(
        "VISITED",
        "GPE",
        rf"{HAVE}{ADVERBS}\s(?:visited|went(?: back| over| up| down)? to|flew to|travell?ed to|drove to)\s{TARGET}",
        rf"{HAVE}{ADVERBS}\s(?:been to|got back from|returned from)\s{TARGET}",
        rf"{BE}{ADVERBS}\sback from\s{TARGET}",
        rf"{HAVE}{ADVERBS}\sspent\s(?:[\w-]+\s){{1,4}}?in\s{TARGET}",
        rf"{HAVE}{ADVERBS}\s(?:flew|drove|came|got)\s(?:home|back)\sfrom\s{TARGET}",
        rf"{HAVE}{ADVERBS}\s(?:took|went on|did|made)\s(?:an?|our|my|the)\s(?:[\w-]+\s){{0,3}}?(?:trip|holiday|"
        rf"vacation|tour|honeymoon|"
        rf"excursion)\s(?:to|in|around)\s{TARGET}",
        rf"\s(?:was|were)\s(?:on (?:holiday|vacation)|visiting|on a trip|on our honeymoon)(?:\s(?:in|to))?\s{TARGET}",
        overrides=False,
    ),
    *rules(
        "OWNS",
        "PRODUCT",
        rf"{HAVE}{ADVERBS}\s(?:bought|own|owns|drive|drives|ordered)\s(?:an?|my|our|his|her)\s"
        rf"(?:(?:new|used|old|second-hand|first)\s){{0,2}}(?P<o>{ENTITY})(?!'s)",
        rf"{HAVE}{ADVERBS}\s(?:traded|swapped|exchanged)\s[^,.]{{3,60}}?\sfor\s(?:an?|my|our)\s(?:new\s|"
        rf"used\s)?(?P<o>{ENTITY})(?!'s)",
    ),
    *rules(
        "OWNS",
        "PRODUCT",
        rf"{HAVE}{ADVERBS}\s(?:sold|got rid of|gave away|donated|scrapped|traded in|crashed and lost)\s(?:the|my|"
        rf"our|his|her)\s"
        rf"(?:(?:new|used|old|second-hand|first|beloved)\s){{0,2}}(?P<o>{ENTITY})(?!'s)",
        ends=True,
    ),
)
RULES: Final[tuple[tuple[re.Pattern[str], tuple[Rule, ...]], ...]] = (
    (
        re.compile(
            r"\b(?:liv|resid|settl|mov|relocat|based|home|from|born|raised|grew|hail|left|pack|upped|keys|flat|"
            r"apartment|house|back|hometown|birthplace|"
            r"in\b|made|transferr|posted|call)",
            re.IGNORECASE,
        ),
        RESIDENCE,
    ),
    (
        re.compile(
            r"\b(?:work|teach|volunt|freelanc|intern|employ|promot|hired|quit|resign|retire|left|fired|laid|let go|"
            r"made|"
            r"sacked|last|job|role|position|shift|first|notice|stud|doing|finish|starting|pursuing|taking|enrol|"
            r"attend|go|"
            r"drop|graduat|start|began|join|accept|took|land|found|got|manag|lead|run|head|supervis|stopped|"
            r"no longer|not)|"
            r"(?:\b(?:am|are|is|been)|'m|'re|'s)\b.*\b(?:at|with|for)\b",
            re.IGNORECASE,
        ),
        WORK,
    ),
    (
        re.compile(
            r"\b(?:join|play|sing|volunt|member|part|left|quit|drop|resign|no|not|manag|superv|report|sign|regist|"
            r"enter|"
            r"attend|took|ran|finish|visit|went|flew|trave|drove|been|back|return|bought|own|driv|order|sold|got|gave|"
            r"donat|scrap|trade|crash|spent|band|choir|team|club|orchestra|group|troupe|quartet|trio|league|swapp|"
            r"exchang|on holiday|on vacation)",
            re.IGNORECASE,
        ),
        PURSUITS,
    ),
    (
        re.compile(
            r"\b(?:a|an|another|one|two|have|has|got|own|married|divorc|separat|broke|split|ended|parted|dump|stopped|"
            r"dating|seeing|with|engag|propos|going|relationship|friends|named|called|broken|used|left|name)",
            re.IGNORECASE,
        ),
        COMPANY,
    ),
)
"""All of them, in the order in which they are tried, under a word without which none of them matches."""

_FOND: Final = r"a (?:big |huge |great )?fan of|into|fond of|crazy about|obsessed with"
_HATES: Final = r"hates?|dislikes?|detests?|can't stand|cannot stand|can't bear"
TASTE: Final = re.compile(
    rf"{SUBJECT}(?:{ADVERBS}\s(?P<like>loves?|likes?|enjoys?|adores?)|(?P<fan>{BE}{ADVERBS}\s(?:{_FOND}))|"
    rf"{ADVERBS}\s(?P<hate>{_HATES})|(?P<not>{NOT}\s(?:really\s)?(?:like|enjoy|a fan of|into)))\s"
)
"""What somebody likes or not; the object follows."""
