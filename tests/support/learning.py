"""A user from whom something is learned through the gateway, and what became of it."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import httpx

from ragpp.learned import Reflection
from ragpp.ledger import Work, WorkKey
from ragpp.models import Scope
from tests.support.real_gateway import RealGateway

USER = "learner"


LATER = "2024-06-01T00:00:00Z"


def ask(day: str, text: str, *, hour: str = "08:10", role: str = "user", name: str | None = None) -> dict[str, Any]:
    at = f"{day}T{hour}:00Z"
    return {"id": f"{at}-{role}-{name}", "role": role, "name": name, "content": text, "occurred_at": at}


async def remember(api: httpx.AsyncClient, session: str, *messages: dict[str, Any]) -> None:
    body = {"user_id": USER, "session_id": session, "messages": list(messages)}
    answer = await api.post("/v1/interactions", json=body)
    assert answer.status_code == 201, answer.text


async def known(api: httpx.AsyncClient) -> dict[str, Any]:
    """Everything that was learned, as the API tells it."""
    found = {}
    for path in ("entities", "relationships", "preferences", "rules", "findings"):
        # at one moment, so that nothing fades between two readings
        params: dict[str, str | int] = {"user_id": USER, "limit": 200}
        if path == "relationships":
            params["as_of"] = LATER
        answer = await api.get(f"/v1/{path}", params=params)
        assert answer.status_code == 200, answer.text
        found[path] = answer.json()["items"]
    answer = await api.get(f"/v1/users/{USER}/reflections")
    assert answer.status_code == 200, answer.text
    found["reflections"] = answer.json()["items"]
    return found


def work(tenant: str, stage: str, payload: Mapping[str, Any], event_id: int = 1) -> Work:
    return Work(
        key=WorkKey(event_id, stage),
        scope=Scope(tenant_id=tenant, user_id=USER),
        kind=f"{stage}.requested",
        subject_id="s",
        occurred_at=datetime(2024, 3, 11, 9, tzinfo=UTC),
        attempts=1,
        payload=payload,
    )


async def job(api: httpx.AsyncClient, gateway: RealGateway, tenant: str, what: str, body: Mapping[str, Any]) -> Any:
    """The result of an extraction or a reflection that is asked for through the API."""
    asked = await api.post(f"/v1/users/{USER}/{what}", json=body)
    assert asked.status_code == 202, asked.text
    await gateway.digest(tenant)
    done = (await api.get(asked.headers["Location"])).json()
    assert done["state"] == "done", done
    return done["result"]


async def night(api: httpx.AsyncClient, gateway: RealGateway, tenant: str, day: str) -> Reflection:
    """The report of one day."""
    return Reflection.model_validate(await job(api, gateway, tenant, "reflect", {"kind": "daily", "date": day}))
