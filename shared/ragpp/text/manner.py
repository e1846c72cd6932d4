"""Words of the manner in which an assistant is to answer: form, language, length, tone, and how to address somebody."""

import re
from typing import Final

FORM: Final = re.compile(
    r"\b(?:metric|imperial|celsius|fahrenheit|kilomet\w+|miles|grams|bullet|bullets|emojis?|formal\w*|informal\w*|"
    r"plain|simple|simply|"
    r"short|shorter|brief\w*|concise\w*|jargon|24-hour|12-hour|first name|last name|sentences?|words|paragraphs?|"
    r"lists?|tables?|markdown|"
    r"capitals?|caps|exclamation|slang|abbreviations?|small talk|British|American|English|Spanish|French|German|"
    r"Italian|Portuguese|"
    r"Dutch|Polish|Turkish|Arabic|Hindi|Mandarin|Japanese|Korean|Swedish|Norwegian|Danish|Finnish|Greek|Russian|"
    r"Ukrainian|"
    r"Catalan|Welsh|step by step|examples?|detail|details|tone|headings?|footnotes|links|sources|voice messages|"
    r"pronouns|"
    r"by (?:email|text|sms|phone|post|letter)|via \w+|they/them|she/her|he/him|dark mode|light mode)\b",
    re.IGNORECASE,
)
"""Words of the form of answers, which make a request one that lasts."""
_ANSWERING: Final = re.compile(
    r"\b(?:answer(?:s|ing)?|repl(?:y|ies|ying)|respon(?:d|ds|se|ses)|write|address me|call me|speak|talk to me)\b",
    re.IGNORECASE,
)


def is_about_answers(text: str) -> bool:
    """True where `text`, an instruction, tells how to answer or what to call somebody, whatever the question is."""
    return FORM.search(text) is not None or _ANSWERING.search(text) is not None
