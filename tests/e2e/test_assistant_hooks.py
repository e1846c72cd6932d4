"""The hooks of an assistant on the real gateway, each as the process that the assistant runs."""

import asyncio
import json
import sys
from pathlib import Path

import pytest

from tests.support.real_gateway import RealGateway

pytestmark = pytest.mark.server


async def test_what_was_said_in_one_session_is_told_in_another(
    gateway: RealGateway, tenant: str, address: str, tmp_path: Path
) -> None:
    environment = {"RAGPP_URL": address, "RAGPP_API_KEY": await gateway.key(tenant), "RAGPP_HOME": str(tmp_path)}

    async def hook(event: str, session: str, said: str, **fields: object) -> str:
        path = tmp_path / f"{session}.jsonl"
        line = {"type": "user", "uuid": f"u-{session}", "message": {"role": "user", "content": said}}
        path.write_text(json.dumps(line) + "\n")
        payload = {"session_id": session, "transcript_path": str(path), **fields}
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-P", "-m", "ragpp_infra.cli.start", "hook", "--user", "ana", event),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env=environment,
        )
        wrote, complained = await process.communicate(json.dumps(payload).encode())
        assert (process.returncode, complained) == (0, b"")
        return wrote.decode()

    asked = "Where does my sister live?"
    assert await hook("user-prompt", "zeroth", asked, prompt=asked) == "", "nothing is known yet"
    assert await hook("session-start", "zeroth", "", source="startup") == ""

    told = "My sister Elena moved to Porto last spring."
    for _ in range(2):
        assert await hook("stop", "first", told, last_assistant_message="Porto is lovely in spring.") == ""
    await gateway.digest(tenant)

    known = json.loads(await hook("user-prompt", "second", asked, prompt=asked))["hookSpecificOutput"]
    assert known["hookEventName"] == "UserPromptSubmit"
    assert known["additionalContext"].count(told) == 1
    brief = json.loads(await hook("session-start", "third", "", source="startup"))["hookSpecificOutput"]
    assert "Porto" in brief["additionalContext"]
