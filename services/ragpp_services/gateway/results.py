"""The result of a job, with what the ids in it stand for: the ledger itself holds no content."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from typing import Final, TypeAlias

from pydantic import JsonValue

from ragpp.errors import MemorySystemError, NotFound
from ragpp.jobs import Job
from ragpp.learned import Finding
from ragpp.models import Scope
from ragpp_services.gateway.parts import Parts

Item: TypeAlias = dict[str, JsonValue]
Fill: TypeAlias = Callable[[str], Awaitable[Item]]
PATIENCE_S: Final = 2.0
"""Longest wait for what a list's ids stand for; later than that the ids are answered alone."""
AT_ONCE: Final = 8
"""Questions to one tier at a time, so that one job's result leaves connections for everybody else."""
PATTERN_PAGES: Final = 5
PATTERNS_A_PAGE: Final = 200
"""Patterns are found by leafing through the latest of them: nobody asks for one by its id."""


async def with_contents(parts: Parts, scope: Scope, job: Job) -> Job:
    """`job` with the texts, keys, values and names of what its result names, as they are now. What was forgotten,
    rejected or merged into another meanwhile is left out; of a tier that does not answer the ids stay alone."""
    if job.result is None:
        return job
    if job.stage == "reflect":
        return job.model_copy(update={"result": await _report(parts, scope, job.result)})
    if job.stage == "catalog":
        return job.model_copy(update={"result": await _with_items(parts, scope, job.result)})
    if job.stage != "extract":
        return job

    async def preference(identifier: str) -> Item:
        found = await parts.procedural.get_preference(scope, identifier)
        if found.verdict == "rejected":
            raise NotFound("it was rejected")
        return {"category": found.category, "key": found.key, "value": found.value}

    async def relationship(identifier: str) -> Item:
        found = await parts.semantic.get_relationship(scope, identifier)
        if found.verdict == "rejected":
            raise NotFound("it was rejected")
        return {"source": found.source, "type": found.type, "target": found.target}

    names = ("patterns", "preferences", "relationships")
    items = [_items(job.result.get(name)) for name in names]
    filled = await asyncio.gather(
        _patterns(parts, scope, items[0]), _each(items[1], preference), _each(items[2], relationship)
    )
    contents: Item = {name: list(of_name) for name, of_name in zip(names, filled, strict=True)}
    return job.model_copy(update={"result": job.result | contents})


async def _report(parts: Parts, scope: Scope, result: Item) -> Item:
    """The whole report where it is still there."""
    with suppress(MemorySystemError, TimeoutError):
        async with asyncio.timeout(PATIENCE_S):
            report = await parts.procedural.get_reflection(scope, str(result.get("reflection_id")))
        return report.model_dump(mode="json")
    return result


async def _with_items(parts: Parts, scope: Scope, result: Item) -> Item:
    """The result with the items that were taken from a resource, under `items`."""
    listed = result.get("item_ids")
    if not isinstance(listed, list):
        return result

    async def item(identifier: str) -> Item:
        found = await parts.catalog.get_item(scope, identifier)
        return {"content": found.content, "category": found.category}

    return result | {"items": list(await _each([{"id": one} for one in listed], item))}


async def _patterns(parts: Parts, scope: Scope, items: Sequence[Item]) -> list[Item]:
    wanted = {str(item["id"]) for item in items}
    found: dict[str, Finding] = {}
    cursor: str | None = None
    try:
        async with asyncio.timeout(PATIENCE_S):
            for _ in range(PATTERN_PAGES if wanted else 0):
                page = await parts.procedural.list_findings(scope, "pattern", cursor=cursor, limit=PATTERNS_A_PAGE)
                found |= {one.id: one for one in page.items if one.id in wanted}
                cursor = page.next_cursor
                if cursor is None or len(found) == len(wanted):
                    break
    except (MemorySystemError, TimeoutError):
        return list(items)
    read_to_the_end = cursor is None
    filled: list[Item] = []
    for item in items:
        pattern = found.get(str(item["id"]))
        if pattern is not None:
            filled.append(_merged(item, {"text": pattern.text, "details": pattern.details}))
        elif not read_to_the_end:
            filled.append(item)
    return filled


async def _each(items: Sequence[Item], fill: Fill) -> list[Item]:
    limit = asyncio.Semaphore(AT_ONCE)

    async def one(item: Item) -> Item | None:
        async with limit:
            try:
                return _merged(item, await fill(str(item["id"])))
            except NotFound:
                return None
            except MemorySystemError:
                return item

    try:
        async with asyncio.timeout(PATIENCE_S):
            return [item for item in await asyncio.gather(*map(one, items)) if item is not None]
    except TimeoutError:
        return list(items)


def _items(listed: JsonValue) -> list[Item]:
    """The items of a result's list that can be asked for."""
    return [item for item in listed if isinstance(item, dict) and "id" in item] if isinstance(listed, list) else []


def _merged(item: Item, contents: Mapping[str, JsonValue]) -> Item:
    return {"id": item["id"], **contents, **item}
