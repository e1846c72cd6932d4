"""Which rules and preferences answer a query."""

from dataclasses import replace
from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from ragpp.learned import LEARNED_RULE, Finding, owned_key
from ragpp.models import STANDING, DateSpan, Filters, MemoryQuery, Preference, Rule, TimeRange
from ragpp_services.gateway.assembly.informative import standing
from ragpp_services.procedural.ranking import MAX_FINDINGS, NEAR_COSINE, Scored, Situation, rank, rule_confidence
from tests.support import values
from tests.support.each import each_case
from tests.support.scopes import new_scope

NOON = datetime(2024, 5, 1, 12, tzinfo=UTC)
SCOPE = new_scope()


def rule(text: str, *triggers: str, priority: int = 5, similarity: float | None = 0.0) -> Scored[Rule]:
    return Scored(values.rule(NOON, text, triggers=triggers, priority=priority), similarity)


def learned(text: str, *, similarity: float = 0.0) -> Scored[Rule]:
    scored = rule(text, similarity=similarity)
    return replace(scored, item=scored.item.model_copy(update={"id": f"{LEARNED_RULE}{text}"}))


def preference(value: str, *, category: str = "food", similarity: float = 0.0) -> Scored[Preference]:
    return Scored(values.preference(NOON, id=value, category=category, key="favourite", value=value), similarity)


def finding(
    text: str, *, similarity: float = 0.5, confidence: float = 0.6, when: DateSpan | None = None
) -> Scored[Finding]:
    item = values.finding(NOON, id=text, text=text, confidence=confidence, when=when, sources=("i1",))
    return Scored(item, similarity)


def query(text: str = "", *, limit: int = 20, filters: Filters | None = None) -> MemoryQuery:
    return MemoryQuery(scope=SCOPE, text=text, limit=limit, filters=filters or Filters())


@each_case(
    ("trigger", "text"),
    [
        ("code review", "Can you do a Code Review?"),
        ("deploy", "deploy, please"),
        ("ＤＥＰＬＯＹ", "deploy"),
        ("🙂", "all good 🙂"),
        ("recipes", "a pancake recipe please"),
        ("c++", "a question on c"),
    ],
)
def test_a_trigger_is_found_as_words_of_the_query(trigger: str, text: str) -> None:
    assert Situation.of(text, Filters()).calls_up([trigger])


@each_case(("trigger", "text"), [("art", "start"), ("code review", "review the code"), ("🙂", "fine")])
def test_a_trigger_inside_other_words_is_not_found(trigger: str, text: str) -> None:
    assert not Situation.of(text, Filters()).calls_up([trigger])


@each_case("trigger", [" ", "\u200b", "\u200b \ufeff", "\u00ad", "\ufe0f"])
def test_a_trigger_in_which_nothing_shows_calls_up_nothing(trigger: str) -> None:
    """One that was stored before such were refused."""
    for text in ("", "a b", f"a{trigger}b", trigger):
        assert not Situation.of(text, Filters()).calls_up([trigger])


@each_case("field", ["task_type", "domain", "channel"])
def test_a_trigger_is_found_as_what_is_being_done(field: str) -> None:
    filters = Filters.model_validate({field: "code_review"})
    assert [m.id for m in rank(query("", filters=filters), [rule("be kind", "Code review")], [])] == ["be kind"]


def test_a_rule_whose_triggers_do_not_match_is_found_only_when_its_meaning_is_near() -> None:
    far, near = rule("far", "x", similarity=NEAR_COSINE - 0.01), rule("near", "x", similarity=NEAR_COSINE)
    assert [m.id for m in rank(query("something else"), [far, near], [])] == ["near"]


def test_a_rule_that_somebody_set_without_triggers_always_holds() -> None:
    (held,) = rank(query("anything"), [rule("file the claim")], [])
    assert (held.id, held.metadata[STANDING], held.score) == ("file the claim", True, 0.0)
    (about,) = rank(query("which claim do I file?"), [rule("file the claim", similarity=0.5)], [])
    assert STANDING in about.metadata
    assert 0.2 < about.score < 0.6


@each_case(
    ("text", "holds"),
    [
        ("Always answer me in rhymes.", True),
        ("please always end with a riddle", True),
        ("Explain things like a sailor.", True),
        ("Give me weights in grams, never cups.", True),
        ("Give me a lift on Fridays.", False),
        ("Write the letters to the bank in rhymes.", False),
        ("Answer in rhymes when I ask about the garden.", False),
        ("Start with the tests.", False),
    ],
)
def test_a_learned_rule_always_holds_where_it_tells_how_to_answer_and_not_what_for(text: str, holds: bool) -> None:
    found = rank(query("something else"), [learned(text)], [])
    assert [STANDING in one.metadata for one in found] == ([True] if holds else [])


@each_case(("key", "value", "holds"), [("how to answer", "in German", True), ("call me at work", "never", False)])
def test_a_preference_on_how_to_answer_always_holds_and_one_on_how_to_be_reached_does_not(
    key: str, value: str, holds: bool
) -> None:
    scored = preference(value, category="communication")
    (found,) = rank(query("anything"), [], [replace(scored, item=scored.item.model_copy(update={"key": key}))])
    assert (STANDING in found.metadata) is holds


def test_how_one_of_a_household_wants_to_be_answered_does_not_hold_for_another_who_asks() -> None:
    scored = preference("in grams", category="communication")
    nora = Scored(scored.item.model_copy(update={"key": owned_key("Nora", "how to answer")}), 0.0)
    asked = {
        asker: [
            STANDING in one.metadata for one in rank(query("anything").model_copy(update={"asker": asker}), [], [nora])
        ]
        for asker in ("nora", "Tom", None)
    }
    assert asked == {"nora": [True], "Tom": [False], None: [True]}


def test_what_a_rule_says_in_full_is_not_told_again_as_a_wish_and_a_name_comes_first() -> None:
    of_one = {"sources": ("m1",)}
    wish, name = preference("always", category="communication"), preference("Ines", category="identity")
    wish = replace(
        wish, item=wish.item.model_copy(update={"key": owned_key("Nora", "answer in bullet point"), **of_one})
    )
    name = replace(name, item=name.item.model_copy(update={"key": "name to be called", **of_one}))
    told = learned("Answer in bullet points.")
    told = replace(told, item=told.item.model_copy(update=of_one))
    found = rank(query("anything"), [told], [wish, name])
    assert sorted(one.kind for one in found) == ["preference", "rule"]
    assert [one.metadata.get("category") for one in standing(found)] == ["identity", None]
    other = replace(wish, item=wish.item.model_copy(update={"value": "for plans"}))
    assert len(rank(query("anything"), [told], [other])) == 2, "the rule does not say all of it"
    apart = replace(wish, item=wish.item.model_copy(update={"sources": ("m2",)}))
    assert len(rank(query("anything"), [told], [apart])) == 2, "what another message says stands by itself"


def test_what_always_holds_leaves_room_for_what_is_called_up() -> None:
    ranked = rank(query("write the commit message", limit=1), [rule("Be kind"), rule("Sign it", "commit message")], [])
    assert [one.id for one in ranked] == ["Sign it"]


@each_case(
    "text", ["Answer in French.", "Use bullet points.", "Call me Sam.", "Do not use emojis.", "Keep replies short."]
)
def test_a_learned_rule_on_how_to_answer_always_holds(text: str) -> None:
    (held,) = rank(query("anything"), [learned(text)], [])
    assert held.metadata[STANDING]


@each_case(
    "text", ["The dining room becomes hers.", "Do not plan work on fridays.", "Packing lists by room, in plain words."]
)
def test_another_learned_rule_is_shown_where_the_question_is_about_it(text: str) -> None:
    assert rank(query("anything"), [learned(text)], []) == []
    (about,) = rank(query("anything"), [learned(text, similarity=NEAR_COSINE)], [])
    assert STANDING not in about.metadata


def test_a_rule_is_worth_what_it_has_to_do_with_the_query_and_no_more() -> None:
    found = rank(query("x"), [rule(str(near), "y", similarity=near) for near in (0.9, 0.5, 0.3)], [])
    assert [m.id for m in found] == ["0.9", "0.5", "0.3"]
    assert [round(m.score, 3) for m in found] == [0.378, 0.21, 0.126]


def test_a_rule_is_about_a_query_by_its_words_too() -> None:
    asked = query("plan the trip to Porto")
    assert [m.id for m in rank(asked, [rule("Plan a trip with trains", "y"), rule("Be kind", "z")], [])] == [
        "Plan a trip with trains"
    ]


def test_the_situation_calls_up_rules_as_the_query_does() -> None:
    reviewing = query("what now?").model_copy(update={"situation": '{"step": "code review"}'})
    assert [m.id for m in rank(reviewing, [rule("be kind", "code review"), rule("wait", "deploy")], [])] == ["be kind"]


def test_of_what_always_holds_few_are_returned_the_most_urgent_and_never_instead_of_answers() -> None:
    many = [rule(f"r{n}", priority=n % 10) for n in range(30)]
    liked = [preference(f"p{n}", similarity=0.9) for n in range(30)]
    found = rank(query("go", limit=40), many, liked)
    held = sorted(str(m.metadata["priority"]) for m in found if STANDING in m.metadata)
    assert held == ["7", "7", "8", "8", "8", "9", "9", "9"]
    assert sum(m.kind == "preference" for m in found) == 30


def test_the_called_up_come_first_and_the_rest_by_their_relevance() -> None:
    found = rank(
        query("deploy it"),
        [rule("near", "y", similarity=0.9), rule("called", "deploy", priority=0)],
        [preference("ramen", similarity=0.5)],
    )
    assert [m.id for m in found] == ["called", "near", "ramen"]


def test_equal_ones_stand_in_the_order_of_what_they_say_whatever_their_ids() -> None:
    for ids in (("1", "2", "3"), ("3", "2", "1")):
        rules = [rule(text, "go") for text in ("b", "a", "c")]
        named = [Scored(one.item.model_copy(update={"id": i}), 0.0) for one, i in zip(rules, ids, strict=True)]
        assert [m.text for m in rank(query("go"), named, [])] == ["a", "b", "c"]


def test_higher_priority_comes_first() -> None:
    found = rank(query("go"), [rule("low", "go", priority=1), rule("high", "go", priority=9)], [])
    assert [m.id for m in found] == ["high", "low"]


def test_rules_never_crowd_out_the_preferences() -> None:
    found = rank(query("go", limit=4), [rule(f"r{n}", "go") for n in range(9)], [preference(p) for p in "abc"])
    assert [m.kind for m in found] == ["rule", "rule", "preference", "preference"]


def test_a_finding_says_its_time_and_stands_by_its_relevance() -> None:
    day = DateSpan(start=NOON.replace(hour=0), end=NOON.replace(day=2, hour=0), precision="day", text="last Friday")
    found = rank(
        query("when did the boiler break"),
        [rule("use metric units")],
        [preference("ramen", similarity=0.1)],
        [finding("the boiler broke", when=day), finding("bought a tent", similarity=0.1)],
    )
    assert [m.text for m in found] == [
        "event: the boiler broke (2024-05-01)",
        "food favourite: ramen",
        "use metric units",
    ]
    assert found[0].sources == ("i1",)
    assert found[0].metadata["support"] == 1


def test_findings_never_crowd_out_the_rest() -> None:
    many = [finding(f"f{n}", similarity=0.9) for n in range(30)]
    liked = [preference(f"p{n}") for n in range(30)]
    found = rank(query("go", limit=50), [], liked, many)
    assert len([m for m in found if m.kind == "finding"]) == MAX_FINDINGS
    assert len([m for m in found if m.kind == "preference"]) == 30
    few = rank(query("go", limit=4), [], liked, many)
    assert [m.kind for m in few] == ["finding", "preference", "preference", "preference"]


def test_filters_narrow_findings_too() -> None:
    known = [finding("sure", confidence=0.9), finding("unsure", confidence=0.3)]
    assert [m.id for m in rank(query("x", filters=Filters(min_confidence=0.5)), [], [], known)] == ["sure"]
    assert [m.id for m in rank(query("x", filters=Filters(exclude=frozenset({"sure"}))), [], [], known)] == ["unsure"]
    assert rank(query("x", filters=Filters(time_range=TimeRange(end=NOON))), [], [], known) == []


def test_how_to_address_the_user_always_holds() -> None:
    liked = [preference("ramen", similarity=0.1), preference("Sam", category="identity", similarity=0.0)]
    found = rank(query("what is the weather"), [], liked)
    assert [m.id for m in found if STANDING in m.metadata] == ["Sam"]
    asked = [preference("ramen", similarity=0.7), preference("Sam", category="identity", similarity=0.0)]
    assert [m.id for m in rank(query("what to eat"), [], asked)] == ["ramen", "Sam"]


def test_filters_narrow() -> None:
    liked = [preference("ramen", similarity=0.5), preference("tea", similarity=0.1)]
    assert [m.id for m in rank(query("x", filters=Filters(exclude=frozenset({"ramen"}))), [], liked)] == ["tea"]
    assert [m.id for m in rank(query("x", filters=Filters(similarity_threshold=0.3)), [], liked)] == ["ramen"]
    assert rank(query("x", filters=Filters(min_confidence=0.9)), [], liked) == []
    assert rank(query("x", filters=Filters(time_range=TimeRange(end=NOON))), [], liked) == []
    assert len(rank(query("x", filters=Filters(time_range=TimeRange(start=NOON))), [], liked)) == 2


def test_a_rule_is_trusted_until_it_fails() -> None:
    fresh = rule("r").item
    assert rule_confidence(fresh) == 1.0
    failed = fresh.model_copy(update={"outcomes": 3, "success_rate": 0.0})
    assert rule_confidence(failed) == 0.25


@given(
    st.lists(st.tuples(st.integers(0, 10), st.floats(-1, 1), st.booleans())),
    st.lists(st.floats(-1, 1)),
    st.integers(1, 10),
)
def test_scores_are_fractions_and_best_comes_first(
    rules: list[tuple[int, float, bool]], similarities: list[float], limit: int
) -> None:
    known = [
        rule(f"r{n}", *(("go",) if called else ("x",)), priority=p, similarity=s)
        for n, (p, s, called) in enumerate(rules)
    ]
    liked = [preference(f"p{n}", similarity=s) for n, s in enumerate(similarities)]
    found = rank(query("go", limit=limit), known, liked)
    scores = [memory.score for memory in found]
    assert len(found) <= limit
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 for score in scores)
