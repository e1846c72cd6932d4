"""Cuts a conversation into what each speaker says: by its messages where these are known, else by lines that begin with
a name and a colon."""

import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Final

from ragpp.extraction.facts.documents import is_a_label, passages
from ragpp.extraction.facts.passages import Passage, Voice
from ragpp.extraction.naming.lexicon import DEMONYMS
from ragpp.extraction.port import Turn
from ragpp.names import ROLES
from ragpp.text.english import CALENDAR, SENTENCE_OPENERS, word_set

_LABEL: Final = re.compile(
    r"^[ \t]*(?:[-*>]\s)?(?:\[[^\]\n]{1,40}\]\s*|\(?\d{1,4}[\d:./-]{1,16}(?:\s?[APap]\.?[Mm]\.?)?\)?\s*[-–—]?\s*)?"
    r"\*{0,2}(?P<name>[A-Za-z@][\w.'’-]*(?:\s[A-Z(][\w.'’-]*\)?){0,3})"
    r"(?:\s?(?:\([^)\n]{1,40}\)|\[[^\]\n]{1,40}\]))?\*{0,2}:\*{0,2}(?:[ \t]+|$)",
    re.MULTILINE,
)
_PARTS: Final = ROLES | word_set(
    "agent customer support sales bot client caller operator interviewer interviewee rep representative host guest "
    "student teacher doctor patient manager candidate engineer reviewer moderator visitor lead owner seller buyer ai"
)
"""Who speaks by the part they play and not by a name."""


_NAME: Final = r"[A-Z][\w'’-]+(?:\s(?:(?:de|van|von|der|la)\s)?[A-Z][\w'’-]+){0,3}"
_INTRODUCTION: Final = re.compile(
    rf"\b(?i:my name is|my name's|this is|i am|i'm|i’m)\s(?P<name>{_NAME})"
    r"(?=\s*[,.!?;–—-]|\s(?:from|at|of|with|and)\s|\s*$)|"
    rf"(?P<here>{_NAME})\s(?:here|speaking)\b(?=\s*[,.!?;–—-]|\s(?:from|at|with)\s|\s*$)"
)
_NO_NAMES: Final = DEMONYMS | SENTENCE_OPENERS | CALENDAR


def turns_of(content: str) -> list[Turn]:
    """The turns of the speakers, in order. One turn of nobody where no line begins with a name."""
    labels = [match for match in _LABEL.finditer(content) if is_a_label(match["name"])]
    if not labels:
        return [Turn(0, len(content), None)] if content.strip() else []
    ends = [match.start() for match in labels[1:]] + [len(content)]
    return [Turn(match.end(), end, match["name"]) for match, end in zip(labels, ends, strict=True)]


def voices(content: str, turns: Sequence[Turn], said_at: datetime | None) -> Iterator[tuple[Turn, Voice]]:
    """Each turn with who speaks to whom: where two speak, to the other. Who plays a part and says a name has that."""
    called = dict[str, str]()
    for turn in turns:
        if turn.speaker and called.get(turn.speaker, in_a_sentence(turn.speaker)) == in_a_sentence(turn.speaker):
            called[turn.speaker] = _called(content[turn.start : turn.end], turn.speaker)
    for index, turn in enumerate(turns):
        others = [name for speaker, name in called.items() if speaker != turn.speaker]
        other = others[0] if len(others) == 1 and turn.speaker else None
        name = called[turn.speaker] if turn.speaker else None
        yield turn, Voice(True, name, other, turn.speaker, index, turn.said_at or said_at)


def _called(said: str, speaker: str) -> str:
    """The name that somebody who plays a part gives, else the part."""
    found = _INTRODUCTION.search(said) if speaker.lower() in _PARTS else None
    name = found and (found["name"] or found["here"])
    return name if name and name.split()[0].lower() not in _NO_NAMES else in_a_sentence(speaker)


def introduced(text: str, voice: Voice) -> str:
    """`text`; where somebody who plays a part gives a name in it, as said of that part: "I'm Ana from Porto" → "The
    customer is Ana from Porto"."""
    found = _INTRODUCTION.match(text)
    if found is None or not voice.label or found["name"] is None or found["name"] != voice.speaker:
        return text
    return f"{in_a_sentence(voice.label)} is {text[found.start('name') :]}"


def in_a_sentence(speaker: str) -> str:
    """A name as it is; a part that somebody plays with its article: "User" → "the user"."""
    return f"the {speaker.lower()}" if speaker.lower() in _PARTS else speaker


def spoken(content: str, turns: Sequence[Turn], said_at: datetime | None) -> Iterator[Passage]:
    """The passages of a conversation, in order."""
    for turn, voice in voices(content, turns or turns_of(content), said_at):
        yield from passages(content, turn.start, turn.end, voice)
