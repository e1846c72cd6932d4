"""The patterns of `statements`, over cleaned sentences: how people say what they want, do, like and are.

A pattern ends where the phrase begins that says what it is about, unless a group holds it.
"""

import re
from typing import Final

from ragpp.text.english import word_set

_ADVERBS: Final = (
    r"(?:\s(?:really|just|also|actually|still|now|generally|usually|definitely|absolutely|totally|truly|personally|"
    r"quite|strongly|always|much|honestly|simply|do|kind of|sort of|tend to|both|all|would)){0,2}"
)
_I: Final = r"(?<![\w'])[Ii]"
_WE: Final = r"(?<![\w'])(?:[Ii]|[Ww]e)"
_HAVE: Final = r"(?:'ve|\shave)?"
_AM: Final = rf"{_I}(?:'m|\sam|'ve been|\shave been)"
_AM_OR_NOT: Final = rf"{_AM}(?P<no>\snot|\sno longer)?{_ADVERBS}\s"
_CAPITALISED: Final = r"(?P<name>[A-Z][\w'-]*(?:\s[A-Z][\w'-]*)?)"

PREFER: Final = re.compile(rf"{_I}(?P<would>'d|\swould)?{_ADVERBS}\sprefer\s")
RATHER: Final = re.compile(rf"{_I}(?:'d|\swould)\s(?:much\s)?rather\s(?!not\b)")
NAME: Final = re.compile(
    r"(?:(?:^|[,.:;]\s|\b(?:[Pp]lease|[Jj]ust|but|and|so|also|can|may|could|to|[Pp]eople|[Ee]veryone|[Ee]verybody|"
    r"[Ff]riends|[Ff]amily|[Tt]hey|[Cc]olleagues)\s)[Cc]alls?\sme|"
    rf"\b[Mm]y name is|{_I}\sgo by|\bto be (?:called|addressed as|known as))\s{_CAPITALISED}"
    r"(?=\s*(?:[,.!;:)]|$|\b(?:not|instead|please|everyone|by|and|for|from|rather|but)\b))"
)
REFUSED_NAME: Final = re.compile(rf"\b(?:don't|do not|never)\s(?:ever\s)?call\sme\s{_CAPITALISED}")
FAVOURITE: Final = re.compile(
    r"\b[Mm]y\s(?:new\s|all-time\s|absolute\s|current\s)?favou?rite\s(?P<thing>[\w-]+(?:\s[\w-]+){0,5}?)"
    r"(?:\s(?:is|are)|'s|(?P<past>\s(?:used to be|was|were)))\s(?:still\s|now\s|probably\s|definitely\s)?"
)
IS_FAVOURITE: Final = re.compile(
    r"(?:^|[,;]\s)(?P<value>[\w' -]{2,40}?)\s(?:is|are)\s(?:still\s|now\s)?my\s(?:new\s|absolute\s)?favou?rite\s"
)

REQUEST: Final = re.compile(
    r"(?:\b[Pp]lease,?\s(?P<how>don't ever|do not ever|don't|do not|never|always)\s|"
    r"^(?:[Aa]nd\s|[Ff]rom now on,?\s)?(?P<order>[Dd]on't ever|[Nn]ever|[Aa]lways|(?:[Dd]on't|"
    r"[Dd]o not)(?=[^,.!]*\b(?:before|after|during|when|while|between|"
    r"unless|at night|on \w+days?|at weekends|on weekends)\b))\s(?=(?:call|text|email|message|ring|write|use|send|"
    r"answer|reply|contact|address|wake|remind|schedule|book|assume|disturb|plan|order)\b))"
)
MANNER: Final = re.compile(
    r"\b[Pp]lease\s(?P<verb>answer|reply|respond|write|speak)\s(?:to me\s)?(?=(?:in|with|by|without|using)\s)"
)
LENGTH: Final = re.compile(
    r"(?:\b[Pp]lease\s(?:always\s)?keep|^[Kk]eep|\byou keep)\s(?:your\s|the\s|my\s|all\s)?"
    r"(?P<what>answers?|repl(?:y|ies)|messages?|responses?|summar(?:y|ies)|emails?|explanations?)\s(?:(?:very|"
    r"really|nice and|as|quite)\s)?"
    r"(?P<how>short|brief|concise|long|detailed|simple|formal|casual|to the point|crisp|friendly|polite|"
    r"(?:under|below|at most|to|within|less than)\s(?:\w+\s){1,3}(?:sentences?|words|lines|paragraphs?|bullets?|"
    r"points?|minutes))\b"
)

DIET: Final = re.compile(
    rf"{_AM_OR_NOT}(?:an?\s)?(?:strict\s|strictly\s|lifelong\s)?"
    r"(?P<diet>vegetarian|vegan|pescatarian|pescetarian|gluten[- ]free|lactose[- ]intolerant|coeliac|celiac|teetotal|"
    r"dairy[- ]free|flexitarian|kosher|halal)\b(?!\s(?:friend|curious|restaurant|chef|option|food))"
)
OWN_ALLERGY: Final = re.compile(rf"{_I}(?:'ve|\shave)(?:\sgot)?\san?\s(?:\w+\s)?(?P<what>[\w-]+)\sallergy\b")
OCCUPATION: Final = re.compile(rf"{_I}(?:\swork|'m working|\sam working)\sas\san?\s")
OWN_DIET: Final = re.compile(
    rf"(?:{_AM}{_ADVERBS}\s(?:on|following)|{_I}{_ADVERBS}\s(?:follow|eat))\san?\s(?P<diet>(?!strict\sdiet|"
    rf"new\sdiet)[\w-]+(?:\s[\w-]+)?)\sdiet\b|"
    rf"{_I}{_ADVERBS}\s(?:keep|eat)(?:\s(?:mostly|only|strictly))?\s(?P<kept>kosher|halal|vegan|vegetarian|"
    rf"plant-based|gluten-free|keto)\b"
)
PRONOUNS: Final = re.compile(r"\b[Mm]y pronouns are\s(?P<which>\w+/\w+)")
BIRTHDAY: Final = re.compile(r"\b[Mm]y birthday(?:\sis|'s)\s")
PERSON: Final = re.compile(
    r"(?<![\w'])(?:[Ii]'m|[Ii] am|[Ii]'ve always been|[Ii]'ve never been)(?:\s(?:really|definitely|totally|"
    r"very much|just|such|still|"
    r"more of|quite|basically|honestly))*(?P<no>\snot(?:\s(?:really|much of|exactly))?)?\s(?:more of\s)?an?\s(?:\w+\s)?"
    r"(?P<kind>(?:window seat|aisle seat|window|aisle|morning|night|evening|cat|dog|tea|coffee|beach|mountain|city|"
    r"country|people|summer|winter|beer|"
    r"wine|book|outdoors|"
    r"outdoor|indoor|early|sweet|savou?ry|train|pizza|pasta|meat|bread|cheese|music|plant|bike|car|Mac|Android|"
    r"Linux|Windows|jazz|"
    r"chocolate|animal|horse|film|movie|game|board game|sci-fi|fantasy|history|football|breakfast|art|theatre|opera|"
    r"gym|"
    r"home|travel)\s(?:person|people|guy|girl|gal|man|woman|lover|nut|addict|fan|fanatic|buff|geek|nerd|junkie|"
    r"enthusiast|"
    r"freak|drinker|eater)|night owl|early bird|early riser|homebody|bookworm)\b"
)
BIRDS: Final = {
    "night owl": "night",
    "early bird": "morning",
    "early riser": "morning",
    "homebody": "home",
    "bookworm": "book",
}
ANY_DAY: Final = re.compile(
    r"(?:\b[Gg]ive me\s|\bI'll take\s|\bI'd pick\s|\bI'd choose\s|\bI (?:always |usually )?(?:choose|pick|go for)\s|^)"
    r"(?P<wanted>[\w' -]{2,40}?)\sover\s"
    r"(?P<over>(?:(?!\b(?:was|were|is|are|has|had|did|does|will|would|can)\b)[\w' -]){2,40}?)"
    r"(?:,?\s(?:any day|any time|every time|anytime|"
    r"for me|always)\b|[.!]?$)"
)
TAKEN: Final = re.compile(
    rf"{_WE}(?:\s(?:usually|always|normally|generally|typically|really|only|now|still|just)){{0,2}}\s(?:like|prefer|"
    rf"take|drink|have|eat|want|order)\s"
    r"(?:my|our)\s(?P<thing>coffee|tea|steaks?|eggs?|curry|curries|pizza|burgers?|toast|pasta|soup|food|rice|"
    r"noodles|beer|wine|whisky|whiskey|"
    r"espresso|sandwich(?:es)?|salad|chocolate|fish|meat|vegetables|martinis?|showers?|music|room|bedroom|answers|"
    r"replies|mornings|"
    r"weekends|bananas|apples|bread|potatoes|chips|fries|popcorn|porridge|oatmeal|water|drinks|desserts?|"
    r"bacon)\s(?:(?:really|very|quite|extra|super|nice and|a bit)\s)?(?P<how>\w[\w' -]{1,60})"
)
NO_MANNER: Final = word_set(
    "and but or at in on from with for here there now too every when because so after before while to a lot as is "
    "are was very "
    "today outside alone together early late that which who i we if this these those"
)
"""First words that tell when or where and not how."""
USUAL: Final = re.compile(
    r"\b[Mm]y\s(?P<kind>go-to|usual|regular|preferred|ideal|default|"
    r"standard)(?:\s(?P<what>[\w-]+(?:\s[\w-]+)?))?\s(?:is|"
    r"are)\s(?:still\s|always\s)?"
)
NO_CHOICE: Final = word_set("mistake problem excuse response reaction reply answer issue self")
"""Words for what is usual of somebody without being wanted."""
SWITCHED: Final = re.compile(
    rf"{_WE}{_HAVE}{_ADVERBS}\s(?:switched|converted|gone over|went over|changed|moved on|moved over|"
    rf"swapped)\s(?:over\s|back\s)?"
    r"(?:from\s(?P<before>[\w' -]{2,40}?)\s)?to\s(?P<now>[\w' -]{2,60})"
)
BEATS: Final = re.compile(
    r"(?:\b[Nn]othing (?:beats|is better than|better than|compares to|makes me happier than|relaxes me more than|"
    r"calms me like)|\b[Tt]here(?:'s| is) nothing (?:better than|"
    r"like)|"
    r"\b[Yy]ou can't beat)(?:\sa\s(?:\w+\s)?(?:bowl|cup|glass|plate|slice|piece|bit|mug|pot) of)?\s"
)
WHEN: Final = re.compile(
    r"(?<![\w'])I(?:\s(?:really|absolutely|just|always|also))?\s(?:(?P<like>love|like|enjoy|appreciate)|hate|"
    r"can't stand|dislike|"
    r"don't like|can't bear)\s(?:it\s)?when\s"
)
PARTICULAR: Final = re.compile(r"\b(?:you|me|us|this|these|last|yesterday|today|that day)\b", re.IGNORECASE)
CLEFT: Final = re.compile(
    r"\b(?:[Ww]hat|(?:[Tt]he|[Oo]ne)\s(?:one\s|only\s|main\s|first\s)?(?:things?|food|drink|"
    r"\w+)(?:\sthat)?)\sI(?:\s(?:really|absolutely|truly|just|"
    r"always|simply|most))?\s(?:like|love|enjoy|adore|prefer|(?P<no>hate|dislike|detest|can't stand|cannot stand|"
    r"can't bear|don't like|"
    r"refuse to \w+|never \w+|won't \w+|will not \w+|avoid))(?:\s(?:most|the most|best|above all|"
    r"more than anything))?\s(?:is|are)\s(?:a\s|an\s|the\s)?"
)
BETTER: Final = re.compile(
    r"(?:^|[,:]\s|\b(?:and|but|so|because)\s)(?P<wanted>[\w' -]{2,40}?)\s(?:works?|suits?|is|are)(?:\s(?:much|far|"
    r"way|a lot|so much))?\s"
    r"(?:(?:better|best|easier|nicer)\sfor\sme|me\s(?:\w+\s)?(?:better|best|fine))(?:\sthan\s(?P<over>[\w' -]{2,40}))?"
)
WITHOUT: Final = re.compile(
    rf"{_WE}{_ADVERBS}\s(?:can't|cannot|can not|couldn't)\s(?:function|live|start (?:my|the) (?:day|morning)|do|"
    rf"survive|work|sleep|imagine life|go a day|"
    r"get through (?:the|a) day)\swithout\s(?:my\s|a\s|some\s)?"
)
FINDS: Final = re.compile(
    rf"{_WE}{_ADVERBS}\sfind\s(?P<thing>[\w' -]{{2,40}}?)\s(?:(?:really|very|so|quite|rather|incredibly|pretty|a bit|"
    rf"too|deeply)\s)?"
    r"(?:(?P<no>boring|annoying|tedious|disgusting|exhausting|stressful|irritating|tiring|depressing|dull|awful|"
    r"horrible|draining|"
    r"overwhelming|unpleasant|gross|pointless|frustrating|overrated)|relaxing|soothing|fascinating|calming|"
    r"enjoyable|delicious|"
    r"exciting|therapeutic|comforting|rewarding|beautiful|inspiring|satisfying|charming|fun)\b"
)
BEST: Final = re.compile(
    r"(?<![\w'])I\s(?:always\s|usually\s)?(?P<verb>sleep|work|think|concentrate|focus|study|learn|write|"
    r"read)\s(?:much\s|far\s)?(?:best|better)\s"
    r"(?=(?:with|without|in|at|on|when|alone|after|before|under|by|outside|from)\b)"
)
