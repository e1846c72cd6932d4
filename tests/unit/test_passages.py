"""A passage is read under what it stands under, and shown where no item says what it says."""

from dataclasses import dataclass, replace
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragpp.catalog import RESOURCE_TYPES, ResourceType
from ragpp.extraction.facts.documents import passages
from ragpp.extraction.facts.passages import Voice
from ragpp.text.lexical import query_terms, terms
from ragpp_services.catalog.passages.headings import sections
from ragpp_services.catalog.passages.leads import lead_and_own, under_its_lead
from ragpp_services.catalog.passages.ranking import RankedPassage, beside, focus_of, shown_once
from ragpp_services.catalog.resources.indexing import cut
from tests.support.each import each_case
from tests.support.timing import first_of, grows_linearly
from tests.support.tokens import COUNTER

RESET: Final = "If the lamp shows Code 7, reset the kettle with the small key."


@each_case(
    ("above", "passage", "read"),
    [
        ("", RESET, RESET),
        ("# Kettle\n\n## Faults\n\nAll of them.\n\n", RESET, f"## Faults\n{RESET}"),
        ("Is it safe?\nYes.\n\nWhat do the codes mean?\n", RESET, f"What do the codes mean?\n{RESET}"),
        ("Yes.\n\nFaults\n\n", RESET, f"Faults\n{RESET}"),
        ("**Faults:**\n", RESET, f"**Faults:**\n{RESET}"),
        ("## Faults\n", f"## Codes\n\n{RESET}", f"## Codes\n\n{RESET}"),
        ("Yes.\n\nIs it safe?\nIt is.\n\n", f"And the codes?\n{RESET}", f"And the codes?\n{RESET}"),
        ("First this. Then\nthat is said.\n\nAnd more\nof it. ", RESET, RESET),
        ("## Prices\n| Size | Price |\n|---|---|\n| S | 3 |\n", "| M | 4 |", "## Prices\n| Size | Price |\n| M | 4 |"),
        ("Size | Price | Stock\nS | 3 | 9\n", "M | 4 | 2", "Size | Price | Stock\nM | 4 | 2"),
        (
            "## Setup\nTo begin:\n1. Fill it.\n2. Close it.\n",
            "3. Press the key.",
            "## Setup\nTo begin:\n3. Press the key.",
        ),
        ("", f"{RESET}\n\n## Care\n\n### How is it cleaned?\n", RESET),
        ("Yes.\n\n", f"{RESET}\n\nHow is it cleaned?\n", RESET),
        ("", "The wifi is Otter\n\nThe key is 4711", "The wifi is Otter\n\nThe key is 4711"),
    ],
)
def test_a_passage_is_read_under_its_heading_the_head_of_its_table_or_the_words_before_its_list(
    above: str, passage: str, read: str
) -> None:
    assert under_its_lead(above, passage) == read


STATED: Final = "The lamp blinks twice and goes out\nThe cell is nearly empty. Load it with the red cable."


@each_case(
    ("above", "passage", "read"),
    [
        ("Yes.\n\nWho fills it?\nYou do.\n\n", STATED, STATED),
        ("Yes.\n\nThe lamp blinks twice\nThe cell is empty. ", "Load it.", "The lamp blinks twice\nLoad it."),
        ("Yes.\n\nWho fills it?\nYou do.\n\n", "Wash it by hand.", "Wash it by hand."),
        ("## Use\n\nWho fills it?\nYou do.\n\n", "Wash it by hand.", "## Use\nWash it by hand."),
        ("**Who fills it?**\nYou do.\n\n", "Wash it by hand.", "Wash it by hand."),
        ("Yes.\n\nWho fills it?\nOne of us:\n\n", "- Ann", "Who fills it?\nOne of us:\n- Ann"),
        ("Yes.\n\nWho fills it?\n- Ann\n\n", "Then it boils.", "Who fills it?\nThen it boils."),
        ("Yes.\n\nWho fills it?\n\nYou do.\n\n", "Wash it by hand.", "Who fills it?\nWash it by hand."),
        (
            "Yes.\n\nThe kettle is best filled with water that was left to stand and that has no\n"
            "Calcium in it. It lasts longer then, and the water tastes of water.\n",
            "Wash it.",
            "Wash it.",
        ),
    ],
)
def test_what_stands_alone_on_the_first_line_of_a_paragraph_is_its_heading_and_of_what_goes_on_with_it(
    above: str, passage: str, read: str
) -> None:
    assert under_its_lead(above, passage) == read


@each_case("text", [f"Is it safe?\n\nIt is.\n\n{STATED}", f"**Safe?**\nIt is.\n\n{STATED}\n"])
def test_no_passage_goes_on_over_a_heading(text: str) -> None:
    first, second = cut("document", text, {}, COUNTER)
    assert text[second.start : second.end].strip() == STATED
    assert (first.start, first.end, second.end) == (0, second.start, len(text))


def test_headings_above_one_another_stay_with_what_they_stand_above() -> None:
    text = "Yes.\n\n# Kettle\n\n## Faults\n\nIt leaks\n\nClose the lid."
    chunks = cut("document", text, {}, COUNTER)
    assert [text[one.start : one.end] for one in chunks] == [text[:6], text[6:]]


@pytest.mark.parametrize(
    "piece", first_of(["A b\nC d. ", "Is it?\nIt is.\n\n", "It leaks\n\n", "| a |\n", "- a\n", "\n"])
)
def test_headings_are_read_in_time_that_grows_as_a_text_does(piece: str) -> None:
    def read(length: int) -> object:
        text = (piece * length)[:length]
        return sections(text), list(passages(text, 0, length, Voice()))

    assert grows_linearly(read, 32_000)


@each_case("end", ["", "\n\n## The next one\n", "\r\n\r\n"])
def test_what_stands_above_a_passage_is_its_lead_whatever_it_ends_with(end: str) -> None:
    lead, own = lead_and_own("## Warranty\n", f"It is two years.{end}")
    assert (lead, own) == ("## Warranty\n", "It is two years.")
    assert lead_and_own("", f"# Kettle\n\n## Warranty\n\nIt is two years.{end}") == (
        "# Kettle\n\n## Warranty\n\n",
        "It is two years.",
    )


@given(st.text("ab #?.:|-\n1"), st.text("ab #?.:|-\n1", min_size=1))
def test_nothing_that_it_says_is_left_out_but_headings_at_its_end(above: str, passage: str) -> None:
    own = passage.strip().splitlines()
    read = under_its_lead(above, passage)
    kept = next(count for count in range(len(own), -1, -1) if read.endswith("\n".join(own[:count])))
    assert kept > 0 or not own
    assert all(
        not line.strip() or line.lstrip().startswith(("#", "**")) or line.rstrip().endswith("?") for line in own[kept:]
    )


@each_case("resource_type", RESOURCE_TYPES)
def test_what_is_said_in_a_conversation_is_no_passage(resource_type: ResourceType) -> None:
    (one,) = cut(resource_type, RESET, {}, COUNTER)
    assert one.passage == (resource_type != "conversation")


@dataclass(frozen=True)
class One:
    """A thing shown, as it is told of."""

    text: str
    score: float
    resources: frozenset[str] = frozenset({"manual"})
    is_passage: bool = False
    is_replaced: bool = False
    lead: str = ""

    def raised(self, score: float) -> "One":
        return replace(self, score=score)


def passage(text: str, score: float, *resources: str, lead: str = "") -> One:
    return One(text, score, frozenset(resources or {"manual"}), is_passage=True, lead=lead)


def test_an_item_and_a_passage_that_says_it_are_shown_once_the_one_that_answers_better() -> None:
    item = One("The warranty is two years", 0.6)
    whole = f"The warranty is two years. {RESET}"
    assert shown_once([item], [passage(whole, 0.5)]) == [item]
    assert shown_once([item], [passage(whole, 0.7)]) == [passage(whole, 0.7)]
    assert shown_once([item], [passage(RESET, 0.5)]) == [item, passage(RESET, 0.5)]
    other = passage(whole, 0.7, "leaflet")
    assert shown_once([item], [other]) == [other, item]  # of another resource it is another's word


def test_a_passage_that_has_no_more_of_what_is_asked_than_its_item_gives_way_to_it() -> None:
    item, whole = One("The warranty is two years", 0.6), passage(f"The warranty is two years. {RESET}", 0.7)
    assert shown_once([item], [whole], terms("warranty years")) == [item]
    assert shown_once([item], [whole], terms("warranty reset")) == [whole]


def test_what_a_heading_asks_is_answered_by_all_that_stands_below_it_and_not_by_one_sentence_of_that() -> None:
    lead = "Are cats let in?\n"
    item = One("Every May the garden is open for cats", 0.6)
    whole = passage(f"{lead}Never. Every May the garden is open for cats.", 0.4, lead=lead)
    other = One("The tank holds 4 litres", 0.5)
    assert shown_once([item, other], [whole], terms("can we take our cats")) == [whole.raised(0.6), other]
    assert shown_once([item, other], [whole], terms("cats in the garden")) == [item, other]


def test_a_short_sentence_beside_that_of_an_item_is_no_less_told() -> None:
    lead, said = (
        "Are cats let in?\n",
        "Every May, on its last Sunday, the garden behind the old hall is open for cats and kittens",
    )
    whole = passage(f"{lead}Only blind cats. {said}.", 0.4, lead=lead)
    assert shown_once([One(said, 0.6)], [whole], terms("can we take our cats")) == [whole.raised(0.6)]


def test_an_item_that_stands_after_its_headings_is_the_sentence_that_a_passage_has() -> None:
    lead = "What is it made of?\n"
    item = One("Small kettle of two litres, What is it made of?: The handle stays cold", 0.9)
    whole = passage(f"{lead}Mostly of steel. The handle stays cold.", 0.8, lead=lead)
    assert shown_once([item], [whole], terms("is the handle made of a cold thing")) == [item]


def test_where_a_passage_says_no_more_than_its_item_the_item_is_shown() -> None:
    item = One("The kettle holds two litres", 0.4)
    assert shown_once([item], [passage("# Kettle\n\nThe kettle holds two litres.", 0.6)]) == [item]


def test_the_same_passage_of_two_resources_is_shown_once() -> None:
    assert shown_once([], [passage(RESET, 0.7), passage(RESET, 0.7, "copy")]) == [passage(RESET, 0.7)]


def test_what_was_replaced_is_told_by_its_item_alone() -> None:
    gone = One("The Pro plan costs 10 euros", 0.4, is_replaced=True)
    assert shown_once([gone], [passage("The Pro plan costs 10 euros a month.", 0.9)]) == [gone]


ONES = st.lists(st.builds(One, st.sampled_from(["a cat", "a dog", "a cat and a dog"]), st.floats(0, 1)), max_size=6)


@given(ONES, ONES)
def test_items_keep_their_order_and_nothing_is_told_twice(items: list[One], others: list[One]) -> None:
    items.sort(key=lambda one: -one.score)
    passages = sorted((passage(one.text, one.score) for one in others), key=lambda one: -one.score)
    shown = shown_once(items, passages)
    assert [one for one in shown if not one.is_passage] == [one for one in items if any(one is two for two in shown)]
    texts = [one.text for one in shown if one.is_passage]
    assert len(texts) == len(set(texts))
    assert [one.score for one in shown] == sorted((one.score for one in shown), reverse=True)


def test_a_long_passage_is_shown_from_the_sentence_or_row_that_was_found() -> None:
    text = f"Faults\nThe lamp is green when all is well. {RESET} It is safe then."
    assert text[focus_of(text, 7, query_terms("what does Code 7 mean?")) :].startswith("If the lamp shows")
    assert focus_of(text, 7, query_terms("is the lamp green?")) == 0  # with the heading before it
    table = "Prices\n| Size | Price |\n| Small | 3 euros |\n| Large | 4 euros |"
    assert table[focus_of(table, 7, query_terms("a large one")) :] == "| Large | 4 euros |"
    assert focus_of("", 0, ()) == 0


def test_a_passage_far_behind_an_item_is_beside_the_point() -> None:
    item = One("The tank holds 4 litres", 0.8)
    ranked = [RankedPassage(1, part, score, None, 0.0) for part, score in enumerate((0.51, 0.4, 0.1, 0.08))]
    assert beside([item], ranked) == ranked[:1]
    assert beside([], ranked) == ranked[:3]  # the last is hardly about the question
