"""The tables of acts and of tastes: each line's example is read as the line says, and what is near it is not."""

from datetime import UTC, datetime

import pytest

from ragpp.extraction import Extraction
from ragpp.extraction.acts.nouns import NOUNS
from ragpp.extraction.acts.posts import POSTS
from ragpp.extraction.acts.table import ACTS, Act, act
from ragpp.extraction.preferences.taste_rules import TASTES, Taste
from ragpp.extraction.spacy_extractor import SpacyExtractor
from tests.support.each import each_case
from tests.support.extractor import trained

SAID_AT = datetime(2024, 5, 5, 12, tzinfo=UTC)


@pytest.fixture(scope="module")
def extractor() -> SpacyExtractor:
    return trained()


def read(extractor: SpacyExtractor, text: str, listener: str | None = None) -> Extraction:
    return extractor.extract(text, speaker="Noor", said_at=SAID_AT, listener=listener)


def kinds(extraction: Extraction) -> set[str]:
    return {tie.type for tie in (*extraction.relationships, *extraction.ended)}


def stated(extraction: Extraction) -> set[tuple[str, str, str]]:
    return {(tie.source, tie.type, tie.target) for tie in extraction.relationships}


@each_case("line", ACTS)
def test_the_example_of_a_line_is_read_as_its_kind(extractor: SpacyExtractor, line: Act) -> None:
    assert line.kind in kinds(read(extractor, f"{line.example}."))


@each_case(
    ("text", "verb"),
    [
        ("My sister Elena knitted a hat.", "knit"),
        ("I'm married to Leo.", "marry"),
        ("I got laid off from Brightline.", "lay off"),
        ("Brightline hired me.", "hire"),
        ("I'm a member of the choir.", ""),
    ],
)
def test_a_relationship_keeps_the_verb_of_its_clause(extractor: SpacyExtractor, text: str, verb: str) -> None:
    found = read(extractor, text)
    assert [tie.verb for tie in (*found.relationships, *found.ended) if not tie.type.endswith("SISTER_OF")] == [verb]


@each_case("line", POSTS.values())
def test_the_example_of_a_post_is_read_as_its_kind(extractor: SpacyExtractor, line: Act) -> None:
    assert line.kind in kinds(read(extractor, f"{line.example}."))


@each_case(
    ("text", "ended"),
    [
        ("I was a paramedic for eleven years.", {("Noor", "WORKS_AS", "paramedic")}),
        ("I was a nurse at Hill Hospital.", {("Noor", "WORKS_AS", "nurse"), ("Noor", "WORKS_AT", "Hill Hospital")}),
        ("I dropped out of Trinity College.", {("Noor", "STUDIES_AT", "Trinity College")}),
        ("I've been a nurse for ten years.", set()),
        ("I became a nurse in 2010.", set()),
    ],
)
def test_what_somebody_was_holds_no_longer(
    extractor: SpacyExtractor, text: str, ended: set[tuple[str, str, str]]
) -> None:
    assert {(tie.source, tie.type, tie.target) for tie in read(extractor, text).ended} == ended


@each_case(
    ("text", "found"),
    [
        ("I don't drink.", {"drink alcohol"}),
        ("I dont drink and I dont smoke", {"drink alcohol", "smoke tobacco"}),
        ("I refuse to eat fennel.", {"eat fennel"}),
        ("Loud music annoys me.", {"loud music"}),
        ("Loud music annoyed me.", set()),
        ("My neighbour annoys me.", set()),
        ("I don't drink much.", set()),
        ("He doesn't drink.", set()),
        ("If I don't drink I sleep well.", set()),
        ("I've never read Middlemarch.", set()),
        ("The fight over the robes was the last straw.", set()),
    ],
)
def test_what_somebody_abstains_from_and_is_annoyed_by(extractor: SpacyExtractor, text: str, found: set[str]) -> None:
    assert {one.key for one in read(extractor, text).preferences} == found


@each_case("text", ["I can't get enough sleep.", "I never get enough sleep.", "I can't have enough time off."])
def test_what_somebody_is_in_want_of_is_no_taste(extractor: SpacyExtractor, text: str) -> None:
    assert not read(extractor, text).preferences


@each_case(
    "text",
    ["I work for the Christmas bonus.", "I'm working for the March launch.", "I work at the Sunday market."],
)
def test_a_noun_behind_a_name_is_not_whom_somebody_works_for(extractor: SpacyExtractor, text: str) -> None:
    assert "WORKS_AT" not in kinds(read(extractor, text))


@each_case("line", TASTES)
def test_the_example_of_a_taste_is_one_preference_of_its_polarity(extractor: SpacyExtractor, line: Taste) -> None:
    [found] = read(extractor, f"{line.example}.").preferences
    denied = line.example.endswith("aren't for me")
    positive = line.value in {"likes", "always", "prefers"} and not denied
    assert found.polarity == ("positive" if positive else "negative")
    assert any(len(word) > 2 and word in line.example.lower() for word in f"{found.key} {found.value}".split())


@each_case("line", ACTS)
def test_what_a_line_names_is_a_list_a_label_or_a_word_of_its_own(line: Act) -> None:
    for what in (line.takes | line.but) - set(NOUNS):
        assert what in {"PERSON", "ORG", "GPE", "EVENT", "PRODUCT", "NAME", "ANY"} or what.islower(), what


def test_a_line_without_its_columns_is_refused() -> None:
    with pytest.raises(ValueError, match="six columns"):
        act("READ | read | obj")


@each_case(
    "text",
    [
        "I didn't read the book.",
        "I never read novels.",
        "Did I read the book?",
        "I might read the book.",
        "I want to read the book.",
        "I'm going to read the book.",
        "If I read the book, I forget it.",
        "I wish I read novels.",
        "Leo says that I read novels.",
        "You should read novels.",
        "Read the book!",
        "I was supposed to read the book.",
        "Nobody read the book.",
        "I forgot to read the book.",
        "Imagine I read the book.",
        "In my novel I read a book.",
        "I'm visiting Rome next week.",
        "I'm moving to Rome.",
        "Gotta read the book.",
        "I've got to read the book.",
        "You've got to read the book.",
        "I heard that Leo moved to Rome.",
        "I thought you lived in Rome.",
        "I'm not sure Leo lives in Rome.",
        "Before I visit Rome I need money.",
        "Translate: I live in Rome.",
        "I live in Rome, jk.",
    ],
)
def test_what_is_not_meant_as_a_fact_is_none(extractor: SpacyExtractor, text: str) -> None:
    found = read(extractor, text)
    assert not {"READ", "VISITED", "LIVES_IN"} & kinds(found)


@each_case(
    ("text", "expected"),
    [
        (
            "I painted a sunset and my brother Ivo carved a horse.",
            {("Noor", "MADE", "sunset"), ("Ivo", "MADE", "horse")},
        ),
        ("The cello that I bought is old.", {("Noor", "BOUGHT", "cello")}),
        ("My sister Liv, who studies law, plays the harp.", {("Liv", "STUDIES", "law"), ("Liv", "PLAYS", "harp")}),
        ("Marta and I watched a film.", {("Marta", "WATCHED", "film"), ("Noor", "WATCHED", "film")}),
        ("Since I moved to Leeds, I grow tomatoes.", {("Noor", "LIVES_IN", "Leeds"), ("Noor", "GROWS", "tomatoes")}),
        ("I work at a bakery called Krume.", {("Noor", "WORKS_AT", "Krume")}),
        ("I work for the Harrow council.", {("Noor", "WORKS_AT", "Harrow council")}),
        ('I read "The Long Ships" last week.', {("Noor", "READ", "Long Ships")}),
        ("Moved to Porto and bought a boat.", {("Noor", "LIVES_IN", "Porto"), ("Noor", "BOUGHT", "boat")}),
        (
            "my cousin fenna plays the tuba n sings in a choir",
            {("Fenna", "PLAYS", "tuba"), ("Fenna", "MEMBER_OF", "choir")},
        ),
        ("I told her that I work at Brightline.", {("Noor", "WORKS_AT", "Brightline")}),
    ],
)
def test_who_did_what_comes_from_the_clause(
    extractor: SpacyExtractor, text: str, expected: set[tuple[str, str, str]]
) -> None:
    assert expected <= stated(read(extractor, text))


@each_case(
    ("text", "not_meant"),
    [
        ("I visited Rome, not Milan.", "Milan"),
        ("I live in Porto, not Lisbon.", "Lisbon"),
        ("Leo moved to Rome and Marta didn't.", "Marta"),
        ("I drove my mom's car.", "car"),
        ("I drove Anna to the airport.", "Anna"),
        ("I'm at Target.", "Target"),
        ("I had a dog as a kid.", "dog"),
        ("I have neither a dog nor a cat.", "dog"),
    ],
)
def test_what_is_left_out_or_anothers_is_no_object(extractor: SpacyExtractor, text: str, not_meant: str) -> None:
    assert not_meant not in {target for _, _, target in stated(read(extractor, text))}


def test_you_is_the_listener(extractor: SpacyExtractor) -> None:
    assert ("Ana", "PLAYS", "cello") in stated(read(extractor, "You play the cello so well!", listener="Ana"))
    assert ("Ana", "MADE", "cake") in stated(read(extractor, "The cake you baked was lovely.", listener="Ana"))
    assert stated(read(extractor, "You play the cello so well!")) == set()
    assert stated(read(extractor, "You find shells where you walk.", listener="Ana")) == set()


def test_what_holds_no_longer_is_ended(extractor: SpacyExtractor) -> None:
    found = read(extractor, "I used to play the cello. I stopped running.")
    assert {(tie.type, tie.target) for tie in found.ended} == {("PLAYS", "cello"), ("PRACTISES", "running")}
    assert stated(found) == set()


@each_case(
    "text",
    [
        "Friday isn't my last day at Brightline.",
        "If Friday is my last day at Brightline, we drink.",
        "We got a puppy and called Marta to tell her.",
        "My old job at Brightline was dull.",
    ],
)
def test_neither_a_last_day_nor_an_old_job_nor_a_call_makes_what_it_does_not_say(
    extractor: SpacyExtractor, text: str
) -> None:
    found = read(extractor, text)
    assert not {("Noor", "WORKS_AT", "Brightline"), ("Noor", "OWNS", "Marta")} & stated(found)
    assert "old job" in text or not found.ended
