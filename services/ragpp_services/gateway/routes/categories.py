"""Categories of the catalog, and the pages that are made of their items."""

from typing import Final

from fastapi import Response

from ragpp.api import CategoryIn, CategoryItemsIn, CategoryPageIn, ConsolidateIn, DefaultsIn, Forgotten
from ragpp.catalog import DEFAULT_CATEGORIES, EVERYBODY, MemoryCategory
from ragpp.errors import CategoryExistsError, CategoryNotFoundError
from ragpp.fields import Id
from ragpp.jobs import Job
from ragpp.models import Page
from ragpp_services.gateway.catalog.owning import changing, place, see_own, writing
from ragpp_services.gateway.catalog.work import consolidation
from ragpp_services.gateway.describing import refusal
from ragpp_services.gateway.http import CatalogUser, Cursor, GatewayParts, Limit, accepted, keyed_router
from ragpp_services.gateway.personal.holding import is_tellable, redact_json
from ragpp_services.gateway.requester import Reader, Writer

router = keyed_router("catalog")
ONLY_SHARED: Final = (
    "Categories are of all agents: make it with a key that is bound to none.",
    "Use a key with the scope `share`: `ragpp key create --agent … --scopes read,write,share`.",
)


@router.post(
    "/v1/categories",
    status_code=201,
    summary="Create a category",
    responses={409: refusal(409, "There is a category of that name.")},
)
async def create_category(requester: Writer, parts: GatewayParts, body: CategoryIn) -> MemoryCategory:
    """Its description is what items are put into it by, where they come without a category."""
    requester.principal.need_to_share(ONLY_SHARED)
    whose = requester.catalog("write", body.user_id).user_id
    where = place(requester, body.user_id, body.visibility or ("shared" if whose else None))
    description = parts.intake.redacted(body.description)
    category = await parts.catalog.create_category(where.scope, body.name, description, where.whose.contributor)
    requester.tells((category.category_id,))
    return category


@router.post("/v1/categories/defaults", status_code=201, summary="Create the default categories")
async def create_defaults(requester: Writer, parts: GatewayParts, body: DefaultsIn) -> Page[MemoryCategory]:
    """Those that are there already stay as they are. Answers all of them, by name."""
    requester.principal.need_to_share(ONLY_SHARED)
    scope = requester.catalog("write", body.user_id)
    categories = []
    for name, description in sorted(DEFAULT_CATEGORIES.items()):
        try:
            categories.append(await parts.catalog.create_category(scope, name, description))
            requester.tells((*requester.memory_ids, categories[-1].category_id))
        except CategoryExistsError:
            categories.append(await parts.catalog.get_category(scope, name))
    return Page[MemoryCategory](items=tuple(categories))


@router.get("/v1/categories", summary="List categories")
async def list_categories(
    requester: Reader, parts: GatewayParts, user_id: CatalogUser = None, cursor: Cursor = None, limit: Limit = 50
) -> Page[MemoryCategory]:
    """By name, each with its page and how many items it has."""
    page = await parts.catalog.list_categories(requester.catalog("read", user_id), cursor, limit)
    requester.tells(one.category_id for one in page.items)
    return page


@router.get("/v1/categories/{category:id}", summary="Read one category")
async def get_category(
    requester: Reader, parts: GatewayParts, category: Id, user_id: CatalogUser = None
) -> MemoryCategory:
    """With its page, by its name or its id."""
    found = await parts.catalog.get_category(requester.catalog("read", user_id), category)
    requester.tells((found.category_id,))
    return found


@router.put("/v1/categories/{category:id}", summary="Edit a category's page")
async def edit_category(requester: Writer, parts: GatewayParts, category: Id, body: CategoryPageIn) -> MemoryCategory:
    """A page that a person writes stays until consolidation is forced. Not with a key that is bound to an agent, since
    all of the user's agents read it."""
    scope = requester.catalog("write", body.user_id)
    scope = changing(requester, scope, await parts.catalog.get_category(scope, category))
    content = parts.intake.redacted(body.content)
    if scope.user_id == EVERYBODY and (of_all := (await parts.choices.of(scope)).redactor) is not None:
        content = str(redact_json(content, of_all, "content"))
    edited = await parts.catalog.edit_category(scope, category, content)
    requester.tells((edited.category_id,))
    return edited


@router.delete("/v1/categories/{category:id}", summary="Delete a category")
async def delete_category(
    requester: Writer, parts: GatewayParts, category: Id, user_id: CatalogUser = None
) -> Forgotten:
    """Its items stay, without a category. Not with a key that is bound to an agent."""
    scope = requester.catalog("forget", user_id)
    known = await parts.catalog.get_category(scope, category)
    if not await parts.catalog.delete_category(changing(requester, scope, known), known.name):
        raise CategoryNotFoundError(known.name)
    requester.items = 1
    requester.deletes(parts.marks, scope, "category", [known.name], count=1)
    return Forgotten(forgotten=1, tiers={"catalog": "ok"})


@router.post("/v1/categories/{category:id}/items", summary="Move items into a category")
async def put_in_category(
    requester: Writer, parts: GatewayParts, category: Id, body: CategoryItemsIn
) -> MemoryCategory:
    """Ids of none are ignored. A key that is bound to an agent moves that agent's own."""
    scope = requester.catalog("write", body.user_id)
    known = await parts.catalog.get_category(scope, category)
    scope = writing(requester, scope, known)
    if scope.view is not None:
        await see_own(parts.catalog, requester, scope, body.item_ids)
    requester.tells(one for one in body.item_ids if is_tellable(one, requester.redactor))
    return await parts.catalog.put_in_category(scope, known.name, body.item_ids)


@router.post(
    "/v1/categories/{category:id}/consolidate", status_code=202, response_model=Job, summary="Make a category's page"
)
async def consolidate_category(requester: Writer, parts: GatewayParts, category: Id, body: ConsolidateIn) -> Response:
    """Answers a job; while it waits, asking again answers the same. Without anything new, and over what a person wrote,
    the page is made only with `force`. Workers do it by themselves after ten new items, and daily."""
    scope = requester.catalog("write", body.user_id)
    known = await parts.catalog.get_category(scope, category)
    requester.tells((known.category_id,))
    job = await consolidation(parts, writing(requester, scope, known), known.name, force=body.force)
    return accepted(requester, job)
