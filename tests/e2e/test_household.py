"""One user, several names: "I" is who asks."""

import pytest

from ragpp.api import RecallResponse
from ragpp.client import AsyncMemoryClient
from ragpp.models import TierName
from tests.support.real_gateway import RealGateway

pytestmark = pytest.mark.server
USER = "home"
SAID = {
    "Nora": ["I park on level 3.", "I work at Brightline.", "My dentist is Dr. Weiss."],
    "Tom": ["I park on level 7.", "I work at Acme.", "My dentist is Dr. Okafor."],
}


async def asked(memory: AsyncMemoryClient, name: str, query: str, tier: TierName) -> RecallResponse:
    return await memory.recall(user_id=USER, name=name, query=query, tiers=[tier], deadline_ms=30_000)


async def test_how_one_of_them_wants_to_be_answered_stands_for_that_one_alone(
    memory: AsyncMemoryClient, gateway: RealGateway, tenant: str
) -> None:
    wished = {"name": "Tom", "content": "Please always answer me in German."}
    await memory.remember(user_id=USER, messages=[wished])
    await gateway.digest(tenant)
    standing = {}
    for name in ("Nora", "Tom", None):
        answer = await memory.recall(user_id=USER, name=name, query="a pancake recipe", deadline_ms=30_000)
        standing[name] = [one.text for one in answer.memories if one.metadata.get("standing")]
    assert (standing["Nora"], len(standing["Tom"])) == ([], 1)
    assert standing["Tom"] == standing[None]


async def test_a_rule_that_one_of_them_taught_is_for_nobody_else_by_name(
    memory: AsyncMemoryClient, gateway: RealGateway, tenant: str
) -> None:
    said = [("Tom", "please keep it short when you answer me")]
    said += [(name, "From now on always answer in German.") for name in ("Tom", "Nora")]
    for number, (who, content) in enumerate(said):
        await memory.remember(user_id=USER, session_id=f"s{number}", messages=[{"name": who, "content": content}])
    await gateway.digest(tenant)
    await memory.extract(USER)
    await gateway.digest(tenant)
    ruled: dict[str | None, set[str]] = {}
    for name in ("Nora", "Tom", None):
        answer = await memory.recall(user_id=USER, name=name, query="a pancake recipe", deadline_ms=30_000)
        ruled[name] = {one.text for one in answer.memories if one.kind == "rule"}
    assert ruled["Nora"] == {"Answer in German."}
    assert len(ruled["Tom"]) == 2
    assert ruled["Tom"] == ruled[None]


async def test_i_is_who_asks(memory: AsyncMemoryClient, gateway: RealGateway, tenant: str) -> None:
    messages = [
        {"name": name, "content": content}
        for told in zip(*SAID.values(), strict=True)
        for name, content in zip(SAID, told, strict=True)
    ]
    await memory.remember(user_id=USER, messages=messages)
    await gateway.digest(tenant)
    for name, (parks, works, dentist) in SAID.items():
        for query, said in (("where do i park?", parks), ("Where do I work?", works), ("who's my dentist?", dentist)):
            answer = await asked(memory, name, query, "episodic")
            assert (answer.memories[0].said_by, answer.memories[0].text) == (name, said)
            assert all(one.corrected_by is None for one in answer.memories)
        other = next(one for one in SAID if one != name)
        answer = await asked(memory, name, f"Where does {other} park?", "episodic")
        assert answer.memories[0].said_by == other
        known = await asked(memory, name, "Where do I work?", "semantic")
        assert known.memories[0].text.startswith(f"{name} WORKS_AT")
        assert name not in [one.metadata.get("name") for one in known.memories if one.kind == "entity"]
