"""People's doings in their messages: what they ask an assistant for, and what they say that they did. Pure."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, tzinfo
from typing import Final, Literal

from ragpp.extraction.engine import PatternRule, Plain, apply_rules
from ragpp.extraction.gate import Claim, Gate
from ragpp.models import Interaction
from ragpp.text.english import word_set
from ragpp.text.sentences import clean, split
from ragpp_services.workers.authorship.own_words import own_text

LONGEST_REQUEST: Final = 300
"""Characters: what is longer is a text to work on, not a request by itself."""
REQUEST_WORDS: Final = word_set(
    """
    please can could would will you give show tell get find check list make write what what's which how when where who
    why is are do does let me my us today now again current latest want like need help set send
    """
)
"""Words of a request that do not say what it is about."""

_IMPERATIVE: Final = re.compile(
    r"(?:(?:ok(?:ay)?|hi|hey|hello|good \w+|and|now|then|also|great|thanks)\b[,! ]*)*(?:please |kindly )?"
    r"(?:give|show|tell|get|find|check|list|make|write|draft|send|set|remind|book|order|plan|summari[sz]e|translate|"
    r"explain|review|run|play|turn|start|stop|add|create|open|read|search|look up|update|schedule|calculate|convert|"
    r"suggest|recommend|help|prepare|generate|fix|compare|draw|sort|rename|deploy|log|note|save)\b",
    re.IGNORECASE,
)
_WISH: Final = re.compile(
    r"\bi(?:'d like| would like| want| need) (?:you )?to (?:know|see|hear|have|get)\b", re.IGNORECASE
)
_OUTING: Final = re.compile(
    r"\b(?P<who>i|we)(?:'ve|'m|'re| have| am| are| was| were)? (?:\w+ ){0,2}?(?:go|went|gone|going)"
    r"(?: out| off| back)? (?:(?P<doing>(?!going|doing|being|having|getting|trying|looking|talking|thinking|through)"
    r"[a-z]{3,}ing)|(?:for|on) an? (?:\w+ ){0,1}?(?P<noun>run|walk|swim|hike|ride|jog|stroll|drive|sail|climb))\b",
    re.IGNORECASE,
)
_SLIPPED: Final = frozenset({"something", "anything", "nothing", "everything", "wedding", "morning", "evening"})
_GERUND: Final = {
    "run": "running",
    "walk": "walking",
    "swim": "swimming",
    "hike": "hiking",
    "ride": "riding",
    "jog": "jogging",
    "stroll": "walking",
    "drive": "driving",
    "sail": "sailing",
    "climb": "climbing",
}


@dataclass(frozen=True, slots=True)
class Doing:
    """One thing done at a moment. `asks`: asked an assistant; `does`: said to have been done. `at`: in the user's own
    time zone. `who`: the speaker's name, empty where there is none. `text`: the request, or the activity's name."""

    kind: Literal["asks", "does"]
    who: str
    text: str
    at: datetime
    session_id: str
    source: str


def doings_of(items: Sequence[Interaction], zone: tzinfo) -> list[Doing]:
    """The doings in `items`, by time. Requests are read where an assistant is spoken to: a question to a friend is
    conversation."""
    addressed = assisted_sessions(items)
    found: list[Doing] = []
    for item in sorted(items, key=lambda item: (item.occurred_at, item.id)):
        if item.role != "user":
            continue
        text, at = own_text(item), item.occurred_at.astimezone(zone)
        if item.session_id in addressed and (request := request_in(text)):
            found.append(Doing("asks", item.name or "", request, at, item.session_id, item.id))
        found += [
            Doing("does", item.name or "", activity, at, item.session_id, item.id) for activity in activities_in(text)
        ]
    return found


def active_days(items: Sequence[Interaction], zone: tzinfo) -> dict[str, set[date]]:
    """The local days on which each speaker said something; the empty name where there is none."""
    days: dict[str, set[date]] = defaultdict(set)
    for item in items:
        if item.role == "user":
            days[item.name or ""].add(item.occurred_at.astimezone(zone).date())
    return days


def assisted_sessions(items: Sequence[Interaction]) -> set[str]:
    """The sessions in which a person talks to an assistant and not to another person: an assistant has spoken, or at
    most one name has."""
    names: dict[str, set[str]] = defaultdict(set)
    assisted: set[str] = set()
    for item in items:
        if item.role == "assistant":
            assisted.add(item.session_id)
        elif item.role == "user":
            names[item.session_id].add(item.name or "")
    return {session for session, speakers in names.items() if len(speakers) < 2} | assisted


def request_in(text: str) -> str | None:
    """The first sentence of a short message that asks for something, or None."""
    if len(text.strip()) > LONGEST_REQUEST:
        return None
    for sentence in split(clean(text)):
        if sentence.asks or _IMPERATIVE.match(sentence.text) or _WISH.search(sentence.text):
            return sentence.text
    return None


def activities_in(text: str) -> list[str]:
    """The things that the speaker says they did, do or are going to do, as gerunds ("camping"), each once."""
    found: dict[str, None] = {}
    for sentence in split(clean(text)):
        for activity in apply_rules(_RULES, Plain(Gate(sentence), sentence.text)):
            found[activity] = None
    return list(found)


def _activity(match: re.Match[str], _heard: Plain) -> Iterator[str]:
    doing = (match["doing"] or _GERUND[match["noun"].lower()]).lower()
    if doing not in _SLIPPED:
        yield doing


_RULES: Final[tuple[PatternRule[Plain, str], ...]] = (PatternRule(_OUTING, Claim.OWN, _activity),)
