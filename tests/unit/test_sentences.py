"""Sentences, in scripts with other marks than Latin has, and without spaces."""

import pytest

from ragpp.text.sentences import MAX_SENTENCE, clean, split
from tests.support.each import each_case
from tests.support.timing import first_of, grows_linearly


def sentences(text: str) -> list[str]:
    return [one.text for one in split(clean(text))]


@each_case(
    ("text", "expected"),
    [
        ("我搬到了成都。你呢？很好！！走吧", ["我搬到了成都。", "你呢？", "很好！！", "走吧"]),
        ("引っ越した。「いいね。」と言った。", ["引っ越した。", "「いいね。", "と言った。"]),
        ("好吗?我很好!再见", ["好吗?", "我很好!", "再见"]),
        ("أسكن في دبي. أين تسكن؟ هنا۔ نعم", ["أسكن في دبي.", "أين تسكن؟", "هنا۔", "نعم"]),
        ("मैं घर पर हूँ। तुम कहाँ हो?", ["मैं घर पर हूँ।", "तुम कहाँ हो?"]),
        ("이사했어. 너는? 좋아!", ["이사했어.", "너는?", "좋아!"]),
        ("Version 3.14 is out!Really?yes", ["Version 3.14 is out!Really?yes"]),
    ],
)
def test_a_sentence_ends_where_its_script_ends_it(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected


@each_case("text", ["你住在哪里？", "どこに住んでいますか？", "أين تسكن؟", "「どこ？」"])
def test_a_question_in_another_script_asks(text: str) -> None:
    assert [one.asks for one in split(clean(text))] == [True]


@each_case("unit", ["我昨天去了成都,", "昨日は長野に行って、", "เมื่อวานไปเชียงใหม่"])
def test_a_long_text_without_spaces_keeps_its_words(unit: str) -> None:
    text = unit * 60
    assert "".join(sentences(text)) == text
    assert all(len(one) <= MAX_SENTENCE for one in sentences(text))


def test_what_is_no_language_is_blanked_also_between_words_without_spaces() -> None:
    assert sentences(f"我{'x' * 300}") == ["我"]


@pytest.mark.parametrize("unit", first_of(["。", "？」", "我。", "我!", "ก", "؟ "]))
def test_cutting_into_sentences_takes_time_in_proportion_to_the_length(unit: str) -> None:
    assert grows_linearly(lambda length: sentences(unit * (length // len(unit))), 100_000)
