"""`ragpp import` through the real gateway: stored once, with its times and roles, and found."""

import asyncio
import json
import subprocess
from datetime import UTC, datetime
from pathlib import Path

import pytest

from ragpp.client import AsyncMemoryClient
from tests.support.exports import NOON, chain, said, zipped
from tests.support.real_gateway import RealGateway
from tests.support.stack_commands import command, environment

pytestmark = pytest.mark.server

CHAT = "31.12.23, 23:55 - Ana: My bicycle is green.\n31.12.23, 23:59 - Bob: Mine has a basket.\n"


async def test_what_is_imported_twice_is_stored_once_and_found(
    gateway: RealGateway, memory: AsyncMemoryClient, tenant: str, address: str, tmp_path: Path
) -> None:
    key = await gateway.key(tenant)

    async def imported(file: Path, *more: str) -> dict[str, object]:
        run = command("import", str(file), "--user", "u1", "--url", address, "--key", key, "--json", *more)
        done = await asyncio.to_thread(
            subprocess.run, run, capture_output=True, text=True, check=False, env=environment(tmp_path / "home")
        )
        assert done.returncode == 0, done.stdout + done.stderr
        report: dict[str, object] = json.loads(done.stdout)
        return report

    told, answered = said("user", "My sister Elena moved to Porto.", at=None), said("assistant", "How lovely.")
    talk = zipped(tmp_path, "export.zip", {"conversations.json": [chain(told, answered)]})
    chat = zipped(tmp_path, "chat.zip", {"_chat.txt": CHAT})
    for file, more in ((talk, ()), (chat, ("--time-zone", "Europe/Lisbon"))):
        first, second = await imported(file, *more), await imported(file, *more)
        assert (first["stored"], first["duplicates"]) == (2, 0)
        assert (second["stored"], second["duplicates"]) == (0, 2)

    kept = (await memory.interactions("u1", newest_first=False, limit=10)).items
    assert [(one.role, one.name, one.content) for one in kept] == [
        ("user", None, "My sister Elena moved to Porto."),
        ("assistant", None, "How lovely."),
        ("user", "Ana", "My bicycle is green."),
        ("user", "Bob", "Mine has a basket."),
    ]
    assert [one.occurred_at for one in kept[:3]] == [
        *(2 * [datetime.fromtimestamp(NOON, UTC)]),
        datetime(2023, 12, 31, 23, 55, tzinfo=UTC),
    ]
    found = await memory.recall(user_id="u1", query="Where did Elena move?", session_id="elsewhere")
    assert "My sister Elena moved to Porto." in found.context
