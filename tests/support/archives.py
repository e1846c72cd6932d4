"""Files that `ragpp backup` might have written."""

import asyncio
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from pydantic import SecretStr

from ragpp_infra.backup.archive import ArchiveReader, ArchiveWriter
from ragpp_infra.backup.manifest import FORMAT, Manifest, Table, key_check

NOW: Final = datetime(2026, 6, 1, tzinfo=UTC)
FORGETTING_KEY: Final = SecretStr("the key of then")
SAID: Final = {"redis": b"one\ntwo\n", "postgres/a.b": b"x" * 100}


def manifest(writer: ArchiveWriter | None = None, **given: Any) -> Manifest:
    """The manifest of a backup of one table, with the parts of `writer`; `given`: facts in the place of these."""
    facts: dict[str, Any] = {
        "format": FORMAT,
        "ragpp": "0.1.0",
        "since": NOW,
        "moment": NOW,
        "until": NOW,
        "key_check": key_check(FORGETTING_KEY),
        "migrations": {"ledger": {1: "c1"}},
        "tables": {"a.b": Table(columns={"c": "text"})},
        "sequences": {},
        "parts": writer.parts if writer else {},
    }
    return Manifest(**(facts | given))


def written(path: Path, said: dict[str, bytes] | None = None, **given: Any) -> ArchiveReader:
    """A backup in the file `path` that has these parts, or SAID."""

    async def write(writer: ArchiveWriter) -> None:
        for name, content in (SAID if said is None else said).items():
            part = writer.part(name)
            for start in range(0, len(content), 7):
                await part.write(content[start : start + 7])
            await part.close()

    with path.open("wb") as file:
        writer = ArchiveWriter(file)
        asyncio.run(write(writer))
        writer.finish(manifest(writer, **given))
    return ArchiveReader(path)
