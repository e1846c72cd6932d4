"""Searches among interactions: by words, by meaning, by filters and by time."""

import asyncio

import numpy as np
import pytest

from ragpp.embedding.hashing import HashingEmbedder
from ragpp.errors import InvalidInput
from ragpp.models import EmbeddedChunk, Filters, InteractionEntry, MemoryQuery, Scope, TimeRange
from ragpp.text.lexical import lexical_line, query_terms, terms
from ragpp_services.episodic.scan import unpack
from ragpp_services.episodic.tier import PostgresEpisodicTier
from tests.support.each import each
from tests.support.episodic import COUNTER, at, episodic_entry, episodic_query, found
from tests.support.scopes import new_scope

pytestmark = pytest.mark.server


USELESS = [(1.0,), (0.0,) * 384, (float("nan"),) * 384, (float("inf"),) * 384]


async def test_a_vector_that_cannot_be_compared_is_refused(tier: PostgresEpisodicTier) -> None:
    async def refused(embedding: tuple[float, ...]) -> None:
        scope = new_scope()
        chunk = EmbeddedChunk(ordinal=0, start=0, end=1, tokens=1, embedding=embedding)
        with pytest.raises(InvalidInput):
            await tier.store(scope, [episodic_entry("x", chunks=(chunk,))])
        with pytest.raises(InvalidInput):
            await tier.retrieve(MemoryQuery(scope=scope, text="x", embedding=embedding))

    await each(USELESS, refused)


async def test_the_best_chunk_stands_for_its_interaction(tier: PostgresEpisodicTier, scope: Scope) -> None:
    filler = "The weather was mild and nothing much happened on that day. " * 60
    long = f"{filler}The zeppelin landed in the orchard. {filler}"
    await tier.store(scope, [episodic_entry(long, id="long"), episodic_entry("We had soup.", id="soup")])
    for mode in ("hybrid", "dense", "lexical"):
        query = MemoryQuery(scope=scope, text="zeppelin landed in the orchard", mode=mode)
        memories = await tier.retrieve(query)
        assert memories[0].id == "long", mode
        assert [memory.id for memory in memories].count("long") == 1
    assert memories[0].text == long
    assert memories[0].tokens == COUNTER.count(long)


async def test_words_alone_find_nothing_where_no_word_is_shared(tier: PostgresEpisodicTier, scope: Scope) -> None:
    await tier.store(scope, [episodic_entry("granite umbrella", id="a"), episodic_entry("saffron", id="b")])
    assert await found(tier, MemoryQuery(scope=scope, text="umbrellas", mode="lexical")) == ["a"]
    assert await found(tier, MemoryQuery(scope=scope, text="zeppelin", mode="lexical")) == []


async def test_meaning_alone_needs_no_text(tier: PostgresEpisodicTier, scope: Scope) -> None:
    await tier.store(scope, [episodic_entry("granite umbrella", id="a"), episodic_entry("saffron", id="b")])
    vector = tuple((await HashingEmbedder().embed(["granite umbrella"]))[0].tolist())
    (first, _) = await tier.retrieve(MemoryQuery(scope=scope, embedding=vector, mode="dense"))
    assert first.id == "a"
    assert first.similarity == pytest.approx(1.0, abs=1e-3)


async def test_a_similarity_floor_keeps_out_what_is_below(tier: PostgresEpisodicTier, scope: Scope) -> None:
    await tier.store(scope, [episodic_entry("granite umbrella", id="a"), episodic_entry("saffron", id="b")])
    for mode in ("hybrid", "dense", "lexical"):
        query = MemoryQuery(
            scope=scope,
            text="granite umbrella",
            mode=mode,
            filters=Filters(similarity_threshold=0.9),
        )
        assert await found(tier, query) == ["a"]


FILTERS = [
    (Filters(session_id="s1"), {"a", "b"}),
    (Filters(agent_id="sales"), {"b"}),
    (Filters(role="assistant"), {"c"}),
    (Filters(message_type="note"), {"b"}),
    (Filters(channel="mail"), {"c"}),
    (Filters(domain="billing"), {"a"}),
    (Filters(task_type="refund"), {"d"}),
    (Filters(exclude=frozenset({"a", "d", "unknown"})), {"b", "c"}),
    (Filters(time_range=TimeRange(start=at(1), end=at(3))), {"b", "c"}),
    (Filters(time_range=TimeRange(start=at(2))), {"c", "d"}),
    (Filters(time_range=TimeRange(end=at(1))), {"a"}),
    (Filters(session_id="s1", message_type="note"), {"b"}),
    (Filters(session_id="none"), set()),
    (Filters(), {"a", "b", "c", "d"}),
]


async def test_filters_narrow_searches_and_lists_alike(tier: PostgresEpisodicTier, scope: Scope) -> None:
    await tier.store(
        scope,
        [
            episodic_entry("saffron one", id="a", session_id="s1", domain="billing", occurred_at=at(0)),
            episodic_entry(
                "saffron two", id="b", session_id="s1", agent_id="sales", message_type="note", occurred_at=at(1)
            ),
            episodic_entry(
                "saffron three", id="c", session_id="s2", role="assistant", channel="mail", occurred_at=at(2)
            ),
            episodic_entry("saffron four", id="d", session_id="s2", task_type="refund", occurred_at=at(3)),
        ],
    )

    async def narrowed(case: tuple[Filters, set[str]]) -> None:
        filters, expected = case
        for text in ("saffron", ""):
            assert set(await found(tier, MemoryQuery(scope=scope, text=text, filters=filters))) == expected
        assert {item.id for item in (await tier.list_interactions(scope, filters)).items} == expected

    await each(FILTERS, narrowed)


async def test_nothing_said_after_as_of_is_seen(tier: PostgresEpisodicTier, scope: Scope) -> None:
    await tier.store(scope, [episodic_entry(f"saffron {n}", id=f"m{n}", occurred_at=at(n)) for n in range(5)])
    for text in ("saffron", ""):
        query = MemoryQuery(scope=scope, text=text, as_of=at(2))
        assert set(await found(tier, query)) == {"m0", "m1", "m2"}


async def test_a_later_amount_comes_before_the_one_it_replaces_and_not_before_it_was_said(
    tier: PostgresEpisodicTier, scope: Scope
) -> None:
    said = ["I keep 8 hens in the garden shed", "The fox is back", "Now I keep 12 hens in the garden"]
    await tier.store(scope, [episodic_entry(text, id=text, occurred_at=at(index)) for index, text in enumerate(said)])
    query = episodic_query(scope, "How many hens do I keep in the garden shed?")
    memories = await tier.retrieve(query)
    assert [memory.id for memory in memories][:2] == [said[2], said[0]]
    assert [memory.score for memory in memories] == sorted((memory.score for memory in memories), reverse=True)
    assert (await found(tier, query.model_copy(update={"as_of": at(1)})))[0] == said[0]
    past = episodic_query(scope, "How many hens did I keep in the garden shed?")
    assert (await found(tier, past))[0] == said[0]


async def test_a_memory_says_where_the_part_that_was_found_begins(tier: PostgresEpisodicTier, scope: Scope) -> None:
    long = "\n\n".join([*(f"Paragraph {number} tells of the weather and the sea." for number in range(60)), "A heron!"])
    await tier.store(scope, [episodic_entry(long, id="long"), episodic_entry("short heron", id="short")])
    by_id = {memory.id: memory for memory in await tier.retrieve(episodic_query(scope, "Which heron?"))}
    assert by_id["short"].focus == 0
    assert 0 < by_id["long"].focus <= long.index("A heron!")
    assert COUNTER.count(long[by_id["long"].focus :]) <= 256


async def test_without_a_question_the_latest_come_first(tier: PostgresEpisodicTier, scope: Scope) -> None:
    await tier.store(scope, [episodic_entry(f"message {n}", id=f"m{n}", occurred_at=at(-n)) for n in range(5)])
    memories = await tier.retrieve(MemoryQuery(scope=scope, text="  ", limit=3))
    assert [memory.id for memory in memories] == ["m0", "m1", "m2"]
    assert [memory.score for memory in memories] == sorted((memory.score for memory in memories), reverse=True)


async def test_a_scan_counts_words_as_the_texts_hold_them(tier: PostgresEpisodicTier, scope: Scope) -> None:
    words = ["saffron", "umbrella", "granite", "zeppelin"]
    rng = np.random.default_rng(3)
    entries = [
        episodic_entry(" ".join(rng.choice(words, rng.integers(1, 6))), id=f"m{number}", occurred_at=at(number))
        for number in range(60)
    ]
    await asyncio.gather(*(tier.store(scope, entries[start::4]) for start in range(4)))
    wanted = query_terms(" ".join(words))

    async def counted() -> list[int]:
        async with tier._store.reader(scope) as reader:
            found = unpack(await reader.scan(Filters(), None, None, wanted), wanted)
        return [int(count) for count in (found.lexical > 0).sum(axis=0)]

    def held(kept: list[InteractionEntry]) -> list[int]:
        lines = [set(terms(lexical_line(entry.interaction))) for entry in kept]
        return [sum(term in line for line in lines) for term in wanted]

    assert await counted() == held(entries)
    await tier.forget(scope, [entry.id for entry in entries[:25]])
    assert await counted() == held(entries[25:])
