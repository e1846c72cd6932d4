"""Which pipeline reads, and what is read where none is trained."""

import hashlib
import random
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import spacy
from spacy.language import Language
from spacy.training import Example
from thinc.util import fix_random_seed

from ragpp.errors import ExtractionError
from ragpp.extraction.pipeline import altered, find_model, manifest
from ragpp.extraction.spacy_extractor import SpacyExtractor
from tests.support.extractor import untrained

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


def test_names_come_from_the_model(trained: Language) -> None:
    extraction = SpacyExtractor(trained).extract("zora works at orbitron", speaker="Noor")
    assert {found.name: found.label for found in extraction.entities} == {"zora": "PERSON", "orbitron": "ORG"}


def test_labels_that_are_no_entities_of_ours_are_left_out(trained: Language) -> None:
    extraction = SpacyExtractor(trained).extract("we will see zora on Tuesday", speaker="Noor")
    assert [found.name for found in extraction.entities] == ["zora"]


def test_without_a_parser_names_kin_dates_and_findings_are_read_all_the_same() -> None:
    found = untrained().extract(
        "My sister Liv moved to Turin on 5 May 2024. I'm vegan. I decided to sell the car.",
        speaker="Noor",
        said_at=datetime(2024, 6, 1, tzinfo=UTC),
    )
    assert {entity.name for entity in found.entities} == {"Liv", "Turin", "Noor"}
    assert ("Liv", "SISTER_OF", "Noor") in {(tie.source, tie.type, tie.target) for tie in found.relationships}
    assert [one.value for one in found.preferences] == ["vegan"]
    assert {one.finding for one in found.findings} == {"event", "decision"}
    assert len(found.dates) == 1


def test_the_files_of_the_trained_pipeline_are_those_of_the_official_one() -> None:
    pinned = manifest()
    assert pinned.files["ner/model"].startswith("cd93e9ca9126c69f")
    assert find_model().name == "en_core_web_sm 3.8.0"


def test_an_altered_file_of_the_trained_pipeline_is_not_loaded(tmp_path: Path) -> None:
    (tmp_path / "meta.json").write_text("{}")
    digest = hashlib.sha256(b"{}").hexdigest()
    assert altered(tmp_path, {"meta.json": digest}) is None
    (tmp_path / "meta.json").write_text("{ }")
    assert altered(tmp_path, {"meta.json": digest}) == "meta.json is altered"
    assert altered(tmp_path, {}) == "meta.json is unexpected"
    assert altered(tmp_path, {"ner/model": digest}) == "ner/model cannot be read (FileNotFoundError)"


def test_a_failing_pipeline_is_an_extraction_error() -> None:
    def fails(doc: "Doc") -> "Doc":
        raise RuntimeError(f"cannot read {doc.text!r}")

    pipeline = spacy.blank("en")
    Language.component("failing", func=fails)
    pipeline.add_pipe("failing")
    with pytest.raises(ExtractionError, match=r"^the language pipeline failed \(RuntimeError\)$"):
        SpacyExtractor(pipeline).extract("Hello", speaker=None)


def test_a_mention_is_where_it_was_written() -> None:
    text = "i celebrated xmas with Leo n my cousin fenna at velotek"
    found = SpacyExtractor().extract(text, speaker="Noor")
    spans = {entity.name: text[entity.start : entity.end] for entity in found.entities}
    assert spans["Christmas"] == "xmas"
    assert (spans["Leo"], spans["Fenna"]) == ("Leo", "fenna")


def test_what_fails_while_loading_is_an_extraction_error() -> None:
    def fails() -> Language:
        raise PermissionError

    with pytest.raises(ExtractionError, match="PermissionError"):
        SpacyExtractor(load=fails).extract("I live in Porto.", speaker="Noor")
