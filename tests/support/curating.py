"""The resources and items that tests of the catalog over HTTP keep in it."""

from typing import Final

from ragpp.api import ResourceIn
from ragpp.client import AsyncMemoryClient

USER: Final = "ann"
PRICES: Final = "Basic costs $99 a month. Pro costs $299 a month and has API access."
PRO: Final = "Pro costs $299 a month."
SECRET: Final = "my password is hunter2secret!9"


async def keep(memory: AsyncMemoryClient, content: str = PRICES, user_id: str | None = USER, **fields: object) -> str:
    body = ResourceIn.model_validate({"user_id": user_id, "resource_type": "document", "content": content, **fields})
    stored = await memory.store_resource(body)
    return stored.resource.resource_id


async def state(memory: AsyncMemoryClient, resource_id: str, content: str = PRO, **fields: object) -> str:
    items = [{"content": content, "source_resource_id": resource_id, **fields}]
    stored = await memory.store_items(user_id=USER, items=items)
    (item,) = stored.items
    return item.item_id
