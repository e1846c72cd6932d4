"""Whether a sentence only repeats what was said before: then it teaches nothing. Pure."""

from collections.abc import Iterator, Sequence
from typing import Final

from ragpp.echo import Span
from ragpp.extraction import Extraction
from ragpp.extraction.sentences import clean, split
from ragpp.models import Memory
from services.workers.learning.texts import told_stems

COVERED: Final = 0.8
"""The share of a sentence's content words that must have been said before. Not all of them: a reply says "lives" where
the user said "moved", and adds a word of its own."""
MEMORIES: Final = 3
"""So many earlier turns may have said them between them: a reply joins what was said apart."""
LEAST_SHARED: Final = 2
"""A turn counts that shares so many words, or all that are left: single common words prove nothing."""


def teaching_spans(text: str, extraction: Extraction) -> Iterator[Span]:
    """The sentences of `text` from which `extraction` takes more than names, as stretches of it, in order: a name that
    is mentioned again makes nothing surer, and long replies name something in every other sentence."""
    contexts = {mention.context for mention in (*extraction.relationships, *extraction.ended)}
    findings = [mention.text for mention in extraction.findings]
    for sentence in split(clean(text)):
        raw = text[sentence.start : sentence.end]
        if (
            sentence.text in contexts
            or raw in contexts
            or any(finding in raw or raw in finding for finding in findings)
        ):
            yield Span(sentence.start, sentence.end)


def repeats(sentence: str, earlier: Sequence[Memory]) -> bool:
    """Whether what `sentence` says was said by `earlier`: COVERED of its content words occur in MEMORIES of them at
    most. A sentence without content words repeats nothing and teaches nothing."""
    wanted = set(told_stems(sentence))
    if not wanted:
        return False
    allowed = len(wanted) * (1 - COVERED)
    said = [told_stems(f"{memory.said_by or ''} {memory.text}") for memory in earlier]
    for _ in range(MEMORIES):
        best = max((stems & wanted for stems in said), key=len, default=frozenset())
        if len(best) < min(LEAST_SHARED, len(wanted)):
            return False
        wanted -= best
        if len(wanted) <= allowed:
            return True
    return False
