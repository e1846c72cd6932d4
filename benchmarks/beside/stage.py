"""The surroundings of one system: a fresh folder with servers of our own, their CPU time, and the bytes they keep."""

import asyncio
import contextlib
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import psutil
from pydantic import SecretStr

from benchmarks.beside.catalogue import Entry
from benchmarks.beside.endpoint import DIMENSION, MODEL
from benchmarks.beside.system import Place
from benchmarks.prove_scale import cpu_seconds, processes
from ragpp_infra.embedded.home import Home
from ragpp_infra.embedded.second_encoder import second_encoder
from ragpp_infra.embedded.stack import Stack
from ragpp_infra.provisioning.endpoints import DATABASE, in_database
from ragpp_infra.provisioning.postgres import connected

OWN: Final = "beside"
"""The database that is made for a system; RAG++ has the one of its stack."""
BLOCK: Final = 512


class Stage:
    """Servers in `home` for the system of `entry`, which may ask the endpoint at `embeddings`."""

    def __init__(self, entry: Entry, home: Path, embeddings: str) -> None:
        self._entry, self._home, self._embeddings = entry, home, embeddings
        self._servers: dict[str, psutil.Process] = {}

    def up(self) -> None:
        """Start what the system needs; its store is empty the first time. Raises StackError, CalledProcessError."""
        match self._entry.surroundings:
            case "ragpp":
                self._ragpp("up")
            case "postgres":
                Stack(self._home).up({"postgres"})
                asyncio.run(self._make_database())
            case "memory":
                pass
        self._files().mkdir(exist_ok=True)
        if self._entry.surroundings != "memory":
            self._servers = processes(self._home)

    def down(self) -> None:
        """Stop it in order; what was written stays."""
        match self._entry.surroundings:
            case "ragpp":
                self._ragpp("down")
            case "postgres":
                Stack(self._home).down()
            case "memory":
                pass

    def place(self) -> Place:
        """The surroundings, as the system is told of them."""
        files = str(self._files())
        match self._entry.surroundings:
            case "ragpp":
                home = Home(self._home)
                return Place(files, gateway=home.url() or "", key=home.key() or "")
            case "postgres":
                dsn = self._dsn().get_secret_value()
                return Place(files, postgres=dsn, embeddings=self._embeddings, model=MODEL, dimension=DIMENSION)
            case "memory":
                return Place(files)

    def settings(self) -> dict[str, str]:
        """The settings that the servers were started with beside the defaults."""
        given = {name: value for name, value in self._given().items() if name != "EMBEDDING_BASE_URL"}
        if self._entry.surroundings == "ragpp":
            given["second encoder"] = "in use" if second_encoder() else "not there"
        return given

    def cpu_seconds(self, pid: int) -> dict[str, float]:
        """CPU time so far by process: of the servers, and of the load generator `pid` with what it started."""
        running = self._servers | {"client": psutil.Process(pid)}
        return {name: cpu_seconds(process) for name, process in running.items()}

    def stored_bytes(self, pid: int) -> int:
        """The bytes that are stored: of the database and the files, once dead rows are cleared away; of a system that
        works in memory those of the process `pid` and of what it started."""
        if self._entry.surroundings == "memory":
            client = psutil.Process(pid)
            return sum(int(one.memory_info().rss) for one in (client, *client.children(recursive=True)))
        kept = [self._files()]
        if self._entry.surroundings == "ragpp":
            kept += [self._home / "neo4j", self._home / "valkey"]
        return asyncio.run(self._database_bytes()) + sum(map(_bytes_below, kept))

    def _files(self) -> Path:
        return self._home / "files"

    def _given(self) -> dict[str, str]:
        if self._entry.surroundings == "ragpp" and self._entry.endpoint:
            return {"EMBEDDING_PROVIDER": "openai", "EMBEDDING_BASE_URL": self._embeddings}
        return {}

    def _ragpp(self, command: str) -> None:
        subprocess.run(
            [sys.executable, "-m", "ragpp_infra.cli.main", command],
            check=True,
            env=os.environ | {"RAGPP_HOME": str(self._home)} | self._given(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )

    def _dsn(self) -> SecretStr:
        database = DATABASE if self._entry.surroundings == "ragpp" else OWN
        return in_database(Stack(self._home).postgres_superuser_dsn(), database)

    async def _make_database(self) -> None:
        async with connected(Stack(self._home).postgres_superuser_dsn()) as connection:
            if not await connection.fetchval("SELECT 1 FROM pg_database WHERE datname = $1", OWN):
                await connection.execute(f"CREATE DATABASE {OWN}")

    async def _database_bytes(self) -> int:
        async with connected(self._dsn()) as connection:
            await connection.execute("VACUUM ANALYZE")
            await connection.execute("CHECKPOINT")
            size: int = await connection.fetchval("SELECT pg_database_size(current_database())")
        return size


def machine() -> Mapping[str, str]:
    """The machine that it was measured on."""
    memory = psutil.virtual_memory().total / 2**30
    return {"processors": str(os.cpu_count()), "memory": f"{memory:.0f} GiB", "model": _processor()}


def busy_seconds() -> float:
    """CPU seconds of the whole machine so far, but for idling and for this process, which has the endpoint."""
    times, own = psutil.cpu_times(), psutil.Process().cpu_times()
    return float(times.user + times.nice + times.system - own.user - own.system)


@contextmanager
def staged(entry: Entry, embeddings: str) -> Iterator[Stage]:
    """A stage in a temporary folder, up; it is stopped and gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="ragpp-beside-", ignore_cleanup_errors=True) as folder:
        stage = Stage(entry, Path(folder).resolve(), embeddings)
        try:
            stage.up()
            yield stage
        finally:
            stage.down()


def _bytes_below(folder: Path) -> int:
    """Bytes on the disk; a file that goes meanwhile counts as nothing."""
    total = 0
    for path in folder.rglob("*"):
        with contextlib.suppress(FileNotFoundError):
            total += path.stat().st_blocks * BLOCK
    return total


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return "unknown"
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "unknown")
