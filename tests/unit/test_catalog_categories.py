"""The name of a category, what its page is made of, and what is left of a page: promises for any input."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragpp.catalog import PageLine, PageSection
from ragpp.errors import ConsolidationError, InvalidInput
from ragpp.fields import MAX_ID_CHARS
from ragpp_services.catalog.categories.making import made_here, made_of, page_items, still_are
from ragpp_services.catalog.categories.mending import without_lines_naming
from ragpp_services.catalog.categories.naming import checked_description, checked_name, checked_page
from ragpp_services.catalog.categories.values import Statement, StatementIds
from ragpp_services.catalog.pages import resolved
from tests.support.each import each_case

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)
RESOURCES = tuple(f"res_{number}" for number in range(4))


def statement(
    number: int,
    resource: str,
    *,
    one_with: str | None = None,
    vector: Sequence[float] = (1, 0),
    everybodys: bool = False,
) -> Statement:
    return Statement(
        id=f"item_{number}",
        one_with=one_with,
        since=number,
        is_everybodys=everybodys,
        occurred_at=NOON + timedelta(hours=number),
        content="" if one_with else f"fact{number} holds",
        vector=None if one_with else np.array(vector, np.float32),
        resource_id=resource,
        resource_type="document",
        title=None,
    )


def never(_earlier: str, _later: str) -> bool:
    return False


@each_case("name", ["a", "lead_preferences", "q3_2026", "a" * 64])
def test_a_snake_case_name_is_taken(name: str) -> None:
    assert checked_name(name) == name


@each_case(
    "name",
    ["", "Lead", "lead preferences", "lead-preferences", "_lead", "lead__preferences", "3rd", "ä", "a" * 65, "a\n"],
)
def test_another_name_is_refused(name: str) -> None:
    with pytest.raises(InvalidInput):
        checked_name(name)


def test_a_description_has_ten_to_five_hundred_characters_and_a_page_two_hundred_thousand_at_most() -> None:
    for taken in ("x" * 10, "x" * 500):
        assert checked_description(taken) == taken
    for taken in ("", "x" * 200_000):
        assert checked_page(taken) == taken
    for refused in ("x" * 9, "x" * 501, "with a \x00 in it"):
        with pytest.raises(InvalidInput):
            checked_description(refused)
    for refused in ("x" * 200_001, "\x00"):
        with pytest.raises(InvalidInput):
            checked_page(refused)


@given(st.text(min_size=1, max_size=MAX_ID_CHARS))
def test_a_page_is_found_by_whatever_it_names_however_odd_the_id(resource_id: str) -> None:
    page = made_here("facts", page_items([statement(1, resource_id)]), NOON, never)
    assert resolved(page).resource_ids == (resource_id,)
    assert resolved(page).dangling == ()


def test_an_item_rests_on_its_own_resource_first_and_on_those_that_say_the_same() -> None:
    rows = [
        statement(1, "res_b"),
        statement(2, "res_a", one_with="item_1"),
        statement(3, "res_b", one_with="item_1"),
        statement(1, "res_c", everybodys=True),
    ]
    mine, everybodys = page_items(rows)
    assert [source.resource_id for source in mine.sources] == ["res_b", "res_a"]
    assert [source.resource_id for source in everybodys.sources] == ["res_c"]


def test_a_fact_that_is_said_again_is_the_later_one() -> None:
    rows = [statement(1, "res_a"), statement(2, "res_b"), statement(3, "res_c", one_with="item_1")]
    page = made_here("facts", page_items(rows), NOON, lambda _earlier, _later: True)
    assert page.index("- fact1 holds") < page.index("~~fact2 holds~~")


def test_a_page_holds_while_what_it_was_made_of_is_there_whatever_came_since() -> None:
    read: StatementIds = [("a", None, 1), ("b", "a", 2)]
    assert still_are(read, read)
    assert still_are(read, [*read, ("c", None, 3)])
    assert still_are([], [("c", None, 3)])
    assert not still_are(read, read[:1])
    assert not still_are(read, [("a", None, 1), ("b", None, 2)])
    assert not still_are(read[1:], read)


def test_what_contradicts_is_asked_with_the_earlier_fact_first() -> None:
    asked: list[tuple[str, str]] = []

    def contradicts(earlier: str, later: str) -> bool:
        asked.append((earlier, later))
        return True

    page = made_here("facts", page_items([statement(1, "res_a"), statement(2, "res_b")]), NOON, contradicts)
    assert asked == [("fact1 holds", "fact2 holds")]
    assert page.index("- fact2 holds") < page.index("~~fact1 holds~~")


SOURCED = st.lists(
    st.tuples(st.lists(st.sampled_from(RESOURCES), min_size=1, max_size=3), st.integers(0, 3)), min_size=1, max_size=8
)


@given(SOURCED, st.sets(st.sampled_from(RESOURCES), min_size=1))
def test_a_page_loses_every_line_that_may_have_the_words_of_what_is_gone_and_no_other(
    sourced: list[tuple[list[str], int]], gone: set[str]
) -> None:
    rows = []
    for number, (resources, direction) in enumerate(sourced):
        rows.append(statement(10 * number, resources[0], vector=np.eye(4)[direction].tolist()))
        rows += [
            statement(10 * number + place, resource, one_with=f"item_{10 * number}")
            for place, resource in enumerate(resources[1:], start=1)
        ]
    page = made_here("facts", page_items(rows), NOON, never)

    left = without_lines_naming(page, gone)

    shown = {number for number in range(len(sourced)) if f"- fact{10 * number} holds" in left}
    assert shown == {number for number, (resources, _) in enumerate(sourced) if gone.isdisjoint(resources)}
    assert resolved(left).dangling == ()
    assert gone.isdisjoint(resolved(left).resource_ids)


def test_of_what_a_model_wrote_a_line_that_names_what_is_gone_is_left_out() -> None:
    sections = [
        PageSection(
            title="Prices",
            lines=(
                PageLine(text="Both hold", item_ids=("item_1", "item_2")),
                PageLine(text="The first and another hold", item_ids=("item_1", "item_9")),
            ),
        )
    ]
    items = page_items([statement(1, "res_a"), statement(2, "res_b")])
    page = made_of("facts", sections, items, NOON)
    assert "- Both hold [^1] [^2]" in page
    assert "another" not in page
    with pytest.raises(ConsolidationError):
        made_of("facts", sections, items[1:], NOON)
