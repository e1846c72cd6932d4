"""Somebody of whom a message says "she" or "he" is a person, whatever a model took the name for."""

from ragpp.extraction.naming.pronouns import with_person
from ragpp.extraction.naming.words import Labelled, Word
from tests.support.each import each_case
from tests.support.extractor import trained

NOT_PERSONS = {
    "kin were spoken of": "My sister left. Fenwick is great, she says.",
    "somebody else was": "We met Ilse. Fenwick is great, she says.",
    "it stands within": "We like Fenwick, she works there.",
    "it stood in the sentence before": "Fenwick was dull. He fell asleep.",
    "a capital stands between that nobody knows": "Fenwick is in Leeds, she works.",
    "the pronoun stands before it": "She says so. Fenwick is great.",
}


def labelled(text: str, name: str, label: Labelled) -> str:
    """The label that `name` has of a model that gave it `label`, read sentence by sentence."""
    sentences = []
    for sentence in text.replace(".", " .").replace(",", " ,").split(" . "):
        words = [Word(word, 0, len(word)) for word in sentence.rstrip(" .").split()]
        spans = [
            Labelled(place, place + 1, label.label, sure=label.sure)
            for place, word in enumerate(words)
            if word.text == name
        ]
        sentences.append((words, spans))
    return next(one.label for spans in with_person(sentences) for one in spans)


def test_whoever_a_pronoun_stands_for_is_a_person() -> None:
    assert labelled("Fenwick is ill, he stays home.", "Fenwick", Labelled(0, 1, "ORG", sure=False)) == "PERSON"


@each_case("text", NOT_PERSONS)
def test_what_a_pronoun_may_not_stand_for_is_made_nobody_by_it(text: str) -> None:
    assert labelled(text, "Fenwick", Labelled(0, 1, "ORG", sure=False)) == "ORG"


def test_what_is_surely_a_place_or_only_taken_for_one_stays_one() -> None:
    assert labelled("Fenwick is cold, she says.", "Fenwick", Labelled(0, 1, "GPE", sure=False)) == "GPE"
    assert labelled("Fenwick is cold, she says.", "Fenwick", Labelled(0, 1, "ORG", sure=True)) == "ORG"


def test_chat_words_that_open_a_message_are_nobody() -> None:
    for text in ("Asked him and he said yes.", "Tbh he is right.", "Bf is being weird, he won't call."):
        assert all(one.label != "PERSON" for one in trained().extract(text, speaker=None).entities), text


def test_what_is_said_of_them_is_known_of_them() -> None:
    """Also where a small model takes the name that opens a sentence for a company's."""
    told = trained().extract("Elena has moved again, she lives in Lisbon now.", speaker=None).relationships
    assert [(one.source, one.type, one.target) for one in told] == [("Elena", "LIVES_IN", "Lisbon")]


def test_whoever_does_what_people_alone_do_is_a_person() -> None:
    """Or else one name is two in the graph, a person and a company."""
    for text, label in (("Elena works at the harbour.", "PERSON"), ("Brightline hired me.", "ORG")):
        assert [(one.name, one.label) for one in trained().extract(text, speaker=None).entities][:1] == [
            (text.split()[0], label)
        ], text
