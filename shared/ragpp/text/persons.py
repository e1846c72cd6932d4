"""Who "I" and "you" are, written out: a sentence that stands alone says of whom it is. Pure, and of English alone.

Questions name people; what people say of themselves and of each other does not.
"""

import re
from typing import Final

from ragpp.text.sentences import clean

_PERSON: Final = re.compile(
    r"(?<![\w'])(?:"
    r"(?:(?P<own>(?-i:us|Us)|me|myself|ourselves|i(?!\.\w)|we)|(?P<other>yourselves|yourself|you))"
    r"(?:(?P<is>'(?:m|re)|\s(?:am|are))|(?P<has>'ve|\shave)|(?P<will>'ll)|(?P<would>'d))?"
    r"|(?P<owns>mine|my|ours|our)|(?P<others>yours|your))(?![\w'])",
    re.IGNORECASE,
)
"""A pronoun of the first or second person, with the verb that would not go with a name. Read in a cleaned text, whose
apostrophes are straight and whose quotations are blank."""
_VERBS: Final = ("is", "has", "will", "would")
_ASKS_OF_ONE: Final = re.compile(r"\b(?:i(?!\.\w)|my|me|mine|myself|the user)\b", re.IGNORECASE)
_ASKS_OF_ONESELF: Final = re.compile(
    r"\b(?:i(?!\.\w)|my|me|mine|myself|we|our|ours|(?-i:us|Us)|the user)\b", re.IGNORECASE
)


def in_the_first_person(question: str) -> bool:
    """True where who asks `question` is in it: "Where do I live?", "my sister's name", "what did the user say"."""
    return _ASKS_OF_ONESELF.search(question) is not None


def in_the_singular(question: str) -> bool:
    """True where who asks `question` is in it without others: "Where do I live?", and not "Where do we live?"."""
    return _ASKS_OF_ONE.search(question) is not None


def resolved(text: str, speaker: str | None, other: str | None = None) -> str:
    """`text` with "I", "my", "we" and the like as the speaker's name, and "you" and "your" as that of whom the speaker
    talks with, where these are known: "I've met your sister" → "Ana has met Ben's sister". Nothing changes within
    quotation marks. In time that grows with the length of `text` and, where it has pronouns, of the names."""
    pieces, done = list[str](), 0
    for match in _PERSON.finditer(clean(text)):
        name = speaker if match["own"] or match["owns"] else other
        if not name:
            continue
        pieces += [text[done : match.start()], _named(match, name)]
        done = match.end()
    return "".join([*pieces, text[done:]])


def _named(match: re.Match[str], name: str) -> str:
    if match["owns"] or match["others"]:
        return f"{name}'s"
    return " ".join([name, *(verb for verb in _VERBS if match[verb])])
