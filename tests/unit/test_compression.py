"""Texts that are kept compressed come back byte for byte."""

from hypothesis import given
from hypothesis import strategies as st

from ragpp.stores.compression import WORTH, packed, unpacked


@given(st.text(max_size=2_000), st.integers(1, 5))
def test_a_packed_text_is_the_same_text_and_smaller(text: str, times: int) -> None:
    content = text * times
    small = packed(content)
    assert unpacked("" if small else content, small) == content
    assert not small or len(small) <= WORTH * len(content.encode())


def test_a_repetitive_text_shrinks_and_a_random_one_is_left_alone() -> None:
    assert packed("We talked about the harbour again. " * 40)
    assert not packed("q8$Zk2")
    assert unpacked("as it was", None) == "as it was"
    assert unpacked("as it was", b"") == "as it was"
