"""Text is counted as the model that reads it does; for a model that nobody knows, no fewer than it can be."""

import unicodedata
from typing import get_args

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tokenizers import AddedToken, Tokenizer, decoders, models, normalizers, pre_tokenizers

from ragpp.errors import InvalidInput
from ragpp.fields import TokenizerName
from ragpp.text.readers import BytesBound, Tokenizers
from tests.support.each import each_case
from tests.support.tokens import TOKENIZERS

NAMES: tuple[TokenizerName, ...] = get_args(TokenizerName)
BOUND = BytesBound()

texts = st.lists(
    st.one_of(
        st.text(max_size=20),
        st.sampled_from(("Porto ", "\n", "\r\n", "    ", "😀", "👨‍👩‍👧", "中文", "ภาษา", "اللغة ", "İ", "ﷺ", "각")),
        st.sampled_from(("e\u0301", "<|endoftext|>", "!?")),
    ),
    max_size=30,
).map("".join)


@each_case(
    ("name", "tokens"),
    [("o200k", (2, 8, 1)), ("cl100k", (2, 8, 1)), ("mistral", (2, 8, 4)), ("bytes", (12, 37, 17))],
)
def test_text_counts_as_many_tokens_as_its_model_reads(name: TokenizerName, tokens: tuple[int, ...]) -> None:
    meter = TOKENIZERS.named(name)
    assert meter.name == name
    told = ("hello world", "She moved to Porto two years ago now", "\n" * 16)
    assert tuple(map(meter.count, told)) == tokens


@each_case("name", NAMES)
def test_nothing_that_is_said_is_free(name: TokenizerName) -> None:
    """Word pieces of the embedding model counted 9,000 emoji as 90 tokens and line ends as none."""
    count = TOKENIZERS.named(name).count
    assert count("") == 0
    assert count("😀" * 9_000) >= 9_000
    assert count("\n" * 50_000) >= 1_000
    assert count("<|endoftext|>") > 1


@pytest.mark.parametrize("name", NAMES)
@given(text=texts, room=st.integers(0, 40))
def test_a_cut_text_is_a_beginning_that_has_room(name: TokenizerName, text: str, room: int) -> None:
    meter = TOKENIZERS.named(name)
    cut = meter.truncate(text, room)
    assert text.startswith(cut)
    assert meter.count(cut) <= room
    if meter.count(text) <= room:
        assert cut == text


@each_case("name", NAMES)
def test_a_cut_takes_most_of_the_room_that_there_is(name: TokenizerName) -> None:
    meter, text = TOKENIZERS.named(name), "She said that 12,345 of them came, and we believed her. " * 400
    assert meter.count(meter.truncate(text, 500)) >= 495


@each_case("name", NAMES)
def test_text_that_is_no_unicode_is_refused_and_so_is_room_below_zero(name: TokenizerName) -> None:
    with pytest.raises(InvalidInput, match="lone surrogate"):
        TOKENIZERS.named(name).count("a\ud800")
    with pytest.raises(ValueError, match="negative"):
        TOKENIZERS.named(name).truncate("a", -1)


def byte_pairs(normalizer: normalizers.Normalizer | None) -> Tokenizer:
    """Byte by byte, as GPT-2 and Llama 3 spell what they have no token for: here nothing has one."""
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    made = Tokenizer(models.BPE(vocab={one: place for place, one in enumerate(alphabet)}, merges=[]))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    if normalizer is not None:
        made.normalizer = normalizer
    return made


def sentence_pieces(normalizer: normalizers.Normalizer) -> Tokenizer:
    """Bytes behind a mark for spaces, as Llama 2, Gemma and Mistral's first models spell what they do not know."""
    pieces = ["<unk>", *(f"<0x{byte:02X}>" for byte in range(256)), "▁"]
    vocabulary = {one: place for place, one in enumerate(pieces)}
    made = Tokenizer(models.BPE(vocabulary, [], byte_fallback=True, unk_token="<unk>"))
    made.normalizer = normalizers.Sequence([normalizer, normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    made.decoder = decoders.ByteFallback()
    made.add_special_tokens([AddedToken("<unk>", special=True)])
    return made


FORMS = [normalizers.NFC(), normalizers.NFD(), normalizers.NFKC(), normalizers.NFKD()]
LOWER = [normalizers.Sequence([form, normalizers.Lowercase()]) for form in FORMS]
WORST = [byte_pairs(None), *map(byte_pairs, FORMS), *map(byte_pairs, LOWER), *map(sentence_pieces, [*FORMS, *LOWER])]


@given(text=texts.filter(lambda text: "<unk>" not in text))
@example("ﷺ")
@example("\u0344\u1d160İ각")
def test_no_tokenizer_that_spells_in_bytes_has_more_tokens_than_the_bound(text: str) -> None:
    assert max(len(one.encode(text, add_special_tokens=False).ids) for one in WORST) <= BOUND.count(text)


@given(st.text(max_size=40), st.text(max_size=40))
def test_the_bound_of_two_texts_is_one_of_both_together(before: str, after: str) -> None:
    assert BOUND.count(before + after) <= BOUND.count(before) + BOUND.count(after)


def test_no_character_is_longer_than_what_it_is_composed_of() -> None:
    """Why the bound of its characters is one of a text that is composed: of every character that Unicode has."""
    longer = [
        character
        for character in map(chr, (*range(0xD800), *range(0xE000, 0x110000)))
        if len(character.encode()) > len(unicodedata.normalize("NFD", character).encode())
        and unicodedata.normalize("NFC", character) == character
    ]
    assert longer == []


async def test_a_vocabulary_is_ready_when_it_was_waited_for() -> None:
    fresh = Tokenizers("cl100k")
    assert (await fresh.ready()).name == "cl100k"
    assert (await fresh.ready("bytes")).name == "bytes"
