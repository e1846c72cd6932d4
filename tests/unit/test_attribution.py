"""Attribution: a clause that can be read alone names its speaker and its day."""

from datetime import UTC, datetime

import pytest

from ragpp_services.workers.language.attribution import make_readable
from ragpp_services.workers.stages.stating import SPEAKER

SAID_AT = datetime(2026, 3, 4, 10, tzinfo=UTC)
"""A Wednesday."""


@pytest.mark.parametrize(
    ("said", "readable"),
    [
        ("ok so im allergic to kiwi", "Nora is allergic to kiwi"),
        ("we moved to Lyon", "Nora moved to Lyon"),
        ("I also don't eat meat", "Nora also doesn't eat meat"),
        ("i love trains and i hate buses", "Nora loves trains and Nora hates buses"),
        ("my son Leo watches trains", "Nora's son Leo watches trains"),
        ("I usually carry an umbrella", "Nora usually carries an umbrella"),
        ("I went to Turin", "Nora went to Turin"),
        ("he gave me a car", "He gave Nora a car"),
        (
            "Could you remind me that the spare key is at Tom's?",
            "Could you remind Nora that the spare key is at Tom's?",
        ),
        ("I’ve got two kids", "Nora has got two kids"),
        ("I no longer eat meat", "Nora no longer eats meat"),
        ("I need a wheelchair and rely on it", "Nora needs a wheelchair and rely on it"),
        ("i cant eat gluten", "Nora cant eat gluten"),
        ("My wife and I have two kids", "Nora's wife and Nora have two kids"),
        ("Can I have nuts", "Can Nora have nuts"),
        ("I'd never been to Rome", "Nora had never been to Rome"),
        ("oh no. we're at number 14", "Nora is at number 14"),
        ("no, I never fly", "Nora never flies"),
        ("no eggs for me", "No eggs for Nora"),
        ("I have type I diabetes", "Nora has type I diabetes"),
        ("I have ME and work in a coal mine", "Nora has ME and work in a coal mine"),
        ('I love "I Will Survive"', 'Nora loves "I Will Survive"'),
        ("see x.y/i/me?u=my", "See x.y/i/me?u=my"),
    ],
)
def test_whoever_speaks_is_named(said: str, readable: str) -> None:
    assert make_readable(said, "Nora", SAID_AT).text == readable


@pytest.mark.parametrize(
    ("said", "readable"),
    [
        ("the dentist is tomorrow", "The dentist is on 5 March 2026"),
        ("from tomorrow no more milk", "From 5 March 2026 no more milk"),
        ("Leo turns 8 on Saturday", "Leo turns 8 on 7 March 2026"),
        ("the party is on 8 May 2026", "The party is on 8 May 2026"),
        ("Finn is away next week", "Finn is away in the week of 9 March 2026"),
        ("dentist tomorrow at 3pm", "Dentist on 5 March 2026 at 15:00"),
        ("tomorrow's dentist is at 9", "Tomorrow's dentist is at 9"),
        ("I was off work the last two weeks", "Nora was off work between 16 February 2026 and 4 March 2026"),
        ("we met last summer", "Nora met in summer 2025"),
        ("every Friday is soup day", "Every Friday is soup day"),
    ],
)
def test_a_day_is_told_by_its_date(said: str, readable: str) -> None:
    assert make_readable(said, "Nora", SAID_AT).text == readable


def test_the_time_of_a_clause_is_the_one_that_it_names() -> None:
    when = make_readable("the dentist is tomorrow", "Nora", SAID_AT).when
    assert when is not None
    assert (when.start, when.end) == (datetime(2026, 3, 5, tzinfo=UTC), datetime(2026, 3, 6, tzinfo=UTC))
    assert make_readable("not tomorrow but on Friday", "Nora", SAID_AT).when is None


@pytest.mark.parametrize(
    ("said", "readable"),
    [
        ("he's allergic to nuts", "Leo's allergic to nuts"),
        ("and his birthday is in May", "Leo's birthday is in May"),
        ("Leo said he likes it", "Leo said he likes it"),
        ("I saw the doctor", "Nora saw the doctor"),
        ("he is 8 and she is 5", "He is 8 and she is 5"),
        ("my mum is ill, she is on beta blockers", "Nora's mum is ill, she is on beta blockers"),
    ],
)
def test_he_is_the_only_one_who_was_named(said: str, readable: str) -> None:
    assert make_readable(said, "Nora", SAID_AT, other="Leo").text == readable


@pytest.mark.parametrize(
    "said",
    [
        "No nuts for Leo please",
        "NO PENICILLIN",
        "No longer married to Tom",
        "Right knee was replaced",
        "Since May no milk",
    ],
)
def test_what_denies_or_dates_is_no_opening(said: str) -> None:
    """ "No" in front of a food is the difference between life and death."""
    assert make_readable(said, "Nora", SAID_AT).text == said
    assert make_readable(f"also please {said}", "Nora", SAID_AT).text == said


@pytest.mark.parametrize("said", ["ok so", "…", "- ", "well, anyway:"])
def test_a_clause_of_nothing_but_openings_stays_what_it_is(said: str) -> None:
    assert make_readable(said, "Nora", SAID_AT).text


def test_whose_name_is_a_pronoun_is_named_once() -> None:
    assert make_readable("I love tea", "My Nguyen", SAID_AT).text == "My Nguyen loves tea"


def test_a_speaker_without_a_name_has_a_capital_at_the_beginning_of_a_sentence_alone() -> None:
    said = "im not a nurse, I'm a midwife. i started in May"
    readable = "The user is not a nurse, the user is a midwife. The user started in May"
    assert make_readable(said, SPEAKER, SAID_AT).text == readable


def test_another_language_stays_as_it_was_said() -> None:
    assert make_readable("ich wohne in Ulm", "Nora", SAID_AT).text == "Ich wohne in Ulm"
