"""Formulas, keys, formats and settings of the documents, run as they are written, beside ours."""

import hashlib
import math
import string
import typing
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from ragpp import MemoryItem, MemoryLevel, generate_memory_key
from ragpp.catalog import GoalValue
from ragpp.entries.packing import Offer, pack, worth
from ragpp.entries.relevance import Scorable, scored
from ragpp.entries.values import PATTERNS, Form
from ragpp.errors import CategoryNotFoundError, StorageError
from ragpp.settings import EntrySettings
from ragpp.tools import formats
from tests.support.documents import ran, sample
from tests.support.each import each_case
from tests.support.values import item

NOW: Final = datetime(2026, 3, 8, 12, tzinfo=UTC)
PART: Final = st.text(string.ascii_lowercase + "_", min_size=1, max_size=12) | st.none()
TAGS: Final = st.lists(st.sampled_from(["redux", "state", "architecture", "prices", "async"]), unique=True)


@given(
    hours=st.floats(0, 10_000),
    own=TAGS,
    said=TAGS,
    ci=st.sampled_from(["ergon", "apollo"]),
    priority=st.integers(0, 10),
)
def test_relevance_is_what_the_document_calculates(
    hours: float, own: list[str], said: list[str], ci: str, priority: int
) -> None:
    calculate = ran("001.06", math=math, now=NOW, extract_tags=str.split)["calculate_relevance"]
    at = NOW - timedelta(hours=hours)
    memory = SimpleNamespace(timestamp=at, tags=own, ci_source=ci, priority=priority)
    wanted = calculate(memory, {"message": " ".join(said), "ci_name": "ergon"})
    entry = Scorable(tags=own, occurred_at=at, priority=priority, agent=ci)
    assert scored(entry, now=NOW, message_tags=said, agent="ergon").relevance == pytest.approx(wanted)


@given(
    st.lists(st.tuples(st.floats(0.01, 1), st.integers(2, 300), st.integers(1, 50)), max_size=12), st.integers(0, 600)
)
def test_what_is_packed_is_worth_what_the_document_packs_or_more_and_never_over_the_budget(
    drawn: Sequence[tuple[float, int, int]], budget: int
) -> None:
    """It counts a summary's characters for its tokens, so ours are as many."""
    pack_memories = ran("001.07")["pack_memories"]
    shapes = [(score, max(full, brief + 1), brief) for score, full, brief in drawn]
    memories = [
        SimpleNamespace(id=str(place), relevance=score, tokens=full, summary="s" * brief, content="c")
        for place, (score, full, brief) in enumerate(shapes)
    ]
    offers = [
        Offer(str(place), score, {Form.FULL: full, Form.SUMMARY: brief})
        for place, (score, full, brief) in enumerate(shapes)
    ]
    theirs = pack_memories(memories, budget)
    forms = {one.id: Form.FULL if one.content == "c" else Form.SUMMARY for one in theirs}
    packed = pack(offers, budget)
    assert packed.tokens <= budget
    shown = type(packed)(forms, {}, 0)
    assert worth(offers, packed) >= worth(offers, shown) - 1e-9


def test_settings_have_the_names_and_defaults_of_the_document() -> None:
    config = ran("001.10")["MEMORY_CONFIG"]
    patterns = config.pop("extraction_patterns")
    settings = EntrySettings.model_construct()
    ours = {"max_injection_tokens", "max_memories_per_ci", "default_expiration_days", "cleanup_interval_hours"}
    assert set(config) == ours | {"min_priority_for_permanent", "summary_max_length"}
    assert {name: getattr(settings, name) for name in config} == config
    assert {kind: PATTERNS[kind] for kind in patterns} == patterns


@given(st.text(), PART, PART, PART)
def test_a_key_is_what_the_document_generates(
    content: str, domain: str | None, task_type: str | None, agent_name: str | None
) -> None:
    theirs = ran("003.07")["generate_memory_key"]
    content = content.encode("utf-8", "replace").decode()
    key = generate_memory_key(content, domain, task_type, agent_name)
    assert key == theirs(content, domain, task_type, agent_name)
    assert key.endswith(ran("003.01", hashlib=hashlib, content=content)["key"][:16])


def test_keys_are_of_the_form_that_the_document_shows() -> None:
    shown = [line.split(":") for line in sample("003.03").text.splitlines()]
    assert [len(parts) for parts in shown] == [3, 3, 3]
    for domain, task_type, _ in shown:
        assert generate_memory_key("x", domain, task_type).split(":")[:2] == [domain, task_type]


@each_case(
    ("number", "names"),
    [("003.02", ["memories"]), ("003.06", ["domain_index", "task_index", "agent_index", "goal_index"])],
)
def test_items_are_held_by_level_and_by_whatever_the_document_indexes(number: str, names: list[str]) -> None:
    types = ran(number)["__annotations__"]
    assert list(types) == names
    kept = item(NOW, "Use an ISO date.", domain="sql", task_type="date_filter", level="episodic")
    given_names = {"Dict": typing.Dict, "MemoryLevel": MemoryLevel, "MemoryEntry": MemoryItem, "str": str}  # noqa: UP006 - the document's
    for name in names:
        kind: TypeAdapter[Any] = TypeAdapter(eval(types[name], given_names))  # noqa: S307 - our own file
        outer: object = MemoryLevel(kept.level) if name == "memories" else "sql"
        assert kind.validate_python({outer: {kept.key: kept}}) == {outer: {kept.key: kept}}


def test_levels_are_those_of_the_document_wherever_one_is_given() -> None:
    assert MemoryLevel(item(NOW, "x", level=MemoryLevel.EPISODIC).level) is MemoryLevel.EPISODIC
    assert [level.value for level in MemoryLevel] == ["short_term", "episodic", "semantic", "procedural"]
    assert item(NOW, "x", goal_values={"g": GoalValue(value=0.7, last_updated=NOW)}).get_value("g") == 0.7


def test_what_recall_found_is_told_in_the_form_of_the_document() -> None:
    shape = sample("002.52").text.removesuffix("\n...\n").rstrip()
    wanted = shape.format(n=2, confidence="0.92", content="Pro is $299", resource_type="document", category="prices")
    found = formats.Found("Pro is $299", 0.92, "document", "prices")
    assert formats.recalled("Pro?", [found, found]) == wanted


def test_what_was_remembered_is_told_in_the_form_of_the_document_also_where_it_was_not() -> None:
    kept = item(NOW, "Customer prefers email", category="lead_preferences", importance="high", item_id="item_abc123")
    told = {"item_id": "item_abc123", "category": "lead_preferences", "importance": "high"}
    wanted = sample("002.54").text.rstrip("\n").format(**told, content_preview="Customer prefers email")
    assert formats.remembered(kept) == wanted
    error = StorageError("the disk is full", suggestions=("Make room.",))
    assert formats.failed("remember", error) == sample("002.55").text.rstrip("\n").format(
        error_message="the disk is full. Make room."
    )


def test_a_category_that_is_not_there_is_told_in_the_form_of_the_document() -> None:
    available = ["lead_preferences", "product_knowledge", "objection_patterns"]
    assert formats.no_category("prices", available) == sample("002.58").text.rstrip("\n").format(name="prices")
    assert CategoryNotFoundError("prices", available).details["available"] == available
