"""Several facts of one sentence: the members of a list that each have a value of their own, and clauses that an "and"
joins, each with its subject."""

import re
from typing import Final

from ragpp.extraction.facts.eliding import elided, starts_with_a_gap
from ragpp.extraction.facts.evidence import content, is_strong, names
from ragpp.extraction.facts.verbs import AUXILIARIES, BASES, Clause, starts_with_a_past, starts_with_a_verb
from ragpp.extraction.phrases import singular
from ragpp.text.english import CALENDAR
from ragpp.text.sentences import between

_VALUE: Final = (
    r"(?:[$€£¥]\s?\d[\w.,/%]*(?:\s(?:per|a|an|each)\s\w+(?:\s(?:per|a)\s\w+)?|\sper\s\w+)?|"
    r"\d[\d.,:]*(?:\s?%|\s?[A-Za-z]+(?:/\w+|\s(?:per|a|an|of|at|in|and)\s\w+)*)?|free\b|custom\s\w+|unlimited\s\w+)"
)
_MEMBER: Final = re.compile(
    r"(?:and\s|or\s|the\s|plus\s|our\s)*(?P<name>[A-Z0-9][\w&'’+-]*(?:\s[\w&'’+-]+){0,3}?)\s?"
    rf"(?P<link>\s(?:at|for|with|from|is|are|was|costs?|gets?|has|starts at|on)\s|:\s|\s?[-–—=]\s|\s?\(|\s(?=[$€£¥\d]))"
    rf"(?P<value>(?:(?:up to|about|around|over|only)\s)?{_VALUE}[^,;()]{{0,60}})\)?\s*$"
)
_COMMAS: Final = re.compile(r"(?:,|;)\s(?:and\s|or\s|plus\s)?|\s(?:and|plus)\s(?=[A-Z\d])")
_LEAD: Final = re.compile(
    r"(?P<lead>[^:,;]{3,100}?)(?::\s|\s[-–—]\s|\s?\(|,\s(?=[A-Z])|\s(?:are|include|includes|namely|called)\s(?=[A-Z]))"
)
_CLASS: Final = re.compile(r"\b(?P<noun>[a-z]{3,})s?\s*(?:available|today|now|in total)?$")
_JOINED: Final = re.compile(
    r";\s+|,\s(?:and|but|while|whereas|so|yet)\s|\s(?:and|but|while|whereas)\s|,\s|\s[-–—]\s|"
    r"\sor\s(?=[$€£]?\d)",
    re.IGNORECASE,
)
_VERBS_OF_LINKS: Final = {"with": "has", "for": "is for", "from": "is from", "at": "is at", "on": "is on"}
_THEN: Final = re.compile(r"^(?:then|later|afterwards|also|therefore)\s", re.IGNORECASE)
_FEWEST: Final = 2
_SUPPOSES: Final = re.compile(
    r"(?:if|when|whenever|whether|because|although|though|that|which|who|where|unless|as|once|while|said|says|both|"
    r"between|either)\b",
    re.IGNORECASE,
)
_AFTER_A_TIME: Final = re.compile(r"(?:since|after|before|until)\s", re.IGNORECASE)
_LAST_OF_THREE: Final = re.compile(r"^[^,]+,?\sand\s[a-z]+(?:s|ed|t|w|ke|ld)\s")
_WITHIN: Final = re.compile(
    r"(?P<subject>(?:[A-Z]|the\s|our\s|my\s)[^,;]{1,50}),\s(?:which|who)\s(?P<said>[^,;]{4,80}),\s(?P<rest>\S.+)$"
)
"""A clause within another: "The boiler, which was installed in 2011, loses pressure"."""
_OPENS_A_CLAUSE: Final = re.compile(
    r"^(?:\w+\s)?(?:if|when|whenever|whether|because|although|though|that|which|who|whose|where|unless|as|once|while|"
    r"said|says|both|between|either)\b|\b(?:that|which|who|whose|where|if|because)$",
    re.IGNORECASE,
)
_NO_SUBJECT: Final = re.compile(r"\d|(?:in|on|at|by|for|from|with|to|into|per|under|over|without)\s", re.IGNORECASE)
"""The beginning of a quantity or a place, behind which a noun in the plural looks like a verb: "60 API requests per
minute"."""
_PUT_FIRST: Final = re.compile(r"^(?P<name>[A-Z][\w'-]*(?:\s[A-Z][\w'-]*){0,3}),\s(?:she|he|it|they)\b(?=\s)")
"""Somebody or something named before the clause: "Gudrun Falk, she runs procurement"."""


def pieces(text: str) -> list[str]:
    """The facts that one statement holds, in order; only the statement itself where nothing divides it."""
    listed = members(text)
    return listed or clauses(text)


def members(text: str) -> list[str]:
    """A statement for each member of a list whose members have values of their own: "three plans: Basic at $9, Pro at
    $29" → "The Basic plan is at $9", "The Pro plan is at $29". Empty where `text` holds no such list."""
    flat = text.rstrip(" .!")
    lead = _LEAD.match(flat)
    for rest, noun in ((flat[lead.end() :].rstrip(")"), _class_of(lead["lead"])) if lead else (flat, ""), (flat, "")):
        parts = [rest[start:end].strip(" ,;") for start, end in between(_COMMAS, rest)]
        found = [_member(part) for part in parts if part]
        named = [match for match in found if match is not None]
        if len(named) >= _FEWEST and len(named) >= len(found) - 1:
            return [
                _stated(match, noun) if match else _without_a_number(part, noun)
                for match, part in zip(found, (part for part in parts if part), strict=True)
            ]
    return []


def _member(part: str) -> re.Match[str] | None:
    """A name with its value. What stands before a bare number is no name where it has a verb: "The Hearth 1 handles 32
    sensors"."""
    match = _MEMBER.match(part)
    return None if match and not match["link"].strip() and Clause(part).verb is not None else match


def _class_of(lead: str) -> str:
    """The word by which the lead of a list calls its members, in the singular: "we have three plans" → "plan"."""
    found = _CLASS.search(lead)
    word = lead.rsplit(maxsplit=1)[-1] if found else ""
    return singular(word) if word.islower() and word.endswith("s") else ""


def _stated(match: re.Match[str], noun: str) -> str:
    link = match["link"].strip(" (:-–—=")
    verb = _VERBS_OF_LINKS.get(link, link) or "is"
    return f"{_named(match['name'], noun)} {verb} {match['value'].strip()}"


def _without_a_number(part: str, noun: str) -> str:
    """A member whose value is in words: "Enterprise with custom pricing"."""
    bare = re.sub(r"^(?:and|or|plus)\s", "", part)
    name, found, value = re.match(r"(.+?)(?:(\swith\s|\sis\s|\sat\s|:\s|\son\s)(.+))?$", bare).groups()  # type: ignore[union-attr]
    if found is None:
        return bare
    link = found.strip(" :")
    return f"{_named(name, noun)} {_VERBS_OF_LINKS.get(link, link) or 'is'} {value}"


def _named(name: str, noun: str) -> str:
    if not noun or noun in name.lower() or name.lower() in CALENDAR:
        return name
    return f"The {name} {noun}"


def clauses(text: str) -> list[str]:
    """`text` cut where another clause begins that states something by itself; a clause without a subject gets that of
    the first, and one without a verb its verb: "Marta leads the team and reports to Jon" → "Marta leads the team",
    "Marta reports to Jon"; "Entry is 8 euros, for pupils 5" → "Entry is 8 euros", "Entry is for pupils 5"."""
    flat = _PUT_FIRST.sub(r"\g<name>", text.strip())
    within = _WITHIN.match(flat)
    if within and Clause(f"It {within['rest']}").verb and within["rest"].split()[0].lower() != "and":
        return [f"{within['subject']} {within['said']}", *clauses(f"{within['subject']} {within['rest']}")]
    first = Clause(flat)
    if first.verb is None or _SUPPOSES.match(flat):
        return [text]
    done, begin = list[str](), 0
    for match in _JOINED.finditer(flat):
        head, tail = flat[begin : match.start()], flat[match.end() :]
        if _divide(first, head, match.group().strip(), tail):
            done.append(head)
            begin = match.end()
    if not done:
        return [flat]
    parts = [*done, flat[begin:]]
    return [parts[0], *(_whole(part, first, parts[0]) for part in parts[1:])]


def _divide(first: Clause, head: str, joint: str, tail: str) -> bool:
    """True where what stands before and behind a joint are two statements."""
    if joint == "or" or not (_stands(head) or elided(first, first.text, head)):
        return joint == "or" and elided(first, head, _to_the_next(tail)) is not None
    if elided(first, head, _to_the_next(tail)) is not None:
        return True
    goes_on = _goes_on_with(first, tail)
    if joint == "," and goes_on and not _LAST_OF_THREE.search(tail):
        return False
    if joint == "," and _AFTER_A_TIME.match(head):
        return False
    return _stands_beside(tail, goes_on=goes_on)


def _goes_on_with(first: Clause, tail: str) -> bool:
    """True where `tail` begins with another verb of the first subject."""
    if not first.subject:
        return False
    tail = _THEN.sub("", tail)
    word = tail.split(maxsplit=1)[0].lower()
    return starts_with_a_verb(tail) or (first.verb_word.lower() in BASES and word in BASES and " " in tail)


def _stands(text: str) -> bool:
    clause = Clause(text)
    if clause.verb is None or not clause.subject or _OPENS_A_CLAUSE.search(clause.subject):
        return False
    own = clause.subject.lower() in {"i", "we"}
    return is_strong(clause.predicate) or len(content(text)) >= _FEWEST - own


def _to_the_next(tail: str) -> str:
    return tail[: found.start()] if (found := _JOINED.search(tail)) else tail


def _stands_beside(tail: str, *, goes_on: bool) -> bool:
    next_clause = _to_the_next(tail)
    clause = Clause(next_clause)
    if goes_on:
        return is_strong(_after_first(next_clause)) or len(content(next_clause)) >= _FEWEST
    if clause.verb is None or _OPENS_A_CLAUSE.search(clause.subject) or not clause.subject:
        return False
    if _NO_SUBJECT.match(clause.subject) and clause.verb_word.lower() not in AUXILIARIES:
        return False
    if len(clause.subject.split()) > 6 or "," in clause.subject:
        return False
    named = names(clause.subject, from_the_start=True) and bool(clause.predicate)
    return named or is_strong(clause.predicate) or len(content(next_clause)) >= _FEWEST


def _after_first(text: str) -> str:
    return text.partition(" ")[2]


_CHAIN: Final = re.compile(
    r"(?:(?:is|are|has|have)|(?:can|may|must|will|shall|should|cannot)\sbe)(?:\sbeen)?\b", re.IGNORECASE
)


def _auxiliaries(first: Clause, part: str) -> list[str]:
    """The auxiliaries of the clause before that a participle goes on with: "is kept for a week and then given away"."""
    chain = _CHAIN.match(first.text, first.verb.start) if first.verb else None
    goes_on = chain and starts_with_a_past(first.text[chain.end() :]) and starts_with_a_past(_THEN.sub("", part))
    return [chain.group()] if chain and goes_on else []


def _whole(part: str, first: Clause, head: str) -> str:
    if _goes_on_with(first, part) and not starts_with_a_gap(part):
        return " ".join([first.subject, *_auxiliaries(first, part), part])
    return elided(first, head, part) or part
