"""Which sentences of a reply repeat what is forgotten."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from ragpp.models import Memory, Repetition
from ragpp.text import repeating
from ragpp.text.repeating import repetitions, without
from ragpp.text.spans import Span, merged
from tests.support.said import said

ORIGINAL = said("a", "My sister Elena moved to Porto.", name="Noor")


def repeated(text: str, *gone: str, day: int = 2) -> list[str]:
    reply = said("r", text, role="assistant", day=day)
    found = repetitions([reply], [ORIGINAL, *(said(one, one) for one in gone)])
    return [text[one.start : one.end] for one in found]


def test_a_sentence_that_says_it_again_is_one_and_the_others_are_not() -> None:
    assert repeated("Lovely! Your sister Elena moved to Porto. The garden is wet.") == [
        "Your sister Elena moved to Porto."
    ]


def test_a_line_of_what_was_learned_says_it_again_whatever_its_label_and_its_dates() -> None:
    line = "I have learned: event: Noor: My sister Elena moved to Porto (2026-03 to 2026-05)."
    earlier = [Memory(id="a", tier="episodic", kind="interaction", text=ORIGINAL.content, score=0.5, said_by="Noor")]
    assert repeating.repeated(line, earlier) == ["a"]
    assert repeating.repeated("I have learned: Elena was born in Porto on 2026-03-01.", earlier) == []


def test_half_of_a_sentence_is_enough_since_the_rest_may_be_of_what_stays() -> None:
    assert repeated("Elena moved to Porto and plays chess with Tomas.")


def test_what_shares_a_single_common_word_repeats_nothing() -> None:
    assert repeated("I opened a ticket with Bolt Logistics about the Porto shipment.") == []


def test_what_was_said_before_it_does_not_repeat_it() -> None:
    early = said("r", "Your sister Elena moved to Porto.", role="assistant", day=1)
    late = ORIGINAL.model_copy(update={"occurred_at": said("x", "x", day=5).occurred_at})
    assert repetitions([early], [late]) == []
    assert repetitions([early], [ORIGINAL])


def test_it_is_told_of_which_messages_it_is_one() -> None:
    reply = said("r", "Your sister Elena moved to Porto and works at Acme.", role="assistant", day=2)
    (found,) = repetitions([reply], [ORIGINAL, said("b", "Elena works at Acme.", name="Noor")])
    assert isinstance(found, Repetition)
    assert set(found.of) == {"a", "b"}


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(0, 10)), max_size=8))
def test_stretches_that_meet_become_one_and_cover_the_same(pairs: list[tuple[int, int]]) -> None:
    spans = [Span(start, start + length) for start, length in pairs]
    once = merged(spans)
    covered = {place for start, end in spans for place in range(start, end)}
    assert {place for start, end in once for place in range(start, end)} == covered
    assert all(before.end < after.start for before, after in pairwise(once))


def test_what_is_blanked_keeps_its_length() -> None:
    item = said("r", "One. Two. Three.")
    (left,) = without([item], {"r": [Span(5, 9)]})
    assert left.content == "One.      Three."
    assert without([item], {}) == [item]
