"""The part of a long memory that answers is shown, and makes room for another."""

from hypothesis import given
from hypothesis import strategies as st

from ragpp.models import Memory
from ragpp_services.gateway.assembly.packing import Frame, pack
from tests.support.each import each_case
from tests.support.packing import Words, memory
from tests.support.tokens import COUNTER

WEATHER = "It drizzled all morning and the bus was late again. "
PLUMBER = "The plumber is called Osgood Pell and comes on Thursdays."
CHATTER = " Then we sat around for hours and talked of nothing much at all."


def told(identifier: str, before: str = WEATHER, part: str = PLUMBER, after: str = CHATTER) -> Memory:
    """Something that was said, of which `part` answers."""
    where = {"focus": len(before), "focus_end": len(before + part) if after else None}
    return memory(identifier, before + part + after).model_copy(update=where)


def test_a_part_that_answers_makes_room_for_another_memory() -> None:
    ranking = [memory("a", "word " * 15), told("b"), memory("c", "The tap still drips, he says.")]
    tight = pack(ranking, [], Frame(), budget=90, counter=Words())
    assert set(tight.sections[0].memory_ids) == {"a", "b", "c"}
    assert f"Ada Ng: … {PLUMBER} …" in tight.context
    assert set(pack(ranking, [], Frame(), budget=90, counter=Words(), in_parts=False).sections[0].memory_ids) == {
        "a",
        "b",
    }


def test_what_is_left_out_is_marked_where_it_stood() -> None:
    first = memory("a", "hello there")
    for before, after in ((WEATHER, ""), ("", CHATTER), (WEATHER, CHATTER)):
        shown = pack([first, told("b", before, PLUMBER, after)], [], Frame(), budget=50, counter=Words()).context
        assert f"Ada Ng: {'… ' if before else ''}{PLUMBER}{' …' if after else ''}" in shown
        assert (WEATHER.strip() in shown, CHATTER.strip() in shown) == (False, False)


def test_where_there_is_room_for_some_of_them_the_best_are_whole() -> None:
    ranking = [memory("a", "hello " * 12), told("b"), told("c"), told("d")]
    shown = [pack(ranking, [], Frame(), budget=budget, counter=Words()).context for budget in (108, 126, 150, 168)]
    assert [context.count(PLUMBER) for context in shown] == [3, 3, 3, 3]
    assert [[WEATHER in line for line in context.splitlines()[2:]] for context in shown] == [
        [False, False, False],
        [True, False, False],
        [True, True, False],
        [True, True, True],
    ]


def test_the_best_is_shown_in_part_where_it_does_not_fit_whole() -> None:
    context = pack([told("a")], [], Frame(), budget=50, counter=Words()).context
    assert PLUMBER in context
    assert WEATHER not in context


@each_case("budget", range(100, 900, 50))
def test_an_excerpt_of_many_short_lines_has_the_part_that_answers(budget: int) -> None:
    """Lines have marks, so that they take more tokens than letters tell."""
    before = "".join(f"- thing {number}\n" for number in range(60))
    listed = told("a", before, "- door code 60-81\n", "- rope\n- map")
    assert "60-81" in pack([listed], [], Frame(), budget=budget, counter=COUNTER).context


def test_the_best_is_whole_wherever_it_fits() -> None:
    assert WEATHER in pack([told("a"), told("b")], [], Frame(), budget=100, counter=Words()).context


def test_a_part_is_shown_only_where_it_saves_its_marks() -> None:
    ranking = [memory("a", "hello there"), told("b", "Well now. ", PLUMBER, " So there.")]
    assert "Osgood" not in pack(ranking, [], Frame(), budget=44, counter=Words()).context
    assert "Well now" in pack(ranking, [], Frame(), budget=50, counter=Words()).context


texts = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=300)
parts = st.lists(st.tuples(texts, st.integers(0, 300), st.none() | st.integers(0, 300), st.booleans()), max_size=12)


def in_part(number: int, text: str, focus: int, end: int | None, long: bool) -> Memory:
    start = min(focus, len(text))
    where = {"focus": start, "focus_end": end if end is None else min(len(text), max(start, end))}
    return memory(f"r{number}", text * (20 if long else 1)).model_copy(update=where)


@given(parts, st.integers(-5, 700))
def test_with_parts_the_budget_holds_and_what_fits_whole_is_whole(
    ranked: list[tuple[str, int, int | None, bool]], budget: int
) -> None:
    ranking = [in_part(number, *one) for number, one in enumerate(ranked)]
    packed = pack(ranking, [], Frame(), budget=budget, counter=COUNTER)
    assert packed.tokens == COUNTER.count(packed.context) <= max(0, budget)
    assert pack(ranking, [], Frame(), budget=budget, counter=COUNTER) == packed
    ample = pack(ranking, [], Frame(), budget=100_000, counter=COUNTER)
    assert ample == pack(ranking, [], Frame(), budget=100_000, counter=COUNTER, in_parts=False)
    if ample.tokens <= budget:
        assert packed.context == ample.context


@given(parts, st.integers(0, 700))
def test_without_parts_it_makes_no_difference_where_a_part_ends(
    ranked: list[tuple[str, int, int | None, bool]], budget: int
) -> None:
    ranking = [in_part(number, *one) for number, one in enumerate(ranked)]
    endless = [one.model_copy(update={"focus_end": None}) for one in ranking]
    whole, same = (
        pack(memories, [], Frame(), budget=budget, counter=Words(), in_parts=False) for memories in (ranking, endless)
    )
    assert whole.context == same.context


def passage(identifier: str, text: str, *, focus: int = 0) -> Memory:
    return memory(identifier, text, "passage").model_copy(
        update={"tier": "catalog", "sources": ("r",), "metadata": {"resource_id": "r"}, "focus": focus}
    )


def test_a_passage_stands_among_knowledge_in_the_order_of_the_ranking_and_verbatim() -> None:
    step = passage("r#0", "If it hums\n- pull the plug")
    fact = memory("i", "It is blue", "item").model_copy(update={"tier": "catalog"})
    packed = pack([step, fact], [], Frame(), budget=500, counter=Words())
    assert packed.context == (
        "## RELEVANT KNOWLEDGE\n- If it hums\n  | - pull the plug (relevance: 0.50)\n- It is blue (relevance: 0.50)"
    )


def test_a_passage_that_has_no_room_is_cut_to_what_was_found_when_nothing_else_wants_room() -> None:
    text = " ".join(f"word{number}" for number in range(100))
    found = passage("r#0", text, focus=text.index("word60"))
    said = [memory("a", " ".join(["hello"] * 20))]
    packed = pack([found, *said], [], Frame(), budget=120, counter=Words())
    assert "hello" in packed.context
    assert "- … word60 word61" in packed.context
    assert "word10 " not in packed.context
    assert packed.tokens <= 120
