"""An answer says that nothing it found is about the question where that is so, and does not where it cannot tell."""

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragpp.api import Relevance
from ragpp.models import Memory, TierName
from ragpp.ranking.relevance import raw_of, relevance
from ragpp.retrieval.calibration import Calibration
from ragpp_services.gateway.assembly.answerability import about_question, relevance_of
from ragpp_services.gateway.assembly.memory_key import memory_key
from tests.support.each import each_case

SCALE: Final = Calibration(0.1, 0.9)
QUESTION: Final = "Where does Maria's sister live?"
LEVELS: Final[tuple[Relevance, ...]] = ("none", "some", "clear")


def said(similarity: float | None, coverage: float, *, raw: float = 1.2, second: float | None = None) -> Memory:
    return Memory(
        id="m",
        tier="episodic",
        kind="interaction",
        text="whatever was said",
        score=float(relevance(np.asarray(raw))),
        similarity=similarity,
        second_similarity=second,
        coverage=coverage,
    )


def relationship(source: str, type_name: str, target: str) -> Memory:
    return Memory(
        id=f"{source} {type_name} {target}",
        tier="semantic",
        kind="relationship",
        text=f"{source} {type_name} {target}",
        score=0.3,
        metadata={"source": source, "type": type_name, "target": target},
    )


def preference(text: str, similarity: float) -> Memory:
    return Memory(id="p", tier="procedural", kind="preference", text=text, score=0.3, similarity=similarity)


def level(
    *memories: Memory,
    query: str = QUESTION,
    scale: Calibration | None = SCALE,
    whole: bool = True,
    asker: str | None = None,
) -> Relevance | None:
    answers: dict[TierName, Sequence[Memory]] = {"episodic": (), "semantic": (), "procedural": ()}
    for memory in memories:
        answers[memory.tier] = (*answers[memory.tier], memory)
    return relevance_of(query, answers, scale, whole=whole, asker=asker)


@each_case(
    ("similarity", "coverage", "expected"),
    [
        (0.62, 0.55, "clear"),
        (0.9, 0.0, "clear"),
        (0.1, 0.9, "clear"),
        (0.5, 0.0, "some"),
        (0.3, 0.25, "some"),
        (0.3, 0.0, "none"),
        (0.2, 0.15, "none"),
    ],
)
def test_meaning_and_words_together_say_whether_a_memory_is_about_the_question(
    similarity: float, coverage: float, expected: Relevance
) -> None:
    assert level(said(similarity, coverage)) == expected


def test_what_the_second_encoder_finds_alike_is_about_the_question_unless_ranking_set_it_back() -> None:
    assert level(said(0.2, 0.0)) == "none"
    assert level(said(0.2, 0.0, second=0.7)) == "some"
    assert level(said(0.6, 0.0, second=0.2)) == "some", "either encoder is enough"
    assert level(said(0.2, 0.0, second=0.5)) == "none", "where questions are put, much is as near"
    assert level(said(0.2, 0.0, second=0.7, raw=0.1)) == "none"
    assert level(said(0.2, 0.0, second=0.7), scale=None, whole=False) is None, "nobody measured the embedder"


def test_a_memory_with_nothing_in_it_knows_nothing() -> None:
    assert level() == "none"
    assert level(query="What do you know about me?") == "none"


def test_the_question_that_was_asked_before_does_not_answer_itself() -> None:
    """It is as alike as can be; the ranking sets it back, and so does this."""
    assert level(said(1.0, 0.0, raw=0.1)) == "none"


def test_a_question_about_everything_is_about_whatever_there_is() -> None:
    for query in (
        "What do you remember about me?",
        "How are you?",
        "List what I brought up in our conversations, in order.",
    ):
        assert level(said(0.1, 0.0), query=query) == "some"


def test_a_question_in_common_words_is_about_something_all_the_same() -> None:
    for query in ("Where do I work?", "How old am I?"):
        assert level(said(0.1, 0.0), query=query) == "none"


def test_a_fact_that_has_every_word_of_the_question_is_clearly_about_it() -> None:
    assert level(relationship("Maria", "LIVES_IN", "Porto"), query="Where does Maria live?") == "clear"
    assert level(relationship("user", "WORKS_AT", "Globex"), query="Where do I work?") == "clear"
    assert level(preference("food drink: tea with milk", 0.2), query="Do I drink tea?") == "clear"
    assert level(preference("food drink: tea with milk", 0.6), query="What is in my cup?") == "some"


def test_what_is_known_of_somebody_else_is_not_about_the_question() -> None:
    assert level(relationship("Ada", "LIVES_IN", "Porto"), query="Where does Maria live?") == "none"


def test_that_somebody_exists_and_how_to_behave_say_nothing_about_a_question() -> None:
    entity = Memory(id="e", tier="semantic", kind="entity", text="Maria (PERSON)", score=0.35)
    rule = Memory(id="b", tier="procedural", kind="rule", text="be brief about Maria", score=0.9, similarity=0.9)
    assert level(entity, rule, query="Maria") == "none"


def test_where_something_is_missing_there_is_no_telling_that_there_is_nothing() -> None:
    beside = said(0.2, 0.0)
    assert level(beside, whole=False) is None
    assert level(beside, scale=None) is None
    assert level(whole=False) is None
    assert relevance_of(QUESTION, {"short_term": (), "semantic": ()}, SCALE, whole=True) is None


def test_where_something_is_missing_what_is_there_is_still_about_the_question() -> None:
    assert level(said(0.62, 0.55), whole=False) == "clear"
    assert level(said(0.5, 0.0), whole=False) == "some"
    assert level(said(None, 0.9), whole=False, scale=None) == "clear"


def test_an_empty_memory_is_told_with_any_embedder() -> None:
    assert level(scale=None) == "none"


memories = st.lists(st.builds(said, st.floats(-1, 1), st.floats(0, 1), raw=st.floats(-1, 3)), max_size=4)


@given(memories, st.floats(-1, 1), st.floats(0, 1))
def test_what_tells_more_of_the_question_only_raises_the_level(
    found: list[Memory], similarity: float, coverage: float
) -> None:
    before = level(said(similarity, 0.0), *found)
    more = level(said(similarity, coverage), *found)
    assert before is not None
    assert more is not None
    assert LEVELS.index(more) >= LEVELS.index(before)


@given(memories)
def test_what_is_missing_never_turns_something_into_nothing(found: list[Memory]) -> None:
    whole, degraded = level(*found), level(*found, whole=False)
    assert degraded == (None if whole == "none" else whole)


@given(st.floats(-2, 4))
def test_a_score_tells_what_it_was_made_of(raw: float) -> None:
    assert raw_of(float(relevance(np.asarray(raw)))) == pytest.approx(raw, abs=1e-6)


def test_the_tiers_that_are_asked_are_told_of_together() -> None:
    item = said(0.62, 0.55).model_copy(update={"tier": "catalog", "kind": "item"})
    answers: Mapping[TierName, Sequence[Memory]] = {"episodic": (said(0.1, 0.0),), "catalog": (item,)}
    assert relevance_of(QUESTION, answers, SCALE, whole=True) == "clear"


@each_case(
    ("question", "source", "target"),
    [
        ("지훈이는 부산?", "지훈", "부산"),
        ("أين سارة بالقاهرة؟", "سارة", "القاهرة"),
        ("สมชายอยู่เชียงใหม่", "สมชาย", "เชียงใหม่"),
        ("李娜北京", "李娜", "北京"),
        ("Где Алёна Казань?", "Алёна", "Казань"),
    ],
)
def test_a_fact_that_has_all_words_of_a_question_is_clear_in_any_script(
    question: str, source: str, target: str
) -> None:
    assert level(relationship(source, "LIVES_IN", target), query=question) == "clear"


@each_case(
    "question", ["몽골의 수도는 어디예요?", "Какая столица Монголии?", "蒙古的首都是哪里？", "ما هي عاصمة منغوليا؟"]
)
def test_of_a_question_in_letters_that_nobody_measured_it_is_not_said_that_nothing_is_about_it(question: str) -> None:
    assert level(said(0.3, 0.0), query=question) is None
    assert level(query=question) == "none"


def test_a_fact_of_somebody_who_may_be_who_asks_is_something() -> None:
    assert level(relationship("Ada", "LIVES_IN", "Berlin"), query="Where do I live?") == "some"
    assert level(relationship("Ada", "LIVES_IN", "Berlin"), query="Where does Bob live?") == "none"


def test_what_somebody_asks_about_himself_needs_less_to_be_about_something() -> None:
    evidence = said(SCALE.unrelated + 0.3 * (SCALE.answered - SCALE.unrelated), 0.0)
    assert level(evidence, query="What food should I avoid?") == "some"
    assert level(evidence, query="What food should Bob avoid?") == "none"


WITHHELD: Final = "The wifi password is [REDACTED:password]."


@each_case("query", ["wifi password?", "What's the wifi password?", "how do I get into the wifi?"])
def test_what_was_redacted_answers_nothing(query: str) -> None:
    memory = said(0.9, 1.0).model_copy(update={"text": WITHHELD})
    assert level(memory, query=query) == "none"
    assert level(preference("home wifi password: [REDACTED:password]", 0.9), query=query) == "none"
    assert (
        level(said(0.9, 1.0).model_copy(update={"text": "The wifi password is on the fridge."}), query=query) == "clear"
    )


def test_what_is_told_beside_it_answers_as_ever() -> None:
    memory = said(0.9, 1.0).model_copy(update={"text": f"{WITHHELD} The cleaner comes on Tuesday, at nine."})
    assert level(memory, query="When does the cleaner come?") == "clear"
    assert level(memory, query="wifi password?") == "none"


@each_case("joined", [" and ", " btw ", " but ", ", "])
def test_a_clause_ends_where_another_thought_begins_also_without_a_mark(joined: str) -> None:
    text = f"bank card pin is [REDACTED:pin]{joined}mum has the second card"
    memory = said(0.9, 1.0).model_copy(update={"text": text})
    assert level(memory, query="who has the second card?") == "clear"
    assert level(memory, query="bank card pin?") == "none"


def test_what_is_redacted_in_a_clause_about_something_else_withholds_nothing() -> None:
    told = said(0.9, 0.0).model_copy(update={"text": "We moved to Ulm in May, my mail is [REDACTED:email]."})
    assert level(told, query="Which town is home?") == "clear"


def test_a_question_that_has_the_mask_is_of_whom_that_belongs_to() -> None:
    mask = "[EMAIL_gqfcftm4]"
    memory = said(0.9, 1.0).model_copy(update={"text": f"Ana's mail is {mask}."})
    assert level(memory, query=f"Whose is {mask}?") == "clear"
    assert level(memory, query="Whose is [EMAIL_aaaaaaaa]?") == "none"
    assert level(memory, query="What is Ana's mail?") == "none"


def test_what_alone_makes_the_level_is_about_the_question_too() -> None:
    """Else a context says that something is known, and does not say what."""
    allergy = preference("food allergy: peanuts", SCALE.unrelated + 0.3 * (SCALE.answered - SCALE.unrelated))
    asked = "What food should I avoid?"
    assert level(allergy, query=asked) == "some"
    assert about_question(asked, [allergy], SCALE, beside_what_was_said=False) == {memory_key(allergy)}
    assert about_question(asked, [allergy], SCALE) == set()


def test_a_tie_that_has_several_words_of_a_long_question_is_shown_and_one_with_a_name_alone_is_not() -> None:
    lives, has = relationship("Noor", "LIVES_IN", "Glasgow"), relationship("Noor", "OWNS", "a kettle")
    asked = "Where has Noor lived this year, and since when?"
    assert about_question(asked, [lives, has], SCALE) == {memory_key(lives)}
    assert level(has, query=asked) == "none"


def test_we_are_not_who_asks_alone() -> None:
    lives = relationship("Tom", "LIVES_IN", "Ulm")
    assert level(lives, query="Where do we live?", asker="Nora") == "some"
    assert level(lives, query="Where do I live?", asker="Nora") == "none"


def test_of_two_who_are_known_the_one_who_asks_is_meant() -> None:
    parks = relationship("Nora", "PARKS_AT", "level 3")
    asked = "Where do I park?"
    assert level(parks, query=asked, asker="nora") == "clear"
    assert level(parks, query=asked) == "some"
    assert level(parks, query=asked, asker="Tom") == "none"
