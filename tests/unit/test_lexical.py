"""Words: what a text is stored under is what a question finds it by."""

import json
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragpp.models import Interaction
from ragpp.text.english import FUNCTION_WORDS
from ragpp.text.lexical import (
    DIMENSIONS,
    MAX_QUERY_TERMS,
    MAX_QUESTION_CHARS,
    MAX_TERMS,
    asked_words,
    document_weights,
    index_line,
    lexical_line,
    query_terms,
    question_words,
    stored_terms,
    terms,
    words,
)
from tests.support.each import each_case
from tests.support.timing import first_of

DATA: Final = Path(__file__).resolve().parents[1] / "data"
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=400)


def said(content: str, name: str | None = "Marta") -> Interaction:
    return Interaction(id="m1", name=name, content=content, occurred_at=datetime(2024, 5, 8, 13, 56, tzinfo=UTC))


def test_a_text_is_found_by_another_form_of_its_words() -> None:
    """Catches a script or an inflection in which a question does not find what was said."""
    forms = (
        ("She was painting the boats", "Did she paint a boat?"),
        ("Anna’s café in Málaga", "anna's CAFE malaga"),
        ("ﬁve Ⅳ ＷＩＤＥ", "five iv wide"),
        ("東京タワーに行った", "東京"),
        ("новые книги", "новая книга"),
        ("किताबें", "किताब"),
        ("ไปเที่ยวเชียงใหม่", "เชียงใหม่"),
        ("我养了一只猫", "猫"),
        ("我上个月养了一只猫,叫豆包", "猫叫什么名字?"),
        ("昨天见了张伟", "张伟是谁?"),
        ("週末は山に登った", "山"),
        ("雨が降れば", "雨が降ったら"),
        ("ﾋﾟｱﾉを習う", "ピアノ"),
        ("고양이를 키운다", "고양이는"),
        ("친구들에게서 들었다", "친구"),
        ("KTX를 탔다", "KTX"),
        ("역사책을 읽었다", "역사 책이"),
        ("น้ำพริก", "น้ำ"),
        ("ຂ້ອຍກິນນ້ຳ", "ນ້ຳ"),
        ("ខ្ញុំចង់ទៅផ្សារ", "ផ្សារ"),
        ("ကျွန်တော်ရန်ကုန်မှာနေတယ်", "ရန်ကုန်"),
        ("القطة نائمة", "قطة"),
        ("سُرِقَت دراجتي", "الدراجة"),
        ("ركبت السيّارة", "سيارتها"),
        ("قال أحمد", "احمد"),
        ("الإسكندريـــة", "اسكندريه"),
        ("مدرستي بعيدة", "للمدرسة"),
        ("Серёжа живёт", "Сережи"),
        ("don't forget", "Don’t"),
    )
    offenders = [
        f"{asked!r} does not find {stored!r}"
        for stored, asked in forms
        if not set(query_terms(asked)) & set(document_weights(stored))
    ]
    assert not offenders, "\n".join(offenders)


@each_case(
    ("one", "other"),
    [("東京", "京都"), ("boat", "goat"), ("книга", "рука"), ("แมว", "แม่"), ("고양이", "강아지"), ("كتاب", "باب")],
)
def test_different_words_are_different_terms(one: str, other: str) -> None:
    assert not set(query_terms(one)) & set(document_weights(other))


@each_case(
    ("question", "thing"),
    [
        ("婚礼是什么时候办?", "婚礼 办"),
        ("犬の名前は何ですか?", "犬 名前"),
        ("결혼식은 언제야?", "결혼식은"),
        ("แมวอยู่ที่ไหน", "แมว"),
        ("متى الزفاف؟", "الزفاف"),
        ("Где моя рыба?", "рыба"),
    ],
)
def test_a_question_does_not_ask_for_the_words_that_make_it_one(question: str, thing: str) -> None:
    assert query_terms(question) == query_terms(thing)


@each_case("question", ["什么?", "誰?", "누구?", "อะไร", "ماذا؟", "Кто?"])
def test_a_question_of_function_words_alone_asks_for_them_in_any_script(question: str) -> None:
    assert query_terms(question)


def test_latin_text_is_stored_and_asked_for_as_rows_of_before_have_it() -> None:
    """Catches a change of terms or weights by which rows that are stored already would be found no more."""
    rows: list[dict[str, Any]] = json.loads((DATA / "latin_terms.json").read_text(encoding="utf-8"))
    assert len(rows) > 30
    offenders = [
        f"{row['line']!r}: {expected} is expected, came {came}"
        for row in rows
        for expected, came in (
            (dict(row["stored"]), {term: round(weight, 9) for term, weight in document_weights(row["line"]).items()}),
            (row["asked"], list(query_terms(row["line"]))),
        )
        if came != expected
    ]
    assert not offenders, "\n".join(offenders)


@given(st.text(st.characters(max_codepoint=0x24F, exclude_categories=["Cs"]), max_size=400))
def test_latin_text_has_no_other_terms_than_its_words(text: str) -> None:
    assert stored_terms(text) == terms(text)
    asked = [word for word in words(text) if word not in FUNCTION_WORDS] or words(text)
    if len(set(asked)) <= MAX_QUERY_TERMS:
        assert query_terms(text) == tuple(dict.fromkeys(terms(" ".join(asked))))


@given(st.text(st.sampled_from("我们的猫叫什么東京ねこ・ーがアﾋﾟ고양이는 abแมวน้ำ่ฯ฿のالقطةوالدي،\u0640\u064eАняё 1_'𠮷")))
def test_what_a_question_in_any_script_asks_for_is_stored_under_the_same_text(text: str) -> None:
    assert set(query_terms(text)) <= set(stored_terms(text))
    assert set(terms(text)) <= set(stored_terms(text))


def test_terms_are_the_same_in_every_process() -> None:
    text = "Painting a café in 東京"
    script = f"from ragpp.text.lexical import terms; print(terms({text!r}))"
    runs = [
        subprocess.run([sys.executable, "-c", script], env={"PYTHONHASHSEED": seed}, capture_output=True, check=True)
        for seed in ("1", "2")
    ]
    assert [run.stdout.decode().strip() for run in runs] == [str(terms(text))] * 2


@given(texts)
def test_every_weight_is_a_share_and_every_dimension_exists(text: str) -> None:
    weights = document_weights(text)
    assert len(weights) <= MAX_TERMS
    assert all(0 < weight < 1 for weight in weights.values())
    assert all(0 <= dimension < DIMENSIONS for dimension in weights)


@given(texts)
def test_a_question_asks_for_few_distinct_terms_and_never_for_none_of_its_words(text: str) -> None:
    asked = query_terms(text)
    assert len(asked) == len(set(asked)) <= MAX_QUERY_TERMS
    assert bool(asked) == bool(words(text))


@given(texts)
def test_what_a_question_asks_for_is_stored_under_the_same_text(text: str) -> None:
    assert set(query_terms(text)) <= set(stored_terms(text))


def test_repeating_a_term_weighs_more_and_a_longer_line_weighs_less() -> None:
    once, twice = document_weights("boat harbour"), document_weights("boat boat harbour")
    longer = document_weights("boat harbour " + "quay " * 200)
    boat = query_terms("boat")[0]
    assert longer[boat] < once[boat] < twice[boat]


def test_a_line_of_many_words_keeps_the_weightiest_terms() -> None:
    repeated = "harbour harbour"
    line = " ".join(f"word{number}x" for number in range(5_000)) + " " + repeated
    weights = document_weights(line)
    assert len(weights) == MAX_TERMS
    assert query_terms("harbour")[0] in weights


def test_a_question_of_function_words_alone_still_asks_for_them() -> None:
    assert query_terms("What is it?") == tuple(terms("what is it"))
    assert query_terms("What is the harbour?") == query_terms("harbour")
    assert query_terms("What happened in May?") != query_terms("What happened?")
    assert {"may", "will"}.isdisjoint(FUNCTION_WORDS)


def test_a_long_question_keeps_its_longest_words_in_order() -> None:
    short = [f"a{number}" for number in range(100)]
    asked = query_terms(" ".join(["extraordinary", *short, "circumstances"]))
    assert (asked[0], asked[-1]) == (*query_terms("extraordinary"), *query_terms("circumstances"))
    assert len(asked) == MAX_QUERY_TERMS


def test_what_one_question_asks_for_is_found_once_for_all_who_ask() -> None:
    question = "Where is the harbour, and 猫はどこ?"
    assert query_terms(question) is query_terms(question)
    assert asked_words(question) is asked_words(question)
    assert question_words(question) is question_words(question)


@each_case("unit", ["harbour ", "猫", "㍻", "قطة ", "ﷺ harbour one two three "])
def test_of_a_question_no_more_is_read_than_a_recall_takes(unit: str) -> None:
    read, whole = unit * (MAX_QUESTION_CHARS // len(unit)), unit * (2 * MAX_QUESTION_CHARS // len(unit))
    assert sum(map(len, question_words(whole))) <= 2 * MAX_QUESTION_CHARS
    assert len(asked_words(whole)) <= 2 * MAX_QUESTION_CHARS
    assert query_terms(whole) == query_terms(read)
    assert set(query_terms(whole)) <= set(stored_terms(whole))


HOSTILE = (
    "a", "中", "é", "ab ", "'", "a'", "\u0301", "का", "\n", "🙂", "ก",
    "แม่", "のは", "는", "와이과 ", "ت", "ال", "\u0640", "中ก", "ﷺ", "㌖", "ﷺabcd",
)  # fmt: skip


@pytest.mark.parametrize("unit", first_of(HOSTILE))
def test_a_hostile_text_costs_no_more_than_its_length(unit: str) -> None:
    text = unit * (100_000 // len(unit))
    assert len(document_weights(text)) <= MAX_TERMS
    assert len(query_terms(text)) <= MAX_QUERY_TERMS


def test_the_dictionaries_are_loaded_for_those_alone_who_meet_such_a_script() -> None:
    texts = {"Une fête à Málaga": False, "Кошка": False, "고양이": False, "แมว": True}
    script = (
        "import sys; from ragpp.text.lexical import stored_terms; "
        "print(*[(stored_terms(text), 'icu4py' in sys.modules)[1] for text in sys.argv[1:]])"
    )
    run = subprocess.run([sys.executable, "-c", script, *texts], capture_output=True, check=True)
    assert run.stdout.decode().split() == [str(loaded) for loaded in texts.values()]


def test_the_indexed_line_says_who_and_the_words_also_when() -> None:
    assert index_line(said("I moved.")) == "Marta: I moved."
    assert index_line(said("I moved. It rained."), "It rained.") == "Marta: It rained."
    assert index_line(said("I moved.", name=None)) == "I moved."
    assert lexical_line(said("I moved.")) == "8 May 2024 Marta: I moved."
    assert set(query_terms("May 2024")) <= set(document_weights(lexical_line(said("I moved."))))
