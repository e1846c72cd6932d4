"""The acts of a text: it tells, asks, says nothing; of whom; and the kinds of answer in it."""

from datetime import UTC, datetime
from functools import partial

import pytest

from ragpp.models import Interaction
from ragpp.text.kinship import kin_in, own_kin_in
from ragpp.text.lexical import terms
from ragpp.text.persons import in_the_first_person
from ragpp_services.episodic.ranking.correcting import corrections, denied
from ragpp_services.episodic.ranking.kin import about_other_kin
from ragpp_services.episodic.reading.answers import Kind, kinds_asked, kinds_in
from ragpp_services.episodic.reading.clauses import divided
from ragpp_services.episodic.reading.subjects import Subject, is_of_others, is_of_self, subject_of
from ragpp_services.episodic.reading.substance import Substance, substance
from ragpp_services.episodic.reading.traits import read_chunk, traits
from tests.support.timing import first_of, grows_linearly

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "told", "asked"),
    [
        ("The car is on level 3.", "car", None),
        ("Where did I park the car?", None, "car"),
        ("where did i park the car", None, "car"),
        ("I finished ten cards, how should I go on?", "cards", "go"),
        ("What a day!", "day", None),
        ("猫叫什么名字？", None, "猫"),
        ("我买了十张卡，接下来怎么办？", "十张卡", "怎么办"),
        ("犬の名前は何ですか？", None, "犬"),
        ("แมวชื่ออะไร", None, "แมว"),
        ("เมื่อวานแมวหาย", "แมว", None),
        ("ما اسم القطة؟", None, "القطة"),
        ("Я купил билеты, а где отель?", "билеты", "отель"),
        ("Can you explain " + "how the login of this little app of mine works " * 3 + "?", "login", None),
    ],
)
def test_what_a_text_tells_is_parted_from_what_it_asks(text: str, told: str | None, asked: str | None) -> None:
    clauses = divided(text)
    assert told is None or told in " ".join(clauses.told)
    assert asked is None or asked in " ".join(clauses.asked)
    assert (told is None) == (not clauses.told)
    assert (asked is None) == (not clauses.asked)


@pytest.mark.parametrize(
    "text",
    [
        "I'm not sure where you parked. Could you tell me more?",
        "I don't have any information about your car.",
        "Sorry, I have no record of that. You may want to check your notes.",
        "Noted!",
        "Thanks, good luck!",
        "I have no information about where it is. Common places for a key are a drawer or a bowl.",
        "lol ok",
    ],
)
def test_an_assistants_answer_that_says_nothing_is_known(text: str) -> None:
    assert substance(text, by_assistant=True) is Substance.NOTHING


def test_what_says_something_is_not_taken_for_nothing() -> None:
    """Catches a fact, a wish or a rule that is dropped as a question, a courtesy or a refusal."""
    telling = (
        "I don't have a car.",
        "Please remember that my daughter is allergic to peanuts.",
        "Please call me Sam.",
        "I'd love to visit Japan.",
        "If you want to reach me, my new number is 555-0199.",
        "If you have guests, the wifi password is hunter22",
        "I don't know how to swim.",
        "I never told my parents about the surgery.",
        "I can't remember my locker code, it used to be 4421",
        "I moved to Lagos, right?",
        "When I was in Rome I lost my passport.",
        "When I lived in Oslo, I worked at Telenor.",
        "What I am allergic to is peanuts.",
        "How I take my coffee: black",
        "Remind me that the wifi code is 4711.",
        "I'm allergic to peanuts, remember?",
        "My blood type is A. Can I donate?",
        "Please use metric units.",
        "You can tell Karl I quit.",
        "When you come, the key is under the mat.",
        "Which is why I quit Google",
        "How I met Anna: we were both at a bar in Rome",
        "So your sister Zelda has leukemia now?",
        "我昨天搬到了上海，你知道附近有什么好吃的吗？",
        "Me mudé a Madrid, ¿sabes dónde hay un buen café?",
        "I can't eat gluten.",
        "I don't know his address, but Sam lives at 12 Elm Street.",
        '"I avoid floral patterns."',
        "On level 3.",
        "She moved to Lagos.",
        "Ich wohne in Köln.",
        "```print(1)```",
    )
    offenders = [f"{text!r} is {came}" for text in telling if (came := substance(text)) is not Substance.SAYS]
    assert not offenders, "\n".join(offenders)


def test_only_an_assistant_without_a_name_goes_on_in_general_after_owning_that_it_does_not_know() -> None:
    text = "I don't know the temperature. Most tarts bake at 180 degrees."
    assert substance(text) is Substance.SAYS
    assert substance(text, by_assistant=True) is Substance.NOTHING


@pytest.mark.parametrize(
    "text",
    [
        "Where is it?",
        "Hi! Do you know when she comes?",
        "remind me which day it is",
        "I don't know where I parked",
    ],
)
def test_a_message_that_only_asks_is_known(text: str) -> None:
    assert substance(text) is Substance.ASKS


def test_subjects_are_told_apart() -> None:
    assert subject_of("Where do I live?") is Subject.OWN
    assert subject_of("what's my favourite dish?") is Subject.OWN
    assert subject_of("Where does my older sister live?") is Subject.KIN
    assert subject_of("Where does Clara live?") is Subject.ANY
    assert is_of_self("I live in Lagos now")
    assert not is_of_self("My sister Clara lives in Madrid")
    assert is_of_others("My sister Clara lives in Madrid")
    assert not is_of_others("I live in Lagos now")
    assert is_of_self("The landlord raised our rent to 900")
    assert is_of_self("My boss moved my meeting")


@pytest.mark.parametrize(
    ("question", "kind", "answer", "other"),
    [
        ("When is the exam?", Kind.TIME, "on the 27th", "in Paris"),
        ("How much do I pay?", Kind.NUMBER, "61 a month", "too much"),
        ("Who teaches her?", Kind.NAME, "that is old Wiesner", "that is an old man"),
        ("Where is the key?", Kind.PLACE, "behind the door", "it hangs there"),
    ],
)
def test_a_kind_of_answer_is_known_in_a_question_and_in_a_text(
    question: str, kind: Kind, answer: str, other: str
) -> None:
    assert kinds_asked(question) == kind
    assert kind in kinds_in(answer)
    assert kind not in kinds_in(other)


@pytest.mark.parametrize("text", ["You may like it", "I sat down", "and we march on"])
def test_a_word_that_is_also_a_month_or_a_day_is_no_time(text: str) -> None:
    assert Kind.TIME not in kinds_in(text)


@pytest.mark.parametrize("text", ["May was warm", "on 3 may", "june 13", "20 minutes"])
def test_times_are_known_however_they_are_written(text: str) -> None:
    assert Kind.TIME in kinds_in(text)


def test_terms_that_are_only_asked_for_are_stored_apart_from_those_that_are_told() -> None:
    said = Interaction(id="a", name="Ana", content="The bike is green. Where is the bike pump?", occurred_at=NOON)
    _, weights = read_chunk(said, said.content)
    bike, pump, green, ana = (terms(word)[0] for word in ("bike", "pump", "green", "Ana"))
    assert weights[pump] < 0
    assert min(weights[term] for term in (bike, green, ana)) > 0


@pytest.mark.parametrize(
    ("text", "is_another"),
    [
        ("My cousin lives in Lisbon", True),
        ("my older brother's flat is in Porto", True),
        ("My sister lives in Madrid, my cousin in Lisbon", False),
        ("Salma moved to Madrid with her husband and the kids", False),
        ("Salma has a dog now", False),
        ("It rains", False),
    ],
)
def test_who_is_somebody_elses_is_no_other_kin_than_the_one_asked_for(text: str, is_another: bool) -> None:
    """Salma may well be the sister."""
    judge = about_other_kin("Where does my sister live?")
    assert judge is not None
    assert judge(text) is is_another


@pytest.mark.parametrize("question", ["Where do I live?", "Where does Salma live?", "What is a cousin?"])
def test_a_question_that_is_not_after_kin_judges_none(question: str) -> None:
    assert about_other_kin(question) is None


@pytest.mark.parametrize("text", ["my mum says so", "our dad does", "My parents do"])
def test_parents_are_the_mother_and_the_father(text: str) -> None:
    judge = about_other_kin("Where do my parents live?")
    assert judge is not None
    assert not judge(text)


@pytest.mark.parametrize(
    "piece",
    first_of(
        ["not at a-", "not ", "'m in now ", "isn't the my our but", "my a b ", "my-in-law ", "no, wait", "not 1:"]
    ),
)
def test_corrections_and_kin_are_read_in_linear_time(piece: str) -> None:
    assert grows_linearly(partial(_corrected, piece), 80_000)


def _corrected(piece: str, length: int) -> object:
    text = (piece * length)[:length]
    return corrections(text), denied(text), kin_in(text), own_kin_in(text), in_the_first_person(text)


@pytest.mark.parametrize(
    "piece", first_of(["Where is it? I am not sure, but ", "no idea: ", "and so what " * 3, "I'm, ", "?! "])
)
def test_a_message_of_any_length_is_read_in_linear_time(piece: str) -> None:
    assert grows_linearly(partial(_read, piece), 80_000)


def _read(piece: str, length: int) -> object:
    text = (piece * length)[:length]
    said = Interaction(id="a", content=text, occurred_at=NOON)
    return traits(said), read_chunk(said, text)
