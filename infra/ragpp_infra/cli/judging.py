"""A person's verdict on one thing that is known, whichever list it was taken from."""

from ragpp.client import AsyncMemoryClient
from ragpp.models import Value
from ragpp_infra.cli.known_items import Item
from ragpp_infra.cli.waiting import Waiting


async def verdict(client: AsyncMemoryClient, user: str, one: Item | Waiting, *, right: bool) -> Value:
    """Tell the gateway of a relationship, preference or rule; of a preference about the value that was listed, whatever
    came meanwhile."""
    if one.kind == "relationship":
        return await (client.confirm_relationship if right else client.reject_relationship)(user, one.id)
    if one.kind == "preference":
        return await (client.confirm_preference if right else client.reject_preference)(user, one.id, one.value)
    return await (client.confirm_rule if right else client.reject_rule)(user, one.id)
