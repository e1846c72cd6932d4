"""The catalog's values: each comes back from its JSON, and what document 002 §6 says of its fields holds."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from ragpp.catalog import (
    DEFAULT_CATEGORIES,
    PRIORITIES,
    RESOURCE_TYPES,
    CatalogEvent,
    GoalValue,
    MemoryCategory,
    MemoryItem,
    MemoryStats,
    Resource,
    ResourceMessage,
    RetrievalMode,
    RetrievalResult,
    generate_memory_key,
)
from tests.support.each import each_case

NOON = datetime(2026, 3, 8, 12, tzinfo=UTC)
moments = st.datetimes(datetime(1970, 1, 2), datetime(2100, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001 - given one
texts = st.text(min_size=1, max_size=40).filter(lambda text: text.isprintable() and bool(text.strip()))
shares = st.floats(0, 1)
resources = st.builds(
    Resource,
    resource_id=texts,
    resource_type=st.sampled_from(RESOURCE_TYPES),
    content=texts,
    metadata=st.dictionaries(texts, st.none() | st.booleans() | st.integers() | texts, max_size=3),
    messages=st.lists(st.builds(ResourceMessage, start=st.integers(0, 9), end=st.integers(9, 20)), max_size=2),
    occurred_at=moments,
    created_at=moments,
    session_id=st.none() | texts,
    agent_id=st.none() | texts,
    visibility=st.sampled_from(["agent", "shared", "global"]),
)
items = st.builds(
    MemoryItem,
    item_id=texts,
    content=texts,
    embedding=st.none() | st.lists(st.floats(-1, 1), min_size=1, max_size=4).map(tuple),
    source_resource_id=texts,
    category=st.none() | st.sampled_from(sorted(DEFAULT_CATEGORIES)),
    confidence=shares,
    importance=st.sampled_from(sorted(PRIORITIES)),
    kind=st.sampled_from(["fact", "decision", "insight", "error", "plan"]),
    occurred_at=moments,
    created_at=moments,
    key=texts.map(generate_memory_key),
    level=st.sampled_from(["short_term", "episodic", "semantic", "procedural"]),
    domain=st.none(),
    task_type=st.none(),
    agent_id=st.none() | texts,
    metadata=st.just({}),
    visibility=st.just("shared"),
    replaced_by=st.none() | texts,
    goal_values=st.dictionaries(texts, st.builds(GoalValue, value=shares, last_updated=moments), max_size=2),
)
categories = st.builds(
    MemoryCategory,
    category_id=texts,
    name=st.sampled_from(sorted(DEFAULT_CATEGORIES)),
    description=texts,
    markdown_content=texts,
    item_ids=st.lists(texts, max_size=3).map(tuple),
    updated_at=moments,
    visibility=st.just("shared"),
)
results = st.lists(st.tuples(items, shares), max_size=2).map(
    lambda found: RetrievalResult(
        items=tuple(item for item, _ in found),
        total_found=len(found),
        search_time_ms=12.5,
        confidence_scores=tuple(score for _, score in found),
        escalation_reason="none is configured",
    )
)
stats = st.builds(
    MemoryStats,
    resources_by_type=st.dictionaries(st.sampled_from(RESOURCE_TYPES), st.integers(0, 9)),
    last_extraction_at=st.none() | moments,
    last_consolidation_at=st.none() | moments,
)
events = st.builds(
    CatalogEvent,
    event_id=texts,
    event_type=st.just("memory.items_extracted"),
    timestamp=moments,
    session_id=st.none() | texts,
    correlation_id=st.none() | texts,
    payload=st.dictionaries(texts, st.integers() | texts, max_size=2),
)


@given(resources | items | categories | results | stats | events)
def test_what_was_written_as_json_is_read_back_equal(
    value: Resource | MemoryItem | MemoryCategory | RetrievalResult | MemoryStats | CatalogEvent,
) -> None:
    written = value.to_dict()
    assert type(value).from_dict(written) == value
    with pytest.raises(ValidationError):
        type(value).from_dict({**written, "unheard_of": 1})


def an_item(**fields: object) -> MemoryItem:
    given: dict[str, object] = {
        "item_id": "item_1",
        "content": "Pro costs $299",
        "source_resource_id": "res_1",
        "confidence": 0.5,
        "occurred_at": NOON,
        "created_at": NOON,
        "key": generate_memory_key("Pro costs $299"),
    }
    return MemoryItem.model_validate(given | fields)


@each_case("confidence", [0.0, 0.5, 1.0])
def test_a_confidence_is_from_zero_to_one(confidence: float) -> None:
    assert an_item(confidence=confidence).confidence == confidence


@each_case("confidence", [-0.01, 1.01, float("nan"), float("inf")])
def test_another_confidence_is_none(confidence: float) -> None:
    with pytest.raises(ValidationError):
        an_item(confidence=confidence)


def test_an_importance_is_low_normal_or_high_and_counts_in_that_order() -> None:
    assert PRIORITIES == {"low": 2, "normal": 5, "high": 7}
    assert an_item().importance == "normal"
    with pytest.raises(ValidationError):
        an_item(importance="urgent")


def test_an_item_without_its_source_is_none() -> None:
    given = an_item().to_dict()
    del given["source_resource_id"]
    with pytest.raises(ValidationError):
        MemoryItem.from_dict(given)


def test_modes_and_types_are_those_of_the_document() -> None:
    assert {mode.name: mode.value for mode in RetrievalMode} == {"RAG": "rag", "LLM": "llm", "HYBRID": "hybrid"}
    assert RESOURCE_TYPES == ("conversation", "document", "config", "feedback")


def test_a_goal_never_seen_is_worth_one_half() -> None:
    known = an_item(goal_values={"close": GoalValue(value=0.9, last_updated=NOON)})
    assert (known.get_value("close"), known.get_value("upsell")) == (0.9, 0.5)


def test_a_key_is_domain_task_and_sixteen_digits_of_the_content() -> None:
    assert generate_memory_key("hello") == "general:general:5d41402abc4b2a76"
    assert generate_memory_key("hello", "sales", "call") == "sales:call:5d41402abc4b2a76"
    assert generate_memory_key("hello", "sales", "call", agent_name="anna") == "sales:call:5d41402abc4b2a76"


@given(st.none() | texts, st.none() | texts, texts)
def test_a_key_has_three_parts_whatever_stands_in_them_and_other_parts_are_another_key(
    domain: str | None, task_type: str | None, content: str
) -> None:
    key = generate_memory_key(content, domain, task_type)
    assert len(key.split(":")) == 3
    assert generate_memory_key(content, f"{domain}:{task_type}") != generate_memory_key(content, domain, task_type)
