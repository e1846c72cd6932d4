"""The catalog as an agent chooses by it: light entries, and one memory in full."""

from typing import Annotated, Final
from uuid import uuid4

from fastapi import Query, Response
from pydantic import JsonValue

from ragpp.api import MAX_OFFSET, CleanupIn, EntryIn, EntryList, Forgotten, RelevantMemories
from ragpp.api.hooks import MAX_BUDGET
from ragpp.catalog import EVERYBODY, ItemKind
from ragpp.entries.usage import EntryStatistics
from ragpp.entries.values import CatalogEntry, EntryQuery
from ragpp.episodes import Goal
from ragpp.errors import NotFound
from ragpp.fields import Id, Said, Text, TokenizerName
from ragpp.jobs import Job
from ragpp.models import Scope
from ragpp_services.gateway.catalog.candidates import Message
from ragpp_services.gateway.catalog.choosing import listed
from ragpp_services.gateway.catalog.keeping import kept_entry
from ragpp_services.gateway.catalog.offering import relevant
from ragpp_services.gateway.catalog.owning import changing, place_of_entry
from ragpp_services.gateway.catalog.reading import last_cleanup, read_entry
from ragpp_services.gateway.describing import refusal
from ragpp_services.gateway.http import CatalogUser, GatewayParts, Limit, accepted, answer, keyed_router
from ragpp_services.gateway.requester import Reader, Requester, Writer
from ragpp_services.gateway.routes.items import Include

MAX_SEARCH_CHARS: Final = 10_000

router = keyed_router("entries")

View = Annotated[Id | None, Query(description="Agent to see the catalog as: its own memories and the shared ones.")]
_AMBIGUOUS: Final = refusal(409, "Several memories are called that elsewhere; `details.memory_ids` names them.")


@router.get("/api/memory/catalog", summary="List entries")
async def list_entries(
    requester: Reader,
    parts: GatewayParts,
    user_id: CatalogUser = None,
    view: View = None,
    ci: Annotated[Id | None, Query(description="Only memories of this agent.")] = None,
    type: Annotated[ItemKind | None, Query(description="Only memories of this type.")] = None,  # noqa: A002 - the document's
    tags: Annotated[
        Text | None,
        Query(max_length=4_000, description="Only memories with at least one of these tags, divided by commas."),
    ] = None,
    search: Annotated[
        Said | None,
        Query(
            min_length=1,
            max_length=MAX_SEARCH_CHARS,
            description="Question that the memories are to answer, best first.",
        ),
    ] = None,
    offset: Annotated[int, Query(ge=0, le=MAX_OFFSET, description="Number of memories to skip.")] = 0,
    limit: Limit = 50,
) -> EntryList:
    """Light entries, the latest first, or those that answer `search` best: summary, abstract, keywords, tags, size.
    The content of one is read by its id. A key that is bound to an agent sees that agent's and the shared ones; any
    other sees as an agent does by `view`."""
    scope = _seen(requester, "read", user_id, view)
    asked = tuple(dict.fromkeys(tag.strip().lower() for tag in (tags or "").split(",") if tag.strip()))
    query = EntryQuery(text=search or "", ci=ci, kind=type, tags=asked, offset=offset, limit=limit)
    page = await listed(parts.catalog, scope, query)
    requester.tells(one.memory_id for one in page.memories)
    return page


@router.post(
    "/api/memory/catalog",
    status_code=201,
    summary="Keep a memory",
    responses={
        409: refusal(
            409,
            "The id is known with other content, or was deleted; or all memories that the agent may have are to stay.",
        )
    },
)
async def store_entry(requester: Writer, parts: GatewayParts, body: EntryIn) -> CatalogEntry:
    """Keep one, and answer the entry that it is now: another's, where that says the same. That of an agent, which `ci`
    names or the key is bound to, is seen by that agent alone unless `visibility` says otherwise; with a key that is
    bound to none, `domain` or `task_type` has all agents see it. What one agent alone sees goes at its `expires`, and
    over MEMORY_MAX_MEMORIES_PER_CI what is least relevant makes room for it. Repeating a request with an id is
    harmless."""
    where = place_of_entry(requester, body.user_id, body)
    item_id = await kept_entry(parts, where, body)
    requester.tells((item_id,))
    return await read_entry(parts, where.scope.seen_by(where.whose.seen_by), item_id, contents=True)


@router.get("/api/memory/relevant", response_model=RelevantMemories, summary="Find what matters for a message")
async def get_relevant(
    requester: Reader,
    parts: GatewayParts,
    user_id: CatalogUser = None,
    ci: Annotated[
        Id | None,
        Query(description="Agent that is asked: it sees its own memories, which count more, and the shared ones."),
    ] = None,
    message: Annotated[
        Text,
        Query(max_length=MAX_SEARCH_CHARS, description="Message to find memories for; empty: the latest ones matter."),
    ] = "",
    goal: Annotated[Goal | None, Query(description="Goal whose learned values count; absent: `useful`.")] = None,
    max_tokens: Annotated[
        int | None,
        Query(
            ge=0, le=MAX_BUDGET, description="Most tokens of `formatted`; absent: MEMORY_MAX_INJECTION_TOKENS, 2,000."
        ),
    ] = None,
    tokenizer: Annotated[
        TokenizerName | None, Query(description="Tokenizer that `max_tokens` is counted in; absent: READER_TOKENIZER.")
    ] = None,
) -> Response:
    """Each memory in the form that makes what is shown worth most within the budget: whole, its abstract, its summary,
    or left out, with why. `explain` tells what each score is the sum of."""
    scope = requester.catalog("read", user_id, agent_id=ci)
    scope = scope.seen_by(ci or scope.view)
    requester.query_sha256 = parts.marks.of_query(message)
    asked = Message(message, scope.view, goal, parts.max_injection_tokens if max_tokens is None else max_tokens)
    found = await relevant(parts, scope, asked, tokenizer)
    requester.tells(one.entry.memory_id for one in found.memories)
    return answer(found)


@router.get("/api/memory/catalog/statistics", summary="Count memories")
async def get_entry_statistics(
    requester: Reader,
    parts: GatewayParts,
    user_id: CatalogUser = None,
    ci: Annotated[Id | None, Query(description="Only memories of this agent.")] = None,
) -> EntryStatistics:
    """How many there are, of how many tokens, since when, and when what has to go was let go last."""
    scope = requester.catalog("read", user_id)
    counted = await parts.catalog.entry_statistics(scope, ci)
    return counted.model_copy(update={"last_cleanup": await last_cleanup(parts, scope)})


@router.post("/api/memory/cleanup", status_code=202, response_model=Job, summary="Let go of what has to go")
async def clean_up(requester: Writer, parts: GatewayParts, body: CleanupIn) -> Response:
    """A job, as `POST /v1/users/{user_id}/retention` asks for it; its result has, beside what the operator's policies
    let go, the `entries` that are due, with why: past their moment, of one agent alone and older than
    MEMORY_DEFAULT_EXPIRATION_DAYS, or over its MEMORY_MAX_MEMORIES_PER_CI. With `dry_run` nothing goes."""
    whose = body.user_id if body.user_id is not None else requester.principal.user_id or EVERYBODY
    if not whose:
        requester.principal.need("global")
    scope = requester.whole("write" if body.dry_run else "forget", whose)
    payload: dict[str, JsonValue] = {"task": "retention", "dry_run": body.dry_run}
    subject = f"retention:{uuid4().hex}"
    return accepted(requester, await parts.jobs.request(scope, "maintain.requested", subject, payload, parts.clock()))


@router.get("/api/memory/catalog/{memory_id:id}", summary="Read one memory", responses={409: _AMBIGUOUS})
async def get_entry(
    requester: Reader,
    parts: GatewayParts,
    memory_id: Id,
    user_id: CatalogUser = None,
    view: View = None,
    include: Include = None,
) -> CatalogEntry:
    """Its entry with its content, and on request with its vector."""
    scope = _seen(requester, "read", user_id, view)
    entry = await read_entry(parts, scope, memory_id, contents=True, vectors=include == "vector")
    requester.tells((entry.memory_id,))
    return entry


@router.delete("/api/memory/catalog/{memory_id:id}", summary="Delete a memory", responses={409: _AMBIGUOUS})
async def delete_entry(
    requester: Writer, parts: GatewayParts, memory_id: Id, user_id: CatalogUser = None, view: View = None
) -> Forgotten:
    """Delete it with all that are one with it, and with sources that say nothing else. A key that is bound to an agent,
    and any other in that agent's `view`, takes back what that agent contributed: where others contributed it as well,
    it stays theirs. What all users share needs the scope `global`."""
    scope = _seen(requester, "forget", user_id, view)
    entry = await read_entry(parts, scope, memory_id)
    if scope.view is not None and entry.ci != scope.view and scope.view in entry.agents:
        requester.items = await parts.catalog.withdraw_item(scope, entry.memory_id, scope.view)
    else:
        scope = changing(requester, scope, await parts.catalog.get_item(scope, entry.memory_id))
        if scope.view is not None and len(entry.agents) > 1:
            requester.items = await parts.catalog.withdraw_item(scope, entry.memory_id, scope.view)
        else:
            requester.items = await parts.catalog.forget(scope, [entry.memory_id])
            await parts.pins.unpin(scope, "catalog", [entry.memory_id])
    if not requester.items:
        raise NotFound("there is no memory of that id")
    requester.deletes(parts.marks, scope, "item", [entry.memory_id], count=requester.items)
    return Forgotten(forgotten=requester.items, tiers={"catalog": "ok"})


def _seen(requester: Requester, needed: str, user_id: str | None, view: str | None) -> Scope:
    """The scope of what an agent sees of the catalog, where one is named or the key is bound to it. Raises Forbidden
    for a key that is bound to another agent, or may not."""
    scope = requester.catalog(needed, user_id, agent_id=view)
    requester.agent_id = view
    return scope.seen_by(view or scope.view)
