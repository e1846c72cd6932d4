"""The patterns of `findings`, over cleaned sentences."""

import re
from typing import Final

from ragpp.models import FindingKind
from ragpp.text.english import WEEKDAYS

_WE: Final = r"(?<![\w'])(?:I|i|[Ww]e)"
_HAVE: Final = r"(?:'ve|'d|\shave|\shad)?"
_AM: Final = r"(?:'m|'re|\sam|\sare)"
_ADVERBS: Final = (
    r"(?:\s(?:just|finally|also|already|now|actually|really|recently|both|all|totally|definitely|officially|ultimately|"
    r"completely|eventually|still|suddenly|only|probably|currently|stupidly|basically|then|once|again)){0,2}"
)
_OFTEN: Final = (
    r"(?:usually|normally|typically|generally|often|always|mostly|regularly|almost always|tend to|never|rarely)"
)
_WEEKDAYS: Final = rf"(?:{'|'.join(WEEKDAYS)})s"
_EVERY: Final = (
    r"(?:every|each)\s(?:single\s|other\s|second\s)?(?:morning|day|evening|night|afternoon|week|weekend|month|year|"
    r"summer|winter|spring|autumn|fall|hour|lunchtime|Mon|Tues|Wednes|Thurs|Fri|Satur|Sun|Christmas|Easter|\w+day|"
    r"(?:two|three|four|few|couple of)\s\w+)(?:day)?"
)
_TIMES: Final = (
    r"(?:once|twice|(?:two|three|four|five|six|\d+)(?:\sor\s\w+)?\stimes|a few times|several times|a couple of times)\s"
    r"(?:a|each|every|per)\s(?:day|night|week|month|year)"
)
_MOST: Final = (
    r"(?:most|all|on weekday|weekday|on weekend|weekend)\s(?:days|mornings|evenings|nights|weekends|afternoons|weeks)"
)
_DAILY: Final = (
    rf"(?:{_EVERY}|{_TIMES}|{_MOST}|(?:on\s)?{_WEEKDAYS}(?:\s(?:mornings|evenings|nights|afternoons))?|daily|"
)
_REPEATED: Final = _DAILY + r"weekly|on weekends|at weekends|on weekdays|in the (?:mornings|evenings))"

OURS: Final = re.compile(r"(?<![\w'])(?:[Ii]|[Ww]e|[Mm]y|[Oo]ur|[Mm]e|[Uu]s)(?!\w)")
UNSAID: Final = re.compile(
    r"\b(?:fail|crash|broke|time[ds]|threw|throws|work|stopped|won't|didn't|wrong|mistake|accident|bug|typo|error|turn|"
    r"trick|lesson|key|secret|takeaway|insight|root|point|problem|issue|reason|culprit|decision|decided|settled|"
    r"official|"
    r"let's|going with|plan|goal|next|todo|to-do|to do|aim|intention|makes sense|explains|reali[sz]ed|learned|noticed)",
    re.IGNORECASE,
)
"""A sentence that neither speaks of the speaker nor has any of these says nothing of the kind; spares the patterns."""

CLAUSES: Final = re.compile(
    r"\s*(?:;|\s[-–—]\s)\s*|,?\s(?:but|so|and so|and then|then|because|although|though|while|which is why|and)\s"
    r"(?=(?:I|i|I'[a-z]+|[Ww]e|we'[a-z]+|[Hh]e|[Ss]he|they|it|it's|my|our|the|now|next|every|on|this)\b)|"
    r"(?<!settled)(?<!decided)(?<!official),\s(?=(?:I|we|I'[a-z]+|we'[a-z]+|which|but|so)\s)",
)
"""Where a clause ends and another with a subject of its own begins."""

DECISION: Final = re.compile(
    rf"{_WE}{_HAVE}{_ADVERBS}\s(?:decided|agreed\s(?:to|on|that|not)|settled\s(?:on|for)|opted\s(?:for|to|against|out)|"
    r"chose|chosen|picked|resolved\sto|committed\sto|made\s(?:up\s(?:my|our)\sminds?|the\s(?:final\s)?decision|"
    r"a\sdecision)|"
    r"(?:went|gone)\swith\s(?:the|a|an|option|plan)|ended\sup\s(?:choosing|going\swith|picking|deciding|buying)|"
    r"voted\s(?:to|for)|concluded\s(?:to|we should)|turned\sdown|accepted\s(?:the|an|their|a)\s(?:\w+\s)?(?:offer|job|"
    rf"position|role|place)|ruled\sout|called\soff)\b|{_WE}{_AM}{_ADVERBS}\s(?:going\swith|sticking\s(?:with|to)|not\s"
    r"(?:going\s(?:to|ahead)|doing|selling|buying|taking|renewing)\b[^,.]*\s(?:after\sall|any\s?more)|"
    r"decided\s(?:on|to))\b|"
    r"\b(?:[Mm]y|[Oo]ur|[Tt]he)\s(?:final\s)?decision\s(?:is|was)\b|^(?:[Ff]inal\s)?[Dd]ecision(?:\smade)?:|"
    r"\b[Ii]t(?:'s|\sis)\s(?:decided|settled|official)\b|"
    r"^(?:[Ss]o\s|[Oo][Kk](?:ay)?,?\s)?[Ll]et's\s(?:go\swith|stick\s(?:with|to)|settle\son)\b|"
    rf"{_WE}(?:'ll|\swill)\s(?:go|stick)\swith\b|^(?:[Dd]ecided|[Ss]ettled on|[Gg]oing with)\s",
)
ERROR: Final = re.compile(
    rf"{_WE}{_HAVE}{_ADVERBS}\s(?:forgot(?:ten)?|accidentally|mistakenly|messed\sup|screwed\sup|mixed\sup|"
    r"made\s(?:a|an|the|such a)\s(?:\w+\s){0,2}(?:mistake|error|typo|blunder)|missed\s(?:the|my|our|a|"
    r"that)\s(?:\w+\s){0,2}"
    r"(?:bus|train|flight|deadline|appointment|meeting|call|exit|stop|ferry|connection|turn|class|interview|plane)|"
    r"misread|misheard|misunderstood|miscalculated|overslept|underestimated|double-booked|locked\s(?:myself|"
    r"ourselves)\sout|"
    r"lost\s(?:my|our|the|all)\s(?:\w+\s)?(?:keys?|wallet|phone|passport|luggage|files?|data|work|bag|ticket|card|"
    r"notes?|password)|burn(?:t|ed)\sthe|left\s(?:my|the|our)\s(?:\w+\s){1,2}(?:at|on|in|behind)\b|"
    r"(?:\w+\s){1,4}the\swrong\s|got\s(?:the|my|our)?\s?(?:\w+\s){0,3}(?:wrong|mixed\sup)|"
    r"got\s(?:an?|this|that)\s(?:\w+\s){0,2}(?:error|exception)|shouldn't\shave|should\shave)|"
    r"\bby\s(?:mistake|accident)\b|^(?:[Oo]+ps|[Ww]h?oops|[Dd]amn|[Uu]gh|[Oo]h no)\b[^.]{0,40}\b(?:I|we)\b|"
    r"\b(?:went|gone|was|is)\s(?:badly\s|horribly\s|terribly\s|completely\s)?wrong\b|"
    r"\b(?:it|this|that|[Tt]he\s(?:\w+\s){1,3}|[Mm]y\s(?:\w+\s){1,2}|[Oo]ur\s(?:\w+\s){1,2})\s?(?:just\s|keeps\s|"
    r"suddenly\s|has\s|have\s)?"
    r"(?:failed|failing|crashed|crashes|crashing|broke\sdown|timed\sout|stopped\sworking|threw\san?\s|throws\san?\s|"
    r"doesn't\swork|didn't\swork|isn't\sworking|won't\s(?:start|load|open|compile|boot|connect)|is\sbroken|"
    r"didn't\s(?:save|load|go\sthrough|rise|arrive|sync))|"
    r"\b(?:bug|typo|mistake|error)\s(?:in|was|of\smine)\b|\b[Mm]y\s(?:bad|mistake|fault)\b",
)
INSIGHT: Final = re.compile(
    rf"{_WE}{_HAVE}{_ADVERBS}\s(?:reali[sz]ed?|learn(?:ed|t)\s(?:that|how|not|to|the\shard|a\slot\sabout|from)|"
    r"figured\sout|noticed|found\s(?:out|that)|discovered|come\sto\s(?:reali[sz]e|understand|see|appreciate|accept)|"
    r"came\sto\s(?:reali[sz]e|understand|see)|underst(?:and|ood)\s(?:now|that|why|how)|see\snow|understand\snow|"
    r"concluded\sthat|worked\sout\s(?:that|why|how)|recogni[sz]ed\sthat|know\snow|see\s(?:that|why)\snow)\b|"
    rf"{_WE}\s(?:now|finally)\s(?:understand|see|know|get)\s(?:that|why|how)\b|"
    r"(?:^|\b[Ii]t\s|\b[Aa]nd\s|\b[Ss]o\s|,\s|:\s)[Tt]urn(?:s|ed)\sout\b|\b[Ii]t\s(?:(?:just|finally|"
    r"suddenly)\s)?(?:dawned\son|hit|struck|"
    r"occurred\sto|clicked\sfor)"
    r"\s(?:me|us)\b|\b[Tt]he\s(?:real\s|main\s|big\s|whole\s|biggest\s)?(?:trick|lesson|key|secret|takeaway|insight|"
    r"root\scause|"
    r"point)\s(?:is|was|here\sis|I\slearned|for\sme)\b|\b[Tt]he\s(?:real\s|actual\s)?(?:problem|issue|reason|culprit)\s"
    r"(?:(?:with|for|behind|why)\s[^,.]{1,60}?\s)?(?:is|was|turned)\s(?:that|not|the|actually|because|my|a)\b|"
    r"\b(?:[Ll]esson\slearn(?:ed|t)|[Mm]akes\ssense\snow|[Tt]hat\sexplains\swhy)\b|"
    r"\bwhat\sI(?:'ve)?\s(?:really\s)?(?:learn(?:ed|t)|reali[sz]ed)\b|^(?:[Jj]ust\s)?(?:[Rr]eali[sz]ed|[Ll]earned|"
    r"[Nn]oticed)\s(?:that|I)\b",
)
PLAN: Final = re.compile(
    rf"{_WE}{_AM}{_ADVERBS}\s(?:going\sto\s(?!be\s(?:honest|fine|ok|able|sick|late))(?!the\b|a\b|my\b|say|tell you|"
    rf"need|miss)[a-z]+|"
    r"gonna\s(?!be\s(?:honest|fine|ok))[a-z]+|planning\s(?:to|on|a|an|our|my)|aiming\sto|set\sto|about\sto|due\sto|"
    r"hoping\sto|looking\sto|scheduled\sto|booked\s(?:on|in|for))\b|"
    rf"{_WE}{_HAVE}{_ADVERBS}\s(?:plan(?:ned)?\s(?:to|on|a|our)|intend\sto|aim\sto|hope\sto|signed\sup\s(?:for|to)|"
    rf"enrolled\s(?:in|for|on)|"
    r"registered\sfor|arranged\sto|booked\s(?!the\swrong)|scheduled)\b|"
    rf"{_WE}(?:'ve\sgot|\shave(?:\sgot)?|'ve)\s(?:an?|my|the|another|two)\s(?:\S+\s){{0,3}}(?:appointment|interview|"
    rf"exam|flight|"
    r"reservation|meeting|deadline|booking|surgery|check-up|viewing|audition|presentation|ticket|tickets)\b|"
    r"^(?:[Nn]ext (?:steps?|up|tasks?|thing on my list)(?:\sis|\sare|:|\s-)|T[Oo][- ]?D[Oo]\b:?)\s|"
    r"\b(?:[Mm]y|[Oo]ur|[Tt]he)\s(?:\w+\s)?(?:plan|goal|aim|intention)s?\s(?:is|are|for\s[^,.]{1,40}\sis)\s|"
    rf"{_WE}(?:'ll|\swill)\s(?:definitely\s|also\s|probably\s|be\s(?=\w+ing))?(?!be\s(?:fine|ok|back|there|honest|"
    rf"late|able|right)|"
    r"never|always|have\sto|let\s(?:you|her|him|them)\sknow|see\b|say|admit|not|think|miss|wait|give|take\s(?:it|that)|"
    r"keep\s(?:you|that|my)|need|know|get\sback|tell\s(?:you|him|her)|do\s(?:that|it|so)\b|try\s(?:that|it)\b|check\b|"
    r"ask|look\sinto|remember|pass|be\b(?!\s\w+ing))(?:be\s\w+ing|start|stop|learn|apply|move|quit|join|buy|sell|"
    r"sign|book|visit|travel|finish|study|train|"
    r"begin|launch|retire|renovate|build|host|attend|enrol|enroll|plant|adopt|replace|switch|cancel)\b",
)
_PRESENT: Final = (
    rf"{_WE}(?:\s(?:{_OFTEN}))?\s(?!was|were|had|did|went|got|took|am\b|are\b|will|would|could|can\b|used|have\sbeen|"
    r"think|thought|hope|wish|guess|know|said|told|just\b|\w{3,}ed\b)[a-z]+"
)
PATTERN: Final = re.compile(
    rf"{_WE}\s(?:(?:almost\s)?(?:usually|normally|typically|generally|often|regularly|mostly)|tend\sto)\s(?!prefer|"
    rf"like|love|hate|dislike|enjoy|agree|think|feel|find|forget)[a-z]+|"
    rf"{_WE}\s(?:almost\s)?(?:always|never)\s(?!mind|been|seen|had|knew|know|want|thought|heard|said|met|loved|liked|"
    r"wanted|forget|felt|understood|think|found|did|was|got|really|ever|quite|imagined|\w+ed\b|lived|have|be\b)[a-z]+|"
    rf"\b(?i:{_REPEATED})\b,?\s(?:[^,.]{{0,40}},\s|\w+\s(?:work|breakfast|lunch|dinner|bed|school)\s)?{_PRESENT}|"
    rf"{_PRESENT}\b[^,.;]{{0,80}}?\s(?i:{_REPEATED})\b|"
    rf"\b(?:[Ww]henever|[Ee]very\stime|[Ee]ach\stime)\s[^,.]{{2,60}},?\s{_PRESENT}|"
    rf"{_PRESENT}\b[^,.;]{{0,60}}?\s(?:whenever|every\stime|each\stime)\s(?:I|we|it|she|he|the|there|my)\b|"
    rf"\b(?:[Bb]efore|[Aa]fter|[Ff]irst\sthing\sin)\s[^,.]{{2,40}},?\s(?:I|we)\s(?:{_OFTEN})\s[a-z]+|"
    r"\b[Mm]y\s(?:\w+\s)?(?:routine|habit|ritual)\s(?:is|of|:)|"
    rf"\b(?i:{_REPEATED})\sis\s(?:\w+\s){{0,3}}(?:night|day|time)\b",
)
RULES: Final[tuple[tuple[FindingKind, float, re.Pattern[str]], ...]] = (
    ("decision", 0.8, DECISION),
    ("error", 0.8, ERROR),
    ("insight", 0.8, INSIGHT),
    ("plan", 0.7, PLAN),
    ("pattern", 0.7, PATTERN),
)
"""In the order in which they are tried."""

ONCE: Final = re.compile(
    r"\b(?:used to|when (?:I|we) (?:was|were)|as a (?:kid|child|teenager|student)|back then|in those days|"
    r"for (?:two|three|\w+) "
    r"(?:weeks|months) straight|would)\b",
    re.IGNORECASE,
)
"""A habit of the past."""
ABOUT_US: Final = re.compile(r"(?<![\w'])(?:I|i|[Ww]e|[Mm]y|[Oo]ur|[Mm]e|[Uu]s)\b")
ARRANGED: Final = re.compile(
    r"(?<![\w'])(?:I'm|i'm|I am|[Ww]e're|[Ww]e are)\s(?:all\s|both\s|also\s|finally\s|actually\s|probably\s)?(?:having|"
    r"getting|(?!expecting|feeling|thinking|being|hoping|enjoying|loving)\w+ing)\b|"
    r"\b(?:[Mm]y|[Oo]ur)\s(?:\w+\s){0,2}(?:flight|train|exams?|appointment|interview|party|wedding|course|lease|"
    r"holiday|vacation|shift|"
    r"surgery|class|term|job|leave|trip|move|deadline|presentation|meeting|operation|sabbatical|anniversary|"
    r"graduation|concert|recital|"
    r"race|marathon|viewing|opening|exhibition|launch|internship|semester|treatment|check-up|ferry|bus)\s(?:is|are|"
    r"starts|begins|opens|leaves)\b|(?<![\w'])(?:I|[Ww]e)\s(?:fly|leave|start|"
    r"have|move|begin|return|travel|meet|get\sback|depart|launch|close)\b|"
    r"(?<![\w'])(?:I|[Ww]e)(?:'ll|\swill)\s(?!not\b|never\b|be\s(?:fine|ok)|let\b|see\b|know\b|have\sbeen)[a-z]+"
)
"""A present that, with a date ahead, is an arrangement."""
NOT: Final = re.compile(
    r"\b(?:didn't|did not|never|wasn't|weren't|haven't|hasn't|couldn't|not|almost|nearly|can't|cannot)\b", re.IGNORECASE
)
