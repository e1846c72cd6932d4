"""A trained pipeline takes the place of the blank one, and everything above the names stays as it was."""

import random
from typing import TYPE_CHECKING

import pytest
import spacy
from spacy.language import Language
from spacy.training import Example
from thinc.util import fix_random_seed

from ragpp.errors import ExtractionError
from ragpp.extraction.spacy_extractor import SpacyExtractor, installed_pipeline

if TYPE_CHECKING:
    from spacy.tokens import Doc

SENTENCES = [
    ("i met zora in quillby", {"zora": "PERSON", "quillby": "GPE"}),
    ("zora works at orbitron", {"zora": "PERSON", "orbitron": "ORG"}),
    ("my flight to quillby was late", {"quillby": "GPE"}),
    ("orbitron hired zora", {"orbitron": "ORG", "zora": "PERSON"}),
    ("we will see zora on Tuesday", {"zora": "PERSON", "Tuesday": "DATE"}),
    ("quillby is a town", {"quillby": "GPE"}),
]


@pytest.fixture(scope="module")
def trained() -> Language:
    """An entity recogniser of one second's training, which knows three names that have no capitals."""
    fix_random_seed(7)
    pipeline = spacy.blank("en")
    pipeline.add_pipe("ner")
    examples = []
    for text, names in SENTENCES:
        spans = [(text.index(name), text.index(name) + len(name), label) for name, label in names.items()]
        examples.append(Example.from_dict(pipeline.make_doc(text), {"entities": spans}))
    optimizer = pipeline.initialize(lambda: examples)
    order = random.Random(7)
    for _ in range(30):
        order.shuffle(examples)
        pipeline.update(examples, sgd=optimizer, drop=0.1)
    return pipeline


def test_names_come_from_the_model_and_relationships_from_the_patterns(trained: Language) -> None:
    extraction = SpacyExtractor(trained).extract("zora works at orbitron", speaker="Noor")
    assert {found.name: found.label for found in extraction.entities} == {"zora": "PERSON", "orbitron": "ORG"}
    assert [(tie.source, tie.type, tie.target) for tie in extraction.relationships] == [
        ("zora", "WORKS_AT", "orbitron")
    ]


def test_labels_that_are_no_entities_of_ours_are_left_out(trained: Language) -> None:
    extraction = SpacyExtractor(trained).extract("we will see zora on Tuesday", speaker="Noor")
    assert [found.name for found in extraction.entities] == ["zora"]


def test_without_the_trained_model_the_blank_pipeline_reads() -> None:
    pipeline = installed_pipeline("no_such_model_is_installed")
    assert pipeline.pipe_names == ["entity_ruler"]


def test_a_failing_pipeline_is_an_extraction_error() -> None:
    def fails(doc: "Doc") -> "Doc":
        raise RuntimeError(f"cannot read {doc.text!r}")

    pipeline = spacy.blank("en")
    Language.component("failing", func=fails)
    pipeline.add_pipe("failing")
    with pytest.raises(ExtractionError, match=r"^the language pipeline failed \(RuntimeError\)$"):
        SpacyExtractor(pipeline).extract("Hello", speaker=None)
