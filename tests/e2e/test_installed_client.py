"""The client as `pip install ragpp` brings it, with nothing but what it needs, against a running gateway."""

import asyncio
import json
from pathlib import Path
from typing import Final

import pytest

from tests.support.installing import built_wheel, installed
from tests.support.real_gateway import RealGateway

pytestmark = [pytest.mark.server, pytest.mark.wheel]

CLIENT: Final = """
import asyncio, json, sys
from ragpp import AsyncMemoryClient, MemoryClient, MemoryManager

with MemoryClient() as memory:
    memory.remember("Bruno is Elena's dog.", user="u1", id="m-1")
    said = memory.recall("Who is Bruno?", user="u1").memories[0].text

async def asked():
    async with AsyncMemoryClient() as memory:
        return (await memory.recall(user_id="u1", query="Who is Bruno?")).memories[0].text

async def kept():
    async with MemoryManager(user_id="u1") as memory:
        await memory.store_resource("Bruno is Elena's dog.", "document")
        return memory.is_healthy, (await memory.get_stats()).total_resources

json.dump({"sync": said, "async": asyncio.run(asked()), "kept": asyncio.run(kept())}, sys.stdout)
"""


async def test_it_remembers_and_recalls_with_both_faces_and_keeps_a_catalog(
    gateway: RealGateway, tenant: str, address: str, tmp_path: Path
) -> None:
    alone = installed(built_wheel(tmp_path), tmp_path / "environment")
    client = await asyncio.create_subprocess_exec(
        alone.python,
        "-c",
        CLIENT,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env={"RAGPP_URL": address, "RAGPP_API_KEY": await gateway.key(tenant)},
    )
    said, complained = await client.communicate()
    assert client.returncode == 0, complained.decode()
    dog = "Bruno is Elena's dog."
    assert json.loads(said) == {"sync": dog, "async": dog, "kept": [True, 1]}
