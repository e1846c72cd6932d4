"""From entries to rows."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragpp.embedding.hashing import HashingEmbedder
from ragpp.embedding.vectors import vector
from ragpp.errors import InvalidInput
from ragpp.models import EmbeddedChunk
from ragpp.text.chunking import CHUNK_TOKENS
from ragpp.text.lexical import document_weights, lexical_line
from ragpp_services.episodic.indexing import content_hash, cut_all, embed_missing, new_interactions
from tests.support.each import each_case
from tests.support.episodic import COUNTER, NOON, episodic_entry

PARTS = st.tuples(st.sampled_from(["user", "assistant"]), st.sampled_from([None, "a", "ab", '"']))


@given(PARTS, st.text("ab\"',[]", min_size=1), PARTS, st.text("ab\"',[]", min_size=1))
def test_two_contents_share_a_hash_only_when_role_name_and_text_are_the_same(
    who: tuple[str, str | None], text: str, other: tuple[str, str | None], other_text: str
) -> None:
    first = episodic_entry(text, role=who[0], name=who[1]).interaction  # type: ignore[arg-type]  # sampled roles
    second = episodic_entry(other_text, role=other[0], name=other[1]).interaction  # type: ignore[arg-type]  # the same
    assert (content_hash(first) == content_hash(second)) == ((who, text) == (other, other_text))


def test_where_and_when_something_was_said_does_not_change_its_hash() -> None:
    said = episodic_entry("hello", id="a").interaction
    elsewhere = said.model_copy(
        update={"session_id": "s", "agent_id": "b", "occurred_at": NOON + timedelta(days=1), "metadata": {"a": 1}}
    )
    assert content_hash(said) == content_hash(elsewhere)


async def test_long_contents_are_cut_and_every_chunk_has_its_own_vector_and_words() -> None:
    words = [f"word{number}" for number in range(600)]
    entries = [episodic_entry(" ".join(words), name="Ann"), episodic_entry("short")]
    cuts = cut_all(entries, COUNTER)
    embedder = HashingEmbedder()
    made = new_interactions(entries, cuts, await embed_missing(entries, cuts, embedder))
    long, short = made
    assert len(long.chunks) > 3
    assert len(short.chunks) == 1
    assert all(chunk.tokens <= CHUNK_TOKENS for chunk in long.chunks)
    assert long.tokens == sum(chunk.tokens for chunk in long.chunks)
    for chunk in long.chunks:
        text = entries[0].interaction.content[chunk.start : chunk.end]
        assert (chunk.embedding == (await embedder.embed([text]))[0]).all()
        assert chunk.lexical == document_weights(lexical_line(entries[0].interaction, text))


async def test_vectors_that_were_brought_are_kept_and_mixed_with_those_made_here() -> None:
    embedder = HashingEmbedder(8)
    brought = EmbeddedChunk(ordinal=0, start=0, end=5, tokens=2, embedding=(0.0,) * 7 + (1.0,))
    entries = [episodic_entry("first"), episodic_entry("hello", chunks=(brought,)), episodic_entry("third")]
    cuts = cut_all(entries, COUNTER)
    matrices = await embed_missing(entries, cuts, embedder)
    assert matrices[1].tolist() == [list(brought.embedding)]
    assert (matrices[0] == await embedder.embed(["first"])).all()
    assert (matrices[2] == await embedder.embed(["third"])).all()


@each_case("embedding", [(), (1.0,), (0.0, 0.0), (1e-9, 0.0), (float("nan"), 1.0), (float("inf"), 1.0)])
def test_a_vector_without_a_direction_is_refused(embedding: tuple[float, ...]) -> None:
    with pytest.raises(InvalidInput):
        vector(embedding, 2, "the query")
    assert vector((0.6, 0.8), 2, "the query").tolist() == pytest.approx([0.6, 0.8])
