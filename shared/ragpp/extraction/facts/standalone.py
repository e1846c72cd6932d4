"""Makes a statement stand alone: whoever speaks is named, pronouns are written out by what was spoken of before, and
what names nothing is put behind the name of what it is about."""

import re
from typing import Final

from ragpp.extraction.facts import evidence
from ragpp.extraction.facts.topics import Topic, as_an_object
from ragpp.extraction.facts.verbs import AUXILIARIES, BASES, Clause, starts_with_a_verb, words_with_places
from ragpp.extraction.times.tenses import IRREGULAR_PASTS
from ragpp.text.english import word_set
from ragpp.text.persons import resolved
from ragpp.text.sentences import clean, with_capital

_PRONOUN: Final = re.compile(
    r"(?P<thing>(?:it|this|that)(?=\s[a-z])|it(?='(?:s|ll|d)\b))|"
    r"(?P<many>they|these|those)(?=\s[a-z]|'(?:re|ve|ll|d)\b)|(?P<person>he|she)(?=\s[a-z]|'(?:s|ll|d)\b)|"
    r"(?P<owned>its|their)(?=\s[a-z])|(?P<persons>his|her)(?=\s[a-z])",
    re.IGNORECASE,
)
_PRONOUNS: Final = [[word] for word in ("it", "this", "that", "they", "these", "those", "he", "she")]
_OF_NOTHING: Final = re.compile(
    r"it\s(?:(?:takes|took)\s(?:me|us|you|him|her|them)\b|"
    r"(?:is|was|has been|had been|will be)\s(?:\w+ly\s|not\s|also\s)?(?:agreed|decided|planned|said|expected|known|"
    r"noted|assumed|possible|impossible|necessary|important|clear|likely|forbidden|allowed|recommended|required|suggested|"
    r"reported|proposed|raining|snowing|\d+ (?:degrees|o'clock|minutes|hours|days|km|kilometres|miles))\b)",
    re.IGNORECASE,
)
"""An "it" that stands for nothing: "It takes me 40 minutes by bus", "It was agreed to move the fence"."""
_INSIDE: Final = re.compile(
    r"(?<=[a-z]\s)(?:(?P<thing>it|them)(?!\s(?:is|was|will|has|to|that|hard|easy|difficult|would|takes?|comes?)\b|'|\w)|"
    r"(?P<pointing>that|this|those|these|there)(?=[.,;!?]|\s(?:on|in|at|from|to|for|with|after|before|and|but)\b|\s*$)|"
    r"(?P<owned>its|their)(?=\s[a-z]))"
)
_SOMEBODY: Final = re.compile(r"(?<=[a-z,]\s)(?:him|he|she|(?P<owned>his|her)(?=\s[a-z])|her)\b")
_DOES_SOMETHING: Final = re.compile(
    r"(?:er|or|ist|ian|ant|ent|man|woman|lord|lady|boss|chef|nurse|guide|coach|guest|child|boy|girl|deputy|warden)$"
)
_CONTRACTED: Final = re.compile(r"'(s|re|ve|ll|d)\b")
_WITHOUT_APOSTROPHE: Final = re.compile(
    r"\b(i(?=m\b|ve\b)|(?:you|they)(?=re\b|ve\b)|(?:that|there|he|she|what)(?=s\b))(m|ve|re|s)\b", re.IGNORECASE
)
_BARE_NOT: Final = re.compile(
    r"\b(do|does|did|ca|wo|is|are|was|were|has|have|had|could|would|should)nt\b", re.IGNORECASE
)
_LONG_FORM: Final = {"re": "are", "ve": "have", "ll": "will", "d": "would"}
_POINTING: Final = word_set("this that these those")
_ENOUGH: Final = 2
"""Words with a content from which on what somebody says of themselves needs no question before it."""
_OWN: Final = re.compile(r"(?:i|we|you)(?:'\w+)?\b", re.IGNORECASE)
_COURTESY: Final = re.compile(r",?\s(?:in case|if|so|let me know|just)\s(?:you|that|it)\b(?:(?!\d).)*$", re.IGNORECASE)
_SPOKEN: Final = re.compile(
    r"(?<![\w'])(?:I|i|we|We)(?:\s(?:\w+ly|always|never|often|also|still|just|already|now|only)){0,2}\s"
    r"(?P<verb>[a-z]+(?:n't)?)(?![\w'])(?:[^,.;]{0,80}?\sand\s(?P<second>[a-z]+)(?=\s))?"
)
_AGREED: Final = {"have": "has", "haven't": "hasn't", "do": "does", "don't": "doesn't", "am": "is", "are": "is",
                  "aren't": "isn't", "were": "was", "weren't": "wasn't"}  # fmt: skip
_ES: Final = ("s", "sh", "ch", "x", "z", "o")
_LIKE_PASTS: Final = word_set("need feed speed exceed proceed succeed embed breed")
_ONE_OF_THEM: Final = re.compile(
    r"(?:both|neither|none|each|most|half|some|all|one|two|three)(?:\sof\s(?:them|these|those|it))?$|"
    r"(?:the|that|this)\s(?:other|others|first|second|third|last|latter|former|same|one|ones|older|newer|rest)(?:\sones?)?$",
    re.IGNORECASE,
)
_BARE: Final = re.compile(r"(?:the|its|their|your|this|these)\s[\w'-]+$", re.IGNORECASE)
"""A subject that points at something and says no more of it: "The lid". With more words it stands alone: "The next
meeting"."""


def written_out(text: str, topic: Topic) -> str | None:
    """`text` with its pronouns as what they stand for; None where that is not known of the one it begins with."""
    match = _PRONOUN.match(text)
    if match is None or _OF_NOTHING.match(text):
        return _with_its_object(_with_the_person(text, topic), topic)
    if _is_before_a_noun(match.group().lower(), text[match.end() :].lstrip()):
        return f"The{text[match.end() :]}"
    person = match["person"] or match["persons"]
    stands_for = (topic.person or _a_person(topic.thing)) if person else topic.thing or topic.named
    if match["owned"] and match.group().lower() == "their":
        stands_for = topic.named or topic.thing
    if stands_for is None and match["many"]:
        stands_for = topic.person
    if stands_for is None:
        return None
    rest = text[match.end() :]
    if match["owned"] or match["persons"]:
        return capitalised(f"{possessive(stands_for)}{rest}")
    contracted = _CONTRACTED.match(rest)
    if contracted:
        word = _LONG_FORM.get(contracted[1]) or ("has" if re.match(r"'s (?:been|got|had)\b", rest) else "is")
        rest = f" {word}{rest[contracted.end() :]}"
    return capitalised(stands_for + rest)


def _is_before_a_noun(word: str, rest: str) -> bool:
    """True of "this" in "This kettle is …", not in "This happens …"."""
    if word not in _POINTING or rest.split(maxsplit=1)[0].lower() in AUXILIARIES:
        return False
    return word not in {"this", "that"} or not starts_with_a_verb(rest)


def _a_person(thing: str | None) -> str | None:
    """`thing` where it is somebody by the form of its last word: "the warden's deputy", "the new teacher"."""
    return thing if thing and _DOES_SOMETHING.search(thing) else None


def _with_the_person(text: str, topic: Topic) -> str:
    """With who "him" or "her" is, where nobody was named before it in the sentence."""
    match = _SOMEBODY.search(text)
    if match is None or topic.person is None or evidence.names(text[: match.start()], from_the_start=True):
        return text
    who = possessive(topic.person) if match["owned"] else topic.person
    return f"{text[: match.start()]}{who}{text[match.end() :]}"


def _with_its_object(text: str, topic: Topic) -> str:
    """With what "it" is behind a verb: "I returned it" → "I returned the kettle". That is never what the clause is
    about, so it was spoken of before."""
    match = _INSIDE.search(text)
    thing = (topic.name or topic.thing) if topic.lasting else (topic.thing or topic.name)
    if match is None or thing is None or evidence.names(text[: match.start()]):
        return text
    verb = Clause(text).verb
    if not _OWN.match(text) and (verb is None or match["owned"] or len(text[verb.end : match.start()].split()) > 1):
        return text
    thing = as_an_object(thing)
    whose = possessive(thing) if match["owned"] else thing
    return f"{text[: match.start()]}{whose}{text[match.end() :]}"


def lacks_its_object(text: str, topic: Topic) -> bool:
    """True where nobody knows what an "it" behind the verb of a statement is: it is in another part of the sentence."""
    return _INSIDE.search(text) is not None and topic.thing is None and topic.name is None


def with_apostrophes(text: str) -> str:
    """`text` with the apostrophes that quick writing leaves out: "im", "dont", "theres"."""
    return _WITHOUT_APOSTROPHE.sub(lambda match: f"{match[1]}'{match[2]}", _BARE_NOT.sub(r"\1n't", text))


def possessive(name: str) -> str:
    return f"{name}'" if name.endswith("s") else f"{name}'s"


def about(text: str, topic: Topic, *, pointing: bool = False) -> str:
    """`text` behind the name of what it is about where it only points at it: "Vega kettle: The lid is loose". An answer
    that has no word of the question stands behind that, where its subject is the speaker, or was only pointed at by a
    pronoun (`pointing`)."""
    subject = Clause(text).subject
    own = _OWN.match(subject) is not None
    if _ONE_OF_THEM.match(subject) and topic.thing and topic.thing.lower() not in text.lower():
        return f"{capitalised(topic.thing)}: {text}"
    if not subject or evidence.names(subject):
        return text
    if topic.asked is not None and (own or pointing):
        said = evidence.content(text)
        whole = own and (evidence.names(text) or len(said) >= _ENOUGH)
        if whole or set(said) & set(evidence.content(topic.asked)):
            return text
        answer = f"{topic.asked} {text}"
        return behind(topic.named, answer) if _ends_with_a_pronoun(subject) else answer
    return behind(topic.named, text) if only_points(subject) else text


def behind(name: str | None, text: str) -> str:
    """`text` behind `name`, unless it has a word of it."""
    words = {word.lower() for word in (name or "").split()}
    if not words or words & {word.lower().strip("?,.").removesuffix("'s") for word in text.split()}:
        return text
    return f"{capitalised(name or '')}: {text}"


def only_points(subject: str) -> bool:
    """True where a subject says no more of what it is than that it was spoken of: "the lid"."""
    return _BARE.match(subject) is not None


def points(text: str) -> bool:
    """True where a statement is about something that was said before and is only a pronoun in it."""
    return _PRONOUN.match(text) is not None or _ends_with_a_pronoun(Clause(text).subject)


def _ends_with_a_pronoun(subject: str) -> bool:
    """As that of "Not any more, they closed it" does, which is written out only at the beginning of a statement."""
    return subject.lower().split()[-1:] in _PRONOUNS


def spoken_by(text: str, speaker: str | None, other: str | None) -> str:
    """`text` with the speaker and whom the speaker talks with named, and verbs that agree with that."""
    if speaker is None:
        return text
    return capitalised(resolved(_agreeing(_COURTESY.sub("", text)), speaker, other))


def _agreeing(text: str) -> str:
    """ "I work" as "I works", for a name to take the place of the pronoun; nothing changes in quotation marks."""
    pieces, done = list[str](), 0
    for match in _SPOKEN.finditer(clean(text)):
        before = text[: match.start()].rsplit(maxsplit=1)
        if before and before[-1].lower() in AUXILIARIES:
            continue  # "Can I pay by card"
        for group in ("verb", "second"):
            if match[group] is None or (
                group == "second" and match[group] not in BASES and match[group] not in _AGREED
            ):
                continue
            pieces += [text[done : match.start(group)], _third_person(text[match.start(group) : match.end(group)])]
            done = match.end(group)
    return "".join([*pieces, text[done:]])


def _third_person(verb: str) -> str:
    if verb in _AGREED:
        return _AGREED[verb]
    past = verb in IRREGULAR_PASTS or (verb.endswith("ed") and verb not in _LIKE_PASTS)
    if verb in AUXILIARIES or past or verb in {"and", "both", "all", "or"}:
        return verb
    if verb.endswith("y") and verb[-2:-1] not in {"a", "e", "o", "u"}:
        return f"{verb[:-1]}ies"
    return f"{verb}es" if verb.endswith(_ES) else f"{verb}s"


def capitalised(text: str) -> str:
    """`text` with a capital where it begins with a word of letters alone."""
    first = words_with_places(text[:80])
    if first and first[0].group().islower() and first[0].start() == 0 and first[0].group().isalpha():
        return with_capital(text)
    return text


def as_a_statement(text: str) -> str:
    """On one line, without marks around it, with a capital."""
    flat = re.sub(r"\s+([,.;:!?])", r"\1", " ".join(text.split()))
    return capitalised(flat.strip(" ,;:-–—*").rstrip(" .!"))
