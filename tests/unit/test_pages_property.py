"""Whatever the facts of a category say, its page has our sections and lines and no others, every footnote resolves, and
what is gone can be taken out of it again.

The texts are built of what could pass for markdown; what a reader sees of a page is told by a reader of markdown that
is not ours."""

import re
from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from ragpp.catalog import PageSection
from ragpp.names import on_one_line
from ragpp_services.catalog.pages import (
    PageItem,
    consolidated,
    modelled,
    resolved,
    without,
)
from ragpp_services.catalog.pages.headings import OTHERS
from ragpp_services.catalog.pages.inline import escaped, on_a_line, unescaped
from tests.support.pages import CONSOLIDATED_AT, SeenItem, item, letters, seen, written

structure = st.sampled_from(
    [
        *(
            "# Lead Preferences",
            "## Sources",
            "#",
            "###### x",
            "---",
            "- - -",
            "***",
            "___",
            "===",
            "> ",
            "- ",
            "* ",
            "+ ",
        ),
        *(
            "1. ",
            "12345) ",
            "- [ ] ",
            "```",
            "~~~",
            "`",
            "``",
            "`code`",
            "~~",
            "~",
            "~5",
            "**",
            "*",
            "_",
            "__a__",
            "\\",
            "|",
        ),
        *(
            "[^1]",
            "[^1]: ",
            "[^2]: Extracted from document (res_a)",
            "[a](http://b.c)",
            "![a](http://b.c)",
            "[a]: http://b",
        ),
        *(
            "<b>",
            "</div>",
            "<script>",
            "<!--",
            "<?",
            "<http://a.b>",
            "<1@a.b>",
            "&lt;",
            "&#35;",
            "&amp;",
            "<",
            "&",
            "(res_a)",
        ),
        *("*Items: 9 | Resources: 9*", "*Last consolidated: 2020-01-01 00:00:00*", "*No items yet.*"),
        *("~~old~~ (2026-01-01, until 2026-02-01) [^1]", "| a | b |\n|---|---|", "    code", "\tcode"),
    ]
)
pieces = st.one_of(
    structure,
    st.sampled_from(["\n", "\n\n", "\r\n", "\u2028", "\x85", " ", "\t", "\u200b", "\u202e", "\x00", "\u00a0"]),
    st.sampled_from(["annual billing", "Ada", "10,000", "snake_case", "2 * 3", "prefers", "日本語", "🎉", ":", "."]),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=3),
)
texts = st.lists(pieces, min_size=1, max_size=7).map("".join)
directions = st.lists(st.integers(-3, 3), min_size=3, max_size=3).filter(any).map(tuple)
resources = st.lists(st.sampled_from(["res_a", "res_b", "res_c", "res_d"]), min_size=1, max_size=2, unique=True)
OURS = re.compile(
    r"# Lead Preferences|## \S.*|- .+?(?: \[\^\d+\])+|---||\[\^\d+\]: Extracted from \w+(?: \".*\")? \(res_\w\)"
    r"|\*Last consolidated: 2026-06-02 10:45:00\*|\*Items: \d+ \| Resources: \d+\*"
)
BLOCKS = {
    *("heading_open", "heading_close", "inline", "bullet_list_open", "bullet_list_close", "list_item_open"),
    *("list_item_close", "paragraph_open", "paragraph_close", "hr"),
}


def marker(number: int) -> str:
    """A word that no other fact has."""
    return f"marked{'abcdefghijkl'[number]}"


@st.composite
def facts(draw: st.DrawFn, *, marked: bool = False) -> list[PageItem]:
    """Up to twelve facts that show something, of up to four resources, with vectors in a space of three dimensions."""
    return [
        item(
            f"item_{number}",
            f"{draw(texts)} {marker(number)}" if marked else f"x{draw(texts)}",
            draw(directions),
            *draw(resources),
            day=draw(st.integers(0, 5)),
            title=draw(st.none() | texts),
        )
        for number in range(draw(st.integers(1, 12)))
    ]


def contradicts(later: str, earlier: str) -> bool:
    return (len(later) + len(earlier)) % 2 == 0


def page_of(items: list[PageItem]) -> str:
    return consolidated("lead_preferences", items, at=CONSOLIDATED_AT, contradicts=contradicts)


def assert_ours(page: str) -> list[SeenItem]:
    """That every line of `page` is ours, to us and to a reader of markdown; its facts as that reader sees them."""
    assert [line for line in page.split("\n") if not OURS.fullmatch(line)] == []
    assert on_one_line(page).count("# Lead Preferences ") >= 1
    sections, kinds = seen(page)
    assert kinds <= BLOCKS
    assert [section.title for section in sections if section.level == 1] == ["Lead Preferences"]
    assert sections[-1].title == "Sources"
    titles = [section.title.casefold() for section in sections if section.title != OTHERS]
    assert len(set(titles)) == len(titles)
    found = [one for section in sections for one in section.items]
    assert all(one.markup == set() and one.notes for one in found)
    parts = resolved(page)
    assert parts.dangling == ()
    assert list(parts.used) == list(parts.defined) == [str(number + 1) for number in range(len(parts.used))]
    return found


@given(facts())
def test_every_fact_is_a_line_of_the_page_once_as_it_was_said(items: list[PageItem]) -> None:
    page = page_of(items)
    found = assert_ours(page)
    assert Counter(
        re.sub(r"\(20\d\d-\d\d-\d\d,until20\d\d-\d\d-\d\d\)$", "", one.letters) if one.struck else one.letters
        for one in found
    ) == Counter(letters(on_a_line(one.content)) for one in items)
    assert page.endswith(
        f"\n*Items: {len(items)} | Resources: {len({s.resource_id for i in items for s in i.sources})}*"
    )


@given(facts(), st.data())
def test_a_page_is_the_same_whatever_the_order_of_its_items(items: list[PageItem], data: st.DataObject) -> None:
    assert page_of(data.draw(st.permutations(items))) == page_of(items)


@given(facts(marked=True), st.sets(st.sampled_from(["res_a", "res_b", "res_c", "res_d"]), min_size=1))
def test_a_page_without_resources_has_nothing_that_rested_on_them_alone(items: list[PageItem], gone: set[str]) -> None:
    page = without(page_of(items), gone)
    rests_on = {one.id: {source.resource_id for source in one.sources} for one in items}
    left = [number for number, one in enumerate(items) if not rests_on[one.id] <= gone]
    if not left:
        assert page == "# Lead Preferences\n\n*No items yet.*"
        return
    found = assert_ours(page)
    assert Counter(one for line in found for one in re.findall("marked[a-l]", line.letters)) == Counter(
        map(marker, left)
    )
    assert set(re.findall("marked[a-l]", page.lower())) == set(map(marker, left))
    assert gone.isdisjoint(resolved(page).resource_ids)
    staying = {one for number in left for one in rests_on[f"item_{number}"]} - gone
    assert page.endswith(f"\n*Items: {len(left)} | Resources: {len(staying)}*")
    assert without(page, gone) == page


lines = st.one_of(
    texts,
    st.sampled_from(
        ["[^1]: from (res_a)", "[^2]: from (res_b)", "[^Note]: mine", "[^4]: both (res_a, res_b)", "[^1]: (res_c)"]
    ),
    st.lists(
        st.sampled_from(
            ["- ", "said ", "[^1]", "[^2] ", "[^note]", "[^4]", "[^9]", ". ", "## ", "# ", "\n", "`[^1]`", "tail"]
        ),
        max_size=6,
    ).map("".join),
    st.sampled_from(["", "---", "```", "## Sources", "*Items: 3 | Resources: 2*"]),
)
edited = st.lists(lines, max_size=14).map("\n".join)


@given(edited, st.sets(st.sampled_from(["res_a", "res_b", "res_c"])))
def test_a_page_of_anybodys_has_no_footnote_left_that_leads_to_what_is_gone_or_nowhere(
    page: str, gone: set[str]
) -> None:
    left = without(page, gone)
    if gone.isdisjoint(resolved(page).resource_ids):
        assert left == page
        return
    parts = resolved(left)
    assert parts.dangling == ()
    assert gone.isdisjoint(parts.resource_ids)
    assert without(left, gone) == left


ids = st.lists(st.sampled_from([*(f"item_{number}" for number in range(12)), "item_x"]), max_size=3).map(tuple)
stored = texts.map(lambda text: text.replace("\x00", "")[:100]).filter(bool)
drafts = st.builds(lambda title, lines: written(title, *lines), stored, st.lists(st.tuples(stored, ids), max_size=4))


@given(facts(), st.lists(drafts, max_size=4))
def test_what_a_model_wrote_is_lines_of_ours_that_rest_on_items(
    items: list[PageItem], sections: list[PageSection]
) -> None:
    sure = written("Sure", ("so it is", ("item_0",)))
    made = modelled("lead_preferences", [*sections, sure], items, at=CONSOLIDATED_AT)
    found = assert_ours(made.markdown)
    assert len(found) + made.refused == sum(len(section.lines) for section in sections) + 1
    assert not any(one.struck for one in found)


@given(texts)
def test_a_text_can_be_read_back_from_its_markdown(text: str) -> None:
    assert unescaped(escaped(text)) == on_a_line(text)
