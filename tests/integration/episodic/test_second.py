"""A chunk's vector by the second encoder: made once, beside its sentences, and gone with it."""

from collections.abc import AsyncIterator
from datetime import datetime, timedelta

import asyncpg
import numpy as np
import pytest

from ragpp.embedding import SecondEncoder
from ragpp.embedding.second import E5Encoder
from ragpp.models import Filters, Scope
from ragpp.ranking.segments import Source
from ragpp.stores.postgres import as_tenant
from ragpp.stores.segments import Gap, Missing, Segmented
from ragpp_infra.embedded.stack import Endpoints
from ragpp_services.episodic.ranking.second import on_first_scale
from ragpp_services.episodic.scan import Asked, Scanned, unpack
from ragpp_services.episodic.search import Search
from ragpp_services.episodic.store import EpisodicStore
from ragpp_services.episodic.tier import PostgresEpisodicTier
from tests.support.episodic import NOON, all_indexed, episodic_entry, episodic_query, episodic_tier
from tests.support.scopes import new_scope
from tests.support.second import HashingSecond, second_jar

pytestmark = pytest.mark.server
QUESTION = "the saffron lighthouse"


@pytest.fixture(scope="module")
def second() -> HashingSecond:
    return HashingSecond()


@pytest.fixture(scope="module")
async def tier(endpoints: Endpoints, second: HashingSecond) -> AsyncIterator[PostgresEpisodicTier]:
    async with episodic_tier(endpoints, second=second) as opened:
        yield opened


@pytest.fixture(scope="module")
async def bare(endpoints: Endpoints) -> AsyncIterator[PostgresEpisodicTier]:
    """The same tier without a second encoder."""
    async with episodic_tier(endpoints) as opened:
        yield opened


async def numbers(app: asyncpg.Connection, scope: Scope) -> dict[str, list[int]]:
    """The numbers of each message's rows."""
    async with as_tenant(app, scope.tenant_id):
        rows = await app.fetch(
            """SELECT said.id, array_agg(number::int ORDER BY part, number) AS numbers
                 FROM episodic.sentences JOIN episodic.interactions AS said
                   ON said.tenant_id = sentences.tenant_id AND said.user_id = sentences.user_id AND said.ordinal = turn
                GROUP BY said.id"""
        )
    return {row["id"]: row["numbers"] for row in rows}


async def encoded(
    tier: PostgresEpisodicTier, scope: Scope, encoder: SecondEncoder, as_of: datetime | None = None
) -> dict[str, float]:
    """The cosine of each message with QUESTION by the second encoder, which ranking is given on its scale."""
    [embedding] = await tier._embedder.embed([QUESTION])
    [question] = await encoder.encode_questions([QUESTION])
    query = episodic_query(scope, QUESTION)
    store: EpisodicStore = tier._store
    async with store.reader(scope) as reader:
        columns = await reader.scan(Filters(), as_of, embedding, (), second=question)
        search = Search.of(Scanned(columns), Asked(query, embedding, (), question))
        found = await reader.found(search.keys(0, len(search.ranked)), None, vectors=False)
    assert search.table.second is not None
    cosines = unpack(columns, ()).second
    assert np.array_equal(search.table.second, on_first_scale(cosines, question), equal_nan=True)
    places = {found[int(ordinal)].stored.interaction.id: row for row, ordinal in enumerate(search.table.ordinals)}
    return {identifier: float(cosines[row]) for identifier, row in places.items()}


async def test_a_chunk_is_encoded_once_with_its_speaker_beside_its_sentences(
    tier: PostgresEpisodicTier, second: HashingSecond, app: asyncpg.Connection
) -> None:
    scope = new_scope()
    entries = [
        episodic_entry("The saffron lighthouse.", id="m1", name="Ana"),
        episodic_entry("It rained. We swam.", id="m2"),
        episodic_entry("Why?", id="m3"),
    ]
    await tier.store(scope, entries)
    second.heard.clear()
    assert [await tier.index_sentences(scope, 2) for _ in range(3)] == [2, 1, 0]
    assert second.heard == ["Ana: The saffron lighthouse.", "It rained. We swam.", "Why?"]
    assert await numbers(app, scope) == {"m1": [-1], "m2": [-1, 0, 1], "m3": [-1]}
    [question] = await second.encode_questions([QUESTION])
    [ana, *_] = await second.encode_passages(["Ana: The saffron lighthouse."])
    cosines = await encoded(tier, scope, second)
    assert cosines["m1"] == pytest.approx(float(ana @ question), abs=1e-3)
    assert cosines["m1"] > max(cosines["m2"], cosines["m3"])


async def test_who_was_indexed_without_is_completed_where_there_is_one_and_embeds_no_sentence_again(
    tier: PostgresEpisodicTier, bare: PostgresEpisodicTier, second: HashingSecond, app: asyncpg.Connection
) -> None:
    scope = new_scope()
    await bare.store(scope, [episodic_entry("It rained. We swam.", id=f"m{n}") for n in range(5)])
    assert await all_indexed(bare, scope) == 5
    assert set(map(tuple, (await numbers(app, scope)).values())) == {(0, 1)}
    assert all(np.isnan(cosine) for cosine in (await encoded(tier, scope, second)).values())
    second.heard.clear()
    assert [await tier.index_sentences(scope, 3) for _ in range(3)] == [3, 2, 0]
    assert second.heard == ["It rained. We swam."] * 5
    assert set(map(tuple, (await numbers(app, scope)).values())) == {(-1, 0, 1)}


async def test_workers_with_and_without_one_take_turns_and_nothing_is_done_twice(
    tier: PostgresEpisodicTier, bare: PostgresEpisodicTier, second: HashingSecond, app: asyncpg.Connection
) -> None:
    scope = new_scope()
    second.heard.clear()
    for round_ in range(3):
        await bare.store(scope, [episodic_entry(f"It rained. We swam {round_}.", id=f"m{round_}")])
        assert await all_indexed(bare, scope) == 1
        assert await all_indexed(tier, scope) == 1
        assert await all_indexed(bare, scope) == 0
    assert second.heard == [f"It rained. We swam {round_}." for round_ in range(3)]
    assert await numbers(app, scope) == {f"m{n}": [-1, 0, 1] for n in range(3)}


async def test_a_chunk_without_sentences_is_not_taken_for_one_that_has_some(
    tier: PostgresEpisodicTier, bare: PostgresEpisodicTier, app: asyncpg.Connection
) -> None:
    """Its vector by the second encoder may be there before them, as after somebody's first message is forgotten."""
    scope = new_scope()
    entries = [
        episodic_entry("I am here.", id="b1", name="Ben"),
        episodic_entry("I saw you there. It rained.", id="a1", name="Ana"),
    ]
    await tier.store(scope, entries)
    await all_indexed(tier, scope)
    await bare.forget(scope, ["b1"])
    assert await numbers(app, scope) == {"a1": [-1]}
    assert await all_indexed(bare, scope) == 1
    assert await numbers(app, scope) == {"a1": [-1, 0, 1]}


async def test_what_is_forgotten_has_none_and_what_is_left_keeps_its_own(
    tier: PostgresEpisodicTier, second: HashingSecond, app: asyncpg.Connection
) -> None:
    scope = new_scope()
    entries = [
        episodic_entry("I rode to town.", id="a1", name="Ana"),
        episodic_entry("I am here.", id="b1", name="Ben"),
        episodic_entry("I saw you there.", id="a2", name="Ana"),
    ]
    await tier.store(scope, entries)
    await all_indexed(tier, scope)
    second.heard.clear()
    await tier.forget(scope, ["b1"])
    await all_indexed(tier, scope)
    assert second.heard == []  # it names nobody else: of its sentences alone some are embedded again
    assert {identifier: of[0] for identifier, of in (await numbers(app, scope)).items()} == {"a1": -1, "a2": -1}
    assert not await tier.erase(scope, 1 << 62)
    assert await numbers(app, scope) == {}


async def test_only_what_is_in_the_view_and_of_the_time_has_one(
    tier: PostgresEpisodicTier, second: HashingSecond
) -> None:
    scope = new_scope()
    secret = episodic_entry("The saffron lighthouse.", id="secret", agent_id="sales", visibility="agent")
    late = episodic_entry("A saffron lighthouse.", id="late", occurred_at=NOON + timedelta(days=1))
    await tier.store(scope, [secret, episodic_entry("The lighthouse.", id="shared"), late])
    await all_indexed(tier, scope)
    assert set(await encoded(tier, scope.seen_by("sales"), second)) == {"secret", "shared", "late"}
    assert set(await encoded(tier, scope.seen_by("care"), second)) == {"shared", "late"}
    assert set(await encoded(tier, scope, second, as_of=NOON)) == {"secret", "shared"}
    assert await encoded(tier, scope.model_copy(update={"user_id": "another"}), second) == {}


async def test_it_changes_no_sentence_and_no_search_by_words(tier: PostgresEpisodicTier, second: HashingSecond) -> None:
    scope = new_scope()
    await tier.store(scope, [episodic_entry("It rained. We swam to a saffron lighthouse.", id="m1")])
    await all_indexed(tier, scope)
    [vector] = (await second.encode_questions([QUESTION])).tolist()
    lexical = episodic_query(scope, QUESTION).model_copy(update={"mode": "lexical"})
    assert await tier.retrieve(lexical) == await tier.retrieve(lexical.model_copy(update={"second": tuple(vector)}))
    async with tier._store.reader(scope) as reader:
        [embedding] = await tier._embedder.embed([QUESTION])
        with_it = unpack(await reader.scan(Filters(), None, embedding, (), second=np.asarray(vector, np.float32)), ())
        without = unpack(await reader.scan(Filters(), None, embedding, ()), ())
    assert with_it.told.tolist() == without.told.tolist()
    assert np.isfinite(with_it.second).all()
    assert np.isnan(without.second).all()


async def test_what_was_chosen_of_a_large_scope_brings_it_too_and_segments_are_made_of_sentences_alone(
    tier: PostgresEpisodicTier, bare: PostgresEpisodicTier, second: HashingSecond
) -> None:
    scope = new_scope()
    await bare.store(scope, [episodic_entry(f"The lighthouse. We swam {n}.", id=f"m{n}") for n in range(4)])
    await all_indexed(bare, scope)
    [embedding] = await tier._embedder.embed([QUESTION])
    [vector] = await second.encode_questions([QUESTION])
    gap = Gap(scope.user_id, -1, (1 << 63) - 1, is_last=True)

    async def source() -> Source:
        async with tier._store.segments(scope) as segments:
            return (await segments.read_missing(Missing(gap, gap.until))).source()

    before = await source()
    await all_indexed(tier, scope)
    after = await source()
    assert (after.vector_rows == before.vector_rows).all()
    assert (after.vectors == before.vectors).all()
    async with tier._store.reader(scope) as reader:
        whole = unpack(await reader.scan(Filters(), None, embedding, (), second=vector), ())
        some = whole.ordinal[1:3].tolist()
        chosen = unpack(await reader.scan(Filters(), None, embedding, (), (some, Segmented([], [])), vector), ())
        beside = unpack(await reader.scan(Filters(), None, embedding, (), ([], Segmented([], [gap])), vector), ())
    assert chosen.ordinal.tolist() == some
    assert chosen.second.tolist() == whole.second[1:3].tolist()
    assert beside.second.tolist() == whole.second.tolist()
    assert np.isfinite(whole.second).all()


async def test_one_that_cannot_be_loaded_is_done_without(endpoints: Endpoints, app: asyncpg.Connection) -> None:
    lost, scope = HashingSecond(), new_scope()
    lost.is_lost = True
    async with episodic_tier(endpoints, second=lost) as opened:
        await opened.store(scope, [episodic_entry("It rained. We swam.", id="m1")])
        assert await all_indexed(opened, scope) == 1
    assert await numbers(app, scope) == {"m1": [0, 1]}


async def test_the_real_one_tells_the_answer_from_what_shares_its_words(endpoints: Endpoints) -> None:
    encoder, scope = E5Encoder(second_jar()), new_scope()
    try:
        async with episodic_tier(endpoints, second=encoder) as opened:
            texts = {"answers": "You see it from Porto, yellow as a crocus.", "other": "My dentist is Dr Weiss."}
            await opened.store(scope, [episodic_entry(text, id=identifier) for identifier, text in texts.items()])
            assert await all_indexed(opened, scope) == 2
            cosines = await encoded(opened, scope, encoder)
    finally:
        await encoder.close()
    assert cosines["answers"] > cosines["other"]
