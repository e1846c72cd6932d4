"""Which of the preferences that a message states are its author's own. Pure."""

from dataclasses import replace

from ragpp.extraction import Extraction, Extractor
from ragpp.models import Interaction
from services.workers.learning.authorship import undoubted


def plainly_stated(extractor: Extractor, item: Interaction, text: str, extraction: Extraction) -> Extraction:
    """`extraction`, of the message's own `text`, without the preferences that only doubted sentences of a person's
    state: whose they are is not sure, and a preference has nobody's name in it."""
    if item.role != "user" or not extraction.preferences:
        return extraction
    left = undoubted(item, text)
    if left == text:
        return extraction
    own = extractor.extract(left, speaker=item.name, said_at=item.occurred_at).preferences
    return replace(extraction, preferences=tuple(one for one in extraction.preferences if one in own))
