"""The catalog as an agent chooses its memories by it, as documents 000 and 001 have it, over the gateway."""

from datetime import datetime
from typing import Final

from pydantic import JsonValue

from ragpp.api import EntryIn, RelevantMemories
from ragpp.catalog import CatalogVisibility, ItemKind
from ragpp.client import MemoryClient
from ragpp.entries.values import CatalogEntry
from ragpp.memory.connecting import connected
from ragpp.memory.whose import Whose, or_none

PATIENCE_S: Final = 120.0


class MemoryCatalog:
    """One agent's catalog. `agent_id`: the agent's name (`ci` in the documents); `client`: of the gateway, that of the
    environment or of the stack's folder where none is given (`MemoryManager`). To be closed, or used as a context.

    Raises ConfigurationError where no gateway is named; from every method what the client raises.
    """

    def __init__(
        self,
        agent_id: str | None = None,
        *,
        client: MemoryClient | None = None,
        user_id: str | None = None,
        patience_s: float = PATIENCE_S,
    ) -> None:
        self._closes = client is None
        self._whose = Whose(client or connected(), user_id, agent_id, patience_s)

    async def __aenter__(self) -> "MemoryCatalog":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Close the connections, unless they are the caller's."""
        if self._closes:
            await self._whose.client.aclose()

    async def search(
        self,
        query: str | None = None,
        *,
        type: ItemKind | None = None,  # noqa: A002 - the document's
        tags: tuple[str, ...] = (),
        ci: str | None = None,
        limit: int = 50,
        offset: int = 0,
    ) -> list[CatalogEntry]:
        """Light entries that answer `query` best, or the latest, of a type, with one of `tags` at least, of the agent
        `ci` alone where one is named."""
        found = await self._whose.client.entries(
            self._whose.user_id,
            ci=ci,
            type=type,
            tags=",".join(tags) or None,
            search=query,
            offset=offset,
            limit=limit,
        )
        return list(found.memories)

    async def get_relevant(
        self, message: str, *, goal: str | None = None, max_tokens: int | None = None
    ) -> RelevantMemories:
        """What matters for a message, packed into `max_tokens`; see `GET /api/memory/relevant`."""
        return await self._whose.client.relevant(
            self._whose.user_id, ci=self._whose.agent_id, message=message, goal=goal, max_tokens=max_tokens
        )

    async def store(
        self,
        content: str,
        *,
        type: ItemKind | None = None,  # noqa: A002 - the document's
        summary: str | None = None,
        tags: tuple[str, ...] | None = None,
        priority: int | None = None,
        expires: datetime | None = None,
        references: tuple[str, ...] = (),
        visibility: CatalogVisibility | None = None,
        memory_id: str | None = None,
        metadata: dict[str, JsonValue] | None = None,
    ) -> CatalogEntry:
        """Keep a memory, the agent's; answers the entry that it is now."""
        entry = EntryIn(
            user_id=self._whose.user_id,
            id=memory_id,
            content=content,
            ci=self._whose.agent_id,
            type=type,
            summary=summary,
            tags=tags,
            priority=priority,
            expires=expires,
            references=references,
            visibility=visibility,
            metadata=metadata or {},
        )
        return await self._whose.client.store_entry(entry)

    async def get(self, memory_id: str) -> CatalogEntry | None:
        """One with its content; None where there is none."""
        return await or_none(self._whose.client.entry(memory_id, user_id=self._whose.user_id))

    async def delete(self, memory_id: str) -> bool:
        """Delete it, or take back what this agent contributed; False where there was none."""
        gone = await or_none(self._whose.client.forget_entry(memory_id, user_id=self._whose.user_id))
        return gone is not None
