"""A large scope is searched by segments: nothing depends on them but how long it takes."""

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Literal

import asyncpg
import pytest

from ragpp.clock import system_clock
from ragpp.embedding.hashing import HashingEmbedder
from ragpp.errors import VectorIndexError
from ragpp.models import Filters, Memory, MemoryQuery, Scope, TimeRange, Visibility
from ragpp.stores import segments
from ragpp_infra.embedded.stack import Endpoints
from ragpp_services.catalog import app as catalog_app
from ragpp_services.catalog.tier import PostgresCatalogTier
from ragpp_services.episodic import app as episodic_app
from ragpp_services.episodic.tier import PostgresEpisodicTier
from tests.support.asking import connected
from tests.support.catalog import item, resource
from tests.support.each import each
from tests.support.episodic import COUNTER, NOON, episodic_entry, postgres_settings
from tests.support.scopes import new_scope
from tests.support.waiting import eventually, well

pytestmark = pytest.mark.server

Name = Literal["episodic", "catalog"]
Tier = PostgresEpisodicTier | PostgresCatalogTier
ROWS = 8
TEXTS = [
    f"{who} {does} the {what} in {where}"
    for who in ("Ada", "Ben", "Cara")
    for does in ("moved", "sold", "painted")
    for what in ("piano", "boat", "gate")
    for where in ("Leeds", "Porto")
]


@pytest.fixture(autouse=True)
def small_segments(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(segments, "ROWS", ROWS)


@pytest.fixture(scope="module", params=["episodic", "catalog"])
def name(request: pytest.FixtureRequest) -> Name:
    return request.param  # type: ignore[no-any-return]  # one of the params


@pytest.fixture(scope="module")
async def tier(endpoints: Endpoints, name: Name) -> AsyncIterator[Tier]:
    settings = postgres_settings(endpoints).model_copy(update={"segments_from_rows": 20})
    module = episodic_app if name == "episodic" else catalog_app
    await module.migrate(settings)
    async with module.open_tier(settings, embedder=HashingEmbedder(), counter=COUNTER, clock=system_clock) as opened:
        yield opened


@pytest.fixture(scope="module")
async def owner(endpoints: Endpoints) -> AsyncIterator[asyncpg.Connection]:
    async with connected(endpoints.postgres_owner_dsn) as connection:
        yield connection


async def said(tier: Tier, scope: Scope, texts: list[str], *, agent: str | None = None, first: int = 0) -> list[str]:
    """Their ids. An hour lies between each two, and three make a session, or a resource."""
    ids = [f"m{first + place}" for place in range(len(texts))]
    moments = [NOON + timedelta(hours=first + place) for place in range(len(texts))]
    if isinstance(tier, PostgresEpisodicTier):
        seen: Visibility = "agent" if agent else "shared"
        entries = [
            episodic_entry(
                text, id=one, occurred_at=moment, session_id=f"s{place // 3}", agent_id=agent, visibility=seen
            )
            for place, (one, text, moment) in enumerate(zip(ids, texts, moments, strict=True), first)
        ]
        await tier.store(scope, entries)
        await tier.index_sentences(scope, 1_000)
    else:
        for place, (one, text, moment) in enumerate(zip(ids, texts, moments, strict=True), first):
            source = f"r{place // 3}{agent or ''}"
            await tier.store(scope, [resource(id=source)])
            await tier.store(scope, [item(text, source, id=one, occurred_at=moment, seen_by=agent)])
    return ids


async def asked(tier: Tier, scope: Scope, text: str, *, limit: int = 10, **filters: object) -> list[Memory]:
    query = MemoryQuery(scope=scope, text=text, limit=limit, filters=Filters.model_validate(filters))
    found = await tier.retrieve(query)
    return [one if isinstance(one, Memory) else one.memory for one in found]


async def kept(endpoints: Endpoints, name: Name, scope: Scope) -> list[tuple[int, int]]:
    """(first, last) of the scope's segments, which have as many terms as they need."""
    async with connected(endpoints.postgres_app_dsn) as connection, connection.transaction(isolation="repeatable_read"):
        await connection.execute("SELECT set_config('ragpp.tenant_id', $1, true)", scope.tenant_id)
        rows = await connection.fetch(f"SELECT first, last FROM {name}.segments ORDER BY first")  # noqa: S608
        firsts = await connection.fetch(f"SELECT DISTINCT first FROM {name}.segment_terms ORDER BY first")  # noqa: S608
    assert [row["first"] for row in firsts] == [row["first"] for row in rows]
    return [(row["first"], row["last"]) for row in rows]


def told(found: list[Memory]) -> list[tuple[str, float]]:
    """Ids and scores; segments keep weights in half precision, which what a session lends is taken from."""
    return [(one.id, round(one.score, 2)) for one in found]


async def fits(tier: Tier, scope: Scope) -> bool:
    """True where there are segments, and all can be read."""
    try:
        async with tier._store.segments(scope) as rows:
            return bool((await rows.read([scope.user_id], [])).segments)
    except VectorIndexError:
        return False


QUESTIONS = ("Who moved the piano?", "What did Ben sell in Porto?", "the gate in Leeds", "Cara")


async def test_by_segments_the_answers_are_those_of_a_scan_of_all_rows(
    tier: Tier, scope: Scope, endpoints: Endpoints, name: Name
) -> None:
    await said(tier, scope, TEXTS)
    before = [told(await asked(tier, scope, question)) for question in QUESTIONS]
    await tier.segmenter.built(scope)
    assert len(await kept(endpoints, name, scope)) >= 5
    assert [told(await asked(tier, scope, question)) for question in QUESTIONS] == before


async def test_what_was_just_stored_is_found_beside_segments(tier: Tier, scope: Scope) -> None:
    await said(tier, scope, TEXTS)
    await tier.segmenter.built(scope)
    (new,) = await said(tier, scope, ["Dov keeps an umbrella made of granite"], first=100)
    assert (await asked(tier, scope, "an umbrella of granite"))[0].id == new


async def test_what_is_forgotten_takes_its_segment_with_it_and_the_rest_is_found_as_before(
    tier: Tier, scope: Scope, endpoints: Endpoints, name: Name
) -> None:
    ids = await said(tier, scope, TEXTS)
    await tier.segmenter.built(scope)
    whole = await kept(endpoints, name, scope)
    await tier.forget(scope, [ids[10]])
    assert len(await kept(endpoints, name, scope)) == len(whole) - 1
    left = [one.id for one in await asked(tier, scope, TEXTS[10], limit=60)]
    assert ids[10] not in left
    if name == "episodic":  # items whose source stays are all there
        assert len(left) == len(TEXTS) - 1
    await tier.segmenter.built(scope)
    assert len(await kept(endpoints, name, scope)) == len(whole)
    assert [one.id for one in await asked(tier, scope, TEXTS[10], limit=60)] == left


async def test_a_search_over_many_rows_has_them_made_behind_it(
    tier: Tier, scope: Scope, endpoints: Endpoints, name: Name
) -> None:
    await said(tier, scope, TEXTS)
    await asked(tier, scope, QUESTIONS[0])
    async with asyncio.timeout(60):
        while not await kept(endpoints, name, scope):
            await asked(tier, scope, QUESTIONS[0])


async def test_few_rows_have_no_segments(tier: Tier, scope: Scope, endpoints: Endpoints, name: Name) -> None:
    await said(tier, scope, TEXTS[:9])
    await tier.segmenter.built(scope)
    assert await kept(endpoints, name, scope) == []


async def test_an_agent_finds_by_segments_what_it_may_see_and_no_more(tier: Tier, scope: Scope) -> None:
    await said(tier, scope, TEXTS[:24])
    secret = await said(tier, scope, [f"the code of the safe is {n}" for n in range(12)], agent="amy", first=200)
    await tier.segmenter.built(scope)
    own = {one.id for one in await asked(tier, scope.seen_by("amy"), "the code of the safe", limit=50)}
    assert own >= set(secret)
    others = {one.id for one in await asked(tier, scope.seen_by("bob"), "the code of the safe", limit=50)}
    assert others.isdisjoint(secret)


async def test_time_and_excluded_ids_narrow_what_segments_point_to(tier: Tier, scope: Scope) -> None:
    ids = await said(tier, scope, TEXTS)
    during = TimeRange(start=NOON + timedelta(hours=10), end=NOON + timedelta(hours=20))
    narrowed = {"time_range": during, "exclude": frozenset(ids[12:15])}
    before = await asked(tier, scope, QUESTIONS[2], limit=50, **narrowed)
    await tier.segmenter.built(scope)
    found = await asked(tier, scope, QUESTIONS[2], limit=50, **narrowed)
    assert [one.id for one in found] == [one.id for one in before]
    assert {one.id for one in found} == {*ids[10:12], *ids[15:20]}


async def test_as_of_a_moment_nothing_later_is_chosen_or_counted(tier: Tier, scope: Scope) -> None:
    ids = await said(tier, scope, TEXTS)
    query = MemoryQuery(scope=scope, text=QUESTIONS[1], limit=50, as_of=NOON + timedelta(hours=30))
    before = await tier.retrieve(query)
    await tier.segmenter.built(scope)
    found = await tier.retrieve(query)
    known = [one if isinstance(one, Memory) else one.memory for one in found]
    assert [one.id for one in known] == [one.id if isinstance(one, Memory) else one.memory.id for one in before]
    assert {one.id for one in known} <= set(ids[:31])


DAMAGES = (
    "bits = '\\x00'",
    "ordinals = '\\x0000000000000000'",
    "starts = '\\xffffff7f'",
    "vectors = 3",
    "agents = '{}', viewers = '\\x0000'",
)


async def test_a_broken_segment_is_counted_and_noticed_by_nobody_and_made_anew(
    tier: Tier, name: Name, owner: asyncpg.Connection
) -> None:
    async def unnoticed(damage: str) -> None:
        scope, failures = new_scope(), tier.segmenter.failures
        await said(tier, scope, TEXTS)
        before = [told(await asked(tier, scope, question)) for question in QUESTIONS]
        await tier.segmenter.built(scope)
        await damaged(owner, name, scope, damage)
        assert [told(await asked(tier, scope, question)) for question in QUESTIONS] == before
        assert tier.segmenter.failures > failures
        assert "index failures: " in (await well(tier)).detail
        async with asyncio.timeout(60):
            while not await fits(tier, scope):
                await asked(tier, scope, QUESTIONS[0])
        assert [told(await asked(tier, scope, question)) for question in QUESTIONS] == before

    await each(DAMAGES, unnoticed)


async def damaged(owner: asyncpg.Connection, name: Name, scope: Scope, damage: str) -> None:
    async with owner.transaction():
        await owner.execute(f"ALTER TABLE {name}.segments NO FORCE ROW LEVEL SECURITY")
        await owner.execute(f"UPDATE {name}.segments SET {damage} WHERE tenant_id = $1", scope.tenant_id)  # noqa: S608
        await owner.execute(f"ALTER TABLE {name}.segments FORCE ROW LEVEL SECURITY")


async def test_a_row_that_changes_while_a_segment_is_made_is_read_again(
    tier: Tier, scope: Scope, endpoints: Endpoints, name: Name
) -> None:
    ids = await said(tier, scope, TEXTS)
    store = tier._store
    async with store.segments(scope) as rows:
        missing = await rows.missing(scope.user_id, 1)
        assert missing is not None
        read = await rows.read_missing(missing)
    await tier.forget(scope, [ids[1]])
    async with store.segments_writing(scope) as rows:
        assert not await rows.insert(missing, read.version, read.source())
    assert await kept(endpoints, name, scope) == []


async def test_another_tenant_has_nothing_of_it(tier: Tier, scope: Scope, endpoints: Endpoints, name: Name) -> None:
    await said(tier, scope, TEXTS)
    await tier.segmenter.built(scope)
    stranger = new_scope().model_copy(update={"user_id": scope.user_id})
    assert await kept(endpoints, name, stranger) == []
    assert await asked(tier, stranger, QUESTIONS[0]) == []


async def test_whatever_is_stored_forgotten_and_made_at_once_segments_are_of_what_is_there(
    tier: Tier, scope: Scope
) -> None:
    ids = await said(tier, scope, TEXTS)
    gone: set[str] = set()

    async def store() -> None:
        for place in range(6):
            ids.extend(await said(tier, scope, [f"Eve painted door {place}, the {place}th"], first=300 + place))

    async def forget() -> None:
        for identifier in ids[:12:2]:
            await tier.forget(scope, [identifier])
            gone.add(identifier)

    async def make() -> None:
        for _ in range(6):
            await tier.segmenter.built(scope)

    async def ask() -> None:
        for question in QUESTIONS * 4:
            known = set(gone)
            found = await asked(tier, scope, question, limit=100)
            assert known.isdisjoint(one.id for one in found)

    await asyncio.gather(store(), forget(), make(), make(), ask())
    await tier.segmenter.built(scope)
    async with tier._store.segments(scope) as rows:
        segmented = await rows.read([scope.user_id], [])
        covered = [ordinal for one in segmented.segments for ordinal in one.ordinals.tolist()]
    assert len(covered) == len(set(covered))
    assert len(segmented.segments) >= 3
    everything = await asked(tier, scope, "Eve Ada Ben Cara", limit=100)
    assert gone.isdisjoint(one.id for one in everything)
    by_segments = [told(await asked(tier, scope, question, limit=50)) for question in QUESTIONS]
    await tier.segmenter.drop(scope)
    assert by_segments == [told(await asked(tier, scope, question, limit=50)) for question in QUESTIONS]


@pytest.mark.parametrize("name", ["catalog"], indirect=True)
async def test_rebuilding_the_index_makes_segments_anew(
    tier: Tier, scope: Scope, endpoints: Endpoints, name: Name
) -> None:
    assert isinstance(tier, PostgresCatalogTier)
    await said(tier, scope, TEXTS)
    await tier.segmenter.built(scope)
    whole = await kept(endpoints, name, scope)
    after: str | None = None
    while after := await tier.rebuild(scope, after, 20):
        pass

    async def all_there() -> bool:
        return await kept(endpoints, name, scope) == whole

    await eventually(all_there, within_s=60, what="segments of all items")


@pytest.mark.parametrize("name", ["catalog"], indirect=True)
async def test_what_takes_the_place_of_something_that_went_is_found_by_segments(tier: Tier, scope: Scope) -> None:
    assert isinstance(tier, PostgresCatalogTier)
    await said(tier, scope, TEXTS)
    await tier.store(scope, [resource("all about doors", id="doors", resource_type="conversation")])
    doors = [item(f"Door {place} is painted green", "doors", by_hand=False) for place in range(12)]
    await tier.put_extracted(scope, "doors", doors)
    await tier.segmenter.built(scope)
    anew = [item(f"Window {place} is made of granite", "doors", by_hand=False) for place in range(12)]
    await tier.put_extracted(scope, "doors", anew)
    found = [one.text for one in await asked(tier, scope, "windows of granite", limit=40)]
    assert {one.content for one in anew} <= set(found)
    assert not any("Door" in one for one in found)
