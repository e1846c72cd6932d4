"""The patterns of `statements`, over cleaned sentences: how people say what they want, do, like and are.

A pattern ends where the phrase begins that says what it is about, unless a group holds it.
"""

import re
from typing import Final

_ADVERBS: Final = (
    r"(?:\s(?:really|just|also|actually|still|now|generally|usually|definitely|absolutely|totally|truly|personally|"
    r"quite|strongly|always|much|honestly|simply|do|kind of|sort of|tend to|both|all|would)){0,2}"
)
_I: Final = r"(?<![\w'])[Ii]"
_WE: Final = r"(?<![\w'])(?:[Ii]|[Ww]e)"
_AM: Final = rf"{_I}(?:'m|\sam|'ve been|\shave been)"
_AM_OR_NOT: Final = rf"{_AM}(?P<no>\snot|\sno longer)?{_ADVERBS}\s"
_NOT: Final = r"\s(?:don't|do not|didn't|never|no longer|can't|cannot)"
_CAPITALISED: Final = r"(?P<name>[A-Z][\w'-]*(?:\s[A-Z][\w'-]*)?)"

PREFER: Final = re.compile(rf"{_I}(?P<would>'d|\swould)?{_ADVERBS}\sprefer\s")
RATHER: Final = re.compile(rf"{_I}(?:'d|\swould)\s(?:much\s)?rather\s(?!not\b)")
HABIT: Final = re.compile(rf"{_I}\s(?:almost\s)?(?P<how>never ever|never|always)\s")
ABSTAINS: Final = re.compile(
    rf"{_I}(?:{_NOT}{_ADVERBS}|\sstopped|'ve stopped|\sno longer)\s(?P<verb>eat|drink|eating|drinking)\s"
)
QUITS: Final = re.compile(rf"{_I}(?:'ve|\shave)?{_ADVERBS}\s(?:quit|gave up|given up|stopped|gone off)\s")
LIKES: Final = re.compile(
    rf"(?:{_WE}{_ADVERBS}\s(?:like|love|enjoy|adore|value|cherish)|{_WE}(?:'ve|\shave)\salways\s(?:loved|liked|"
    rf"enjoyed|adored|preferred)|"
    rf"{_AM}{_ADVERBS}\s(?:a\s(?:big\s|huge\s)?)?(?:fan of|fond of|into|crazy about|obsessed with))\s"
)
DISLIKES: Final = re.compile(
    rf"(?:{_WE}{_ADVERBS}\s(?:hate|dislike|detest|loathe|can't stand|cannot stand|can't bear|don't like|do not like|"
    rf"don't enjoy|don't really like)|{_WE}(?:'ve|\shave)\salways\s(?:hated|disliked|loathed|detested)|"
    rf"{_I}(?:'m|\sam)\snot\s(?:really\s)?(?:a\s(?:big\s)?fan of|into|fond of|keen on))\s"
)

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
ALLERGY: Final = re.compile(
    rf"{_AM_OR_NOT}(?:severely\s|badly\s|terribly\s|deadly\s|mildly\s|highly\s|very\s)?(?:allergic|"
    rf"intolerant)\sto\s(?P<what>[\w' ,-]{{2,100}})"
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
