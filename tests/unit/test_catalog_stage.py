"""The stage `catalog`: items are taken from resources, pages written, and what was forgotten is taken out anew."""

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Final

import pytest
from pydantic import JsonValue

from ragpp.catalog import FINDING_ID, MemoryCategory, Resource, ResourceMessage
from ragpp.embedding import FloatMatrix
from ragpp.embedding.hashing import HashingEmbedder
from ragpp.entries.kinds import Kinds
from ragpp.errors import ConsolidationError, InvalidInput, Outdated
from ragpp.extraction import Extractor
from ragpp.ledger import Result, Work, WorkKey
from ragpp.ledger.events import RequestKind
from ragpp.llm.budget import InMemoryBudget
from ragpp.llm.metered import LanguageModels
from ragpp.llm.port import PURPOSES, LanguageModel
from ragpp.llm.replies import FactsReply, PageReply, SaidFact, WrittenLine, WrittenSection
from ragpp.models import Interaction, Scope
from ragpp_services.workers.parts import WorkerParts
from ragpp_services.workers.stages.catalog.working import work_on_catalog
from ragpp_services.workers.stages.observe import findings_of
from ragpp_services.workers.stages.repair import withdraw
from tests.support.each import each_case
from tests.support.episodic import NOON
from tests.support.extractor import trained
from tests.support.kept_catalog import KeptCatalog
from tests.support.models import Scripted, Suggests
from tests.support.workers import parts_with

SCOPE: Final = Scope(tenant_id="t", user_id="u")
PRICES: Final = "The Basic plan costs $99 per month. What a lovely day!\n\nThe Pro plan costs $299 per month."


@pytest.fixture(scope="module")
def extractor() -> Extractor:
    return trained()


@dataclass
class Episodic:
    """The interactions that there are."""

    said: dict[str, Interaction] = field(default_factory=dict)

    async def get(self, scope: Scope, ids: Collection[str]) -> list[Interaction]:
        del scope
        return [self.said[one] for one in ids if one in self.said]


@dataclass
class Ledger:
    """The category that somebody asked for, and what the stage asks for itself."""

    hint: str | None = None
    asked: list[Result] = field(default_factory=list)

    async def category_hint(self, scope: Scope, resource_id: str) -> str | None:
        del scope, resource_id
        return self.hint

    async def request(
        self, scope: Scope, kind: RequestKind, subject_id: str, payload: Result, occurred_at: datetime, *, anew: bool
    ) -> int:
        del scope, kind, subject_id, occurred_at, anew
        self.asked.append(payload)
        return len(self.asked)


@dataclass
class Erasures:
    """How far works were told to be."""

    told: list[int] = field(default_factory=list)

    async def progress(self, work: Work, done: int) -> None:
        del work
        self.told.append(done)


class Forgets:
    """A tier of which everything was forgotten before."""

    async def forget(self, scope: Scope, ids: Collection[str]) -> int:
        del scope
        return len(ids)

    async def forget_sources(self, scope: Scope, ids: Collection[str]) -> int:
        del scope
        return len(ids)

    async def unpin(self, scope: Scope, tier: str, ids: Collection[str]) -> int:
        del scope, tier
        return len(ids)


class Forgetting(KeptCatalog):
    """Of which something is forgotten whenever a resource was read."""

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


def parts_of(extractor: Extractor, catalog: KeptCatalog, *said: Interaction, **more: object) -> WorkerParts:
    episodic = Episodic({one.id: one for one in said})
    given = {"ledger": Ledger(), "erasures": Erasures(), "clock": lambda: NOON, **more}
    return parts_with(catalog=catalog, episodic=episodic, extractor=extractor, **given)


def models(model: LanguageModel) -> LanguageModels:
    return LanguageModels(dict.fromkeys(PURPOSES, model), InMemoryBudget(lambda: NOON), concurrency=1)


def work(**payload: JsonValue) -> Work:
    return Work(WorkKey(1, "catalog"), SCOPE, "catalog.requested", "s", NOON, 1, payload)


async def done(parts: WorkerParts, asked: Work) -> Mapping[str, JsonValue]:
    return (await work_on_catalog(parts, [asked]))[asked.key]


def document(content: str = PRICES, **more: object) -> Resource:
    given = {"resource_id": "res_1", "resource_type": "document", "occurred_at": NOON, "created_at": NOON, **more}
    return Resource.model_validate({"content": content, **given})


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
    await done(parts_of(extractor, catalog, decides, states), work(task="extract", resource_id="res_1"))
    found = findings_of(decides, extractor.extract(decides.content, speaker="Ann", said_at=decides.occurred_at))
    finding = next(one for one in found if one.finding == "decision")
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


def category(**more: object) -> MemoryCategory:
    given = {"category_id": "cat_1", "name": "prices", "description": "What the plans cost.", "updated_at": NOON}
    return MemoryCategory.model_validate(
        {"markdown_content": "# Prices", "item_count": 2, "new_items": 2, **given, **more}
    )


async def priced(extractor: Extractor, **more: object) -> tuple[KeptCatalog, WorkerParts]:
    """A category of two items."""
    catalog = KeptCatalog({"res_1": document()}, categories={"prices": category()})
    parts = parts_of(extractor, catalog)
    await done(parts, work(task="extract", resource_id="res_1", category_hint="prices"))
    return catalog, parts_of(extractor, catalog, **more)


async def test_a_page_is_written_of_the_categorys_items(extractor: Extractor) -> None:
    catalog, _ = await priced(extractor)
    basic = next(item for item in catalog.items.values() if "$99" in item.content)
    number = 1 + sorted(catalog.items).index(basic.item_id)
    lines = [
        WrittenLine(text="Basic is $99.", items=[number, 9]),
        WrittenLine(text="Basic is $1.", items=[number]),  # a number that its fact has not
        WrittenLine(text="Support is free.", items=[9]),  # of no fact
    ]
    reply = PageReply(sections=[WrittenSection(title="Plans", lines=lines)])
    parts = parts_of(extractor, catalog, models=models(Suggests(reply)))
    result = await done(parts, work(task="consolidate", category="prices"))
    (sections,) = catalog.sections
    assert [(one.title, line.text, line.item_ids) for one in sections or () for line in one.lines] == [
        ("Plans", "Basic is $99.", (basic.item_id,)),
    ]
    assert (result["category_id"], result["name"], result["item_count"]) == ("cat_1", "prices", 2)
    assert result["content_length"] == len(catalog.categories["prices"].markdown_content)


async def test_the_tier_makes_the_page_where_no_model_answers(extractor: Extractor) -> None:
    catalog, parts = await priced(extractor, models=models(Scripted(None)))
    result = await done(parts, work(task="consolidate", category="prices"))
    assert catalog.sections == [None]
    assert (result["model"], result["fallback"]) == (None, "unavailable")


@each_case("how", [{"new_items": 0}, {"edited": True}])
async def test_a_page_with_nothing_new_or_a_persons_costs_no_tokens(
    extractor: Extractor, how: dict[str, object]
) -> None:
    model = Suggests(PageReply(sections=[]))
    catalog, parts = await priced(extractor, models=models(model))
    catalog.categories["prices"] = category(**how)
    await done(parts, work(task="consolidate", category="prices"))
    assert (model.prompts, catalog.categories["prices"].markdown_content) == ([], "# Prices")


async def test_a_page_that_lost_something_is_written_by_the_model_as_it_was_before(extractor: Extractor) -> None:
    reply = PageReply(sections=[WrittenSection(title="Plans", lines=[WrittenLine(text="Plans cost.", items=[1])])])
    catalog, parts = await priced(extractor, models=models(Suggests(reply)))
    catalog.categories["prices"], catalog.stale = category(new_items=0), {"prices"}
    result = await done(parts, work(task="consolidate", category="prices"))
    assert (result["model"], catalog.categories["prices"].markdown_content) == ("scripted:two", "Plans cost.")


async def test_a_page_that_cannot_be_made_is_an_error_and_stays_as_it_was(extractor: Extractor) -> None:
    catalog, parts = await priced(extractor)
    catalog.pages_fail = True
    with pytest.raises(ConsolidationError):
        await done(parts, work(task="consolidate", category="prices"))
    assert catalog.categories["prices"].markdown_content == "# Prices"


async def test_a_category_that_is_gone_is_not_named(extractor: Extractor) -> None:
    assert await done(parts_of(extractor, KeptCatalog()), work(task="consolidate", category="prices")) == {"gone": True}


async def test_all_is_rebuilt_page_by_page_and_it_is_told_how_far(extractor: Extractor) -> None:
    resources = {f"res_{number:04}": document(resource_id=f"res_{number:04}") for number in range(1_200)}
    erasures = Erasures()
    parts = parts_of(extractor, KeptCatalog(resources), erasures=erasures)
    assert await done(parts, work(task="rebuild")) == {"rebuilt": 1_200}
    assert erasures.told == [500, 1_000]


@each_case("payload", [{}, {"task": "dance"}, {"task": "extract"}, {"task": "consolidate", "category": 1}])
async def test_what_is_no_task_of_the_catalog_is_invalid(extractor: Extractor, payload: dict[str, JsonValue]) -> None:
    with pytest.raises(InvalidInput):
        await work_on_catalog(parts_of(extractor, KeptCatalog()), [replace(work(), payload=payload)])
