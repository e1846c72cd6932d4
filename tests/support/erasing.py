"""Asking for erasures, and looking at what they leave."""

from typing import Any, Final
from uuid import uuid4

import httpx

from ragpp.models import Scope
from tests.support.belongings import Owner, settle
from tests.support.real_gateway import RealGateway
from tests.support.scopes import new_scope

HINT: Final = "qzy"
"""Planted words and the ids of users who are erased begin with it, and nothing else that any test stores."""
KNOWN_AGAIN: Final = {
    "ledger.epochs",
    "User",
    "ragpp:st:epoch:",
    "ragpp:st:marks:",
}
"""Places of an erased user's id, as docs/erasure.md says: the epoch, and in Redis the marks of forgotten ids."""


def planted() -> tuple[str, str, str]:
    """A name, a place and a drink that no other test knows."""
    return tuple(f"Q{HINT[1:]}{what}{uuid4().hex[:6]}" for what in ("a", "b", "c"))  # type: ignore[return-value]  # three


async def owner_of(gateway: RealGateway, *, tenant_id: str | None = None) -> Owner:
    """Somebody with a memory that is full in every tier."""
    scope = Scope(tenant_id=tenant_id or new_scope().tenant_id, user_id=f"{HINT}user{uuid4().hex[:8]}")
    return await settle(gateway, scope, *planted())


async def said(api: httpx.AsyncClient, user: str, session: str, *messages: tuple[str, str]) -> None:
    """Store messages, each an id and its words."""
    body = {
        "user_id": user,
        "session_id": session,
        "messages": [{"id": identifier, "name": "Maria", "content": content} for identifier, content in messages],
    }
    answer = await api.post("/v1/interactions", json=body)
    assert answer.status_code == 201, answer.text


async def accepted(answering: Any) -> dict[str, Any]:
    """The job that a deletion answered."""
    answer = await answering
    assert answer.status_code == 202, answer.text
    job: dict[str, Any] = answer.json()
    assert answer.headers["location"] == f"/v1/jobs/{job['id']}"
    return job


async def ended(api: httpx.AsyncClient, job: dict[str, Any], user: str | None = None) -> dict[str, Any]:
    """The job once it is done."""
    answer = await api.get(f"/v1/jobs/{job['id']}", params={"user_id": user} if user else {})
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    assert found["state"] == "done", found
    return found


def nothing_found_again(report: dict[str, Any]) -> None:
    """AssertionError unless everything that was found is gone."""
    for store, counts in report["stores"].items():
        assert counts["found_again"] == {}, (store, counts)
        assert counts["removed"] == counts["found"], (store, counts)
    assert report["searches"]["found"] == 0
