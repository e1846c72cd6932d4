"""The reports of the reflections on conversations."""

from ragpp.fields import Id
from ragpp.learned import Reflection, ReflectionKind
from ragpp.models import Page
from ragpp_services.gateway.http import Cursor, GatewayParts, Limit, PathUser, keyed_router
from ragpp_services.gateway.requester import Reader

router = keyed_router("learned")


@router.get("/v1/users/{user_id:id}/reflections", summary="List reports")
async def list_reflections(
    requester: Reader,
    parts: GatewayParts,
    user_id: PathUser,
    kind: ReflectionKind | None = None,
    cursor: Cursor = None,
    limit: Limit = 50,
) -> Page[Reflection]:
    """The reports of nightly and of incremental reflections, the latest date first."""
    page = await parts.procedural.list_reflections(requester.scope("read", user_id), kind, cursor, limit)
    requester.tells(one.id for one in page.items)
    return page


@router.get("/v1/users/{user_id:id}/reflections/{reflection_id:id}", summary="Read one report")
async def get_reflection(requester: Reader, parts: GatewayParts, user_id: PathUser, reflection_id: Id) -> Reflection:
    """The report: what was analysed and what changed. A theme is gone when an interaction that it rests on was
    forgotten."""
    return await parts.procedural.get_reflection(requester.scope("read", user_id), reflection_id)
