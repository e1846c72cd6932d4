"""The semantic tier's own verbs, in process and over HTTP: the same of validity, verdicts and decay."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta

import httpx
import pytest

from infra.embedded.stack import Endpoints
from ragpp.errors import Conflict, InvalidInput, NotFound
from ragpp.learned import Consolidated
from ragpp.tiers import SemanticTier
from ragpp.web.remote import remote_tier, tier_app
from tests.support.scopes import new_scope
from tests.support.semantic import NOON, observation, relation, semantic_entry, semantic_tier

pytestmark = pytest.mark.server
CREDENTIAL = "contract-credential"
DAY = timedelta(days=1)


@pytest.fixture(params=["local", "http"])
async def tier(request: pytest.FixtureRequest, endpoints: Endpoints) -> AsyncIterator[SemanticTier]:
    async with semantic_tier(endpoints, clock=lambda: NOON) as local:
        if request.param == "local":
            yield local
            return

        @asynccontextmanager
        async def opened() -> AsyncIterator[SemanticTier]:
            yield local

        app = tier_app(SemanticTier, opened, CREDENTIAL)
        async with (
            app.router.lifespan_context(app),
            httpx.AsyncClient(
                transport=httpx.ASGITransport(app=app),
                base_url="http://tier",
                headers={"authorization": f"Bearer {CREDENTIAL}"},
            ) as client,
        ):
            yield remote_tier(SemanticTier, "semantic", client)


async def test_an_ending_closes_a_relationship_at_its_time(tier: SemanticTier) -> None:
    scope = new_scope()
    begin, end = NOON - 9 * DAY, NOON - 2 * DAY
    await tier.observe(scope, [observation("m1", at=begin, relationships=(relation("Noor", "LIVES_IN", "Porto"),))])
    over = relation("Noor", "LIVES_IN", "Porto", ends=True)
    await tier.observe(scope, [observation("m2", at=end, relationships=(over,))])
    assert (await tier.list_relationships(scope)).items == ()
    (ended,) = (await tier.list_relationships(scope, state="ended")).items
    assert (ended.valid_from, ended.valid_to, ended.ended_by, ended.learned_at) == (begin, end, "m2", begin)
    (then,) = (await tier.list_relationships(scope, as_of=end - DAY)).items
    assert (then.id, then.valid_to) == (ended.id, None)


async def test_a_person_confirms_rejects_and_restores(tier: SemanticTier) -> None:
    scope = new_scope()
    await tier.store(scope, [relation("Noor", "LIKES", "tea", at=NOON - 400 * DAY)])
    (doubtful,) = await tier.review_relationships(scope, 0.5)
    assert await tier.consolidate(scope, NOON, 0.01) == Consolidated(updated=1, archived=1)
    assert await tier.consolidate(scope, NOON, 0.01) == Consolidated()
    (archived,) = (await tier.list_relationships(scope, state="archived")).items
    assert (archived.id, archived.archived) == (doubtful.id, True)
    restored = await tier.restore_relationship(scope, doubtful.id)
    assert (restored.archived, restored.confidence) == (False, 0.6)
    with pytest.raises(Conflict):
        await tier.restore_relationship(scope, doubtful.id)
    assert (await tier.judge_relationship(scope, doubtful.id, "rejected")).verdict == "rejected"
    assert [item.id for item in (await tier.list_relationships(scope, state="rejected")).items] == [doubtful.id]
    assert (await tier.judge_relationship(scope, doubtful.id, "confirmed")).confidence == 1.0
    with pytest.raises(NotFound):
        await tier.judge_relationship(new_scope(), doubtful.id, "rejected")


async def test_consolidating_answers_what_became_one(tier: SemanticTier) -> None:
    scope = new_scope()
    await tier.store(scope, [semantic_entry("Café Rosa", label="ORG"), semantic_entry("Cafe Rosa", label="ORG")])
    await tier.store(scope, [relation("Noor", "LIKES", "tea", at=NOON - 400 * DAY)])
    done = await tier.consolidate(scope, NOON, None)
    assert (done.updated, done.archived) == (0, 0)
    (merged,) = done.merged
    assert (merged.name, merged.aliases, len(merged.merged_from)) == ("Café Rosa", ("Cafe Rosa",), 1)
    assert await tier.consolidate(scope, NOON, None) == Consolidated()
    assert (await tier.consolidate(scope, NOON, 0.0)).updated == 1
    with pytest.raises(InvalidInput):
        await tier.consolidate(scope, NOON, -1.0)
