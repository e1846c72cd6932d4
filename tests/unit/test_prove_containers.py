"""The killing of containers kills nothing else."""

import json
import os

import pytest

from benchmarks import prove_containers
from ragpp.client import AsyncMemoryClient


async def test_a_container_that_does_not_run_is_not_well_and_nothing_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its process is told as 0, and a signal to 0 is one to whoever runs this and to their whole shell command."""
    signalled = list[int]()
    state = {"Pid": 0, "StartedAt": "2026-01-01T00:00:00Z", "Running": False, "Health": {"Status": "unhealthy"}}
    monkeypatch.setattr(prove_containers, "docker", lambda *_arguments: json.dumps(state))
    monkeypatch.setattr(prove_containers, "PATIENCE_S", 0.0)
    monkeypatch.setattr(os, "kill", lambda pid, _signal: signalled.append(pid))
    async with AsyncMemoryClient("http://127.0.0.1:1", "key") as client:
        watched = await prove_containers.killed(client, "ragpp-worker-1", [])
    assert not watched.well
    assert signalled == []
