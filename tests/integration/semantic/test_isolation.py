"""One user and another in the semantic tier, hostile names and ids, and every statement, on a real Neo4j."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragpp.errors import NotFound
from ragpp.models import MemoryQuery, Scope
from ragpp_services.semantic.tier import Neo4jSemanticTier
from tests.support.each import each
from tests.support.examples import examples
from tests.support.scopes import new_scope
from tests.support.semantic import entities, named, relation, relationships, semantic_entry, semantic_query

pytestmark = pytest.mark.server
HOSTILE = [
    'O\'Brien "the" {cat} $scope `x` \\ */ // --',
    "a\nb\tc\r\nd",
    "*",
    "%_%",
    "}) DETACH DELETE e //",
    "مرحبا \u202etxet\u202c",
    "👩‍👩‍👧‍👦 Ünïcødé ﬁ",
    " ",
    "\u200b",
    "ﷺ" * 200,
    "😀" * 200,
]


async def test_hostile_texts_come_back_as_they_went(tier: Neo4jSemanticTier) -> None:
    async def comes_back(text: str) -> None:
        await as_it_went(tier, text)

    await each(HOSTILE, comes_back)


async def as_it_went(tier: Neo4jSemanticTier, text: str) -> None:
    scope = Scope(tenant_id=text[:256].strip() or "t", user_id=f"{new_scope().user_id}{text}"[:256])
    await tier.store(scope, [semantic_entry(text, id=text[:256], aliases=(text[::-1],), sources=(text[:256],))])
    entry = relation(text, "LIKES", "tea", context=text, sources=(text[:256],))
    await tier.store(scope, [entry.model_copy(update={"source_label": "PRODUCT"})])
    found = await tier.retrieve(semantic_query(scope, text))
    assert {memory.metadata.get("name") for memory in found if memory.kind == "entity"} >= {text}
    (likes,) = await relationships(tier, scope)
    assert (likes.source, likes.context, likes.sources) == (text, text[:1_000], (text[:256],))
    assert (await tier.list_entities(new_scope())).items == ()
    assert await tier.forget_sources(scope, [text[:256]]) == 3
    assert await entities(tier, scope) == []


async def test_the_longest_ids_fit(tier: Neo4jSemanticTier) -> None:
    longest = "😀" * 256
    scope = Scope(tenant_id=longest, user_id=new_scope().user_id.ljust(256, "😀"))
    await tier.store(scope, [semantic_entry("ﷺ" * 200, id=longest, sources=(longest,))])
    assert await tier.forget(scope, [longest]) == 1


async def test_nothing_of_one_user_reaches_another(tier: Neo4jSemanticTier) -> None:
    alice = new_scope()
    bob = Scope(tenant_id=alice.tenant_id, user_id=new_scope().user_id)
    carol = Scope(tenant_id=new_scope().tenant_id, user_id=alice.user_id)
    for scope, place in ((alice, "Leeds"), (bob, "Porto"), (carol, "Graz")):
        await tier.store(scope, [relation("Noor", "LIVES_IN", place, id="same", sources=("same",))])
    for scope, place in ((alice, "Leeds"), (bob, "Porto"), (carol, "Graz")):
        found = await tier.retrieve(MemoryQuery(scope=scope, text="Where do Noor, Leeds, Porto and Graz meet?"))
        assert {memory.text for memory in found} == {"Noor (PERSON)", f"{place} (GPE)", f"Noor LIVES_IN {place}"}
    noor, leeds = await named(tier, alice, "Noor"), await named(tier, alice, "Leeds")
    (lives,) = await relationships(tier, alice)
    for other in (bob, carol):
        with pytest.raises(NotFound):
            await tier.get_entity(other, noor.id)
        with pytest.raises(NotFound):
            await tier.get_relationship(other, lives.id)
        with pytest.raises(NotFound):
            await tier.merge_entities(other, noor.id, leeds.id)
        with pytest.raises(NotFound):
            await tier.merge_entities(other, (await named(tier, other, "Noor")).id, noor.id)
        with pytest.raises(NotFound):
            await tier.split_entity(other, noor.id, leeds.id)
        assert await tier.forget(other, [noor.id, leeds.id, lives.id]) == 0
        assert (await tier.list_relationships(other, entity_id=noor.id)).items == ()
    assert await tier.forget(bob, ["same"]) == 1
    assert await tier.forget_sources(carol, ["same"]) == 3
    assert await relationships(tier, alice) == [lives]
    assert len(await entities(tier, alice)) == 2


names_of_two = st.lists(
    st.tuples(
        st.booleans(), st.sampled_from(["Noor", "noor", "{scope: $scope}", "*", "' OR 1=1 //", "\\"]), st.booleans()
    ),
    min_size=2,
    max_size=8,
)


@settings(max_examples=examples(6))
@given(names_of_two)
async def test_two_users_with_the_same_names_never_meet(
    tier: Neo4jSemanticTier, said: list[tuple[bool, str, bool]]
) -> None:
    one = new_scope()
    other = Scope(tenant_id=one.tenant_id, user_id=f"{one.user_id}/")
    for number, (first, name, related) in enumerate(said):
        scope, place = (one, "Leeds") if first else (other, "Graz")
        entry = relation(name, "LIVES_IN", place, id=str(number)) if related else semantic_entry(name, id=str(number))
        await tier.store(scope, [entry])
    for scope, foreign in ((one, "Graz"), (other, "Leeds")):
        own = {entity.id for entity in await entities(tier, scope)} | {
            edge.id for edge in await relationships(tier, scope)
        }
        for _, name, _ in said:
            found = await tier.retrieve(MemoryQuery(scope=scope, text=f"{name} {foreign}", entities=(name, foreign)))
            assert {memory.id for memory in found} <= own
            assert foreign not in " ".join(memory.text for memory in found)
    mine = await entities(tier, one), await relationships(tier, one)
    everything = {entity.id for entity in await entities(tier, other)} | {str(number) for number in range(len(said))}
    await tier.forget(other, everything)
    assert await entities(tier, other) == []
    assert (await entities(tier, one), await relationships(tier, one)) == mine
