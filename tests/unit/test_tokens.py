"""Counts are the model's own, and a cut never leaves more than it was asked for."""

import itertools
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ragpp.embedding.checkpoint import Checkpoint
from ragpp.errors import EmbeddingError, InvalidInput
from ragpp.text.chunking import chunk
from ragpp.text.tokens import TokenCounter, load_tokenizer
from tests.support.each import each_case

COUNTER = TokenCounter()
ALPHABET = st.one_of(st.characters(exclude_categories=["Cs"]), st.sampled_from("ab e\u0301한漢🎉.\n[CLS]'ß\u200d"))
TEXTS = st.text(ALPHABET, max_size=200)


@each_case(
    ("text", "tokens"),
    [
        ("", 0),
        (" \n\t ", 0),
        ("hello world", 2),
        ("Hello, World!", 4),
        ("embeddings", 4),
        ("漢字", 2),
        ("🎉", 1),
        ("\x00", 0),
    ],
)
def test_counts_leave_out_the_special_tokens(text: str, tokens: int) -> None:
    assert COUNTER.count(text) == tokens


def test_counts_equal_the_models_for_ordinary_text() -> None:
    tokenizer = load_tokenizer()
    text = "Zoë's flight (LH 441) lands at 17:45 — don't forget the passports, d'accord? 東京 🙂 " * 20
    assert COUNTER.count(text) == len(tokenizer.encode(text, add_special_tokens=False).ids)


def test_many_are_counted_in_order() -> None:
    assert COUNTER.count_many(["one", "", "one two three"]) == [1, 0, 3]


def test_a_word_too_long_for_the_model_is_not_one_token() -> None:
    assert COUNTER.count("a" * 100_000) >= 10_000


@each_case("text", ["คุณยายของฉันอยู่เชียงใหม่", "ຂ້ອຍຢູ່ວຽງຈັນ", "ခငျဗျားဘယ်မှာနေလဲ", "ខ្ញុំរស់នៅភ្នំពេញ"])
def test_a_phrase_without_spaces_is_not_one_token(text: str) -> None:
    assert COUNTER.count(text * 10) >= len(text * 10) / 8
    assert all(len(one.text) <= 1_600 for one in chunk(text * 1_000, COUNTER))


@given(text=TEXTS, max_tokens=st.integers(0, 60))
@example(text="한국어" * 30, max_tokens=1)
@example(text="a" * 350, max_tokens=55)
def test_a_truncated_text_is_a_prefix_within_the_limit(text: str, max_tokens: int) -> None:
    cut = COUNTER.truncate(text, max_tokens)
    assert text.startswith(cut)
    assert COUNTER.count(cut) <= max_tokens
    if COUNTER.count(text) <= max_tokens:
        assert cut == text


@given(text=TEXTS, max_tokens=st.integers(4, 60))
def test_a_truncated_text_uses_what_it_may(text: str, max_tokens: int) -> None:
    """A character is at most four tokens, so at most three are given away where tokens share one."""
    if COUNTER.count(text) > max_tokens:
        assert COUNTER.count(COUNTER.truncate(text, max_tokens)) >= max_tokens - 3


@settings(max_examples=30)
@given(part=st.text(ALPHABET, min_size=1, max_size=12), max_tokens=st.integers(0, 300))
def test_the_cut_of_a_long_text_does_not_depend_on_what_follows(part: str, max_tokens: int) -> None:
    """Only a part of a long text is read: the answer is that of reading all."""
    text = part * (30_000 // len(part))
    spans = COUNTER.spans(text)
    cut = COUNTER.truncate(text, max_tokens)
    if len(spans) > max_tokens:
        assert len(cut) <= spans[max_tokens][0]
        assert len(spans[:max_tokens]) - 3 <= len([end for _, end in spans if end <= len(cut)])
    else:
        assert cut == text


def test_a_negative_limit_is_refused() -> None:
    with pytest.raises(ValueError, match="negative"):
        COUNTER.truncate("text", -1)


@given(text=TEXTS)
def test_spans_are_in_order_and_within_the_text(text: str) -> None:
    spans = COUNTER.spans(text)
    assert len(spans) == COUNTER.count(text)
    for (start, end), (next_start, next_end) in itertools.pairwise(spans):
        assert 0 <= start <= end <= len(text)
        assert start <= next_start
        assert end <= next_end


@each_case("text", ["\ud800", "a\udfffb" * 10])
def test_a_lone_surrogate_is_invalid_input(text: str) -> None:
    for call in (COUNTER.count, COUNTER.spans, lambda text: COUNTER.truncate(text, 3)):
        with pytest.raises(InvalidInput, match="lone surrogate"):
            call(text)


def test_a_missing_tokenizer_is_an_embedding_error(tmp_path: Path) -> None:
    with pytest.raises(EmbeddingError, match=r"tokenizer\.json"):
        TokenCounter(Checkpoint(tmp_path)).count("text")


def test_counting_needs_no_onnx_runtime() -> None:
    program = (
        "import sys; from ragpp.text.tokens import TokenCounter; TokenCounter().count('x'); "
        "sys.exit(bool({'onnxruntime', 'onnx'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
