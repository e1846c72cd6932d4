"""Preferences: what is stated about oneself, under a key that a changed mind meets again."""

import pytest

from ragpp.extraction import Extractor, PreferenceMention
from tests.support.extractor import trained


@pytest.fixture(scope="module")
def extractor() -> Extractor:
    return trained()


def preferences(extractor: Extractor, text: str) -> list[tuple[str, str, str]]:
    return [(found.category, found.key, found.value) for found in stated(extractor, text)]


def stated(extractor: Extractor, text: str) -> tuple[PreferenceMention, ...]:
    return extractor.extract(text, speaker="Noor").preferences


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I prefer tea over coffee.", [("food", "drink", "tea")]),
        ("I really prefer short answers", [("communication", "answer", "short answers")]),
        ("I prefer the window seat.", [("travel", "seat", "window seat")]),
        (
            "I prefer working from home to going to the office.",
            [("work", "going to the office or working from home", "working from home")],
        ),
        ("I'd rather walk than drive.", [("travel", "drive or walk", "walk rather than drive")]),
        ("I never eat meat because I'm vegan.", [("food", "eat meat", "never"), ("food", "diet", "vegan")]),
        ("I always take the aisle, so it's yours.", [("travel", "take the aisle", "always")]),
        ("Please don't call me before nine.", [("communication", "call me before nine", "never")]),
        ("Never text me at work.", [("communication", "text me at work", "never")]),
        ("Please answer in Spanish.", [("communication", "how to answer", "in Spanish")]),
        ("Please keep your answers short.", [("communication", "length of answer", "short")]),
        ("Call me Bee.", [("identity", "name to be called", "Bee")]),
        ("My name is Sofia Reyes.", [("identity", "name", "Sofia Reyes")]),
        ("Please don't call me Bobby.", [("identity", "being called Bobby", "never")]),
        ("My favourite colour is green.", [("general", "favourite colour", "green")]),
        ("My favorite food used to be sushi but now it's ramen.", [("food", "favourite food", "ramen")]),
        (
            "I'm allergic to peanuts, sesame and eggs.",
            [
                ("health", "allergy to peanut", "allergic"),
                ("health", "allergy to sesame", "allergic"),
                ("health", "allergy to egg", "allergic"),
            ],
        ),
        ("I have a nut allergy.", [("health", "allergy to nut", "allergic")]),
        ("I love swimming in the sea.", [("health", "swimming in the sea", "likes")]),
        ("I can't stand crowds.", [("general", "crowd", "dislikes")]),
        ("I'm not a fan of olives.", [("food", "olive", "dislikes")]),
        ("I stopped eating cheese.", [("food", "eat cheese", "never")]),
        ("I gave up smoking.", [("health", "smoking", "given up")]),
        ("I work as a data engineer at Lumen.", [("identity", "occupation", "data engineer")]),
        ("My birthday is on the 4th of May.", [("identity", "birthday", "4th of May")]),
        ("gave up butter, oil only now", [("food", "butter", "given up")]),
        ("I've gone off red meat.", [("food", "red meat", "given up")]),
        ("I switched from coffee to green tea.", [("food", "drink", "green tea")]),
        ("I only drink green tea.", [("food", "drink", "green tea")]),
        ("I'm more of a morning person.", [("general", "time of day", "morning person")]),
        (
            "I enjoy long walks, baking and bad puns.",
            [("general", "bad pun", "likes"), ("general", "baking", "likes"), ("general", "long walk", "likes")],
        ),
        ("Nothing beats a bowl of hot soup.", [("food", "hot soup", "likes")]),
        ("Dark chocolate is my weakness.", [("food", "dark chocolate", "likes")]),
        ("Karaoke is really not my thing.", [("general", "karaoke", "dislikes")]),
        ("I take my tea without sugar.", [("food", "how to have tea", "tea without sugar")]),
        ("I hate it when people shout.", [("general", "when people shout", "dislikes")]),
        ("What I really like is quiet mornings.", [("general", "quiet morning", "likes")]),
        ("Emails work better for me than phone calls.", [("communication", "means of contact", "Emails")]),
        ("I'm trying to cut down on sugar.", [("food", "sugar", "avoids")]),
        ("Use metric units, please.", [("communication", "use metric units", "always")]),
        ("Keep your answers under three sentences.", [("communication", "length of answer", "under three sentences")]),
        ("I can't function without my morning coffee.", [("food", "morning coffee", "likes")]),
        ("I find modern art boring.", [("general", "modern art", "dislikes")]),
        ("Not a fan of olives.", [("food", "olive", "dislikes")]),
        ("My go-to order is a flat white.", [("general", "usual order", "flat white")]),
        ("I prefer not to drive at night.", [("travel", "drive at night", "prefers not to")]),
        ("I prefer tea in the morning.", [("general", "time of day", "tea in the morning")]),
        ("I prefer invoices by e-mail.", [("general", "e-mail", "invoices by e-mail")]),
        (
            "I prefer oat milk in my coffee, and I love cinnamon.",
            [("food", "drink", "oat milk in my coffee"), ("general", "cinnamon", "likes")],
        ),
    ],
)
def test_a_stated_preference_is_found(extractor: Extractor, text: str, expected: list[tuple[str, str, str]]) -> None:
    assert sorted(preferences(extractor, text)) == sorted(expected)


@pytest.mark.parametrize(
    "text",
    [
        "Do I prefer tea?",
        "If I never eat meat, I feel weak.",
        "I never knew that. I never said so. I always wondered.",
        "I'd love to, thanks. I'd like a coffee.",
        "I love it. I like that idea. I hate how it ends. I love my sister.",
        'He said "I prefer tea".',
        "He said I prefer tea.",
        "My sister prefers tea, and Leo never eats meat.",
        "Call me later. Call me when you land. Call me tomorrow.",
        "Please don't worry about it. Please don't cry.",
        "She is allergic to nuts, and her favourite colour is red.",
        "You never call. They always win.",
        "I wish I preferred tea.",
        "Oh great, another meeting. I just love meetings.",
        "I love queueing in the rain. /s",
        "My kids love pancakes.",
        "I like my boss. I love my new phone.",
        "I switched to the other lane.",
        "Use the blue one.",
        "I liked the film.",
    ],
)
def test_what_is_not_a_preference_of_the_speaker_is_none(extractor: Extractor, text: str) -> None:
    assert preferences(extractor, text) == []


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("I prefer tea.", "I prefer coffee now."),
        ("I prefer tea over coffee.", "I prefer coffee to tea."),
        ("I prefer window seats.", "I prefer the aisle seat."),
        ("I never eat fish.", "I always eat fish."),
        ("I like olives.", "I don't like olives any more."),
        ("My favourite colour is blue.", "My favorite colour is now moss."),
        ("Call me Bee.", "Please call me Beatrice."),
        ("I'm vegetarian.", "I'm not vegetarian any more."),
        ("I'm allergic to nuts.", "I'm not allergic to nuts."),
        ("I prefer the train.", "I prefer flying."),
        ("I prefer tea.", "I switched to coffee."),
        ("I love tea.", "I've gone off tea."),
        ("I love tea.", "I'm sick of tea."),
        ("I'm really into pottery.", "I've lost interest in pottery."),
        ("I'm a morning person.", "I'm more of a night owl now."),
    ],
)
def test_a_changed_mind_answers_the_same_question(extractor: Extractor, before: str, after: str) -> None:
    (old,), (new,) = stated(extractor, before), stated(extractor, after)
    assert (old.category, old.key) == (new.category, new.key)
    assert old.value != new.value


def test_the_last_word_of_a_message_counts(extractor: Extractor) -> None:
    assert preferences(extractor, "I prefer tea. No: I prefer coffee.") == [("food", "drink", "coffee")]


def test_confidence_follows_how_firmly_it_is_said(extractor: Extractor) -> None:
    firm, plain, vague = (
        stated(extractor, text)[0].confidence for text in ("I'm allergic to nuts.", "I prefer tea.", "I'd prefer tea.")
    )
    assert 0 < vague < plain < firm <= 1


def test_a_refusal_is_negative(extractor: Extractor) -> None:
    assert stated(extractor, "I never eat meat.")[0].polarity == "negative"
    assert stated(extractor, "I love tea.")[0].polarity == "positive"


def test_the_name_to_be_called_is_an_alias_of_the_speaker(extractor: Extractor) -> None:
    entities = extractor.extract("Call me Bee.", speaker="Beatrice").entities
    assert [(found.name, found.aliases) for found in entities] == [("Beatrice", ("Bee",))]
