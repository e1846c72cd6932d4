"""Sources that were forgotten under an earlier version stay forgotten: their plain ids become marks."""

import asyncio

import pytest
from pydantic import SecretStr

from ragpp.embedding.hashing import HashingEmbedder
from ragpp.settings import ForgettingSettings
from ragpp_infra.embedded.stack import Endpoints
from ragpp_services.procedural.app import open_tier
from ragpp_services.procedural.conversion import mark_sources_of_before
from tests.support.asking import connected
from tests.support.episodic import COUNTER, postgres_settings
from tests.support.marks import KEY, MARKS
from tests.support.procedural import procedural_entry, procedural_tier
from tests.support.scopes import new_scope

pytestmark = pytest.mark.server
AS_IT_WAS = """
    CREATE TABLE procedural.forgotten_sources (
      tenant_id text NOT NULL, user_id text NOT NULL, interaction_id text NOT NULL,
      PRIMARY KEY (tenant_id, user_id, interaction_id));
    ALTER TABLE procedural.forgotten_sources ENABLE ROW LEVEL SECURITY"""


async def test_plain_ids_of_forgotten_sources_become_marks_once(endpoints: Endpoints) -> None:
    settings, scope = postgres_settings(endpoints), new_scope()
    async with procedural_tier(endpoints):  # migrated
        pass
    async with connected(endpoints.postgres_owner_dsn) as owner:
        await owner.execute(AS_IT_WAS)
        await owner.execute("INSERT INTO procedural.forgotten_sources VALUES ($1, $2, 'm1')", *scope.user_key)
        await owner.execute("ALTER TABLE procedural.forgotten_sources FORCE ROW LEVEL SECURITY")
        await asyncio.gather(*(mark_sources_of_before(settings, MARKS) for _ in range(3)))
        assert await owner.fetchval("SELECT to_regclass('procedural.forgotten_sources')") is None
        forced = "SELECT relforcerowsecurity FROM pg_class WHERE oid = 'ledger.forgotten'::regclass"
        assert await owner.fetchval(forced)
    forgetting = ForgettingSettings(key=SecretStr(KEY))
    async with open_tier(settings, embedder=HashingEmbedder(), counter=COUNTER, forgetting=forgetting) as tier:
        late, said = (procedural_entry(text, sources=(text,)) for text in ("m1", "m2"))
        await tier.store(scope, [late, said])
        assert [item.value for item in (await tier.list_preferences(scope)).items] == ["m2"]
