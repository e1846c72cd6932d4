"""From a message to what it says: entities, relationships, stated preferences, findings and dates.

The values and the protocol are in `port`; `spacy_extractor` implements it, `query` serves the read path without spaCy.
Each room has a reader for what it is named after, with its patterns beside it; `gate` says what a sentence asserts.
`facts` reads whole resources.
"""

from ragpp.extraction.port import (
    DateMention,
    EntityLabel,
    EntityMention,
    Extraction,
    Extractor,
    FactKind,
    FactMention,
    FindingMention,
    PreferenceMention,
    RelationshipMention,
    ResourceType,
    Turn,
)

__all__ = [
    "DateMention",
    "EntityLabel",
    "EntityMention",
    "Extraction",
    "Extractor",
    "FactKind",
    "FactMention",
    "FindingMention",
    "PreferenceMention",
    "RelationshipMention",
    "ResourceType",
    "Turn",
]
