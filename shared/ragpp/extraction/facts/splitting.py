"""Several facts of one sentence: the members of a list that each have a value of their own, and clauses that an "and"
joins, each with its subject."""

import re
from typing import Final

from ragpp.extraction.facts.evidence import content, is_strong
from ragpp.extraction.facts.verbs import Clause, finite_verb, starts_with_a_verb
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
_JOINED: Final = re.compile(r";\s+|,\s(?:and|but|while|whereas|so)\s|\s(?:and|but|while|whereas)\s")
_VERBS_OF_LINKS: Final = {"with": "has", "for": "is for", "from": "is from", "at": "is at", "on": "is on"}
_FEWEST: Final = 2
_SUBORDINATE: Final = re.compile(
    r"\b(?:if|when|whether|because|since|although|that|which|who|where|after|before|until|unless|said|says|both|"
    r"between|either)\b",
    re.IGNORECASE,
)
_RELATIVE_PRONOUN: Final = re.compile(r"(?:it|they|he|she|this|that|these)\b", re.IGNORECASE)


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
        found = [_MEMBER.match(part) for part in parts if part]
        named = [match for match in found if match is not None]
        if len(named) >= _FEWEST and len(named) >= len(found) - 1:
            return [
                _stated(match, noun) if match else _without_a_number(part, noun)
                for match, part in zip(found, (part for part in parts if part), strict=True)
            ]
    return []


def _class_of(lead: str) -> str:
    """What the lead of a list calls its members, in the singular: "we have three plans" → "plan"."""
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
    the first: "Marta leads the team and reports to Jon" → "Marta leads the team", "Marta reports to Jon"."""
    flat = text.strip()
    first = Clause(flat)
    if first.verb is None or _SUBORDINATE.match(flat):
        return [text]
    done, begin = list[str](), 0
    for match in _JOINED.finditer(flat):
        head, tail = flat[begin : match.start()], flat[match.end() :]
        whole = f"{first.subject} {tail}" if starts_with_a_verb(tail) and first.subject else tail
        if _stands(head) and _stands_beside(tail, whole):
            done.append(head)
            begin = match.end()
    if not done:
        return [text]
    parts = [*done, flat[begin:]]
    return [parts[0], *(_with_subject(part, first.subject) for part in parts[1:])]


def _stands(text: str) -> bool:
    return finite_verb(text) is not None and (is_strong(Clause(text).predicate) or len(content(text)) >= 3)


def _stands_beside(tail: str, whole: str) -> bool:
    next_clause = tail[: m.start()] if (m := _JOINED.search(tail)) else tail
    clause = Clause(next_clause)
    if starts_with_a_verb(next_clause):
        return whole != tail and (is_strong(_after_first(next_clause)) or len(content(next_clause)) >= 3)
    if clause.verb is None or _SUBORDINATE.search(clause.subject) or not clause.subject:
        return False
    if len(clause.subject.split()) > 6 or "," in clause.subject:
        return False
    return is_strong(clause.predicate) or len(content(next_clause)) >= 3


def _after_first(text: str) -> str:
    return text.partition(" ")[2]


def _with_subject(part: str, subject: str) -> str:
    if starts_with_a_verb(part):
        return f"{subject} {part}"
    if _RELATIVE_PRONOUN.match(part) and subject and subject.lower() not in {"i", "we"}:
        rest = _RELATIVE_PRONOUN.sub("", part, count=1)
        if rest.startswith(" "):
            return subject + rest
    return part
