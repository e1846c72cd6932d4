"""Cuts feedback into what each writer says: a rating with a name goes before what somebody wrote, a name behind a dash
or a closing after it; without any it is of one user."""

import re
from collections.abc import Iterator
from datetime import datetime
from typing import Final

from ragpp.extraction.facts.documents import passages
from ragpp.extraction.facts.passages import Passage, Voice
from ragpp.names import SPEAKER

_NAME: Final = (
    r"(?P<name>(?!(?:Rating|Score|Stars?|Overall|Total|NPS|Review|Survey|Ticket)\b)[A-Z][\w.'’-]*"
    r"(?:\s(?:(?:de|van|von|der|la)\s)?[A-Z][\w.'’-]*){0,3})"
)
_HANDLE: Final = _NAME.replace(")[A-Z]", ")[A-Za-z@]", 1)
_RATING: Final = r"(?:[★☆⭐✩✭*]{1,5}|\d{1,2}(?:[.,]\d)?\s?(?:/|out of|of)\s?\d{1,2}(?:\sstars?)?|\d\s?(?:stars?|★|⭐))"
_BEHIND_A_RATING: Final = re.compile(
    rf"[ \t>*-]*{_RATING}[ \t,–—:|·-]*(?:by\s|from\s)?{_HANDLE}(?:\s?[,(–—|·-][^:\n]{{0,40}})?\s*(?::[ \t]*|$)"
)
_BEFORE_A_RATING: Final = re.compile(rf"[ \t>*-]*{_HANDLE}\s?[,(–—|·:-]\s?{_RATING}\)?[^\n:]{{0,30}}?(?::[ \t]*|$)")
_LABELLED: Final = re.compile(
    r"[ \t]*(?:customer|name|from|reviewer|guest|user|client|author|by|patient|tenant|member|visitor|reported by|"
    r"submitted by|reporter|contact|participant|respondent)"
    rf"(?:\s\d{{1,3}})?\s?:\s*(?-i:{_NAME})",
    re.IGNORECASE,
)
_SIGNED: Final = re.compile(rf"[ \t]*(?:[–—~]{{1,2}}|--|-(?=\S))[ \t]?{_NAME}(?:[,(][^\n]{{0,40}})?[ \t]*$")
_CLOSED: Final = re.compile(
    r"(?:regards|wishes|sincerely|cheers|thanks|yours|greetings|best|love|truly|faithfully)\b[^\n.]{0,20}?(?:[,.!]\s+|\n\s*)"
    rf"(?-i:{_NAME})[ \t]*(?:\n|$)",
    re.IGNORECASE,
)


def written(content: str, said_at: datetime | None) -> Iterator[Passage]:
    """The passages of feedback, in order."""
    for start, end, name in _parts(content):
        voice = Voice(aloud=True, speaker=name or f"the {SPEAKER}", said_at=said_at, gathered=True)
        yield from passages(content, start, end, voice)


def _parts(content: str) -> Iterator[tuple[int, int, str | None]]:
    """Where each part begins and ends, and who wrote it, if that is said."""
    begin, name = 0, None
    for line in re.finditer(r"[^\n]+", content):
        text = line.group()
        before = _BEHIND_A_RATING.match(text) or _BEFORE_A_RATING.match(text)
        labelled = None if before else _LABELLED.match(text)
        signed = None if before or labelled else _SIGNED.match(text)
        if before or labelled:
            yield from _part(content, begin, line.start(), name)
            begin = line.start() + (before.end() if before else 0)
            name = (before or labelled)["name"]  # type: ignore[index]
        elif signed:
            above = content.rfind("\n\n", begin, line.start()) if name else -1
            if above >= 0:
                yield from _part(content, begin, above, name)
                begin = above
            yield from _part(content, begin, line.start(), signed["name"])
            begin, name = line.end(), None
    yield from _part(content, begin, len(content), name)


def _part(content: str, start: int, end: int, name: str | None) -> Iterator[tuple[int, int, str | None]]:
    if content[start:end].strip():
        closed = None if name else _CLOSED.search(content, start, end)
        yield start, end, name or (closed["name"] if closed else None)
