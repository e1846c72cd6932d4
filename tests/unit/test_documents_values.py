"""Values, configuration and errors are made as document 002 makes them."""

import dataclasses
import uuid
from collections.abc import Mapping
from datetime import UTC, datetime
from enum import Enum
from pathlib import Path
from typing import Any, Final

import pytest
from pydantic import BaseModel

import ragpp
from ragpp.errors import MemorySystemError
from ragpp.errors.problems import error_of, problem_of
from tests.support.documents import ran, worth, worth_as_written
from tests.support.each import each_case

AT: Final = datetime(2026, 1, 11, 10, 30, tzinfo=UTC)
NAMES: Final[dict[str, object]] = {"datetime": datetime, **{name: getattr(ragpp, name) for name in ragpp.__all__}}
VALUES: Final = {
    "002.11": "RetrievalResult",
    "002.18": "MemoryStats",
    "002.59": "Resource",
    "002.60": "MemoryItem",
    "002.61": "MemoryCategory",
    "002.62": "RetrievalResult",
    "002.63": "MemoryStats",
    "002.64": "MemoryConfig",
    "002.66": "MemoryRetryConfig",
}
IN_PLACE: Final = {
    "Falling back to sequential search": "Ask again with mode=rag, which needs no language model.",
    "Check FAISS index health": "Check the index: GET /health/ready.",
    "Check FAISS installation": "Make it anew by `ragpp catalog rebuild`, where no manager is at hand.",
    "Verify index file integrity": "Check what it is made of: GET /health/ready.",
    "Check storage_dir path": "Check the stack's folder, RAGPP_HOME, which takes the place of a storage_dir.",
}
"""Advice about what there is not here, and what is advised in its place."""


def test_a_resource_is_made_of_what_the_document_gives_and_a_time_of_no_zone_is_of_utc() -> None:
    resource = worth("002.05", **NAMES)
    assert (resource.resource_type, resource.created_at, resource.occurred_at) == ("conversation", AT, AT)
    assert resource.metadata == {"agent_name": "lead_qualifier", "messages": 12}
    assert ragpp.Resource.from_dict(resource.to_dict()) == resource


def test_items_are_made_of_what_the_document_gives_but_for_numbers_that_it_leaves_out() -> None:
    with pytest.raises(ValueError, match=r"embedding\.2\n.*number"):
        worth_as_written("002.08", **NAMES)
    first, second = worth("002.08", **NAMES)
    assert first.embedding == (0.1, 0.2)
    assert first.key == ragpp.generate_memory_key(first.content)
    assert [(one.category, one.confidence, one.importance) for one in (first, second)] == [
        ("product_knowledge", 0.92, "normal"),
        ("lead_preferences", 0.85, "normal"),
    ]
    assert first.occurred_at == first.created_at == datetime(2026, 1, 11, 10, 31, tzinfo=UTC)
    assert first.get_value("any") == 0.5
    assert ragpp.MemoryItem.from_dict(first.to_dict()) == first


def test_a_category_is_made_of_what_the_document_gives() -> None:
    category = worth("002.23", **NAMES)
    assert (category.name, category.item_ids, category.updated_at) == ("lead_preferences", (), AT)
    assert category.markdown_content.endswith("*No items yet.*")
    assert ragpp.MemoryCategory.from_dict(category.to_dict()) == category


@each_case(("number", "mode", "found"), [("002.30", "rag", 25), ("002.34", "llm", 50)])
def test_a_result_is_made_of_what_the_document_gives(number: str, mode: str, found: int) -> None:
    result = worth(number, **NAMES)
    assert (result.mode_used, result.total_found, result.escalated) == (mode, found, False)
    assert result.confidence_scores == tuple(sorted(result.confidence_scores, reverse=True))
    assert ragpp.RetrievalResult.from_dict(result.to_dict()) == result


@each_case(("number", "name"), list(VALUES.items()))
def test_a_value_has_the_fields_of_the_document_with_its_defaults(number: str, name: str) -> None:
    theirs = ran(number, dataclass=dataclasses.dataclass, Path=Path, **NAMES)[name]
    ours: type[BaseModel] = getattr(ragpp, name)
    assert ours is not theirs
    for given in dataclasses.fields(theirs):
        field = ours.model_fields[given.name]
        if given.default is not dataclasses.MISSING:
            assert field.default == given.default, given.name


def test_a_configuration_is_made_of_any_field_and_what_the_servers_decide_is_told_where() -> None:
    config = ragpp.MemoryConfig(retention_days=30, consolidation_interval=5)
    assert (config.retention_days, config.consolidation_interval) == (30, 5)
    with pytest.raises(ragpp.errors.ConfigurationError, match="consolidation_interval, retention_days") as caught:
        ragpp.MemoryManager(config=config)
    (told,) = caught.value.suggestions
    assert "LEARNING_RETENTION for retention_days" in told
    assert "MEMORY_CONSOLIDATION_INTERVAL for consolidation_interval" in told


@each_case(("number", "name"), [("002.26", "RetrievalMode"), ("002.44", "MemoryEventType")])
def test_modes_and_events_have_the_members_of_the_document(number: str, name: str) -> None:
    theirs, ours = ran(number, Enum=Enum)[name], getattr(ragpp, name)
    assert {one.name: one.value for one in theirs} == {one.name: one.value for one in ours}


def test_an_event_has_the_fields_of_the_document() -> None:
    theirs = ran("002.50", dataclass=dataclasses.dataclass, Event=object, **NAMES)["MemoryEvent"]
    assert {field.name for field in dataclasses.fields(theirs)} == set(ragpp.MemoryEvent.model_fields)
    made = ragpp.MemoryEvent(
        event_id=str(uuid.UUID(int=1)),
        event_type=ragpp.MemoryEventType.RESOURCE_STORED,
        timestamp=AT,
        session_id="s1",
        correlation_id=None,
        payload={"resource_id": "res_1"},
    )
    assert ragpp.MemoryEvent.from_dict(made.to_dict()) == made


class SigilError(Exception):
    """The root of the document's errors, as far as it is told: it keeps what it is given."""

    def __init__(self, message: str, **given: object) -> None:
        super().__init__(message)
        self.message = message
        vars(self).update(given)


def theirs() -> Mapping[str, Any]:
    return {
        name: kind
        for name, kind in ran("002.65", SigilError=SigilError).items()
        if isinstance(kind, type) and kind is not SigilError
    }


@each_case(
    ("name", "given"),
    [
        ("ResourceNotFoundError", ("res_1",)),
        ("CategoryNotFoundError", ("prices",)),
        ("CategoryNotFoundError", ("prices", ["leads", "plans"])),
        ("CategoryExistsError", ("prices",)),
    ],
)
def test_an_error_of_something_has_the_documents_message_context_and_advice(name: str, given: tuple[Any, ...]) -> None:
    wanted, error = theirs()[name](*given), getattr(ragpp, name)(*given)
    assert (error.message, str(error), error.context) == (wanted.message, wanted.message, wanted.context)
    assert error.recovery_suggestions[: len(wanted.recovery_suggestions)] == wanted.recovery_suggestions
    (thing,) = [key for key in wanted.context if key != "available"]
    assert getattr(error, thing) == given[0]
    heard = error_of(problem_of(error))
    assert type(heard) is type(error)
    assert (heard.message, heard.context) == (error.message, error.context)
    assert (heard.recovery_suggestions, getattr(heard, thing)) == (error.recovery_suggestions, given[0])


@each_case(
    "name",
    ["EmbeddingError", "ExtractionError", "ConsolidationError", "RetrievalError", "VectorIndexError", "StorageError"],
)
def test_another_error_has_the_documents_advice_and_in_place_of_what_is_not_here_what_is(name: str) -> None:
    kind: type[MemorySystemError] = getattr(ragpp, name)
    wanted = theirs()[name].recovery_suggestions
    assert kind.recovery_suggestions[: len(wanted)] == [IN_PLACE.get(advice, advice) for advice in wanted]
    assert kind("told why").recovery_suggestions == kind.recovery_suggestions
    assert kind("told why", suggestions=("Do this.",)).recovery_suggestions == ["Do this."]


def test_errors_have_the_documents_codes_and_names_and_one_root_which_is_not_pythons() -> None:
    wanted = dict(theirs())
    assert wanted.pop("MemoryError").code == MemorySystemError.code == "MEM-000"
    assert {name: kind.code for name, kind in wanted.items()} == {
        kind.name: code for code, kind in MemorySystemError.by_code.items() if code <= "MEM-009"
    }
    assert {kind.name for kind in wanted.values()} == set(wanted)
