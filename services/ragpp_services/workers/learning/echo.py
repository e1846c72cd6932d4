"""Which sentences of a message teach something. Pure."""

from collections.abc import Iterator

from ragpp.context.echo import Span
from ragpp.extraction import Extraction
from ragpp.extraction.sentences import clean, split


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
