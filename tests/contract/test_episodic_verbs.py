"""The episodic tier's sentences, in process and over HTTP."""

from collections.abc import AsyncIterator

import pytest

from ragpp.embedding.hashing import HashingEmbedder
from ragpp.errors import EmbeddingError, InvalidInput
from ragpp.tiers import EpisodicTier
from ragpp_infra.embedded.stack import Endpoints
from tests.support.contract import reached
from tests.support.embedding import LostEmbedder
from tests.support.episodic import episodic_entry, episodic_query, episodic_tier
from tests.support.scopes import new_scope
from tests.support.second import HashingSecond

pytestmark = pytest.mark.server
LONG = "We walked along the harbour for hours. The lighthouse stands in Porto. Then it rained on us all day long."


@pytest.fixture(scope="module")
def embedder() -> LostEmbedder:
    return LostEmbedder()


@pytest.fixture(scope="module", params=["local", "http"])
async def tier(
    request: pytest.FixtureRequest, endpoints: Endpoints, embedder: HashingEmbedder
) -> AsyncIterator[EpisodicTier]:
    opening = episodic_tier(endpoints, embedder=embedder, second=HashingSecond())
    async with reached(request.param, "episodic", EpisodicTier, opening) as opened:
        yield opened


async def test_what_is_told_is_looked_at_until_nothing_is_left_and_finds_its_message(tier: EpisodicTier) -> None:
    scope = new_scope()
    assert await tier.index_sentences(scope) == 0
    await tier.store(scope, [episodic_entry(LONG, id=f"m{number}") for number in range(3)])
    (before, *_) = await tier.retrieve(episodic_query(scope, "The lighthouse stands in Porto."))
    assert [await tier.index_sentences(scope, 2) for _ in range(3)] == [2, 1, 0]
    (after, *_) = await tier.retrieve(episodic_query(scope, "The lighthouse stands in Porto."))
    assert after.score > before.score
    assert after.similarity == before.similarity


async def test_what_is_found_says_what_share_of_the_question_it_tells(tier: EpisodicTier) -> None:
    scope = new_scope()
    told = ("The saffron lighthouse is closed.", "The lighthouse is closed.", "It rains.")
    await tier.store(scope, [episodic_entry(text, id=f"m{number}") for number, text in enumerate(told)])
    for mode in ("hybrid", "lexical"):
        query = episodic_query(scope, "saffron lighthouse").model_copy(update={"mode": mode})
        shares = {memory.id: memory.coverage for memory in await tier.retrieve(query)}
        whole, part = shares["m0"], shares["m1"]
        assert whole is not None
        assert part is not None
        assert 0 < part < whole <= 1
        assert shares.get("m2", 0.0) == 0


async def test_a_question_brings_its_vector_by_the_second_encoder(tier: EpisodicTier) -> None:
    scope = new_scope()
    await tier.store(scope, [episodic_entry(LONG, id="m1")])
    await tier.index_sentences(scope)
    query = episodic_query(scope, LONG)
    for refused in ((1.0,) * 383, (0.0,) * 384, (float("nan"), *(1.0,) * 383)):
        with pytest.raises(InvalidInput, match="second"):
            await tier.retrieve(query.model_copy(update={"second": refused}))
    found = {}
    for length in (0.05, 1.0, 1_000.0):
        [one] = await tier.retrieve(query.model_copy(update={"second": (length,) * 384}))
        assert one.second_similarity is not None
        found[length] = (one.score, one.second_similarity)
    for length in (0.05, 1_000.0):
        assert found[length] == pytest.approx(found[1.0], abs=1e-5), "its direction alone counts"
    [without] = await tier.retrieve(query)
    assert without.second_similarity is None
    assert without.score != found[1.0][0]


async def test_what_could_not_be_embedded_is_embedded_later(tier: EpisodicTier, embedder: LostEmbedder) -> None:
    scope = new_scope()
    await tier.store(scope, [episodic_entry(LONG)])
    embedder.is_lost = True
    with pytest.raises(EmbeddingError):
        await tier.index_sentences(scope)
    embedder.is_lost = False
    assert await tier.index_sentences(scope) == 1


async def test_one_users_are_not_anothers(tier: EpisodicTier) -> None:
    scope = new_scope()
    await tier.store(scope, [episodic_entry(LONG)])
    assert await tier.index_sentences(scope.model_copy(update={"user_id": "another"})) == 0
    assert await tier.index_sentences(scope.model_copy(update={"tenant_id": new_scope().tenant_id})) == 0
    assert await tier.index_sentences(scope) == 1
