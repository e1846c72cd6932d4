"""A memory whose routes are asked."""

import asyncio
from dataclasses import dataclass
from typing import TypeAlias, cast

import httpx

from tests.support.hostile import Json, Known
from tests.support.operations import OPERATIONS, checked_result

Object: TypeAlias = "dict[str, Json]"


@dataclass(frozen=True, eq=False)
class Memory:
    """A tenant's memory, a client of it, what it holds of USER, and the loop that it is asked in."""

    tenant_id: str
    api: httpx.AsyncClient
    known: Known
    loop: asyncio.AbstractEventLoop

    async def read(self, name: str, user_id: str | None, **path: str) -> Object:
        """The answer to a GET of one thing; AssertionError when there is none."""
        return cast("Object", checked_result(OPERATIONS[name], await self.get(name, user_id, **path)))

    async def get(self, name: str, user_id: str | None, **path: str) -> httpx.Response:
        return await self.api.get(OPERATIONS[name].url(path, {"user_id": user_id}))

    async def items(self, name: str, user_id: str, **query: str) -> list[Object]:
        """All items of a list."""
        answer = await self.api.get(OPERATIONS[name].url({}, {"user_id": user_id, "limit": 200, **query}))
        return cast("list[Object]", cast("Object", checked_result(OPERATIONS[name], answer))["items"])
