"""Things that a sentence only asks, denies, supposes or says of somebody else make no fact about the speaker."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.eval_extraction import read
from ragpp.extraction import Extraction, Extractor
from ragpp.extraction.engine import PatternRule, Plain, apply_rules
from ragpp.extraction.gate import Claim, Gate
from ragpp.extraction.grammar.assertion import Assertion
from ragpp.text.sentences import clean, split
from ragpp_services.workers.learning.doings import activities_in
from tests.support.extractor import trained
from tests.support.timing import cpu_s

LABELLED = Path(__file__).parent.parent / "data" / "extraction.jsonl"


@pytest.fixture(scope="module")
def extractor() -> Extractor:
    return trained()


def told(extractor: Extractor, text: str) -> set[tuple[str, str, str]]:
    """The ties between people and animals with names, without who met whom."""
    found = extractor.extract(text, speaker="Noor").relationships
    ties = {(tie.source, tie.type, tie.target) for tie in found if tie.type != "MET"}
    return {tie for tie in ties if tie[2] != "puppy"}


@pytest.mark.parametrize(
    "text",
    [
        "I don't have a sister called Anna.",
        "I do not have a sister called Anna.",
        "I have no sister called Anna.",
        "I never had a brother called Tom.",
        "I've never had a brother called Tom.",
        "Never had a brother called Tom.",
        "I don't have a dog or a brother called Tom.",
        "I don't have a sister, or a brother called Tom.",
        "Nor do I have a brother called Tom.",
        "I live alone, not with a flatmate called Tom.",
        "Without a brother called Tom life would be dull.",
        "There was never a neighbour called Leo.",
    ],
)
def test_a_relative_who_is_denied_is_none(extractor: Extractor, text: str) -> None:
    assert told(extractor, text) == set()


@pytest.mark.parametrize(
    "text",
    [
        "Do you have a brother called Tom?",
        "Do I have a brother called Tom?",
        "Have you got a cousin named Max?",
        "Was there a neighbour called Leo?",
        "You have a brother called Tom?",
    ],
)
def test_a_relative_who_is_asked_about_is_none(extractor: Extractor, text: str) -> None:
    assert told(extractor, text) == set()


@pytest.mark.parametrize(
    "text",
    [
        "If I had a daughter called Ines, I would spoil her.",
        "If I had a daughter called Ines …",
        "I wish I had a sister called Anna.",
        "I'd love a daughter called Ines.",
        "I always wanted to have a brother called Tom.",
        "One day I'll have a daughter called Ines.",
        "Imagine a neighbour called Leo.",
    ],
)
def test_a_relative_who_is_only_imagined_is_none(extractor: Extractor, text: str) -> None:
    assert told(extractor, text) == set()


@pytest.mark.parametrize(
    "text",
    [
        "Priya has a brother called Otto.",
        "Priya only has a brother called Otto.",
        "Priya adopted a son called Otto.",
        "She has a brother called Otto.",
        "They have a daughter called Ines.",
        "You have a brother called Tom.",
        "I know Priya has a brother called Otto.",
        "I met Priya, who has a brother called Otto.",
        "The landlord has a daughter called Ines.",
        "My neighbour has a dog and a daughter called Ines.",
        "Priya has no sister but a brother called Otto.",
        "Priya said that a friend called Leo came.",
        "A friend called Leo came, she said.",
    ],
)
def test_somebody_elses_relative_is_not_the_speakers(extractor: Extractor, text: str) -> None:
    assert not [tie for tie in told(extractor, text) if "Noor" in tie]
    assert not [tie for tie in told(extractor, text) if tie[1] == "OWNS"]


def test_a_relative_of_a_relative_is_nothing_to_the_speaker_and_nobodys_belonging(extractor: Extractor) -> None:
    assert told(extractor, "My sister has a daughter called Ines.") == {("Noor's sister", "SISTER_OF", "Noor")}


@pytest.mark.parametrize(
    "text",
    [
        "Rosa is my mum's best friend.",
        "Rosa, my mum's best friend, is here.",
        "Rosa was my mum's boss.",
        "Rosa is no longer my mum's friend.",
        "Rosa is here. She's my mum's best friend.",
    ],
)
def test_who_is_something_to_a_relative_is_not_that_relative(extractor: Extractor, text: str) -> None:
    extraction = extractor.extract(text, speaker="Noor")
    assert not [tie for tie in (*extraction.relationships, *extraction.ended) if tie.source == "Rosa"]
    assert not {alias for entity in extraction.entities if entity.name == "Rosa" for alias in entity.aliases}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I have a sister called Anna.", {("Anna", "SISTER_OF", "Noor")}),
        ("I've got a brother named Tom.", {("Tom", "BROTHER_OF", "Noor")}),
        ("My sister is called Anna.", {("Anna", "SISTER_OF", "Noor")}),
        ("My sister is Anna.", {("Anna", "SISTER_OF", "Noor")}),
        ("Priya is my sister.", {("Priya", "SISTER_OF", "Noor")}),
        ("Priya's brother is called Otto.", {("Otto", "BROTHER_OF", "Priya")}),
        (
            "My friend Priya's brother is called Otto.",
            {("Priya", "FRIEND_OF", "Noor"), ("Otto", "BROTHER_OF", "Priya")},
        ),
        ("I don't have a sister, only a brother called Tom.", {("Tom", "BROTHER_OF", "Noor")}),
        ("I don't have a sister but a brother called Tom.", {("Tom", "BROTHER_OF", "Noor")}),
        ("I don't go out, but I met a neighbour called Leo.", {("Leo", "NEIGHBOUR_OF", "Noor")}),
        ("Yesterday I met a friend called Leo.", {("Leo", "FRIEND_OF", "Noor")}),
        ("Met a friend called Leo.", {("Leo", "FRIEND_OF", "Noor")}),
        ("I was in Lisbon with a friend called Leo.", {("Leo", "FRIEND_OF", "Noor")}),
        ("I'm going to visit a friend called Leo.", {("Leo", "FRIEND_OF", "Noor")}),
        ("This is a friend called Leo.", {("Leo", "FRIEND_OF", "Noor")}),
        ("There's a colleague called Max.", {("Max", "COLLEAGUE_OF", "Noor")}),
        ("Priya knows a friend of mine called Leo.", {("Leo", "FRIEND_OF", "Noor")}),
        (
            "My mum's best friend Rosa came.",
            {("Noor's mother", "MOTHER_OF", "Noor"), ("Rosa", "FRIEND_OF", "Noor's mother")},
        ),
        ("I have a baby rabbit called Miso.", {("Noor", "OWNS", "Miso")}),
    ],
)
def test_a_relative_who_is_stated_is_one(extractor: Extractor, text: str, expected: set[tuple[str, str, str]]) -> None:
    assert told(extractor, text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "Is my sister here?",
        "If my sister comes, we eat.",
        "Is my sister called Anna?",
        "If my sister is Anna, who are you?",
    ],
)
def test_a_relative_is_taken_for_granted_in_a_question_but_not_what_it_asks(extractor: Extractor, text: str) -> None:
    assert told(extractor, text) == {("Noor's sister", "SISTER_OF", "Noor")}


def test_a_pet_that_is_only_wished_for_gets_no_name(extractor: Extractor) -> None:
    assert told(extractor, "We got a puppy. Her name is Juniper.") == {("Noor", "OWNS", "Juniper")}
    assert told(extractor, "I wish we got a puppy. Her name is Juniper.") == set()


def test_neither_of_two_who_are_denied_is_a_relative(extractor: Extractor) -> None:
    assert told(extractor, "Neither Leo nor Max is my brother.") == set()


def test_a_denial_that_turns_its_clause_round_denies_it(extractor: Extractor) -> None:
    assert extractor.extract("Neither do I like olives.", speaker="Noor").preferences == ()


def everything(extraction: Extraction) -> list[object]:
    return [
        *extraction.relationships,
        *extraction.ended,
        *extraction.preferences,
        *extraction.findings,
        *extraction.dates,
    ]


def test_nothing_is_extracted_that_has_not_passed_the_gate(
    extractor: Extractor, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the gate shut no rule gives anything, whatever it is a rule for."""
    sentences = read(LABELLED)
    heard = [extractor.extract(one.text, speaker=one.speaker, said_at=one.said_at) for one in sentences]
    for kind in ("relationships", "ended", "preferences", "findings", "dates"):
        assert any(getattr(one, kind) for one in heard), kind
    assert activities_in("I went camping.") == ["camping"]

    def shut(_gate: Gate, _claim: Claim, _at: int, _text: str) -> bool:
        return False

    def open_ended(_gate: Gate, _verb: object, *, despite: object = None) -> Assertion:
        assert despite is None or isinstance(despite, frozenset)
        return Assertion.OPEN

    monkeypatch.setattr(Gate, "lets", shut)
    monkeypatch.setattr(Gate, "assertion", open_ended)
    monkeypatch.setattr(Gate, "takes_for_granted", False)
    for one in sentences:
        assert everything(extractor.extract(one.text, speaker=one.speaker, said_at=one.said_at)) == []
    assert activities_in("I went camping.") == []


@pytest.mark.parametrize(
    ("text", "of", "passed"),
    [
        ("Marta lives in Porto", "Marta", {Claim.OWN, Claim.OTHERS, Claim.PHRASE, Claim.GIVEN}),
        ("Leo says I live in Porto", "I live", {Claim.OTHERS, Claim.GIVEN}),
        ("I said I live in Porto", "I live", {Claim.OWN, Claim.OTHERS, Claim.PHRASE, Claim.GIVEN}),
        ("I live in Porto, he said", "I live", {Claim.OTHERS, Claim.GIVEN}),
        ("Maybe Marta lives in Porto", "Marta", {Claim.GIVEN}),
        ("Does Marta live in Porto?", "Marta", {Claim.GIVEN}),
        ("I have an aunt", "an aunt", {Claim.OWN, Claim.OTHERS, Claim.PHRASE, Claim.GIVEN}),
        ("He has an aunt", "an aunt", {Claim.OWN, Claim.OTHERS, Claim.GIVEN}),
    ],
)
def test_what_passes_depends_on_what_is_claimed(text: str, of: str, passed: set[Claim]) -> None:
    (sentence,) = split(clean(text))
    gate = Gate(sentence)
    at = sentence.text.index(of)
    assert {claim for claim in Claim if gate.lets(claim, at, sentence.text)} == passed


def heard(text: str, claim: Claim) -> list[str]:
    """The stretches that a rule about rowing reads in the first sentence of `text`."""

    def read_whole(match: re.Match[str], _heard: Plain) -> Iterator[str]:
        yield match.group()

    sentence = next(split(clean(text)))
    rule = PatternRule(re.compile("rows?"), claim, read_whole)
    return list(apply_rules((rule,), Plain(Gate(sentence), sentence.text)))


@pytest.mark.parametrize("claim", [Claim.OWN, Claim.OTHERS, Claim.PHRASE])
def test_a_new_rule_reads_what_is_asserted_without_asking(claim: Claim) -> None:
    assert heard("Now I row.", claim) == ["row"]
    for text in ("Do I row?", "If I row, I win.", "Neither do row boats.", "I just love how I row. /s"):
        assert heard(text, claim) == [], text


def test_a_new_rule_reads_what_is_taken_for_granted_if_that_is_what_it_claims() -> None:
    assert heard("Do I row?", Claim.GIVEN) == ["row"]


def test_a_sentence_of_adverbs_is_read_at_once() -> None:
    """Nothing in the gate is tried in more ways than there are words."""
    text = f"Actually {'actually ' * 60}a brother called Tom."
    assert cpu_s(lambda: trained().extract(text, speaker="Ada")) < 5
