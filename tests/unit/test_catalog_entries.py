"""The light view of an item: what was given of it, else what its words tell, and read back equal."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragpp.catalog import GoalValue, MemoryItem
from ragpp.entries.describing import describe, forms_of
from ragpp.entries.making import band, description_of, entry_of
from ragpp.entries.values import ENTRY, MOST_ABSTRACT, MOST_SUMMARY, CatalogEntry, GivenEntry
from ragpp.errors import ConfigurationError
from ragpp.settings import EntrySettings
from tests.support.each import each_case
from tests.support.tokens import TOKENIZERS

NOON = datetime(2026, 3, 8, 12, tzinfo=UTC)
DECISION = "We chose Redux for the dashboard, since its middleware logs every action of the editors."


def item(content: str = DECISION, **fields: object) -> MemoryItem:
    of_all = {
        "item_id": "item_1",
        "content": content,
        "source_resource_id": "res_1",
        "confidence": 0.8,
        "occurred_at": NOON,
        "created_at": NOON,
        "key": "general:general:0",
        "tokens": 60,
    }
    return MemoryItem.model_validate(of_all | fields)


@each_case("named", ["`Redux`", "“Redux”", '"Redux"', "https://redux.example"])
def test_what_stands_in_quotes_is_part_of_what_is_described(named: str) -> None:
    told = describe(f"We chose {named} for state. " + "The old store stays until the dashboard is rewritten.")
    assert named in told.summary
    assert any(named in point for point in told.key_points)


def test_an_entry_tells_of_its_item_without_the_content_unless_that_is_asked_for() -> None:
    light = entry_of(item(kind="decision", agent_id="ergon", visibility="agent", importance="high"))
    assert (light.memory_id, light.ci, light.type, light.size) == ("item_1", "ergon", "decision", 60)
    assert (light.priority, light.tier, light.relevance, light.visibility) == (7, "medium", 0.5, "agent")
    assert (light.content, light.relevance_vector) == (None, None)
    assert light.tags == light.keywords
    assert "redux" in light.keywords
    assert len(light.summary) <= MOST_SUMMARY < len(light.abstract) <= MOST_ABSTRACT
    whole = entry_of(item(embedding=(0.6, 0.8)), content=True)
    assert (whole.content, whole.relevance_vector) == (DECISION, (0.6, 0.8))


@each_case("most", [10, 27, MOST_SUMMARY])
def test_a_summary_has_at_most_the_characters_that_the_operator_wants(most: int) -> None:
    for said in (GivenEntry(), GivenEntry(summary="Chose Redux for the state of the dashboard")):
        told = description_of(DECISION, said, TOKENIZERS, most)
        assert 0 < len(told.summary) <= most
        assert told.abstract == describe(DECISION).abstract
        assert set(told.tokens) == set(forms_of(DECISION, told.summary, told.abstract))


@each_case("most", [9, 51])
def test_a_summary_is_never_longer_than_the_documents_nor_too_short_to_tell_anything(most: int) -> None:
    with pytest.raises(ConfigurationError, match="MEMORY_SUMMARY_MAX_LENGTH"):
        EntrySettings(summary_max_length=most)


def test_a_kept_summary_is_shown_as_it_was_kept() -> None:
    said = {"summary": "Chose Redux for state management"}
    kept = description_of(DECISION, GivenEntry(summary=said["summary"]), TOKENIZERS, 15)
    assert entry_of(item(metadata={ENTRY: said}), kept).summary == kept.summary == "Chose Redux…"


def test_what_somebody_said_of_an_entry_stands_in_place_of_what_its_words_tell() -> None:
    said = {
        "summary": "Chose Redux for state management",
        "tags": ["redux", "state"],
        "priority": 9,
        "expires": "2026-03-15T12:00:00Z",
        "references": ["mem_1"],
    }
    entry = entry_of(item(metadata={ENTRY: said}))
    assert (entry.summary, entry.tags, entry.priority) == (said["summary"], ("redux", "state"), 9)
    assert (entry.expires, entry.references) == (datetime(2026, 3, 15, 12, tzinfo=UTC), ("mem_1",))


def test_metadata_of_somebodys_own_under_the_same_name_is_no_entry() -> None:
    assert entry_of(item(metadata={ENTRY: "of the log"})) == entry_of(item())


def test_an_entry_is_in_the_band_of_what_it_has_been_worth() -> None:
    worth = {"deploy": GoalValue(value=0.9, last_updated=NOON), "review": GoalValue(value=0.7, last_updated=NOON)}
    entry = entry_of(item(goal_values=worth))
    assert entry.relevance == pytest.approx(0.8)
    assert entry.tier == "high"
    assert [band(value) for value in (0.0, 1 / 3, 0.5, 2 / 3, 1.0)] == ["low", "medium", "medium", "high", "high"]


@given(st.text(min_size=1, max_size=300), st.none() | st.just((0.6, 0.8)), st.integers(0, 10))
def test_an_entry_comes_back_from_its_json(content: str, vector: tuple[float, ...] | None, priority: int) -> None:
    entry = entry_of(item(content, embedding=vector, metadata={ENTRY: {"priority": priority}}), content=True)
    assert CatalogEntry.from_dict(entry.to_dict()) == entry
