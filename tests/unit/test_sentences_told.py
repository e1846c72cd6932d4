"""Which sentences of a message are embedded by themselves, and as what."""

from ragpp.models import Interaction
from ragpp_services.episodic.sentences import (
    MOST,
    MOST_CHARS,
    Participant,
    Unread,
    lines,
    lines_to_embed,
    others_of,
    without_second,
)
from tests.support.episodic import NOON


def said(content: str, name: str | None = None, session_id: str = "s1") -> Interaction:
    return Interaction(id="m", session_id=session_id, name=name, content=content, occurred_at=NOON)


def test_what_only_asks_has_no_keys_and_what_is_asked_beside_what_is_told_has() -> None:
    text = "Do you like tea? Why would you drink it?"
    assert lines(said(text), text) == []
    text = "We moved. Do you like tea?"
    assert lines(said(text), text) == ["We moved.", "Do you like tea?"]


def test_a_sentence_that_is_all_there_is_has_the_chunks_own_vector() -> None:
    assert lines(said("It rained.", "Ana"), "It rained.") == []
    assert lines(said("I slept.", "Ana"), "I slept.") == ["Ana: Ana slept."]


def test_quotations_stay_in_the_sentence_and_are_not_cut() -> None:
    text = 'I read "Now. Then." today. It was long.'
    assert lines(said(text, "Ana"), text) == ['Ana: Ana read "Now. Then." today.', "Ana: It was long."]


def test_what_is_too_short_to_say_anything_is_left_out() -> None:
    text = "x\n1.\nWe moved.\nIt rained."
    assert lines(said(text), text) == ["We moved.", "It rained."]


def test_a_chunk_has_no_more_sentences_than_that_and_none_is_endless() -> None:
    text = "It rained. " * (MOST + 5)
    assert len(lines(said(text), text)) == MOST
    long = said("I " * 290 + ". It rained.", "A" * 100)
    assert max(map(len, lines(long, long.content))) == MOST_CHARS


def test_you_is_the_only_other_who_has_spoken_by_then() -> None:
    other = others_of(
        [Participant("s1", "Ana", None, 1), Participant("s1", "Ben", None, 2), Participant("s1", "Cem", None, 9)]
    )
    assert other(said("x", "Ana"), 1) is None
    assert other(said("x", "Ana"), 3) == "Ben"
    assert other(said("x", "Ben"), 2) == "Ana"
    assert other(said("x", "Ana"), 10) is None
    assert other(said("x", "Ana", "s2"), 3) is None
    assert other(said("x"), 3) is None


def test_only_those_are_named_whom_everybody_knows_who_sees_the_sentence() -> None:
    other = others_of([Participant("s1", "Ben", "sales", 1), Participant("s1", "Cem", None, 2)])
    assert other(said("x", "Ana"), 3) == "Cem"
    to_sales = said("x", "Ana").model_copy(update={"agent_id": "sales", "visibility": "agent"})
    assert other(to_sales, 3) is None
    to_care = said("x", "Ana").model_copy(update={"agent_id": "care", "visibility": "agent"})
    assert other(to_care, 3) == "Cem"


def test_a_chunk_that_has_its_sentences_gets_none() -> None:
    first = Unread(said("I slept.", "Ana"), 1, 0, 0, 8, has_sentences=True, traits=0)
    second = Unread(said("It is mine. You slept.", "Ben"), 2, 1, 12, 22, has_sentences=False, traits=0)
    heard = [Participant("s1", "Ana", None, 1), Participant("s1", "Ben", None, 2)]
    assert lines_to_embed([first, second], heard) == [(1, "Ben: Ana slept.")]


def test_a_chunk_that_has_its_vector_by_the_second_encoder_gets_none() -> None:
    first = Unread(said("I slept.", "Ana"), 1, 0, 0, 8, has_sentences=False, traits=0, has_second=True)
    second = Unread(said("It is mine. You slept.", "Ben"), 2, 1, 12, 22, has_sentences=True, traits=0)
    assert without_second([first, second]) == [(1, "Ben: You slept.")]
