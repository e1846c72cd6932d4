"""The statements of a message about people, places, work and belongings; and what it does not say."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragpp.extraction import EntityMention, Extraction, Extractor
from ragpp.names import SPEAKER
from tests.support.extractor import trained
from tests.support.timing import first_of


@pytest.fixture(scope="module")
def extractor() -> Extractor:
    return trained()


def ties(extraction: Extraction) -> set[tuple[str, str, str]]:
    return {(tie.source, tie.type, tie.target) for tie in extraction.relationships}


def labels(extraction: Extraction) -> dict[str, str]:
    return {entity.name: entity.label for entity in extraction.entities}


def entity(extraction: Extraction, name: str) -> EntityMention:
    return next(found for found in extraction.entities if found.name == name)


STATED = [
    ("I live in Zabrze.", {("Noor", "LIVES_IN", "Zabrze")}),
    ("i live in berlin", {("Noor", "LIVES_IN", "Berlin")}),
    ("I've moved from Porto to Lisbon.", {("Noor", "LIVES_IN", "Lisbon")}),
    ("We are based in Ghent now.", {("Noor", "LIVES_IN", "Ghent")}),
    ("I live in Porto, and you?", {("Noor", "LIVES_IN", "Porto")}),
    ("I work at Green Valley Hospital.", {("Noor", "WORKS_AT", "Green Valley Hospital")}),
    (
        "I started working as a nurse at St. Mary's Hospital.",
        {("Noor", "WORKS_AT", "St. Mary's Hospital"), ("Noor", "WORKS_AS", "nurse")},
    ),
    ("I got a new job at Globex.", {("Noor", "WORKS_AT", "Globex")}),
    (
        "I live in Leeds and work at Harrow Street Clinic.",
        {("Noor", "LIVES_IN", "Leeds"), ("Noor", "WORKS_AT", "Harrow Street Clinic")},
    ),
    ("I'm from Ghana originally.", {("Noor", "FROM", "Ghana")}),
    ("I grew up in Turin.", {("Noor", "FROM", "Turin")}),
    (
        "I graduated from Bocconi University.",
        {("Noor", "STUDIED_AT", "Bocconi University"), ("Noor", "FINISHED", "Bocconi University")},
    ),
    ("I joined the Riverside Chess Club.", {("Noor", "MEMBER_OF", "Riverside Chess Club")}),
    ("I signed up for the Berlin Marathon.", {("Noor", "TAKES_PART_IN", "Berlin Marathon")}),
    ("Last week I went to Glasgow.", {("Noor", "VISITED", "Glasgow")}),
    ("I bought a new Toyota.", {("Noor", "BOUGHT", "Toyota")}),
    ("I have a dog named Rex and a cat called Miso.", {("Noor", "OWNS", "Rex"), ("Noor", "OWNS", "Miso")}),
    ("I love olives but I hate crowds.", {("Noor", "LIKES", "olives"), ("Noor", "DISLIKES", "crowds")}),
    ("I'm married to Elena.", {("Noor", "SPOUSE_OF", "Elena")}),
    ("Marta and Leo are married.", {("Marta", "SPOUSE_OF", "Leo")}),
    ("Marta and I moved to Vienna.", {("Marta", "LIVES_IN", "Vienna"), ("Noor", "LIVES_IN", "Vienna")}),
    ("Marta works at Netflix.", {("Marta", "WORKS_AT", "Netflix")}),
    (
        "My aunt Carla, who lives in Turin, is a teacher at Bocconi University.",
        {
            ("Carla", "AUNT_OF", "Noor"),
            ("Carla", "LIVES_IN", "Turin"),
            ("Carla", "WORKS_AT", "Bocconi University"),
            ("Carla", "WORKS_AS", "teacher"),
        },
    ),
    (
        "My sister lives in Lisbon.",
        {("Noor's sister", "SISTER_OF", "Noor"), ("Noor's sister", "LIVES_IN", "Lisbon")},
    ),
    (
        "My mother Anna called. She lives in Porto.",
        {("Anna", "MOTHER_OF", "Noor"), ("Anna", "LIVES_IN", "Porto")},
    ),
    ("Anna's brother Leo is here.", {("Leo", "BROTHER_OF", "Anna")}),
    ("Leo is my cousin.", {("Leo", "COUSIN_OF", "Noor")}),
    ("My brothers Leo and Max are loud.", {("Leo", "BROTHER_OF", "Noor"), ("Max", "BROTHER_OF", "Noor")}),
    ("A neighbour called Mrs. Baird walks the dog.", {("Mrs. Baird", "NEIGHBOUR_OF", "Noor")}),
    ("Aunt Rosa came by.", {("Rosa", "AUNT_OF", "Noor")}),
    (
        "My husband's mother, Rosa, is from Naples.",
        {
            ("Noor's husband", "SPOUSE_OF", "Noor"),
            ("Rosa", "MOTHER_OF", "Noor's husband"),
            ("Rosa", "FROM", "Naples"),
        },
    ),
    ("My dog is barking.", {("Noor", "OWNS", "Noor's dog")}),
    ("We relocated to Ghent in May.", {("Noor", "LIVES_IN", "Ghent")}),
    ("Just moved to Ghent!", {("Noor", "LIVES_IN", "Ghent")}),
    ("I grew up in Turin, now living in Ghent.", {("Noor", "FROM", "Turin"), ("Noor", "LIVES_IN", "Ghent")}),
    (
        "I'm the new head nurse at Harrow Street Clinic.",
        {("Noor", "WORKS_AT", "Harrow Street Clinic"), ("Noor", "WORKS_AS", "head nurse")},
    ),
    ("I report to Leo.", {("Noor", "REPORTS_TO", "Leo")}),
    ("I'm doing my master's at Bocconi University.", {("Noor", "STUDIES_AT", "Bocconi University")}),
    ("Leo and I got engaged.", {("Leo", "PARTNER_OF", "Noor")}),
    ("Leo, my flatmate, got married to Marta.", {("Leo", "FLATMATE_OF", "Noor"), ("Leo", "SPOUSE_OF", "Marta")}),
    ("My uncle Leo and aunt Rosa came.", {("Leo", "UNCLE_OF", "Noor"), ("Rosa", "AUNT_OF", "Noor")}),
    ("Leo isn't my cousin, he's my neighbour.", {("Leo", "NEIGHBOUR_OF", "Noor")}),
    ("We have two kids, Leo and Max.", {("Leo", "CHILD_OF", "Noor"), ("Max", "CHILD_OF", "Noor")}),
    (
        "We adopted a kitten and named her Miso.",
        {("Noor", "OWNS", "Miso"), ("Noor", "OWNS", "kitten"), ("Noor", "ADOPTED", "kitten")},
    ),
    ("My sister April and a friend called Jun came.", {("April", "SISTER_OF", "Noor"), ("Jun", "FRIEND_OF", "Noor")}),
]


NOT_STATED = [
    "",
    " \n\t",
    "Do I live in Porto?",
    "Should I work at Green Valley Hospital?",
    "If I moved to Oslo, I would work at Green Valley Hospital.",
    "I might move to Rome. I'd love to live in Paris.",
    "I want to work at Netflix.",
    'She said "I live in Berlin" and laughed.',
    "> I live in Berlin\nAgreed!",
    "Everyone says I work at Google.",
    "I dreamed that I lived in Rome.",
    "I have never been to Rome.",
    "I'm not from Spain.",
    "Your brother is a romantic, and your sister lives next door.",
    "Hi Anna! Thanks, Leo.",
    "I love it. I like that. I love you. I hate how this works.",
    "On Monday in May I speak Italian. OK, TV time.",
    "Happy Birthday! Congratulations!",
    "Leo isn't my brother.",
    "Everybody thinks Leo is my dad.",
    "I got an offer from Netflix.",
    "Oh great, I just love Mondays. I live in Paris. /s",
    "The song goes: I live in Paris.",
    "I live in Paris, he said.",
    "Maybe I moved to Rome in another life.",
]


@pytest.mark.parametrize(("text", "expected"), STATED)
def test_a_stated_relationship_is_found(extractor: Extractor, text: str, expected: set[tuple[str, str, str]]) -> None:
    assert ties(extractor.extract(text, speaker="Noor")) == expected


@pytest.mark.parametrize("text", NOT_STATED)
def test_what_is_not_asserted_is_no_relationship(extractor: Extractor, text: str) -> None:
    assert ties(extractor.extract(text, speaker="Noor")) == set()


@pytest.mark.parametrize(
    ("text", "ended"),
    [
        ("I don't live in Porto any more.", ("Noor", "LIVES_IN", "Porto")),
        ("I used to work for Initech.", ("Noor", "WORKS_AT", "Initech")),
        ("I quit my job at Acme Corp.", ("Noor", "WORKS_AT", "Acme Corp.")),
        ("My sister no longer lives in Turin.", ("Noor's sister", "LIVES_IN", "Turin")),
        ("I moved away from Leeds.", ("Noor", "LIVES_IN", "Leeds")),
        ("We moved out of Leeds.", ("Noor", "LIVES_IN", "Leeds")),
        ("I was laid off from Initech.", ("Noor", "WORKS_AT", "Initech")),
        ("I'm no longer at Harrow Street Clinic.", ("Noor", "WORKS_AT", "Harrow Street Clinic")),
        ("Today was my last day at Initech.", ("Noor", "WORKS_AT", "Initech")),
        ("I left the Riverside Chess Club.", ("Noor", "MEMBER_OF", "Riverside Chess Club")),
        ("Leo and I broke up.", ("Leo", "PARTNER_OF", "Noor")),
        ("Leo dumped me.", ("Leo", "PARTNER_OF", "Noor")),
        ("I got divorced from Leo.", ("Noor", "SPOUSE_OF", "Leo")),
        ("My ex-husband Leo called.", ("Leo", "SPOUSE_OF", "Noor")),
        ("I sold the Toyota.", ("Noor", "OWNS", "Toyota")),
        ("Our cat Miso died.", ("Noor", "OWNS", "Miso")),
    ],
)
def test_what_holds_no_longer_is_ended_and_not_stated(
    extractor: Extractor, text: str, ended: tuple[str, str, str]
) -> None:
    extraction = extractor.extract(text, speaker="Noor")
    assert [(tie.source, tie.type, tie.target) for tie in extraction.ended] == [ended]
    assert ended not in ties(extraction)


def test_a_break_up_is_with_the_partner_that_was_named_before(extractor: Extractor) -> None:
    extraction = extractor.extract("My boyfriend Leo called. We broke up.", speaker="Noor")
    assert [(tie.source, tie.type, tie.target) for tie in extraction.ended] == [("Leo", "PARTNER_OF", "Noor")]
    assert ("Leo", "PARTNER_OF", "Noor") not in ties(extraction)


@pytest.mark.parametrize(
    "text",
    [
        "My brother and I moved to Leeds.",
        "We broke up the old shed.",
        "I don't work at Netflix.",
        "I never lived in Oslo.",
        "Did you quit your job at Initech?",
        "If I quit my job at Initech, I would miss it.",
    ],
)
def test_what_ends_nothing(extractor: Extractor, text: str) -> None:
    assert extractor.extract(text, speaker="Noor").ended == ()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Yesterday Anna Kowalska flew to Paris.", {"Anna Kowalska": "PERSON", "Paris": "GPE"}),
        (
            "I saw Dr. Patel at Harvard Medical School.",
            {"user": "PERSON", "Dr. Patel": "PERSON", "Harvard Medical School": "ORG"},
        ),
        ("The Nordic Map Archive has a coffee ring.", {"Nordic Map Archive": "ORG"}),
        ("We met at the Museum of Modern Art.", {"Museum of Modern Art": "ORG"}),
        ("The Kelvin Half Marathon is in October.", {"Kelvin Half Marathon": "EVENT"}),
        ("See you at Christmas!", {"Christmas": "EVENT"}),
        ("It runs on an iPhone 15.", {"iPhone 15": "PRODUCT"}),
        ("I borrowed Anna's car.", {"Anna": "PERSON"}),
        ("This is Jean-Luc from Rio de Janeiro.", {"Jean-Luc": "PERSON", "Rio de Janeiro": "GPE"}),
        ("Let me ask Leo. Leo knows.", {"Leo": "PERSON"}),
        ("That's what I told Sofia Reyes.", {"Sofia Reyes": "PERSON"}),
        ("Absolutely. Coffee first, then Monday.", {}),
        ("HELLO EVERYONE WE ARE LATE", {}),
        ("My Five Best Tips For Better Sleep", {}),
    ],
)
def test_names_are_told_from_ordinary_words(extractor: Extractor, text: str, expected: dict[str, str]) -> None:
    assert labels(extractor.extract(text, speaker=None)) == expected


def test_a_named_mother_carries_what_merges_her_with_the_unnamed_one(extractor: Extractor) -> None:
    named = entity(extractor.extract("My mother Anna is here.", speaker="Noor"), "Anna")
    unnamed = entity(extractor.extract("I told Mum.", speaker="Noor"), "Noor's mother")
    assert named.same_as == (unnamed.name,)
    assert "mother" in named.aliases
    assert set(unnamed.aliases) == {"mum", "mother"}


def test_a_sister_is_known_by_her_kinship_but_may_not_be_the_only_one(extractor: Extractor) -> None:
    liv = entity(extractor.extract("My sister Liv is here.", speaker="Noor"), "Liv")
    assert "Noor's sister" in liv.aliases
    assert liv.same_as == ()


def test_kinship_origin_and_work_last_and_what_was_done_does_not(extractor: Extractor) -> None:
    extraction = extractor.extract("My sister Liv is from Turin. She works at Netflix. I met Priya.", speaker="Noor")
    assert {tie.type: tie.lasting for tie in extraction.relationships} == {
        "SISTER_OF": True,
        "FROM": True,
        "WORKS_AT": True,
        "MET": False,
    }


@pytest.mark.parametrize(
    "text",
    [
        "I work at Brightwater, not at Brightline.",
        "Sorry, I meant Hamburg, not Bremen.",
        "Leo visited Brightwater instead of Brightline.",
    ],
)
def test_what_is_denied_is_related_to_nothing(extractor: Extractor, text: str) -> None:
    found = ties(extractor.extract(text, speaker="Ana"))
    assert not {tie for tie in found if {"Brightline", "Bremen"} & set(tie)}


def test_names_that_only_share_a_clause_are_entities_without_relationships(extractor: Extractor) -> None:
    extraction = extractor.extract("Yesterday Anna laughed about Leo.", speaker="Noor")
    assert {entity.name for entity in extraction.entities} == {"Anna", "Leo"}
    assert ties(extraction) == set()


def test_names_of_a_question_are_entities_without_relationships(extractor: Extractor) -> None:
    extraction = extractor.extract("Did Anna go to Paris?", speaker="Noor")
    assert labels(extraction) == {"Anna": "PERSON", "Paris": "GPE"}
    assert extraction.relationships == ()


def test_a_pronoun_with_two_possible_meanings_means_nobody(extractor: Extractor) -> None:
    extraction = extractor.extract("My sister called my aunt. She lives in Turin.", speaker="Noor")
    assert not any(tie[1] == "LIVES_IN" for tie in ties(extraction))


def test_an_unknown_speaker_has_the_name_that_the_caller_replaces(extractor: Extractor) -> None:
    extraction = extractor.extract("My mum lives in Porto and I live in Leeds.", speaker=None)
    assert (SPEAKER, "LIVES_IN", "Leeds") in ties(extraction)
    assert (f"{SPEAKER}'s mother", "LIVES_IN", "Porto") in ties(extraction)


def test_the_context_of_a_relationship_is_its_sentence_word_for_word(extractor: Extractor) -> None:
    extraction = extractor.extract("It rains. I live in Leeds, “the big one”. It rains again.", speaker="Noor")
    assert [tie.context for tie in extraction.relationships] == ["I live in Leeds, “the big one”."]


def test_who_is_only_addressed_is_not_spoken_of(extractor: Extractor) -> None:
    assert extractor.extract("Thanks, Leo, Paris was lovely.", speaker="Noor").relationships == ()


def test_a_verb_without_a_subject_is_about_nobody(extractor: Extractor) -> None:
    assert ties(extractor.extract("Tastes like olives. Smells like Paris.", speaker="Noor")) == set()


PIECES = st.sampled_from(
    [
        "I",
        "my",
        "mother",
        "Anna",
        "Mum",
        "lives in",
        "live in",
        "moved to",
        "Porto",
        "and",
        ",",
        ".",
        "?",
        "she",
        "'s",
        "works at",
        "Green Valley Hospital",
        "love",
        "\n",
        '"',
        "’",
        "who",
        "dog",
        "called",
        "Rex",
        "\ue000",
        "\uf8ff",
        "married to",
        "brothers",
        "Leo",
        "is",
        "from",
        "don't",
        "prefer",
        "tea",
        "over",
        "coffee",
        "call me",
        "allergic to",
        "I'm",
        "(",
        "🙂",
    ]
)


@given(st.lists(PIECES, max_size=16).map(" ".join))
def test_every_end_of_a_relationship_is_an_entity_and_every_entity_is_in_the_text(
    extractor: Extractor, text: str
) -> None:
    extraction = extractor.extract(text, speaker="Noor")
    names = {found.name for found in extraction.entities}
    assert len({name.casefold() for name in names}) == len(extraction.entities)
    for tie in (*extraction.relationships, *extraction.ended):
        assert {tie.source, tie.target} <= names
        assert tie.source != tie.target
    for found in extraction.entities:
        assert 0 <= found.start <= found.end <= len(text)
        assert not any("\ue000" <= character <= "\uf8ff" for character in found.name)
    assert extraction == extractor.extract(text, speaker="Noor")


@given(st.text(max_size=200))
def test_any_text_can_be_read(extractor: Extractor, text: str) -> None:
    extractor.extract(text, speaker=text[:10] or None)
    extractor.query_entities(text)


@pytest.mark.parametrize(
    "unit", first_of(["Anna and ", "I live in Porto. ", "a", " ", '"', "my mother's ", ". ", "(", "Leo, ", "```", "“"])
)
def test_a_message_of_the_greatest_length_is_read(extractor: Extractor, unit: str) -> None:
    extractor.extract((unit * (100_000 // len(unit) + 1))[:100_000], speaker="Noor")


@pytest.mark.parametrize(
    "unit",
    first_of(
        ["I love a ", "in March ", "every day I ", "I like tea, ", "is my ", "' ", "'A ", "I prefer ", "we decided "]
    ),
)
def test_a_long_message_that_keeps_beginning_again_is_read(extractor: Extractor, unit: str) -> None:
    extractor.extract(unit * (10_000 // len(unit)), speaker="Noor", said_at=datetime(2023, 5, 25, tzinfo=UTC))
