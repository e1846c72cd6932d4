"""Vectors of two models never meet in one store."""

import pytest

from ragpp.embedding import Embedder, EmbeddingIdentity, check_identity
from ragpp.embedding.hashing import HashingEmbedder
from ragpp.errors import EmbeddingMismatch
from tests.support.each import each_case


def test_the_same_identity_is_accepted() -> None:
    embedder: Embedder = HashingEmbedder()
    check_identity(EmbeddingIdentity("ragpp/hashing", 384), EmbeddingIdentity.of(embedder))


@each_case("recorded", [EmbeddingIdentity("ragpp/hashing", 512), EmbeddingIdentity("other/model", 384)])
def test_another_model_or_dimension_is_refused_by_name(recorded: EmbeddingIdentity) -> None:
    with pytest.raises(EmbeddingMismatch) as caught:
        check_identity(recorded, EmbeddingIdentity("ragpp/hashing", 384))
    assert str(recorded) in caught.value.message
    assert "ragpp/hashing (384 dimensions)" in caught.value.message
