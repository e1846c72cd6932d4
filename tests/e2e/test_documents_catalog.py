"""The samples of documents 000 and 001 run as they are written, over an agent's catalog on the real stores."""

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import httpx
import pytest
from pydantic import JsonValue

from ragpp import MemoryCatalog
from ragpp.api.hooks import TurnCatalog
from ragpp.client import AsyncMemoryClient
from ragpp.entries.usage import TokenBudget
from ragpp.entries.values import CatalogEntry
from tests.support.documents import awaited, sample, worth

# ruff: noqa: ARG002 - the hooks take what the document gives them

pytestmark = [pytest.mark.server, pytest.mark.timeout(300)]
USER: Final = "u-documents"
CHOSE: Final = "We decided to keep the orders in PostgreSQL, since their queries need joins."
FAILED: Final = "The nightly import failed, since the certificate of the mail server had expired."
ASKED: Final = "Why did the nightly import fail?"


class Hooks:
    """Document 000's Apollo, who keeps and judges memories, and its Rhetor, who keeps to the budget: both are the
    gateway here, so one that was asked has what the other is asked for next."""

    def __init__(self, catalog: MemoryCatalog) -> None:
        self._catalog = catalog
        self._turn: TurnCatalog | None = None
        self._useful: dict[str, float] = {}

    async def get_memory_catalog(self, ci_name: str, prompt: str, context: dict[str, JsonValue]) -> Sequence[Any]:
        self._turn = await self._catalog.pre_prompt_hook(prompt, context)
        return self._turn.catalog

    def recommend_memories(self, catalog: Sequence[Any], prompt: str) -> list[str]:
        assert self._turn is not None
        return [one.handle for one in self._turn.recommendation]

    def get_token_budget(self, ci_name: str) -> TokenBudget:
        assert self._turn is not None
        return self._turn.token_budget

    def can_afford(self, ci_name: str, memory_ids: list[str]) -> bool:
        return self.get_token_budget(ci_name).left > 0

    async def retrieve_memories(self, memory_ids: list[str]) -> Any:
        return await self._catalog.memory_request_hook(memory_ids)

    def format_memories(self, memories: Any, ci_name: str) -> str:
        return str(memories.formatted)

    async def update_relevance(self, memories_used: list[str], response: str) -> None:
        self._useful = (await self._catalog.post_response_hook(response, memories_used)).useful

    def track_usage(self, ci_name: str, memories_used: list[str]) -> None:
        assert len(self._useful) == len(memories_used)


@pytest.fixture
def catalog(memory: AsyncMemoryClient) -> MemoryCatalog:
    return MemoryCatalog("ergon", client=memory, user_id=USER)


async def test_an_entry_has_the_fields_of_the_document(catalog: MemoryCatalog, memory: AsyncMemoryClient) -> None:
    kept = await catalog.store(FAILED, type="solution")
    read = await memory.entry(kept.memory_id, user_id=USER, include="vector")
    shown = worth("000.01")
    assert set(shown) <= set(read.to_dict())
    for field, value in shown.items():
        told = read.to_dict()[field]
        assert isinstance(told, type(value)), field
    assert len(read.summary) <= 50
    assert len(read.abstract) <= 200
    described = {**shown, "type": "solution"}
    assert CatalogEntry.from_dict(described).timestamp.isoformat() == "2025-08-29T10:00:00+00:00", "of no zone: UTC"


async def test_the_hooks_of_the_document_run_over_the_gateway(
    catalog: MemoryCatalog, memory: AsyncMemoryClient
) -> None:
    await catalog.store(FAILED)
    await catalog.store(CHOSE)
    hooks = Hooks(catalog)
    names: dict[str, object] = {"apollo": hooks, "rhetor": hooks}
    offered = await (await awaited("000.02", **names))["pre_prompt_hook"]("ergon", ASKED, {})
    assert set(offered) == {"catalog", "token_budget", "recommendation"}
    assert [one.entry.content for one in offered["catalog"]] == [None, None], "an index, and no memories"
    chosen = offered["recommendation"][:1]
    given = await (await awaited("000.03", **names))["memory_request_hook"]("ergon", chosen)
    assert FAILED in given
    await (await awaited("000.04", **names))["post_response_hook"]("ergon", "Its certificate had expired.", chosen)
    usage = await memory.agent_usage("ergon", user_id=USER)
    assert usage.turns == 1


async def test_the_handler_of_the_document_chooses_asks_and_reports(catalog: MemoryCatalog) -> None:
    await catalog.store(FAILED)
    hooks = Hooks(catalog)
    names: dict[str, object] = {"apollo": hooks, "rhetor": hooks}
    left: dict[str, Any] = {}
    for number in ("000.02", "000.03", "000.04", "000.05"):
        left |= await awaited(number, **names)
    theirs: type = left["EnhancedCIHandler"]

    class Handler(theirs):  # type: ignore[misc]  # made by the document
        name = "ergon"

        async def pre_prompt_hook(self, name: str, prompt: str) -> dict[str, Any]:
            asked: dict[str, Any] = await left["pre_prompt_hook"](name, prompt, {})
            return asked

        memory_request_hook = staticmethod(left["memory_request_hook"])
        post_response_hook = staticmethod(left["post_response_hook"])

        def select_memories(self, offered: Sequence[Any]) -> list[str]:
            return [one.handle for one in offered]

        def enrich_prompt(self, prompt: str, memories: str) -> str:
            return f"{memories}\n\n{prompt}"

        async def generate_response(self, prompt: str) -> str:
            return f"I was told: {prompt}"

    assert FAILED in await Handler().process_prompt(ASKED)


async def test_a_file_of_the_document_is_imported_and_exported_again(catalog: MemoryCatalog, tmp_path: Path) -> None:
    written = sample("001.08").text
    theirs = json.loads(written)
    theirs["memories"][0]["expires"] = None  # the document's has passed, and would not be taken
    (tmp_path / "in.json").write_text(json.dumps(theirs), encoding="utf-8")
    (tmp_path / "as_written.json").write_text(written, encoding="utf-8")
    past = await catalog.import_file(tmp_path / "as_written.json")
    assert (past.kept, len(past.expired)) == (0, 1)
    assert (await catalog.import_file(tmp_path / "in.json")).kept == 1
    assert await catalog.get("mem_1234567890_abc123") is not None
    await catalog.export_file(tmp_path / "out.json")
    ours = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
    assert set(theirs) <= set(ours)
    assert set(theirs["statistics"]) <= set(ours["statistics"])
    (memory,) = ours["memories"]
    assert set(theirs["memories"][0]) <= set(memory)
    for field in ("id", "type", "content", "relevance_tags", "priority", "references", "summary"):
        assert memory[field] == theirs["memories"][0][field], field


def routes() -> list[tuple[str, str, list[str]]]:
    """Method, path and query parameters of each route of document 001."""
    found = []
    for block in sample("001.09").text.split("\n  \n"):
        method, path = block.split()[:2]
        query = re.search(r"Query params: (.*)", block)
        found.append((method, path, query[1].split(", ") if query else []))
    return found


GIVEN: Final = {
    "ci": "ergon", "type": "error", "tags": "import", "search": ASKED, "limit": "5", "offset": "0",
    "message": ASKED, "max_tokens": "200",
}  # fmt: skip


async def test_every_route_of_the_document_answers_with_its_parameters(api: httpx.AsyncClient) -> None:
    assert len(routes()) == 6
    kept = await api.post(
        "/api/memory/catalog",
        json={"user_id": USER, "content": FAILED, "ci": "ergon", "tags": ["import"], "type": "error"},
    )
    memory_id = kept.json()["memory_id"]
    answered = {}
    for method, path, query in sorted(routes(), key=lambda route: route[0] == "DELETE"):
        body = {"user_id": USER, "content": CHOSE} if path.endswith("catalog") else {"user_id": USER}
        answer = await api.request(
            method,
            path.format(memory_id=memory_id),
            params={name: GIVEN[name] for name in query} | ({} if method == "POST" else {"user_id": USER}),
            json=body if method == "POST" else None,
        )
        assert answer.is_success, (method, path, answer.text)
        answered[method, path] = answer.json()
    assert [one["memory_id"] for one in answered["GET", "/api/memory/catalog"]["memories"]] == [memory_id]
    assert answered["GET", "/api/memory/catalog/{memory_id}"]["content"] == FAILED
    assert answered["GET", "/api/memory/relevant"]["tokens"] <= 200
    assert (await api.get(f"/api/memory/catalog/{memory_id}", params={"user_id": USER})).status_code == 404
