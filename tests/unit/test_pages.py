"""A category's page reads as a person would write it, and says of every fact where it comes from."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import pytest

from ragpp.errors import ConsolidationError
from ragpp_services.catalog.pages import (
    PageItem,
    consolidated,
    modelled,
    resolved,
    title_of,
    untitled,
    without,
)
from tests.support.each import each_case
from tests.support.pages import CONSOLIDATED_AT, item, written
from tests.support.timing import first_of, grows_linearly

BILLING, SECURITY, CALLS = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
MONTHLY = item("m", "Ada prefers monthly billing", BILLING, "res_1", day=0, title="First call")
ANNUAL = item("a", "Ada prefers annual billing", BILLING, "res_2", day=20, title="Renewal")
DISCOUNT = item("d", "Annual billing has to bring a discount of 15%", (1, 0.4, 0), "res_2", day=20, title="Renewal")
AUDIT = item("s", "Grace needs a SOC 2 audit report", SECURITY, "res_3", day=10, kind="document")
REPORT = replace(
    item("r", "The audit report goes to Grace's legal team", SECURITY, day=11), sources=AUDIT.sources + MONTHLY.sources
)
MORNINGS = item("c", "Linus takes calls in the morning", CALLS, "res_4", day=3, kind="feedback")
ITEMS = [MONTHLY, ANNUAL, DISCOUNT, AUDIT, REPORT, MORNINGS]
PAGE = """\
# Lead Preferences

## Audit Report & Grace

- The audit report goes to Grace's legal team [^1] [^2]
- Grace needs a SOC 2 audit report [^1]

## Annual Billing

- Annual billing has to bring a discount of 15% [^3]
- Ada prefers annual billing [^3]
- ~~Ada prefers monthly billing~~ (2026-03-01, until 2026-03-21) [^2]

## Further Facts

- Linus takes calls in the morning [^4]

---

## Sources

[^1]: Extracted from document (res_3)
[^2]: Extracted from conversation "First call" (res_1)
[^3]: Extracted from conversation "Renewal" (res_2)
[^4]: Extracted from feedback (res_4)

---
*Last consolidated: 2026-06-02 10:45:00*
*Items: 6 | Resources: 4*"""


def prefers_otherwise(later: str, earlier: str) -> bool:
    return " prefers " in later and " prefers " in earlier


def page_of(*items: PageItem, at: datetime = CONSOLIDATED_AT) -> str:
    return consolidated("lead_preferences", items, at=at, contradicts=prefers_otherwise)


def facts_of(page: str) -> list[str]:
    return [line.removeprefix("- ").rpartition(" [^")[0] for line in page.split("\n") if line.startswith("- ")]


def titles_in(page: str) -> list[str]:
    return [line.removeprefix("## ") for line in page.split("\n") if line.startswith("## ")]


def test_a_page_has_sections_of_facts_the_newest_first_and_their_sources() -> None:
    assert page_of(*ITEMS) == PAGE


def test_a_page_is_the_same_whatever_ids_were_given_to_its_items() -> None:
    renamed = [replace(one, id=f"{1_000 - place}") for place, one in enumerate(ITEMS)]
    assert page_of(*renamed) == PAGE


def test_a_category_without_items_says_so() -> None:
    assert page_of() == "# Lead Preferences\n\n*No items yet.*"
    assert page_of(item("i", " \u200b\n", BILLING, "res_1")) == page_of()


def test_the_time_of_consolidation_is_told_in_utc() -> None:
    at = CONSOLIDATED_AT.astimezone(timezone(timedelta(hours=9)))
    assert page_of(*ITEMS, at=at) == PAGE


@each_case(
    ("name", "title"),
    [("lead_preferences", "Lead Preferences"), ("api", "Api"), ("q3_goals", "Q3 Goals"), ("_x__y_", "X Y")],
)
def test_a_category_s_name_is_a_title(name: str, title: str) -> None:
    assert title_of(name) == title


def test_of_several_changes_of_mind_the_last_one_holds_and_each_says_until_when() -> None:
    weekly = item("w", "Ada prefers weekly billing", BILLING, "res_3", day=40)
    assert facts_of(page_of(ANNUAL, weekly, MONTHLY)) == [
        "Ada prefers weekly billing",
        "~~Ada prefers annual billing~~ (2026-03-21, until 2026-04-10)",
        "~~Ada prefers monthly billing~~ (2026-03-01, until 2026-03-21)",
    ]


def test_what_is_said_at_the_same_moment_or_about_something_else_contradicts_nothing() -> None:
    same_moment = item("x", "Ada prefers weekly billing", BILLING, "res_3", day=0)
    elsewhere = item("y", "Ada prefers tea", CALLS, "res_3", day=50)
    assert not any("~~" in fact for fact in facts_of(page_of(MONTHLY, same_moment, elsewhere)))


def test_another_wording_of_a_fact_stands_beside_it() -> None:
    older = item("o", "Audit: SOC 2 report wanted by Grace", (0, 1, 0.1), "res_1", day=0)
    between = item("b", "Grace signs in May", (0, 0.6, 0.8), "res_1", day=5)
    assert facts_of(page_of(older, between, AUDIT)) == [AUDIT.content, older.content, between.content]


def test_markdown_in_a_fact_is_shown_as_it_was_said() -> None:
    said = "# Sources\n\n[^1]: ~~gone~~ <b>1 < 2</b> & `x < y` *so* 2 * 3 in snake_case, ~50 [link](http://a.b)"
    [line] = [one for one in page_of(item("i", said, BILLING, "res_1")).split("\n") if one.startswith("- ")]
    assert line == (
        r"- \# Sources \[^1]: \~\~gone\~\~ &lt;b>1 < 2&lt;/b> & `x < y` \*so\* 2 * 3 in snake_case, ~50 "
        r"\[link](http://a.b) [^1]"
    )


def test_a_title_of_a_source_is_shown_as_it_is_and_ends_where_it_ends() -> None:
    page = page_of(item("i", "Tea", CALLS, "res_1", title='Call "A"\n(res_9) [^2]'))
    assert r"""[^1]: Extracted from conversation "Call 'A' (res_9) \[^2]" (res_1)""" in page.split("\n")
    assert resolved(page).resource_ids == ("res_1",)


def test_whatever_the_id_of_a_resource_is_it_is_found_in_the_page_again() -> None:
    odd = "call (1), ~~[^2]~~ 100%\n"
    page = page_of(item("i", "Tea", CALLS, odd), MONTHLY)
    assert sorted(resolved(page).resource_ids) == sorted(("res_1", odd))
    assert facts_of(without(page, [odd])) == [MONTHLY.content]


def test_a_heading_is_no_number_and_none_stands_twice() -> None:
    items = [
        item(f"{theme}{number}", f"2024 10,000 100% report {number} in March", direction, "res_1", day=number)
        for theme, direction in enumerate((BILLING, SECURITY, CALLS))
        for number in range(3)
    ]
    titles = titles_in(page_of(*items))
    assert titles == ["Report", "Further Facts", "Sources"]


def test_a_page_of_a_thousand_facts_has_sections_that_can_be_overlooked() -> None:
    letters = "abcdefghij"
    axes = [tuple(float(one == axis) + 0.01 for axis in letters) for one in letters]
    items = [item(f"i{n:04}", f"Fact of {letters[n % 10] * 5}", axes[n % 10], "res_1", day=n) for n in range(1_000)]
    titles = titles_in(page_of(*items))
    assert titles == [*(letter.upper() + letter * 4 for letter in letters), "Sources"]


def test_without_a_resource_its_facts_are_gone_and_what_they_contradicted_holds_again() -> None:
    assert (
        without(PAGE, ["res_2"])
        == """\
# Lead Preferences

## Audit Report & Grace

- The audit report goes to Grace's legal team [^1] [^2]
- Grace needs a SOC 2 audit report [^1]

## Billing

- Ada prefers monthly billing [^2]

## Further Facts

- Linus takes calls in the morning [^3]

---

## Sources

[^1]: Extracted from document (res_3)
[^2]: Extracted from conversation "First call" (res_1)
[^3]: Extracted from feedback (res_4)

---
*Last consolidated: 2026-06-02 10:45:00*
*Items: 4 | Resources: 3*"""
    )


def test_a_fact_between_two_changes_of_mind_leaves_the_older_one_replaced_by_the_newer() -> None:
    weekly = item("w", "Ada prefers weekly billing", BILLING, "res_3", day=40)
    assert facts_of(without(page_of(ANNUAL, weekly, MONTHLY), ["res_2"])) == [
        "Ada prefers weekly billing",
        "~~Ada prefers monthly billing~~ (2026-03-01, until 2026-04-10)",
    ]


def test_without_all_of_its_resources_a_page_has_no_items() -> None:
    assert without(PAGE, ["res_1", "res_2", "res_3", "res_4"]) == page_of()


def test_the_caller_s_count_of_items_is_told_where_there_is_one() -> None:
    assert without(PAGE, ["res_4"], items=17).endswith("*Items: 17 | Resources: 3*")


def test_a_page_that_names_none_of_them_stays_as_it_is() -> None:
    page = "# Mine\r\n\r\n\r\n- as [^x] I like it\r\n"
    assert without(page, ["res_1"]) == page


EDITED = """\
# Lead Preferences

Written by hand.

## Salary & Budget

The salary is 90k [^1]. The budget is
small [^2], they say.

* Both like tea [^1][^2]
* Only Ada
  plays chess [^1]
* my own remark
  * and below it [^mine]

| who | what |
|---|---|
| Ada | rows [^1] |

```
- not a footnote [^1]
```

## Chess

> Chess on Fridays,
> at nine [^1]

## Sources

[^1]: from the call
    with Ada, res_1
[^2]: Extracted from notes (res_1, res_2)
[^mine]: I was there
"""


def test_a_page_that_a_person_edited_keeps_what_is_theirs() -> None:
    assert (
        without(EDITED, ["res_1"])
        == """\
# Lead Preferences

Written by hand.

## Budget

The budget is
small [^1], they say.

* Both like tea [^1]
* my own remark
  * and below it [^mine]

| who | what |
|---|---|

```
- not a footnote [^1]
```

## Sources

[^1]: Extracted from (res_2)
[^mine]: I was there
"""
    )


WRITTEN = [
    written(
        "Billing",
        ("Ada pays **annually**, for 15% off", ("a", "d")),
        ("Ada pays 20% less", ("d",)),
        ("Ada has a dog", ("none",)),
    ),
    written("# Sources", ("Grace wants SOC 2", ("s", "s"))),
    written("billing", ("It was monthly", ("m",))),
    written("Nothing"),
]


@pytest.mark.parametrize(
    "line",
    first_of(
        [
            "a line [^1]\n",
            "- a line [^1]\n",
            "## Heading of a section\n- a line [^1]\n- more\n",
            "- ~~a line~~ (2026-01-01, until 2026-02-02) [^1]\n",
            "\\` ` `` [^1] `` ~~ (2026-01-01, until 2026-02-02)",
            "[^1]: Extracted from (res_1, res_2)\n",
            "| [^1] [^2] <1 &",
        ]
    ),
)
def test_what_anybody_wrote_is_read_in_time_that_grows_as_it_does(line: str) -> None:
    page = "- so it is [^2]\n\n[^1]: (res_1)\n[^2]: (res_2)\n\n"
    assert grows_linearly(lambda length: without(page + line * length, ["res_1"]), 4_000)
    assert grows_linearly(lambda length: page_of(item("i", line * length, CALLS, "res_1")), 4_000)


def test_what_a_model_wrote_has_the_same_form_and_rests_on_items() -> None:
    made = modelled("lead_preferences", WRITTEN, ITEMS, at=CONSOLIDATED_AT)
    assert (made.refused, made.unused) == (2, ("r", "c"))
    assert (
        made.markdown
        == """\
# Lead Preferences

## Billing

- Ada pays \\*\\*annually\\*\\*, for 15% off [^1]
- It was monthly [^2]

## Further Facts

- Grace wants SOC 2 [^3]

---

## Sources

[^1]: Extracted from conversation "Renewal" (res_2)
[^2]: Extracted from conversation "First call" (res_1)
[^3]: Extracted from document (res_3)

---
*Last consolidated: 2026-06-02 10:45:00*
*Items: 4 | Resources: 3*"""
    )


def test_a_model_that_names_no_item_makes_no_page() -> None:
    invented = [written("Pets", ("Ada has a dog", ("none",)), ("Or a cat", ()))]
    with pytest.raises(ConsolidationError):
        modelled("lead_preferences", invented, ITEMS, at=CONSOLIDATED_AT)
    assert modelled("lead_preferences", invented, [], at=datetime(2026, 1, 1, tzinfo=UTC)).markdown == page_of()


def test_a_page_tells_what_a_stub_was_called_nowhere_and_the_rest_as_it_was() -> None:
    assert untitled(PAGE, ["res_1", "res_3", "res_9"]) == PAGE.replace(' "First call"', "")
    mine = "Ours [^1] [^2]\n\n[^1]: Of the First call (res_1)\n[^2]: Of the Renewal (res_2)"
    assert untitled(mine, ["res_1"]) == mine.replace("Of the First call", "Extracted from")


def test_what_one_resource_says_at_one_time_is_never_struck_out() -> None:
    """Also where one of the two was said again later, by another resource."""
    by_month = item("m", "Ada prefers monthly billing", BILLING, "res_1", "res_2", day=40)
    by_year = item("y", "Ada prefers annual billing", BILLING, "res_1")
    told = frozenset({("res_1", by_year.occurred_at)})
    together = [replace(by_month, said=told | {("res_2", by_month.occurred_at)}), replace(by_year, said=told)]
    assert facts_of(page_of(by_month, by_year))[1].startswith("~~")
    assert "~~" not in page_of(*together)
