"""Somebody of whom a message says "she" or "he" is a person, whatever a model took the name for."""

from tests.support.each import each_case
from tests.support.extractor import trained

PERSONS = {
    "in the same sentence": ("Ilse has moved again, she lives in Leeds now.", "Ilse"),
    "in the next one": ("Ilse is busy. She lives in Leeds now.", "Ilse"),
    "beside a place": ("Otmar was in Leeds, he works at Fenwick now.", "Otmar"),
    "behind what says nothing of anybody": ("It rains again. Otmar is ill, he stays in Leeds.", "Otmar"),
}
NOT_PERSONS = {
    "kin were spoken of": ("My sister left Fenwick. Fenwick is great, she says.", "Fenwick"),
    "somebody else was": ("Ilse joined. Fenwick is great, she says.", "Fenwick"),
    "it is a place": ("Leeds is lovely, she lives there.", "Leeds"),
    "it is a word": ("Work is hard, she lives in Leeds.", "Work"),
    "it stands within": ("We like Fenwick, she works there.", "Fenwick"),
    "a sentence lies between": ("Fenwick is closed. It rains. She is late.", "Fenwick"),
}


@each_case(("text", "name"), PERSONS)
def test_whoever_a_pronoun_stands_for_is_a_person(text: str, name: str) -> None:
    assert {one.name: one.label for one in trained().extract(text, speaker=None).entities}[name] == "PERSON"


@each_case(("text", "name"), NOT_PERSONS)
def test_what_a_pronoun_may_not_stand_for_is_made_nobody_by_it(text: str, name: str) -> None:
    said = text.replace(" she ", " they ").replace("She ", "They ")
    labels = [
        {one.name: one.label for one in trained().extract(one, speaker=None).entities}.get(name) for one in (text, said)
    ]
    assert labels[0] == labels[1]


def test_what_is_said_of_them_is_known_of_them() -> None:
    told = trained().extract("Ilse has moved again, she lives in Leeds now.", speaker=None).relationships
    assert [(one.source, one.type, one.target) for one in told] == [("Ilse", "LIVES_IN", "Leeds")]
