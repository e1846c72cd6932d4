"""Judging: what a clause tells, and whether it is worth writing down, by the weights that are shipped."""

from collections.abc import Sequence

import numpy as np
import pytest

from ragpp.embedding.second import E5Encoder
from ragpp.text.spans import Span
from ragpp_services.workers.language.cutting import MOST, cut
from ragpp_services.workers.language.features import SIZE, hashed
from ragpp_services.workers.language.judging import Judge
from tests.support.judging import judged
from tests.support.second import second_jar

KEPT = {
    "I'm allergic to kiwi, it makes my throat swell.": "health",
    "Never use bullet points when you answer me.": "instruction",
    "My sister Elena lives in Porto with her husband.": "kin",
    "We moved to Leipzig in March.": "residence",
    "I work as a nurse at the children's hospital.": "work",
}
LEFT = ["What's the weather like?", "Thanks, that helps a lot!", "hm ok", "Can you translate this into French?"]


TOLD_TO_DO = [
    "Call me Bo, please.",
    "I'd like short answers from now on.",
    "Quote prices in pounds from now on.",
    "Never start with a compliment again.",
    "when i come off a late shift keep it to two lines",
]
FOR_NOW = [
    "Translate this into Dutch.",
    "Set an alarm for six.",
    "Draft a note to the landlord.",
    "Thanks, that was quick!",
]


@pytest.mark.parametrize("with_encoder", [True, False], ids=["with the second encoder", "by words and letters alone"])
async def test_what_a_friend_would_write_down_is_kept_and_small_talk_is_not(*, with_encoder: bool) -> None:
    encoder = E5Encoder(second_jar()) if with_encoder else None
    judge = Judge(encoder)
    wrong = {said: one for said in KEPT for one in await judged(judge, said) if not one.is_kept(asks=False)}
    wrong |= {said: one for said in LEFT for one in await judged(judge, said) if one.is_kept(asks=False)}
    assert wrong == {}
    if encoder is not None:
        assert {said: (await judged(judge, said))[0].kind for said in KEPT} == KEPT
        await encoder.close()


@pytest.mark.parametrize("with_encoder", [True, False], ids=["with the second encoder", "by words and letters alone"])
async def test_an_instruction_in_plain_words_is_one_and_a_task_for_now_is_none(*, with_encoder: bool) -> None:
    """Chats have few plain sentences: learned of them alone, "Please call me Sam." had odds of .07."""
    encoder = E5Encoder(second_jar()) if with_encoder else None
    judge = Judge(encoder)
    odds = {said: (await judged(judge, said))[0].instructs for said in (*TOLD_TO_DO, *FOR_NOW)}
    assert {said: odds[said] for said in TOLD_TO_DO if odds[said] < 0.3} == {}
    assert {said: odds[said] for said in FOR_NOW if odds[said] > 0.1} == {}
    if encoder is not None:
        await encoder.close()


async def test_a_correction_is_likelier_to_change_what_was_said_than_the_first_word_on_it() -> None:
    judge = Judge(None)
    (first,), (changed,) = [
        await judged(judge, said) for said in ("My dentist is Dr. Weiss.", "No wait, not Weiss any more, it changed.")
    ]
    assert changed.traits["changes"] > 2 * first.traits["changes"]


async def test_a_clause_has_one_outcome_whatever_is_judged_with_it() -> None:
    judge, clauses = Judge(None), [*KEPT, *LEFT]
    text, spans = joined(clauses)
    together = await judge.judge(text, spans)
    alone = [(await judge.judge(clause, [Span(0, len(clause))]))[0] for clause in clauses]
    assert [(one.kind, one.worth, one.traits) for one in together] == [
        (one.kind, one.worth, one.traits) for one in alone
    ]


async def test_nothing_is_judged_where_nothing_is_said() -> None:
    assert await Judge(None).judge("", []) == []


def joined(clauses: Sequence[str]) -> tuple[str, list[Span]]:
    text, spans = "", list[Span]()
    for clause in clauses:
        spans.append(Span(len(text), len(text) + len(clause)))
        text += f"{clause}\n"
    return text, spans


def test_features_are_the_same_in_every_process_and_a_text_without_words_has_few() -> None:
    """Python's own hash of a string differs from process to process."""
    indexes, values = hashed("kiwi")
    assert indexes.tolist() == sorted(set(indexes.tolist()))
    assert indexes.max() < SIZE
    assert (indexes.sum(), round(float(np.square(values).sum()), 3)) == KIWI
    assert len(hashed("…")[0]) < len(hashed("a kiwi")[0])


KIWI = (172865, 2.0)


def test_a_message_is_cut_into_its_sentences_and_what_has_no_word_is_none() -> None:
    text = "hi!! 12:30\nmy mum's over, so no nuts. thx :)\nwhere is she?"
    cuts = {text[span.start : span.end]: asks for span, asks in cut(text).items()}
    assert cuts == {"hi!!": False, "my mum's over, so no nuts.": False, "thx :)": False, "where is she?": True}


def test_what_is_told_before_a_question_in_the_same_sentence_is_a_clause_by_itself() -> None:
    """Told and asked in one stretch it is a question, and left out."""

    def clauses(text: str) -> list[tuple[str, bool]]:
        return [(text[span.start : span.end], asks) for span, asks in cut(text).items()]

    assert clauses("I'm celiac, where can I eat in Rome?") == [
        ("I'm celiac", False),
        ("where can I eat in Rome?", True),
    ]
    assert clauses("im out of rice - any ideas?") == [("im out of rice", False), ("any ideas?", True)]
    for whole in (
        "Where is the key, the spare one?",
        "I asked what he wants, and he knows.",
        "Can you tell Leo, please?",
    ):
        assert clauses(whole) == [(whole, whole.endswith("?"))]


def test_of_a_message_without_end_the_beginning_is_judged() -> None:
    assert len(cut("One more line.\n" * 10 * MOST)) == MOST
