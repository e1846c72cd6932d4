"""Words of the manner in which an assistant is to answer: form, language, length, tone, and how to address somebody."""

import re
from typing import Final

from ragpp.text.english import CHAT_WORDS, STOP_WORDS
from ragpp.text.lexical import words

FORM: Final = re.compile(
    r"\b(?:metric|imperial|celsius|fahrenheit|kilomet\w+|miles|grams|bullet|bullets|emojis?|formal\w*|informal\w*|"
    r"plain|simple|simply|"
    r"short|shorter|brief\w*|concise\w*|jargon|24-hour|12-hour|first name|last name|sentences?|words|paragraphs?|"
    r"lists?|tables?|markdown|"
    r"capitals?|caps|exclamation(?: (?:marks?|points?))?|"
    r"slang|abbreviations?|small talk|British|American|English|Spanish|French|German|"
    r"Italian|Portuguese|"
    r"Dutch|Polish|Turkish|Arabic|Hindi|Mandarin|Japanese|Korean|Swedish|Norwegian|Danish|Finnish|Greek|Russian|"
    r"Ukrainian|"
    r"Catalan|Welsh|step by step|examples?|detail|details|tone|headings?|footnotes|links|sources|voice messages|"
    r"pronouns|"
    r"lines?|pep talks?|apolog\w+|praise|flattery|compliments?|disclaimers?|caveats?|filler|fluff|steps?|"
    r"punctuation|slowly|"
    r"by (?:email|text|sms|phone|post|letter)|via \w+|they/them|she/her|he/him|dark mode|light mode)\b",
    re.IGNORECASE,
)
"""Words of the form of answers, which make a request one that lasts."""
_IDLE: Final = re.compile(
    r"\b(?:(?:give|show|tell) (?:me|us)|cups|ounces|pounds|kilos|weights|temperatures|distances|quantities|units)\b",
    re.IGNORECASE,
)
"""Words that say nothing of an occasion beside one of FORM: "give me weights in grams, never cups"."""
_ANSWERING: Final = re.compile(
    r"\b(?:answer(?:s|ing)?|repl(?:y|ies|ying)|respon(?:d|ds|se|ses)|write|speak|talk to me|address me|"
    r"call me(?! (?:at|on|in|by|during|before|after|between|when|if|back|later)\b))\b",
    re.IGNORECASE,
)

_TELLS_HOW: Final = re.compile(
    r"^(?P<opening>(?:(?:please|pls|always|only|just|from now on|in future|do not|don['’]?t|never)[, ]+)*)"
    r"(?:answer|reply|respond|speak|talk|explain|write (?:back|(?:to )?me)|(?P<of_anything>write|end|begin|start))"
    r"(?: (?:me|us|back|to me|to us|things|everything|every answer|every reply|(?:all )?your (?:answers|replies)))*"
    r" (?:in|with|as|like|without|using)\b(?!.*\b(?:for|about|when|whenever|if|on|at|before|after|to) (?!me\b|us\b))",
    re.IGNORECASE,
)
"""An instruction whose verb is of answering, followed by who is answered at most, and how: "answer me in rhymes". One
with an object ("write the letters in French") or an occasion ("… when it is urgent") is none, and one whose verb is
of anything ("start with the tests") where nothing says that it lasts."""
_WHEN_ANSWERING: Final = re.compile(
    r"when(?:ever)? you (?:answer|reply|respond|talk to|speak to|write back|write to me|explain)\b[^:]{0,40}:",
    re.IGNORECASE,
)
"""The occasion of an instruction that is every answer."""
_LASTS: Final = re.compile(r"\b(?:always|from now on|in future|do not|don['’]?t|never)\b", re.IGNORECASE)

LEFT: Final = 1
"""Content word beside those of the manner in an instruction for every answer; one with more says what it is for:
"Recipes in grams, for five people", "Short words in letters to the school". A judgement, not fitted."""


def is_about_answers(text: str) -> bool:
    """True where `text`, an instruction, tells how to answer or what to call somebody, whatever the question is."""
    if _WHEN_ANSWERING.match(text):
        return True
    told = _TELLS_HOW.match(text)
    if told and (told["of_anything"] is None or _LASTS.search(told["opening"])):
        return True
    rest, found = FORM.subn(" ", text)
    rest, more = _ANSWERING.subn(" ", rest)
    left = [word for word in words(_IDLE.sub(" ", rest)) if word not in STOP_WORDS and word not in CHAT_WORDS]
    return found + more > 0 and len(left) <= LEFT
