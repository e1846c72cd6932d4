"""Chunks fit the model, leave nothing out, and end where a reader would pause."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragpp.text.chunking import MAX_TOKENS, TextChunk, chunk
from tests.support.each import each_case
from tests.support.timing import first_of, grows_linearly
from tests.support.tokens import COUNTER

ODD = 'ab e\u0301한漢🎉.。」\n\n"[CLS]ß\u200d'
CHARACTERS = st.one_of(st.characters(exclude_categories=["Cs"]), st.sampled_from(ODD))
PARTS = st.lists(st.text(CHARACTERS, min_size=1, max_size=8), min_size=1, max_size=4)
TEXTS = st.one_of(st.text(CHARACTERS, max_size=400), PARTS.map(lambda parts: "".join(parts * 60)))
PATHOLOGICAL = [
    "a",
    " ",
    "\n",
    "\n \n",
    ".",
    "漢",
    "。",
    "🎉",
    "🎉 ",
    "한국어",
    "e\u0301",
    "\u0301",
    "ab ",
    "Hi. ",
    "\x00",
]


def assert_sound(text: str, chunks: list[TextChunk], max_tokens: int) -> None:
    assert [one.ordinal for one in chunks] == list(range(len(chunks)))
    for one in chunks:
        assert one.text == text[one.start : one.end]
        assert one.tokens == COUNTER.count(one.text) <= max_tokens
    assert chunks[0].start == 0
    assert chunks[-1].end == len(text)
    for before, after in itertools.pairwise(chunks):
        assert before.start < after.start <= before.end < after.end


@given(text=TEXTS, max_tokens=st.integers(16, 80))
def test_chunks_without_overlap_concatenate_to_the_text(text: str, max_tokens: int) -> None:
    chunks = chunk(text, COUNTER, max_tokens)
    assert "".join(one.text for one in chunks) == text
    if text:
        assert_sound(text, chunks, max_tokens)


@given(text=TEXTS.filter(bool), max_tokens=st.integers(16, 80), data=st.data())
def test_chunks_with_overlap_cover_the_text(text: str, max_tokens: int, data: st.DataObject) -> None:
    overlap = data.draw(st.integers(0, max_tokens // 4))
    assert_sound(text, chunk(text, COUNTER, max_tokens, overlap), max_tokens)


@each_case("text", ["hello", " ", "\n\n", "word " * MAX_TOKENS, "🎉" * 300])
def test_a_text_within_the_limit_is_one_chunk_equal_to_it(text: str) -> None:
    assert chunk(text, COUNTER) == [TextChunk(0, 0, len(text), text, COUNTER.count(text))]


def test_the_empty_text_has_no_chunk() -> None:
    assert chunk("", COUNTER) == []


def test_a_paragraph_is_a_better_end_than_a_sentence() -> None:
    text = "One two three. Four five six now.\n\nSeven eight nine. Ten eleven twelve. Thirteen."
    assert [one.text for one in chunk(text, COUNTER, 16)] == [
        "One two three. Four five six now.\n\n",
        "Seven eight nine. Ten eleven twelve. Thirteen.",
    ]


@each_case(
    ("text", "ends"),
    [
        ('He said "we are going home." Then they all left the house and went to the station.', '"we are going home." '),
        ("Is it one or two or three, or even four? It is five or six, seven or eight or nine, I think.", "four? "),
        ("今日は天気がいい。明日は雨が降るらしい。", "いい。"),
        ("昨日彼は「今日は天気がいい。」と言って公園を散歩した。", "。」"),
        ("a line of a rather short poem of mine\nand another line of it that runs on and on and on and on", "mine\n"),
    ],
)
def test_a_sentence_and_a_line_are_better_ends_than_a_word(text: str, ends: str) -> None:
    assert chunk(text, COUNTER, 16)[0].text.endswith(ends)


def test_a_word_is_cut_only_when_it_fills_a_chunk() -> None:
    text = "See " + "x" * 2_000 + " for it"
    chunks = chunk(text, COUNTER, 100)
    assert chunks[0].text == "See "
    assert chunks[-1].text.endswith("for it")
    assert_sound(text, chunks, 100)


def test_overlap_begins_at_a_word_and_repeats_the_end_of_the_chunk_before() -> None:
    text = "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu " * 10
    chunks = chunk(text, COUNTER, 32, 8)
    for before, after in itertools.pairwise(chunks):
        repeated = text[after.start : before.end]
        assert 0 < COUNTER.count(repeated) <= 8
        assert text[after.start - 1] == " "


@each_case(("max_tokens", "overlap"), [(15, 0), (100, -1), (100, 26)])
def test_impossible_limits_are_refused(max_tokens: int, overlap: int) -> None:
    with pytest.raises(ValueError, match="max_tokens"):
        chunk("text", COUNTER, max_tokens, overlap)


@pytest.mark.parametrize("unit", first_of([*PATHOLOGICAL, "x" * 99 + " ", "x" * 101 + " "]))
def test_a_hundred_thousand_characters_take_linear_time(unit: str) -> None:
    def read(length: int) -> None:
        text = (unit * (length // len(unit) + 1))[:length]
        assert chunk(text, COUNTER, overlap=32)[-1].end == len(text)

    assert grows_linearly(read, 100_000)
