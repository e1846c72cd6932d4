"""Decisions, insights, errors, plans, stated habits and dated events; and what is none of these."""

from datetime import UTC, datetime

import pytest

from ragpp.extraction import Extractor, FindingMention
from tests.support.extractor import trained

SAID_AT = datetime(2023, 5, 25, 9, 30, tzinfo=UTC)


@pytest.fixture(scope="module")
def extractor() -> Extractor:
    return trained()


def findings(extractor: Extractor, text: str) -> list[FindingMention]:
    return list(extractor.extract(text, speaker="Noor", said_at=SAID_AT).findings)


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("decision", "I've decided to sell the boat."),
        ("decision", "We settled on the green tiles."),
        ("decision", "In the end we went with the cheaper printer."),
        ("decision", "I made up my mind: I'm staying."),
        ("insight", "I realised that I plan too much."),
        ("insight", "Turns out the fuse was fine."),
        ("insight", "I learned that rest counts as work."),
        ("error", "I forgot to lock the shed."),
        ("error", "The backup failed because the disk was full."),
        ("error", "I sent the letter to the wrong address."),
        ("plan", "I'm going to learn the oboe."),
        ("plan", "We plan to repaint the fence."),
        ("plan", "I'm flying to Oslo next Tuesday."),
        ("plan", "I have a dentist appointment tomorrow."),
        ("pattern", "Every morning I swim before work."),
        ("pattern", "I go to the market on Saturdays."),
        ("pattern", "I usually read before bed."),
        ("pattern", "Whenever I'm nervous I clean the kitchen."),
        ("event", "We climbed the tower last Friday."),
    ],
)
def test_a_finding_is_told_by_how_it_is_said(extractor: Extractor, kind: str, text: str) -> None:
    assert [found.finding for found in findings(extractor, text)] == [kind]


@pytest.mark.parametrize(
    "text",
    [
        "Have you decided?",
        "I haven't decided yet.",
        "If I decided to leave, I would tell you.",
        'She said "I decided to sell the boat".',
        "Maybe I'm going to move.",
        "Leo decided to leave.",
        "Every summer when I was a kid we drove to the lake.",
        "He says I forgot to lock the shed.",
        "The weather is lovely.",
        "I've decided.",
        "",
    ],
)
def test_what_asserts_nothing_of_the_speaker_finds_nothing(extractor: Extractor, text: str) -> None:
    assert findings(extractor, text) == []


def test_each_clause_has_its_own_finding_in_the_words_of_the_message(extractor: Extractor) -> None:
    found = findings(extractor, "I forgot my umbrella, so I've decided to stay in.")
    assert [(finding.finding, finding.text) for finding in found] == [
        ("error", "I forgot my umbrella"),
        ("decision", "I've decided to stay in."),
    ]


def test_a_plan_knows_when_it_is_due_and_an_event_when_it_was(extractor: Extractor) -> None:
    plan, event = findings(extractor, "I'm flying to Oslo next month. We climbed the tower last Friday.")
    assert plan.when is not None
    assert plan.when.start == datetime(2023, 6, 1, tzinfo=UTC)
    assert event.when is not None
    assert event.when.start == datetime(2023, 5, 19, tzinfo=UTC)


def test_a_habit_has_no_single_time(extractor: Extractor) -> None:
    assert [found.when for found in findings(extractor, "Every Friday I bake.")] == [None]


def test_what_is_said_twice_is_one_finding(extractor: Extractor) -> None:
    assert len(findings(extractor, "I've decided to stay. I've decided to stay.")) == 1


def test_without_the_moment_a_finding_has_no_time(extractor: Extractor) -> None:
    (found,) = extractor.extract("I've decided to leave next month.", speaker="Noor").findings
    assert (found.finding, found.when) == ("decision", None)
