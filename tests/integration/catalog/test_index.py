"""The vectors, words and groups that the catalog searches by are made anew of its rows."""

import asyncio

import pytest

from ragpp.embedding.hashing import HashingEmbedder
from ragpp.entries.values import MOST_SUMMARY
from ragpp.stores.postgres import Pool
from ragpp.text.readers import Tokenizers
from ragpp.text.tokens import TokenCounter
from ragpp_services.catalog.rebuilding import Rebuilding
from ragpp_services.catalog.tier import PostgresCatalogTier
from ragpp_services.catalog.vectors import Vectors
from tests.support.catalog import conversation
from tests.support.prices import PRICES, SAID, Held, rows_of, say, store_on
from tests.support.scopes import new_scope

pytestmark = pytest.mark.server


class HeldCounter:
    """Counts tokens, once it is let go."""

    def __init__(self, held: Held) -> None:
        self._held, self._counter = held, TokenCounter()

    def count(self, text: str) -> int:
        self._held("", "")
        return self._counter.count(text)

    def spans(self, text: str) -> list[tuple[int, int]]:
        self._held("", "")
        return self._counter.spans(text)


INDEX = """
    SELECT id, embedding::text AS embedding, lexical::text AS lexical, one_with FROM catalog.items WHERE user_id = $1
     UNION ALL
    SELECT id, embedding::text, NULL, NULL FROM catalog.categories WHERE user_id = $1
     UNION ALL
    SELECT resource.id || ' ' || chunk.part, chunk.start || '-' || chunk."end", chunk.lexical::text, chunk.resource_type
      FROM catalog.resource_chunks AS chunk
      JOIN catalog.resources AS resource ON resource.user_id = chunk.user_id AND resource.ordinal = chunk.resource
     WHERE chunk.user_id = $1
     ORDER BY id"""
SPOIL = (
    "DELETE FROM catalog.resource_chunks WHERE user_id = $1",
    """UPDATE catalog.items SET one_with = NULL, lexical = '{1:1}/1048576',
              embedding = (SELECT embedding FROM catalog.categories WHERE user_id = $1 LIMIT 1) WHERE user_id = $1""",
    """UPDATE catalog.categories SET embedding = (
           SELECT ('[' || string_agg('1', ',') || ']')::halfvec FROM generate_series(1, 384)) WHERE user_id = $1""",
)


async def test_vectors_words_and_groups_are_made_anew_of_the_rows_alone(tier: PostgresCatalogTier, pool: Pool) -> None:
    scope = new_scope()
    await tier.create_category(scope, "prices", PRICES)
    for number, texts in enumerate((SAID[:2], SAID[:1], SAID[2:])):
        await say(tier, scope, number, texts)
    async with rows_of(pool, scope) as connection:
        before = await connection.fetch(INDEX, scope.user_id)
        for statement in SPOIL:
            await connection.execute(statement, scope.user_id)
        assert await connection.fetch(INDEX, scope.user_id) != before

    after, calls = await tier.rebuild(scope, limit=2), 1
    while after is not None:
        after, calls = await tier.rebuild(scope, after, 2), calls + 1

    assert calls >= 5
    async with rows_of(pool, scope) as connection:
        assert await connection.fetch(INDEX, scope.user_id) == before


async def test_words_that_are_forgotten_while_they_are_indexed_anew_do_not_come_back(
    tier: PostgresCatalogTier, pool: Pool
) -> None:
    scope, held, store = new_scope(), Held(), store_on(pool)
    await tier.store(
        scope,
        [conversation(("Ada", "The launch code is 1931"), ("Ben", "Lions sleep"), id="res_talk", ids=("m1", "m2"))],
    )
    vectors = Vectors(store, HashingEmbedder())
    rebuilding = Rebuilding(store, vectors, HeldCounter(held), Tokenizers(), tier.segmenter, MOST_SUMMARY)
    running = asyncio.create_task(rebuilding.rebuild(scope))
    assert await asyncio.to_thread(held.asked.wait, 30)
    await tier.forget_sources(scope, ["m1"])
    held.let_go.set()
    await running
    assert await tier.search_resources(scope, "launch code 1931") == []
    [found] = await tier.search_resources(scope, "lions")
    assert "1931" not in found.content
