"""A message's statements in its author's plain words, for the extractors and for language models, and those of its
sentences that teach something. Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from ragpp.extraction import Extraction, Extractor
from ragpp.models import Interaction
from ragpp.text.sentences import clean, split
from ragpp.text.spans import Span
from ragpp_services.workers.authorship.own_words import own_text
from ragpp_services.workers.learning.authorship import undoubted


def extracted(extractor: Extractor, item: Interaction, text: str) -> Extraction:
    """The extraction from the message's own `text`, without the preferences that only doubted sentences of a person's
    state: whose they are is not sure, and a preference has nobody's name in it."""
    found = extractor.extract(text, speaker=item.name, said_at=item.wall_clock)
    if item.role != "user" or not found.preferences or (left := undoubted(item, text)) == text:
        return found
    own = extractor.extract(left, speaker=item.name, said_at=item.wall_clock).preferences
    return replace(found, preferences=tuple(one for one in found.preferences if one in own))


def plainly_own(items: Sequence[Interaction]) -> list[Interaction]:
    """The messages with what their authors say themselves, in order, without what is doubted of a person's; none of
    which nothing is left. A model that obeys what it reads is to read no more than that."""
    kept = []
    for item in items:
        own = own_text(item)
        text = (undoubted(item, own) if item.role == "user" else own).strip()
        if text:
            kept.append(item.model_copy(update={"content": text}))
    return kept


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
