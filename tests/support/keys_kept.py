"""Checks of keys that are made and revoked over HTTP, read back from the list of them."""

from typing import Final, cast

from tests.support.asked_memory import Memory, Object
from tests.support.operations import OPERATIONS, checked_result


async def a_key_is_listed(memory: Memory, sent: Object, result: Object) -> None:
    listed = {str(one["key_id"]): one for one in await every_key(memory)}
    assert listed[str(result["key_id"])] == {name: value for name, value in result.items() if name != "key"}
    assert [result[name] for name in ("user_id", "agent_id", "visibility")] == [
        sent.get(name) for name in ("user_id", "agent_id", "visibility")
    ]


async def a_key_is_revoked(memory: Memory, sent: Object, result: Object) -> None:
    assert (result["key_id"], result["state"]) == (sent["key_id"], "revoked")
    assert result in await every_key(memory)


async def every_key(memory: Memory) -> list[Object]:
    operation, keys, cursor = OPERATIONS["GET /v1/keys"], list[Object](), None
    while True:
        address = operation.url({}, {"limit": 200, "cursor": cursor})
        page = cast("Object", checked_result(operation, await memory.api.get(address)))
        keys += cast("list[Object]", page["items"])
        cursor = page["next_cursor"]
        if cursor is None:
            return keys


KEYS_KEPT: Final = {"POST /v1/keys": a_key_is_listed, "DELETE /v1/keys/{key_id}": a_key_is_revoked}
