"""The embedder without a model is deterministic, and near means: shares words."""

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragpp.embedding.hashing import HashingEmbedder
from ragpp.errors import InvalidInput


@given(texts=st.lists(st.text(max_size=80), max_size=5))
async def test_every_text_has_a_vector_of_length_one(texts: list[str]) -> None:
    rows = await HashingEmbedder().embed(texts)
    assert rows.shape == (len(texts), 384)
    assert rows.dtype == np.float32
    assert np.allclose(np.linalg.norm(rows, axis=1), 1.0, atol=1e-5)


async def test_texts_that_share_words_are_nearer_than_others() -> None:
    query, match, other = await HashingEmbedder().embed(
        ["launch code", "the launch codes are 0000", "we had soup for dinner"]
    )
    assert query @ match > 0.3 > query @ other


def output_of(program: str, *, hash_seed: str) -> str:
    command = [sys.executable, "-c", program]
    environment = {"PYTHONHASHSEED": hash_seed}
    return subprocess.run(command, env=environment, capture_output=True, check=True, text=True).stdout


async def test_different_processes_give_the_same_vectors() -> None:
    program = (
        "import asyncio; from ragpp.embedding.hashing import HashingEmbedder; "
        "import sys; sys.stdout.write(asyncio.run(HashingEmbedder().embed(['Stable as stone'])).tobytes().hex())"
    )
    outputs = {output_of(program, hash_seed=seed) for seed in ("1", "2")}
    assert outputs == {(await HashingEmbedder().embed(["Stable as stone"])).tobytes().hex()}


async def test_invalid_text_and_invalid_dimension_are_refused() -> None:
    with pytest.raises(InvalidInput, match="lone surrogate"):
        await HashingEmbedder().embed(["\udfff"])
    with pytest.raises(ValueError, match="at least 8"):
        HashingEmbedder(dimension=4)
