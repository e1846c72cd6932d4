"""The requests of a hostile client, and that nothing of them is stored."""

from typing import Final

import httpx

from ragpp.api import Pending
from tests.support.hostile import Json, as_json

USER: Final = "u"
JSON: Final = {"content-type": "application/json"}
INVALID, MALFORMED = (422, "MEM-020"), (400, "MEM-024")


LEARNED: Final = ("interactions", "sessions", "preferences", "rules", "entities", "relationships", "findings")


async def nothing_is_stored(api: httpx.AsyncClient, user_id: str = USER) -> None:
    """AssertionError when the user has anything anywhere."""
    whose = {"user_id": user_id}
    for path in (*LEARNED, "resources", "items", "categories", "events"):
        answer = await api.get(f"/v1/{path}", params=whose)
        assert answer.json() == {"items": [], "next_cursor": None}, path
    assert Pending.model_validate_json((await api.get("/v1/pending", params=whose)).content).pending == 0


def message(**fields: Json) -> bytes:
    """A write of one message with these fields."""
    return as_json({"user_id": USER, "messages": [{"content": "hello", **fields}]})


def resource(**fields: Json) -> dict[str, Json]:
    """A resource with these fields."""
    return {"user_id": USER, "resource_type": "document", "content": "hello", **fields}
