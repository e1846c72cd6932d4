"""The extractors, one a process, loaded when first asked: they keep nothing of what they read."""

from functools import cache

from ragpp.extraction.pipeline import blank_pipeline
from ragpp.extraction.spacy_extractor import SpacyExtractor


@cache
def trained() -> SpacyExtractor:
    return SpacyExtractor()


@cache
def untrained() -> SpacyExtractor:
    return SpacyExtractor(load=blank_pipeline)
