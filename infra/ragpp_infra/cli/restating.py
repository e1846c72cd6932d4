"""A relationship that leads elsewhere than was learned, stated as it was otherwise."""

from ragpp.api import RelationshipIn
from ragpp.client import AsyncMemoryClient
from ragpp.models import Entity, Relationship
from ragpp.paging import PAGE, pages
from ragpp_infra.cli.arguments import checked
from ragpp_infra.cli.known_items import MOST


async def restated(client: AsyncMemoryClient, user: str, was: Relationship, target: str) -> RelationshipIn:
    """`was` with another `target`: of the same time, as lasting, between the same kinds of things. A target that is
    known is of its own kind. Raises NotFound for a relationship whose ends are not known any more."""
    source, led_to = await client.entity(user, was.source_id), await client.entity(user, was.target_id)
    fields: dict[str, object] = {
        "user_id": user,
        "source": was.source,
        "source_label": source.label,
        "type": was.type,
        "target": target,
        "target_label": None if await _is_known(client, user, target) else led_to.label,
        "lasting": was.lasting,
        "valid_from": was.valid_from,
        "valid_to": was.valid_to,
    }
    return checked(RelationshipIn, fields)


async def _is_known(client: AsyncMemoryClient, user: str, name: str) -> bool:
    wanted = " ".join(name.split()).casefold()
    async for entity in pages(lambda cursor: client.entities(user, cursor=cursor, limit=PAGE), most=MOST):
        if wanted in _names(entity):
            return True
    return False


def _names(entity: Entity) -> set[str]:
    return {name.casefold() for name in (entity.name, *entity.aliases)}
