"""The patterns of `likings`, over cleaned sentences."""

import re
from typing import Final

from ragpp.text.english import NUMBERS, word_set

_I: Final = r"(?<![\w'])(?:[Ii]|[Ww]e)"
_AM: Final = rf"{_I}(?:'m|'re|\sam|\sare|'ve been|\shave been)"
_HAVE: Final = r"(?:'ve|\shave)?"
_ADVERBS: Final = (
    r"(?:\s(?:really|just|also|actually|still|now|generally|usually|definitely|absolutely|totally|truly|personally|"
    r"quite|strongly|always|honestly|simply|completely|recently|finally|lately|already|pretty much|mostly|very|so|"
    r"especially|particularly|all|both|rather|kind of|sort of)){0,2}"
)
_THING: Final = r"(?:^|[,:]\s|\b(?:and|but|so|because|since|that)\s)(?P<thing>[\w' -]{2,40}?)"

JOINT: Final = re.compile(
    r"\s*(?:,\s(?:and\s|or\s|plus\s)?|\sand\s|\sor\s|\s&\s)(?!(?:I|i|we|he|she|they|it|my|that|this|so|but)\b)"
)
"""What joins the things of a list."""
NO_THING: Final = word_set(
    "want wants need needs have has had get got go goes went think know find found spend try tries use uses make makes "
    "made take takes took will can could would am is are was were do does did hope hopes wish as though especially "
    "particularly really always usually often never also then now too please thanks thank maybe just even so but hate "
    "love like enjoy prefer can't don't work live drink eat watch play read sleep feel keep started start"
)
"""Words that do not start a thing of a list."""

FOND: Final = re.compile(
    rf"(?:{_AM}{_ADVERBS}\s(?:a\s(?:\w+\s)?sucker for|addicted to|hooked on|keen on|partial to|passionate about|"
    rf"mad about|"
    r"nuts about|in love with|big on|all about|(?:an?\s)?(?:\w+\s)?(?:lovers?|fans?|devotees?|admirers?) of)|"
    rf"{_I}{_ADVERBS}\s(?:can't get enough of|can't live without|cannot live without|live for|could live on|"
    rf"have a soft spot for|"
    r"have a weakness for|have a thing for|swear by|go crazy for|love nothing more than|am a (?:big |"
    r"firm )?believer in)|"
    rf"{_I}{_HAVE}{_ADVERBS}\s(?:fallen in love with|fell in love with|grown (?:fond of|to (?:like|love))|"
    rf"come (?:round |around )?to (?:like|love|enjoy)|"
    r"(?:become|became|grown|gotten|got)\s(?:really\s|quite\s|very\s|so\s)?(?:fond of|obsessed with|addicted to|"
    r"into|hooked on|attached to)|"
    r"started to (?:really )?(?:like|love|enjoy)|learned to (?:like|love)|developed a taste for|"
    r"got(?:ten)? (?:really )?into|"
    r"rediscovered)|{_I}{_ADVERBS}\s(?:appreciate|treasure|have a passion for|take pleasure in|live and breathe|"
    r"am always up for)|"
    rf"{_AM}{_ADVERBS}\s(?:up for|on team|team))\s"
)
WITHOUT: Final = re.compile(
    rf"{_I}{_ADVERBS}\s(?:can't|cannot|can not|couldn't)\s(?:function|live|start (?:my|the) (?:day|morning)|do|"
    rf"survive|work|sleep|imagine life|go a day|"
    r"get through (?:the|a) day)\swithout\s(?:my\s|a\s|some\s)?"
)
FINDS: Final = re.compile(
    rf"{_I}{_ADVERBS}\sfind\s(?P<thing>[\w' -]{{2,40}}?)\s(?:(?:really|very|so|quite|rather|incredibly|pretty|a bit|"
    rf"too|deeply)\s)?"
    r"(?:(?P<no>boring|annoying|tedious|disgusting|exhausting|stressful|irritating|tiring|depressing|dull|awful|"
    r"horrible|draining|"
    r"overwhelming|unpleasant|gross|pointless|frustrating|overrated)|relaxing|soothing|fascinating|calming|"
    r"enjoyable|delicious|"
    r"exciting|therapeutic|comforting|rewarding|beautiful|inspiring|satisfying|charming|fun)\b"
)
NOT_TO: Final = re.compile(
    rf"{_I}(?:'d|\swould)?{_ADVERBS}\s(?:prefer\snot\sto(?!\s(?:say|answer|talk\sabout|"
    rf"discuss|think)\b)|rather\snot)\s"
)
FOR_ME: Final = re.compile(
    r"\b[Ii]t's\s(?!(?:\w+\s)?(?:an?|the|so|too|not|very)\s)(?P<wanted>[\w' -]{2,30}?)\s"
    r"(?:for me(?=\s*(?:[,.!;]|$))|all the way\b)(?P<over>(?!))?|(?:^|"
    r"[,:]\s)(?P<alone>[\w' -]{2,30}?)\sall the way\b"
)
PREFERENCE: Final = re.compile(
    r"\b[Mm]y\s(?:\w+\s)?preference\s(?:is|goes to|remains)\s(?:still\s|always\s)?(?:for\s|to\s)?"
)
HOBBY: Final = re.compile(
    r"\b[Mm]y\s(?:\w+\s)?(?:hobby|hobbies|passion|passions|guilty pleasure|weakness|comfort food|obsession|"
    r"(?P<no>pet peeve|pet hate)|"
    r"idea of (?:a|an|the) [\w ]{3,25}?)\s(?:is|are|include|includes)\s(?:a\s|an\s)?"
)
NEED: Final = re.compile(
    r"(?<![\w'])I\s(?:really\s|always\s)?need\s(?P<what>[\w' -]{3,40}?)\s(?:to|in order to|"
    r"so I can)\s(?:be able to\s)?(?P<verb>work|sleep|concentrate|focus|"
    r"study|read|think|relax|unwind|fall asleep)\b"
)
BEATS: Final = re.compile(
    r"(?:\b[Nn]othing (?:beats|is better than|better than|compares to|makes me happier than|relaxes me more than|"
    r"calms me like)|\b[Tt]here(?:'s| is) nothing (?:better than|"
    r"like)|"
    r"\b[Yy]ou can't beat)(?:\sa\s(?:\w+\s)?(?:bowl|cup|glass|plate|slice|piece|bit|mug|pot) of)?\s"
)
AVERSE: Final = re.compile(
    rf"(?:{_AM}{_ADVERBS}\s(?:sick of|tired of|fed up with|done with|over|no longer (?:a (?:\w+\s)?fan of|into|"
    rf"fond of|keen on|interested in)|not (?:\w+\s)?(?:keen on|big on|"
    rf"partial to|crazy about|"
    r"interested in|a (?:\w+\s)?(?:fan|lover) of)|no fan of|averse to|bored (?:of|with|by)|disgusted by)|"
    rf"{_I}{_ADVERBS}\s(?:despise|loathe|abhor|don't (?:really |particularly |much )?care for|do not care for|"
    rf"can't get into|could never (?:get into|stand)|can't bear|can't abide|"
    rf"couldn't care less about|"
    r"no longer (?:like|enjoy|love|want|care for)|never (?:liked|enjoyed|cared for|got into)|have no (?:time|"
    r"patience|interest)"
    r"(?: for| in)|don't get on with|don't (?:really |particularly |much )?(?:like|enjoy|love|fancy)|"
    r"am no longer (?:into|a fan of)|could do without|hate)|"
    rf"{_I}{_HAVE}{_ADVERBS}\s(?:never (?:really )?(?:liked|enjoyed|cared for|understood the appeal of|got into|"
    rf"been able to stand)|lost interest in|lost my (?:taste|appetite) for|had enough of|"
    rf"never been (?:a (?:\w+\s)?fan of|into|keen on|"
    r"fond of)|grown to (?:dislike|hate|resent)|come to (?:dislike|hate)|stopped (?:liking|enjoying|loving)|"
    r"grown (?:tired|sick) of|got(?:ten)? (?:tired|sick|bored) of|"
    r"fallen out of love with))\s"
)
IS_LIKED: Final = re.compile(
    rf"{_THING}\s(?:is|are)(?:\s(?:really|just|definitely|simply|so))?(?P<no>\snot|n't)?(?:\s(?:really|definitely|"
    rf"totally|absolutely|simply|just|still|always|probably|kind of))?\s"
    r"(?:my\s(?:\w+\s)?(?:weakness|guilty pleasure|comfort food|happy place|thing|jam|passion|cup of tea|"
    r"go-to(?:\s\w+)?|"
    r"obsession|addiction|kryptonite|vibe|style|favou?rite)\b(?!\s\w)|one of my (?:\w+\s)?favou?rites?\b|for me\b)|"
    r"(?:^|[,:]\s|\b(?:and|but|so|because)\s)(?P<helper>[\w' -]{2,40}?)\s(?:always\s|really\s|"
    r"just\s)?(?:makes? me (?:so |really )?happy|cheers? me up|calms? me(?: down)?|relax(?:es)? me|"
    r"helps? me (?:relax|unwind|sleep|focus|think|concentrate))\b"
)
IS_DISLIKED: Final = re.compile(
    rf"{_THING}\s(?:(?:really\s|just\s|always\s|absolutely\s)?(?:disgusts?|annoys?|bores?|irritates?|infuriates?|"
    rf"depresses|stresses|"
    r"exhausts?|drains?)\sme\b|(?:drives?|makes?|puts?|leaves?|gets?)\sme\s(?:crazy|mad|nuts|up the wall|insane|"
    r"sick|cold|off|miserable|"
    r"angry|nauseous|on edge|gag)\b|(?:is|are)\s(?:the worst|my pet peeve|disgusting|a pet peeve)\b)"
)
OVER: Final = re.compile(
    rf"{_I}{_HAVE}{_ADVERBS}\s(?:gone off|went off|sworn off|gave up on|given up on|cut out|cutting out|kicked|"
    rf"weaned myself off|"
    r"done away with)\s"
)
AVOIDS: Final = re.compile(
    rf"(?:{_AM}{_ADVERBS}\s(?:trying|doing my best)\sto\s(?:(?:cut|cutting)\s(?:down on|back on|out)|avoid|reduce|"
    rf"quit|stay away from|"
    r"eat less|drink less|use less|give up|stop)|"
    rf"{_AM}{_ADVERBS}\s(?:cutting (?:down on|back on|out)|avoiding|off(?!\s(?:today|tomorrow|tonight|to|on|for|"
    rf"sick|next|this|until|the|work|duty|again|now|\w+day)\b))|"
    rf"{_I}{_ADVERBS}\s(?:(?:try|tend|like|prefer) to (?:avoid|stay away from|steer clear of)|avoid|steer clear of|"
    rf"stay away from|"
    r"can't (?:eat|have|drink|tolerate|handle|digest|stomach)|don't (?:touch|do|tolerate|wear|smoke|watch)|"
    r"never touch))\s"
)
REFUSES: Final = re.compile(rf"{_I}{_ADVERBS}\s(?:refuse|hate|can't stand|dislike)\sto\s")
SWITCHED: Final = re.compile(
    rf"{_I}{_HAVE}{_ADVERBS}\s(?:switched|converted|gone over|went over|changed|moved on|moved over|"
    rf"swapped)\s(?:over\s|back\s)?"
    r"(?:from\s(?P<before>[\w' -]{2,40}?)\s)?to\s(?P<now>[\w' -]{2,60})"
)
ONLY: Final = re.compile(
    rf"{_I}{_ADVERBS}\s(?:only|exclusively)(?:\sever)?\s(?:drink|eat|use|wear|buy|read|listen to|watch|order|cook|"
    rf"fly|shop at)\s"
)
BETTER: Final = re.compile(
    r"(?:^|[,:]\s|\b(?:and|but|so|because)\s)(?P<wanted>[\w' -]{2,40}?)\s(?:works?|suits?|is|are)(?:\s(?:much|far|"
    r"way|a lot|so much))?\s"
    r"(?:(?:better|best|easier|nicer)\sfor\sme|me\s(?:\w+\s)?(?:better|best|fine))(?:\sthan\s(?P<over>[\w' -]{2,40}))?"
)
ANY_DAY: Final = re.compile(
    r"(?:\b[Gg]ive me\s|\bI'll take\s|\bI'd pick\s|\bI'd choose\s|\bI (?:always |usually )?(?:choose|pick|go for)\s|^)"
    r"(?P<wanted>[\w' -]{2,40}?)\sover\s(?P<over>[\w' -]{2,40}?)(?:,?\s(?:any day|any time|every time|anytime|"
    r"for me|always)\b|[.!]?$)"
)
INSTEAD: Final = re.compile(
    rf"{_I}{_ADVERBS}\s(?:drink|eat|use|take|have|read|order|cook with|go for|"
    rf"choose)\s(?P<wanted>[\w' -]{{2,40}}?)\s(?:instead of|rather than)\s"
    r"(?P<over>[\w' -]{2,40})"
)
TAKEN: Final = re.compile(
    rf"{_I}(?:\s(?:usually|always|normally|generally|typically|really|only|now|still|just)){{0,2}}\s(?:like|prefer|"
    rf"take|drink|have|eat|want|order)\s"
    r"(?:my|our)\s(?P<thing>coffee|tea|steaks?|eggs?|curry|curries|pizza|burgers?|toast|pasta|soup|food|rice|"
    r"noodles|beer|wine|whisky|whiskey|"
    r"espresso|sandwich(?:es)?|salad|chocolate|fish|meat|vegetables|martinis?|showers?|music|room|bedroom|answers|"
    r"replies|mornings|"
    r"weekends|bananas|apples|bread|potatoes|chips|fries|popcorn|porridge|oatmeal|water|drinks|desserts?|"
    r"bacon)\s(?:(?:really|very|quite|extra|super|nice and|a bit)\s)?(?P<how>\w[\w' -]{1,60})"
)
AMOUNTS: Final = word_set("half several").union(NUMBERS)
NO_CHOICE: Final = word_set("mistake problem excuse response reaction reply answer issue self")
"""What is usual of somebody without being wanted."""
NO_MANNER: Final = word_set(
    "and but or at in on from with for here there now too every when because so after before while to a lot as is "
    "are was very "
    "today outside alone together early late that which who i we if this these those"
)
"""First words that tell when or where and not how."""
BIRDS: Final = {
    "night owl": "night",
    "early bird": "morning",
    "early riser": "morning",
    "homebody": "home",
    "bookworm": "book",
}
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
WHEN: Final = re.compile(
    r"(?<![\w'])I(?:\s(?:really|absolutely|just|always|also))?\s(?:(?P<like>love|like|enjoy|appreciate)|hate|"
    r"can't stand|dislike|"
    r"don't like|can't bear)\s(?:it\s)?when\s"
)
PARTICULAR: Final = re.compile(r"\b(?:this|these|last|yesterday|today|that day)\b", re.IGNORECASE)
CLEFT: Final = re.compile(
    r"\b(?:[Ww]hat|(?:[Tt]he|[Oo]ne)\s(?:one\s|only\s|main\s|first\s)?(?:things?|food|drink|"
    r"\w+)(?:\sthat)?)\sI(?:\s(?:really|absolutely|truly|just|"
    r"always|simply|most))?\s(?:like|love|enjoy|adore|prefer|(?P<no>hate|dislike|detest|can't stand|cannot stand|"
    r"can't bear|don't like|"
    r"refuse to \w+|never \w+|won't \w+|will not \w+|avoid))(?:\s(?:most|the most|best|above all|"
    r"more than anything))?\s(?:is|are)\s(?:a\s|an\s|the\s)?"
)
BEST: Final = re.compile(
    r"(?<![\w'])I\s(?:always\s|usually\s)?(?P<verb>sleep|work|think|concentrate|focus|study|learn|write|"
    r"read)\s(?:much\s|far\s)?(?:best|better)\s"
    r"(?=(?:with|without|in|at|on|when|alone|after|before|under|by|outside|from)\b)"
)
USUAL: Final = re.compile(
    r"\b[Mm]y\s(?P<kind>go-to|usual|regular|preferred|ideal|default|"
    r"standard)(?:\s(?P<what>[\w-]+(?:\s[\w-]+)?))?\s(?:is|"
    r"are)\s(?:still\s|always\s)?"
)
NOW: Final = re.compile(
    r"(?<![\w'])I(?:\sused to|'d)?\s(?P<before>hate|dislike|can't stand|love|like|enjoy|adore|loved|liked|hated|"
    r"enjoyed|disliked|be into|despise)\s"
    r"(?P<thing>[\w' -]{2,40}?)(?:\s(?:as a \w+|when I was [\w ]{3,20}|before|back then))?(?:,|;|\.|"
    r"\s[-–—])?\s(?:but\s|and\s|yet\s)?(?:(?:now|these days|nowadays|lately)"
    r"[,\s]+(?:I|it's)\b(?P<now>[^,.]{0,40})|(?:I\s)?(?P<over>not any\s?more|not now|no longer|not these days))"
)
LIKES_TO: Final = re.compile(
    r"(?<![\w'])I(?:\s(?:really|always|also|usually|still|just))?\s(?:like|love)\sto\s(?!be\b|know\b|see\b|think\b|"
    r"say\b|hear\b|meet\b|thank\b|"
    r"point\b|add\b|ask\b|talk to you|help\b|come\b|join\b)(?=[a-z])"
)
EVERY_DAY: Final = re.compile(
    r"(?<![\w'])I could (?:eat|drink|listen to|watch|read|live on|"
    r"play)\s(?P<thing>[\w' -]{2,40}?)\s(?P<no>(?!))?(?:every (?:single )?(?:day|night|morning)|"
    r"all (?:day|night)|forever|for the rest of my life)"
)
GOOD: Final = re.compile(
    r"(?:a|an|some)\s(?=(?:really\s)?(?:good|nice|proper|decent|quiet|long|hot|cold|strong|solid|well-\w+)\s\w)",
    re.IGNORECASE,
)
PAIRS: Final = re.compile(
    r"\b(mac|fish|rock|bacon|peanut butter|salt|bread|arts|drum|rhythm|black|ham|gin|rum|cheese|bangers|pork|sun|"
    r"peace|food|"
    r"rice|surf|live music|wine) and (?=(?:cheese|chips|roll|eggs?|jelly|jam|vinegar|butter|crafts|bass|blues|white|"
    r"tonic|coke|onions?|mash|"
    r"beans|sand|quiet|turf|peas)\b)",
    re.IGNORECASE,
)
"""Two words that name one thing."""
AT_HAND: Final = re.compile(r"\b(?:this|that|it|you|your|them|him|her)\b", re.IGNORECASE)
