"""Preferring: which preferences are learned of what people type, by the judge that is shipped."""

import pytest

from ragpp.embedding.second import E5Encoder
from ragpp_services.workers.language.classifier import Classifier
from ragpp_services.workers.language.judging import Judge
from ragpp_services.workers.parts import WorkerParts
from ragpp_services.workers.stages.observe import preferences_of
from ragpp_services.workers.stages.preferring import prefer
from tests.support.extractor import trained
from tests.support.said import said
from tests.support.second import second_jar
from tests.support.workers import parts_with

STATED = [
    "I prefer tea to coffee.",
    "I hate coriander.",
    "I love trains.",
    "My favourite colour is green.",
    "Please keep your answers short.",
    "Never use emojis.",
    "I always want the vegetarian option.",
    "I hate phone calls.",
    "I'm allergic to peanuts, any snack ideas?",
    "i'm allergic to nuts, is pesto ok?",
    "I'm celiac, where can I eat in Rome?",
    "I'm vegetarian, what can I cook tonight?",
    "I don't eat pork, any dinner ideas?",
]
TURNS_OF_PHRASE = [
    "be honest, was it worth it",
    "make me a packing list for him, use a table for the 6 questions",
]


@pytest.fixture(scope="module")
def parts(tmp_path_factory: pytest.TempPathFactory) -> WorkerParts:
    judge = Judge(E5Encoder(second_jar()), classifier=Classifier(tmp_path_factory.mktemp("graph")))
    return parts_with(judge=judge, extractor=trained())


async def learned(parts: WorkerParts, text: str) -> tuple[list[str], list[str]]:
    """The preferences that are read in it, and those that are learned."""
    item = said("a", text)
    read = parts.extractor.extract(text, speaker=None, said_at=item.occurred_at)
    return [one.key for one in read.preferences], [
        one.key for one in await prefer(parts.judge, parts.extractor, item, text, read)
    ]


async def test_a_preference_that_a_clause_states_is_learned_and_a_turn_of_phrase_is_not(parts: WorkerParts) -> None:
    for text in STATED:
        read, kept = await learned(parts, text)
        assert read, text
        assert kept == read, text
    for text in TURNS_OF_PHRASE:
        read, kept = await learned(parts, text)
        assert read, text
        assert kept == [], text


async def test_one_is_judged_by_its_own_clause_and_not_by_what_stands_beside_it(parts: WorkerParts) -> None:
    _, kept = await learned(parts, "I hate coriander. be honest, was it worth it")
    assert kept == ["coriander"]


async def test_an_entry_has_its_number_whatever_else_of_the_message_is_meant(parts: WorkerParts) -> None:
    """A redelivery may meet a worker with another judge, and the same id with other content is refused for good."""
    text = "be honest, was it worth it. I hate coriander."
    item = said("a", text)
    read = parts.extractor.extract(text, speaker=None, said_at=item.occurred_at)
    assert [one.key for one in read.preferences] == ["manner of answers", "coriander"]
    (kept,) = await preferences_of(parts, "7", item, text, read)
    assert (kept.id, kept.key) == ("7.p1", "coriander")


async def test_by_words_alone_nothing_that_is_read_is_left_out() -> None:
    read, kept = await learned(parts_with(extractor=trained()), "be honest, was it worth it")
    assert kept == read != []
