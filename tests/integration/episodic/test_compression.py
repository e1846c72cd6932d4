"""Old raw text is kept compressed, and nobody can tell."""

import asyncio
from collections.abc import Mapping
from datetime import timedelta

import pytest

from ragpp.stores.compression import packed_all
from ragpp.stores.postgres import as_tenant
from ragpp_infra.embedded.stack import Endpoints
from ragpp_services.episodic import tier as tier_module
from ragpp_services.episodic.tier import COMPRESSED_AT_ONCE, PostgresEpisodicTier
from tests.support.asking import connected
from tests.support.episodic import NOON, episodic_entry, episodic_query
from tests.support.scopes import new_scope

pytestmark = pytest.mark.server
LONG = "We walked along the harbour and talked about the lighthouse keeper. " * 20


async def test_compressed_text_reads_is_found_and_is_forgotten_as_before(
    endpoints: Endpoints, tier: PostgresEpisodicTier
) -> None:
    scope = new_scope()
    entries = [
        episodic_entry(LONG, id="old", occurred_at=NOON),
        episodic_entry("A lighthouse.", id="short", occurred_at=NOON),
        episodic_entry(LONG + "Yesterday.", id="new", occurred_at=NOON + timedelta(days=2)),
    ]
    await tier.store(scope, entries)
    before = await tier.get(scope, ["old", "short", "new"])
    found = await tier.retrieve(episodic_query(scope, "the lighthouse keeper at the harbour"))

    assert await tier.compress(scope, NOON + timedelta(days=1)) == 1
    assert await tier.compress(scope, NOON + timedelta(days=1)) == 0  # what is done is not done again

    assert await tier.get(scope, ["old", "short", "new"]) == before
    assert await tier.retrieve(episodic_query(scope, "the lighthouse keeper at the harbour")) == found
    assert (await tier.store(scope, entries))[0].duplicate
    async with connected(endpoints.postgres_app_dsn) as connection, as_tenant(connection, scope.tenant_id):
        size = await connection.fetchval(
            "SELECT octet_length(content) + octet_length(packed) FROM episodic.interactions WHERE id = 'old'"
        )
    assert size < len(LONG) / 4
    assert await tier.forget(scope, ["old"]) == 1
    assert [one.id for one in await tier.get(scope, ["old", "new"])] == ["new"]


async def test_more_than_one_transaction_of_texts_and_nobody_elses(tier: PostgresEpisodicTier) -> None:
    scope, other = new_scope(), new_scope()
    count = COMPRESSED_AT_ONCE + 3
    await tier.store(scope, [episodic_entry(f"{number} {LONG}", id=f"m{number}") for number in range(count)])
    await tier.store(other, [episodic_entry(LONG, id="theirs")])
    assert await tier.compress(scope, NOON + timedelta(days=1)) == count
    assert await tier.compress(other, NOON + timedelta(days=1)) == 1


async def test_texts_are_read_again_when_one_is_forgotten_while_they_are_packed(
    tier: PostgresEpisodicTier, monkeypatch: pytest.MonkeyPatch
) -> None:
    scope, loop = new_scope(), asyncio.get_running_loop()
    await tier.store(scope, [episodic_entry(LONG, id="m"), episodic_entry(LONG, id="n")])
    read: list[set[str]] = []

    def slowly(contents: Mapping[str, str]) -> dict[str, bytes]:
        if not read:
            asyncio.run_coroutine_threadsafe(tier.forget(scope, ["m"]), loop).result(60)
        read.append({*contents})
        return packed_all(contents)

    monkeypatch.setattr(tier_module, "packed_all", slowly)
    assert await tier.compress(scope, NOON + timedelta(days=1)) == 1
    assert read == [{"m", "n"}, {"n"}]
