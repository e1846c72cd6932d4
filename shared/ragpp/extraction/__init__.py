"""From a message to what it says: entities, relationships and stated preferences.

The values and the protocol are in `port`; `spacy_extractor` implements it, `query` serves the read path without spaCy.
"""

from ragpp.extraction.port import (
    SPEAKER,
    EntityLabel,
    EntityMention,
    Extraction,
    Extractor,
    PreferenceMention,
    RelationshipMention,
)

__all__ = [
    "SPEAKER",
    "EntityLabel",
    "EntityMention",
    "Extraction",
    "Extractor",
    "PreferenceMention",
    "RelationshipMention",
]
