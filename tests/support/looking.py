"""A day that is looked at, messages that are forgotten, and what is known of a user, through the gateway."""

from collections.abc import Collection
from typing import Any

import httpx

from tests.support.real_gateway import RealGateway


async def looked_at(api: httpx.AsyncClient, gateway: RealGateway, tenant: str, day: str, *users: str) -> None:
    """Extract from the day's hours and reflect upon it, for each of the users."""
    window = {"start": f"{day}T00:00:00Z", "end": f"{day}T23:00:00Z"}
    for what, body in (("extract", window), ("reflect", {"kind": "daily", "date": day})):
        asked = [await api.post(f"/v1/users/{user}/{what}", json=body) for user in users]
        assert [answer.status_code for answer in asked] == [202] * len(users), asked[-1].text
        await gateway.digest(tenant)
        for answer in asked:
            assert (await api.get(answer.headers["Location"])).json()["state"] == "done"


async def forget(api: httpx.AsyncClient, gateway: RealGateway, tenant: str, user: str, ids: Collection[str]) -> None:
    for identifier in ids:
        answer = await api.delete(f"/v1/interactions/{identifier}", params={"user_id": user})
        assert answer.status_code == 200, answer.text
    await gateway.digest(tenant)


async def learned(api: httpx.AsyncClient, user: str) -> dict[str, list[dict[str, Any]]]:
    """The things that were learned, without ids of this user's own and moments at which they were written down."""
    own = {"id", "version", "updated_at", "created_at", "duration_ms", "entities_merged", "preferences_updated"}
    own |= {"relationships_updated", "relationships_archived"}  # counts of what a look changed, and not of what is so
    found = {}
    for kind, path in {
        **{kind: f"/v1/{kind}" for kind in ("findings", "preferences", "rules")},
        "reflections": f"/v1/users/{user}/reflections",
    }.items():
        answer = await api.get(
            path, params={"user_id": user, "limit": 200} if kind != "reflections" else {"limit": 100}
        )
        assert answer.status_code == 200, answer.text
        found[kind] = [
            {name: value for name, value in item.items() if name not in own} for item in answer.json()["items"]
        ]
        if kind == "rules":
            for item, shown in zip(answer.json()["items"], found[kind], strict=True):
                versions = await api.get(f"/v1/rules/{item['id']}/versions", params={"user_id": user})
                shown["words"] = sorted({one["text"] for one in versions.json()["items"]})
                del shown["occurred_at"]  # of a rule that was changed: when that was written down
    for items in found.values():
        items.sort(key=repr)
    return found
