"""An agent's key reads what a memory would answer that had heard nothing but what the agent may see.

Random conversations of two agents and of nobody in particular, with works done at any moment, forgettings, and what
people set and judge between them. A witness is told what the agent may see, in the same order, and nothing else.
"""

import difflib
import json
import os
import random
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Final
from uuid import uuid4

import httpx
import pytest

from tests.support.hostile import Json
from tests.support.oracle_vocabulary import SAID, Kind
from tests.support.real_gateway import RealGateway

pytestmark = pytest.mark.server

SEEDS: Final = range(int(os.environ.get("RAGPP_VIEW_CASES", "1")))
TODAY: Final = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
START: Final = TODAY - timedelta(days=2) + timedelta(hours=9)
AFTER: Final = (TODAY + timedelta(days=2)).isoformat()
"""By when also what workers do at their own time has happened."""
AGENTS: Final = ("sales", "care")
KINDS: Final[tuple[Kind, ...]] = ("small_talk", "kinship", "homes", "preferences", "rules", "findings")
QUESTIONS: Final = ("Where does Elena live?", "What does the user like to drink and eat?", "Who works where?")
NOT_COMPARED: Final = frozenset(
    {
        # ids of nodes are made up, and versions count what was said in between
        *("id", "source_id", "target_id", "version", "merged_from"),
        # when something was written down, not when it was said
        *("updated_at", "recorded_at", "created_at", "stored_at"),
    }
)


@dataclass(frozen=True)
class Step:
    """The event of one moment: a message that is said (to `agent`, which alone may see it, or None), the works that
    are due done, or a message forgotten by whoever runs the memory."""

    kind: str
    number: int = 0
    agent: str | None = None
    role: str = "user"
    content: str = ""
    session_id: str = "s1"


def script(seed: int) -> list[Step]:
    """A conversation; the first agent's first word may come late."""
    chance = random.Random(seed)
    late = chance.choice((0, 0, 12))
    steps: list[Step] = []
    said: list[int] = []
    for number in range(24):
        kind = chance.choice(KINDS)
        agent = chance.choice((None, None, *AGENTS)) if number >= late else None
        role, content = "user", chance.choice(SAID[kind])
        if steps and chance.random() < 0.2:  # a reply that repeats what may have been said to another agent
            earlier = chance.choice([step.content for step in steps if step.role == "user" and step.content] or [""])
            role, content = "assistant", f"Noted. {earlier} {content}"
        steps.append(Step("say", number, agent, role, content, chance.choice(("s1", "s2"))))
        said.append(number)
        if chance.random() < 0.15:
            steps.append(Step("digest"))
        if chance.random() < 0.08:
            steps.append(Step("reflect"))
        if chance.random() < 0.1:
            steps.append(Step("forget", said.pop(chance.randrange(len(said)))))
    return [*steps, Step("reflect"), Step("digest")]


@dataclass
class Memory:
    """One user of a tenant, in the view of one key."""

    gateway: RealGateway
    tenant_id: str
    user_id: str
    keys: dict[str | None, httpx.AsyncClient]
    hears: frozenset[str | None]
    asked: int = field(default=0)

    async def do(self, step: Step, agent_of: dict[int, str | None]) -> None:
        everyone = self.keys[None]
        if step.kind == "digest":
            await self.gateway.digest(self.tenant_id)
        elif step.kind == "reflect":
            self.asked += 1
            window = {"start": START.isoformat(), "end": (START + timedelta(days=9)).isoformat()}
            asked: Json = {"id": f"x{self.asked}", **window}
            assert (await everyone.post(f"/v1/users/{self.user_id}/extract", json=asked)).status_code == 202
            reflect: Json = {"id": f"r{self.asked}", "kind": "daily", "date": START.date().isoformat()}
            assert (await everyone.post(f"/v1/users/{self.user_id}/reflect", json=reflect)).status_code == 202
            await self.gateway.digest(self.tenant_id)
        elif step.kind == "say" and step.agent in self.hears:
            message: Json = {
                "id": f"m{step.number}",
                "role": step.role,
                "content": step.content,
                "occurred_at": (START + timedelta(minutes=10 * step.number)).isoformat(),
            }
            body: Json = {"user_id": self.user_id, "session_id": step.session_id, "messages": [message]}
            answered = await self.keys.get(step.agent, everyone).post("/v1/interactions", json=body)
            assert answered.status_code == 201, answered.text
        elif step.kind == "forget" and agent_of[step.number] in self.hears:
            gone = await everyone.delete(f"/v1/interactions/m{step.number}", params={"user_id": self.user_id})
            assert gone.status_code == 200, gone.text

    async def read(self, agent: str | None) -> dict[str, list[Json]]:
        """The answers to the key of `agent`: lists, sessions and recalls, by name."""
        client = self.keys[agent]
        found: dict[str, list[Json]] = {}
        lists = {
            "relationships": ("/v1/relationships", {"state": "all", "as_of": AFTER}),
            "entities": ("/v1/entities", {}),
            "preferences": ("/v1/preferences", {}),
            "rules": ("/v1/rules", {}),
            "findings": ("/v1/findings", {}),
        }
        for name, (path, more) in lists.items():
            answered = await client.get(path, params={"user_id": self.user_id, "limit": "200", **more})
            assert answered.status_code == 200, answered.text
            items = answered.json()["items"]
            for item in items:
                if name == "rules":
                    del item["occurred_at"]  # also when a worker put it aside, or brought it back
            found[name] = sorted(map(_plain, items), key=str)
        found["sessions"] = [await self._session(client, session) for session in ("s1", "s2")]
        found["recalls"] = [await self._recall(client, question) for question in QUESTIONS]
        return found

    async def _session(self, client: httpx.AsyncClient, session_id: str) -> Json:
        answered = await client.get(f"/v1/sessions/{session_id}", params={"user_id": self.user_id})
        if answered.status_code == 404:
            return None
        view = answered.json()
        return {"summary": view["summary"], "messages": [one["content"] for one in view["messages"]]}

    async def _recall(self, client: httpx.AsyncClient, question: str) -> Json:
        body: Json = {
            "user_id": self.user_id,
            "session_id": "s1",
            "query": question,
            "as_of": AFTER,
            "deadline_ms": 20_000,
            "limit": 50,
        }
        answered = (await client.post("/v1/recall", json=body)).json()
        assert answered["status"] == "complete", answered
        memories = [[one["score"], one["tier"], one["text"], one["confidence"]] for one in answered["memories"]]
        # what has equal scores is in the order of ids, which are made up
        return {"lines": sorted(answered["context"].splitlines()), "memories": sorted(memories, key=str)}


def _plain(value: Json) -> Json:
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items() if key not in NOT_COMPARED}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return value


@pytest.fixture
async def memories(gateway: RealGateway) -> AsyncIterator[Sequence[Memory]]:
    """The memory of a team, and the witness of what the first of its agents may see."""
    opened: list[httpx.AsyncClient] = []
    found: list[Memory] = []
    for hears in (frozenset({None, *AGENTS}), frozenset({None, AGENTS[0]})):
        tenant = f"t-{uuid4().hex[:8]}"
        agents = AGENTS if len(hears) > 2 else ()
        keys: dict[str | None, httpx.AsyncClient] = {
            agent: gateway.client(await gateway.key(tenant, agent_id=agent)) for agent in (None, *agents)
        }
        opened += keys.values()
        found.append(Memory(gateway, tenant, "u", keys, hears))
    yield found
    for client in opened:
        await client.aclose()


@pytest.mark.parametrize("seed", SEEDS)
async def test_a_view_equals_a_memory_that_heard_only_what_is_in_it(memories: Sequence[Memory], seed: int) -> None:
    steps = script(seed)
    agent_of = {step.number: step.agent for step in steps if step.kind == "say"}
    for memory in memories:
        for step in steps:
            await memory.do(step, agent_of)
    team, witness = memories
    seen, expected = await team.read(AGENTS[0]), await witness.read(None)
    for name, wanted in expected.items():
        assert seen[name] == wanted, _told(name, seen[name], wanted)


def _told(name: str, seen: list[Json], wanted: list[Json]) -> str:
    """Where the lines of two readings differ."""
    here, there = (json.dumps(reading, indent=1, sort_keys=True).splitlines() for reading in (seen, wanted))
    return "\n".join([name, *difflib.unified_diff(here, there, "seen", "expected", lineterm="", n=1)])
