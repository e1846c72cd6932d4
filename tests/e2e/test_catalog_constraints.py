"""Each constraint of the catalog, violated: the code that says so, and nothing is kept, changed or lost by it."""

import math
from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace
from typing import Final

import httpx
import pytest

from ragpp.client import AsyncMemoryClient
from ragpp.clock import system_clock
from ragpp.models import Value
from ragpp.redaction import SECRETS
from ragpp_services.gateway.intake import KnowledgeIntake, Redaction
from ragpp_services.gateway.parts import Parts
from tests.support.each import each
from tests.support.embedding import LostEmbedder
from tests.support.hostile import Json
from tests.support.operations import checked_problem
from tests.support.real_gateway import RealGateway
from tests.support.scopes import new_scope

pytestmark = pytest.mark.server

USER: Final = "ann"
FACT: Final = "Pro costs $299 a month."
WHAT: Final = "What our plans cost"


@dataclass(frozen=True)
class Violation:
    """A request that is refused: what it violates, and how that is told."""

    what: str
    request: str
    body: dict[str, Json] = field(default_factory=dict)
    status: int = 422
    code: str = "MEM-020"

    def __str__(self) -> str:
        return f"{self.request}: {self.what}"


def resource(what: str, **fields: Json) -> Violation:
    given: dict[str, Json] = {"resource_type": "document", "content": FACT}
    return Violation(what, "POST /v1/resources", given | fields)


def item(what: str, status: int = 422, code: str = "MEM-020", **fields: Json) -> Violation:
    given: dict[str, Json] = {"content": "Basic costs $99 a month.", "source_resource_id": "r1"}
    good: dict[str, Json] = {"content": "Team costs $499 a month.", "source_resource_id": "r1"}
    return Violation(what, "POST /v1/items", {"items": [good, given | fields]}, status, code)


def question(what: str, status: int = 422, code: str = "MEM-020", **fields: Json) -> Violation:
    given: dict[str, Json] = {"query": "What does Pro cost?"}
    return Violation(what, "POST /v1/retrieve", given | fields, status, code)


def category(what: str, status: int = 422, code: str = "MEM-020", **fields: Json) -> Violation:
    given: dict[str, Json] = {"name": "offers", "description": WHAT}
    return Violation(what, "POST /v1/categories", given | fields, status, code)


VIOLATIONS: Final = (
    resource("a type that there is not", resource_type="poem"),
    resource("no content", content=""),
    resource("more than a million characters", content="x" * 1_000_001),
    resource("metadata that is no object", metadata="title"),
    resource("a time to come", occurred_at="2999-01-01T00:00:00Z"),
    resource("messages of a document", content=None, messages=[{"content": FACT}]),
    resource("content and messages", resource_type="conversation", messages=[{"content": FACT}]),
    resource("a field that there is not", colour="red"),
    Violation(
        "other content", "POST /v1/resources", {"resource_type": "document", "content": "x", "id": "r1"}, 409, "MEM-011"
    ),
    Violation("a resource that is not there", "POST /v1/resources/res_none/extract", {}, 404, "MEM-001"),
    Violation("a hint that is not there", "POST /v1/resources/r1/extract", {"category_hint": "none"}, 404, "MEM-002"),
    Violation("a resource that is not there", "GET /v1/resources/res_none", {}, 404, "MEM-001"),
    Violation("a resource that is not there", "DELETE /v1/resources/res_none", {}, 404, "MEM-001"),
    Violation("a type that there is not", "GET /v1/resources?resource_type=poem"),
    item("no source", source_resource_id=""),
    item("a source that is not there", 404, "MEM-001", source_resource_id="res_none"),
    item("a category that is not there", 404, "MEM-002", category="none"),
    item("a confidence below 0", confidence=-0.1),
    item("a confidence over 1", confidence=1.1),
    item("an importance that there is not", importance="urgent"),
    item("a vector of another dimension", embedding=[0.6, 0.8]),
    item("a vector without a direction", embedding=[0.0] * 384),
    item("no content", content=""),
    item("content too long", content="x" * 16_001),
    item("an id with other content", 409, "MEM-011", id="i1"),
    Violation("no items", "POST /v1/items", {"items": []}),
    Violation("an item that is not there", "GET /v1/items/item_none", {}, 404, "MEM-012"),
    Violation("an item that is not there", "DELETE /v1/items/item_none", {}, 404, "MEM-012"),
    question("no question", query=""),
    question("a question too long", query="x" * 10_001),
    question("none wanted", k=0),
    question("too many wanted", k=101),
    question("a mode that there is not", mode="guess"),
    question("a threshold over 1", similarity_threshold=1.5),
    question("a category that is not there", 404, "MEM-002", category_filter="none"),
    question("a model that there is not", 503, "MEM-007", mode="llm"),
    Violation("another dimension", "POST /v1/items/search", {"embedding": [1.0, 0.0]}),
    category("no snake_case", name="Our Offers"),
    category("a name too long", name="x" * 65),
    category("a description too short", description="too short"),
    category("a description too long", description="x" * 501),
    category("a name that is taken", 409, "MEM-003", name="prices"),
    category("one agent alone", visibility="agent"),
    category("all users, without the scope global", 403, "MEM-022", visibility="global"),
    Violation("a category that is not there", "GET /v1/categories/none", {}, 404, "MEM-002"),
    Violation("a category that is not there", "PUT /v1/categories/none", {"content": "# Ours"}, 404, "MEM-002"),
    Violation("a category that is not there", "DELETE /v1/categories/none", {}, 404, "MEM-002"),
    Violation("a category that is not there", "POST /v1/categories/none/items", {"item_ids": ["i1"]}, 404, "MEM-002"),
    Violation("a category that is not there", "POST /v1/categories/none/consolidate", {}, 404, "MEM-002"),
    Violation("a page too long", "PUT /v1/categories/prices", {"content": "x" * 200_001}),
    Violation("an event that there is not", "GET /v1/events?event_type=memory.dreamt"),
)


class Kept(Value):
    """All that the user's catalog has, as it is read."""

    told: tuple[str, ...]


@dataclass(frozen=True)
class Filled:
    """A client, and what it kept before."""

    api: httpx.AsyncClient
    memory: AsyncMemoryClient
    before: Kept


async def kept(memory: AsyncMemoryClient) -> Kept:
    pages = (
        await memory.resources(USER),
        await memory.items(USER, include="vector"),
        await memory.categories(USER),
        await memory.memory_stats(USER),
        await memory.events(USER, limit=200),
    )
    return Kept(told=tuple(page.model_dump_json() for page in pages))


@pytest.fixture(scope="module")
async def filled(gateway: RealGateway) -> AsyncIterator[Filled]:
    """A resource, an item of it and a category with its page, for all of the violations."""
    key = await gateway.key(new_scope().tenant_id)
    async with gateway.client(key) as api, gateway.memory(key) as memory:
        await memory.create_category(user_id=USER, name="prices", description=WHAT)
        await memory.store_resource(user_id=USER, id="r1", resource_type="document", content=FACT)
        item = {"id": "i1", "content": FACT, "source_resource_id": "r1", "category": "prices"}
        await memory.store_items(user_id=USER, items=[item])
        yield Filled(api, memory, await kept(memory))


async def test_what_violates_a_constraint_is_refused_by_its_code_and_changes_nothing(filled: Filled) -> None:
    held = filled.before

    async def refused(violation: Violation) -> None:
        nonlocal held
        method, _, path = violation.request.partition(" ")
        if method in {"POST", "PUT"}:
            answer = await filled.api.request(method, path, json={**violation.body, "user_id": USER})
        else:
            answer = await filled.api.request(method, httpx.URL(path).copy_add_param("user_id", USER))
        before, held = held, await kept(filled.memory)
        checked_problem(answer, violation.status, violation.code)
        assert held == before

    await each(VIOLATIONS, refused)
    assert held == filled.before


async def test_more_items_than_a_request_takes_are_refused_and_none_is_kept(filled: Filled) -> None:
    items: list[Json] = [{"content": f"Fact {number}", "source_resource_id": "r1"} for number in range(1_001)]
    checked_problem(await filled.api.post("/v1/items", json={"user_id": USER, "items": items}), 422, "MEM-020")
    assert await kept(filled.memory) == filled.before


async def test_where_no_vector_can_be_made_nothing_is_found_or_kept_and_it_is_told(
    gateway: RealGateway, filled: Filled
) -> None:
    lost = LostEmbedder(384)
    lost.is_lost = True
    working: Parts = gateway.app.state.parts
    knowledge = KnowledgeIntake(Redaction(SECRETS), lost, system_clock)
    gateway.app.state.parts = replace(working, knowledge=knowledge)
    try:
        asked = await filled.api.post("/v1/retrieve", json={"user_id": USER, "query": "What does Pro cost?"})
        items: list[Json] = [{"content": "Basic costs $99 a month.", "source_resource_id": "r1"}]
        written = await filled.api.post("/v1/items", json={"user_id": USER, "items": items})
    finally:
        gateway.app.state.parts = working
    for answer in (asked, written):
        checked_problem(answer, 503, "MEM-004")
    assert await kept(filled.memory) == filled.before


async def test_index_and_rows_agree_and_every_vector_has_the_configured_dimension(memory: AsyncMemoryClient) -> None:
    """Whatever comes and goes."""
    for number in range(3):
        await memory.store_resource(user_id=USER, id=f"r{number}", resource_type="document", content=FACT)
        items = [{"id": f"i{number}", "content": f"Fact {number} of the plans", "source_resource_id": f"r{number}"}]
        await memory.store_items(user_id=USER, items=items)
    await memory.forget_item("i0", user_id=USER)
    await memory.forget_resource("r1", user_id=USER)
    stats = await memory.memory_stats(USER)
    assert (stats.total_resources, stats.total_items, stats.vector_index_size) == (2, 1, 1)
    (left,) = (await memory.items(USER, include="vector")).items
    assert left.embedding is not None
    assert len(left.embedding) == 384
    assert math.hypot(*left.embedding) == pytest.approx(1, abs=1e-3)
    found = await memory.search_items(user_id=USER, embedding=left.embedding, k=100)
    assert [item.item_id for item in found.items] == ["i2"]
