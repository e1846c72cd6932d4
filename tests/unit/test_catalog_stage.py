"""The stage `catalog`: items are taken from resources, pages written, and what was forgotten is taken out anew."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta

import pytest
from pydantic import JsonValue

from ragpp.catalog import FINDING_ID, Resource, ResourceMessage
from ragpp.embedding import FloatMatrix
from ragpp.embedding.hashing import HashingEmbedder
from ragpp.entries.kinds import Kinds
from ragpp.errors import InvalidInput, Outdated
from ragpp.extraction import Extractor
from ragpp.llm.replies import FactsReply, SaidFact
from ragpp.models import Interaction, Scope
from ragpp_services.workers.stages.catalog.working import work_on_catalog
from ragpp_services.workers.stages.repair import withdraw
from ragpp_services.workers.stages.stating import found_in
from tests.support.each import each_case
from tests.support.episodic import NOON
from tests.support.extractor import trained
from tests.support.kept_catalog import KeptCatalog
from tests.support.models import Scripted, Suggests
from tests.support.stage import SCOPE, Forgets, Ledger, category, document, done, models, parts_of, work


@pytest.fixture(scope="module")
def extractor() -> Extractor:
    return trained()


class Forgetting(KeptCatalog):
    """A catalog of which something is forgotten whenever a resource was read."""

    async def get_resource(self, scope: Scope, resource_id: str) -> Resource:
        resource = await super().get_resource(scope, resource_id)
        self.begun += 1
        return resource


class Counting(HashingEmbedder):
    """Knows what it embedded."""

    def __init__(self, dimension: int) -> None:
        super().__init__(dimension)
        self.embedded: list[str] = []

    async def embed(self, texts: Sequence[str]) -> FloatMatrix:
        self.embedded += texts
        return await super().embed(texts)


def conversation(*said: Interaction, **more: object) -> Resource:
    """The messages as one text, each with its speaker before it."""
    content, messages = "", []
    for one in said:
        content += f"{one.said_by}: "
        start = len(content)
        content += one.content
        messages.append(
            ResourceMessage(
                role=one.role,
                name=one.name,
                start=start,
                end=len(content),
                occurred_at=one.occurred_at,
                interaction_id=one.id,
            )
        )
        content += "\n"
    return document(content, resource_type="conversation", messages=tuple(messages), **more)


def said(identifier: str, content: str, **more: object) -> Interaction:
    at = NOON + timedelta(minutes=int(identifier[1:]))
    return Interaction.model_validate({"id": identifier, "content": content, "occurred_at": at, **more})


async def test_what_a_resource_states_are_its_items(extractor: Extractor) -> None:
    told_of = document(metadata={"agent_name": "sales"}, session_id="s1")
    catalog = KeptCatalog({"res_1": told_of}, categories={"prices": category()})
    result = await done(parts_of(extractor, catalog), work(task="extract", resource_id="res_1", category_hint="prices"))
    told = [item.content for item in catalog.items.values()]
    assert len(told) == 2
    assert all(any(price in one for one in told) for price in ("$99", "$299"))
    assert result["item_ids"] == list(catalog.items)
    assert (result["item_count"], result["categories"], result["resource_id"]) == (2, ["prices"], "res_1")
    for entry in catalog.entries:
        assert entry.embedding == tuple((await HashingEmbedder(8).embed([entry.content])).tolist()[0])
        assert (entry.metadata, entry.sources, entry.by_hand) == ({"agent_name": "sales"}, (), False)


async def test_extracting_again_makes_the_same_items(extractor: Extractor) -> None:
    catalog = KeptCatalog({"res_1": document()})
    parts = parts_of(extractor, catalog)
    first = await done(parts, work(task="extract", resource_id="res_1"))
    again = await done(parts, work(task="extract", resource_id="res_1"))
    assert again["item_ids"] == first["item_ids"]


async def test_an_item_rests_on_the_messages_that_say_it(extractor: Extractor) -> None:
    asks = said("m1", "What do the plans cost?", name="Ann")
    tells = said("m2", "The Basic plan costs $99 per month.", role="assistant")
    catalog = KeptCatalog({"res_1": conversation(asks, tells)})
    await done(parts_of(extractor, catalog, asks, tells), work(task="extract", resource_id="res_1"))
    (entry,) = catalog.entries
    assert (entry.sources, entry.occurred_at) == (("m2",), tells.occurred_at)


async def test_what_was_found_in_a_message_is_an_item_that_names_the_finding(extractor: Extractor) -> None:
    decides = said("m1", "We decided to use PostgreSQL for the ledger.", name="Ann")
    states = said("m2", "The ledger has 12 tables.", name="Ann")
    catalog = KeptCatalog({"res_1": conversation(decides, states)})
    parts = parts_of(extractor, catalog, decides, states)
    await done(parts, work(task="extract", resource_id="res_1"))
    (finding,) = (await found_in(parts, [decides]))["m1"]
    by_kind = {entry.item_kind: entry.metadata for entry in catalog.entries}
    assert by_kind == {"decision": {FINDING_ID: finding.id}, "fact": {}}


async def test_what_is_a_mere_fact_to_the_extractor_is_told_by_the_patterns(extractor: Extractor) -> None:
    decides = said("m1", "We decided to use PostgreSQL for the ledger.", name="Ann")
    states = said("m2", "The Basic plan costs $99 per month. The ledger has 12 tables.", name="Ann")
    catalog, embedder = KeptCatalog({"res_1": conversation(decides, states)}), Counting(8)
    kinds = Kinds(embedder, {"solution": "(costs|decided)"})
    parts = parts_of(extractor, catalog, decides, states, embedder=embedder, kinds=kinds)
    await done(parts, work(task="extract", resource_id="res_1"))
    told = {entry.content: entry.item_kind for entry in catalog.entries}
    assert sorted(told.values()) == ["decision", "fact", "solution"]
    assert next(kind for content, kind in told.items() if "$99" in content) == "solution"
    assert embedder.embedded == list(told)  # once: what is compared is what is stored


@each_case("how", [{"learn": False}, {"role": "system"}, {"role": "tool"}])
async def test_of_a_message_that_teaches_nothing_there_is_no_item(extractor: Extractor, how: dict[str, object]) -> None:
    tells = said("m1", "The Basic plan costs $99 per month.", **how)
    catalog = KeptCatalog({"res_1": conversation(tells)})
    result = await done(parts_of(extractor, catalog, tells), work(task="extract", resource_id="res_1"))
    assert (result["item_count"], catalog.entries) == (0, [])


async def test_an_item_of_what_one_agent_sees_is_that_agents(extractor: Extractor) -> None:
    catalog = KeptCatalog({"res_1": document(agent_id="anna", visibility="agent")})
    parts = parts_of(extractor, catalog)
    assert await done(parts, work(task="extract", resource_id="res_1", agent_id="bert")) == {"gone": True}
    await done(parts, work(task="extract", resource_id="res_1", agent_id="anna"))
    assert {entry.seen_by for entry in catalog.entries} == {"anna"}


async def test_a_resource_that_is_gone_is_not_named(extractor: Extractor) -> None:
    assert await done(parts_of(extractor, KeptCatalog()), work(task="extract", resource_id="res_1")) == {"gone": True}


async def test_a_stub_keeps_its_items(extractor: Extractor) -> None:
    catalog = KeptCatalog({"res_1": document()})
    parts = parts_of(extractor, catalog)
    first = await done(parts, work(task="extract", resource_id="res_1"))
    await catalog.expire(SCOPE, ["res_1"])
    again = await done(parts, work(task="extract", resource_id="res_1"))
    assert again["item_ids"] == first["item_ids"] == list(catalog.items)


async def test_what_is_forgotten_while_it_is_read_is_not_brought_back(extractor: Extractor) -> None:
    tells = said("m1", "The Basic plan costs $99 per month.")
    stays = said("m2", "The Pro plan costs $299 per month.")
    catalog = Forgetting({"res_1": conversation(tells, stays)})
    parts = parts_of(extractor, catalog, tells, stays)
    with pytest.raises(Outdated):
        await done(parts, work(task="extract", resource_id="res_1"))
    assert catalog.items == {}


async def test_what_nobody_wants_any_more_is_not_embedded(extractor: Extractor) -> None:
    embedder = Counting(8)
    gone = KeptCatalog({"res_1": document()}), Forgetting({"res_1": document()})
    for catalog in gone:
        with suppress(Outdated):
            await done(parts_of(extractor, catalog, embedder=embedder), work(task="extract", resource_id="res_1"))
    assert embedder.embedded == [entry.content for entry in gone[0].entries]


async def test_a_forgotten_message_goes_and_what_is_left_is_extracted_as_it_was_asked_for(extractor: Extractor) -> None:
    gone = said("m1", "The Basic plan costs $99 per month.")
    stays = said("m2", "The Pro plan costs $299 per month.")
    catalog = KeptCatalog({"res_1": conversation(gone, stays)}, categories={"prices": category()})
    forgets = {name: Forgets() for name in ("short_term", "semantic", "procedural", "pins")}
    ledger = Ledger(hint="prices")
    parts = parts_of(extractor, catalog, gone, stays, ledger=ledger, **forgets)
    await done(parts, work(task="extract", resource_id="res_1", category_hint="prices"))
    assert ledger.asked == []
    await withdraw(parts, SCOPE, ["m1"])
    assert catalog.items == {}
    await done(parts, work(task="extract", resource_id="res_1", again=True))
    assert ["$299" in item.content for item in catalog.items.values()] == [True]
    assert [item.category for item in catalog.items.values()] == ["prices"]
    assert ledger.asked == [{"task": "consolidate", "category": "prices", "force": False}]


@each_case("asked", [{"category_hint": "prices"}, {"again": True}])
async def test_items_whose_category_was_deleted_since_it_was_asked_for_come_without_one(
    extractor: Extractor, asked: dict[str, JsonValue]
) -> None:
    catalog = KeptCatalog({"res_1": document()})
    parts = parts_of(extractor, catalog, ledger=Ledger(hint="prices"))
    result = await done(parts, work(task="extract", resource_id="res_1", **asked))
    assert (result["item_count"], result["categories"]) == (2, [])


def fact(text: str, quote: str, *messages: int) -> SaidFact:
    return SaidFact(text=text, quote=quote, messages=list(messages), kind="fact", confidence=0.9)


async def test_a_language_model_reads_where_there_is_one(extractor: Extractor) -> None:
    tells = said("m1", "Basic is $99 a month.", role="assistant")
    catalog = KeptCatalog({"res_1": conversation(tells)})
    reply = FactsReply(
        facts=[
            fact("The Basic plan costs $99 per month.", "Basic is $99", 1),
            fact("The Basic plan costs $89 per month.", "Basic is $99", 1),  # a number that nobody said
            fact("The Pro plan has support.", "Pro has support", 1),  # words that nobody said
            fact("The Basic plan is cheap.", "Basic is $99", 7),  # a part that there is not
        ]
    )
    parts = parts_of(extractor, catalog, tells, models=models(Suggests(reply)))
    result = await done(parts, work(task="extract", resource_id="res_1"))
    assert [(entry.content, entry.sources) for entry in catalog.entries] == [
        ("The Basic plan costs $99 per month.", ("m1",))
    ]
    assert (result["model"], result["fallback"]) == ("scripted:two", None)


async def test_what_a_language_model_calls_a_fact_stays_one(extractor: Extractor) -> None:
    tells = said("m1", "Basic is $99 a month.", role="assistant")
    catalog = KeptCatalog({"res_1": conversation(tells)})
    reply = FactsReply(facts=[fact("The Basic plan costs $99 per month.", "Basic is $99", 1)])
    kinds = Kinds(HashingEmbedder(8), {"solution": "costs"})
    parts = parts_of(extractor, catalog, tells, models=models(Suggests(reply)), kinds=kinds)
    await done(parts, work(task="extract", resource_id="res_1"))
    assert [entry.item_kind for entry in catalog.entries] == ["fact"]


async def test_without_an_answer_the_local_facts_are_taken_and_it_is_told_why(extractor: Extractor) -> None:
    catalog = KeptCatalog({"res_1": document()})
    parts = parts_of(extractor, catalog, models=models(Scripted(None)))
    result = await done(parts, work(task="extract", resource_id="res_1"))
    assert (result["item_count"], result["model"], result["fallback"]) == (2, None, "unavailable")


@each_case("payload", [{}, {"task": "dance"}, {"task": "extract"}, {"task": "consolidate", "category": 1}])
async def test_what_is_no_task_of_the_catalog_is_invalid(extractor: Extractor, payload: dict[str, JsonValue]) -> None:
    with pytest.raises(InvalidInput):
        await work_on_catalog(parts_of(extractor, KeptCatalog()), [replace(work(), payload=payload)])
