"""The catalog in the oracle's scripts: resources kept, items stored, pages written, and these forgotten."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import httpx

from tests.support.oracle_script import Forget, Keep, Note, Say, Script, Step, WritePage, with_word
from tests.support.oracle_vocabulary import CATEGORIES


async def create_categories(api: httpx.AsyncClient, user: str) -> None:
    """Those that everybody's catalog has; those that are there stay as they are."""
    for name, description in CATEGORIES.items():
        answer = await api.post("/v1/categories", json={"user_id": user, "name": name, "description": description})
        assert answer.status_code in {201, 409}, answer.text


async def keep(
    api: httpx.AsyncClient,
    step: Keep,
    before: Sequence[Step],
    gone: Collection[tuple[str, str]],
    words: Mapping[tuple[str, str], str],
) -> bool:
    """Keep a resource and have items taken from it; whether there was anything to be kept. `before`: the
    steps until then; `gone`: messages that were forgotten, which a conversation is kept without."""
    body: dict[str, Any] = {"user_id": step.user, "id": step.id, "session_id": step.session, "extract": True}
    if step.hint is not None:
        body["category_hint"] = step.hint
    if step.agent is not None:
        body |= {"agent_id": step.agent, "visibility": "agent"}
    if step.text is None:
        forgotten = {*gone, *Script(tuple(before)).forgotten}
        said = [one for one in before if isinstance(one, Say) and (one.user, one.session) == (step.user, step.session)]
        left = [one for one in said if (one.user, one.id) not in forgotten]
        if not left:
            return False
        body |= {"resource_type": "conversation", "messages": [_message(one, words) for one in left]}
    else:
        body |= {"resource_type": "document", "content": with_word(step, words), "occurred_at": step.at.isoformat()}
    await create_categories(api, step.user)
    answer = await api.post("/v1/resources", json=body)
    assert answer.status_code == 201, answer.text
    return True


async def note(api: httpx.AsyncClient, step: Note, words: Mapping[tuple[str, str], str]) -> bool:
    """Store an item; whether its resource was there."""
    item = {
        "id": step.id,
        "content": with_word(step, words),
        "source_resource_id": step.resource,
        "occurred_at": step.at.isoformat(),
    }
    if step.category is not None:
        item["category"] = step.category
    body: dict[str, Any] = {"user_id": step.user, "items": [item]}
    if step.agent is not None:
        body |= {"agent_id": step.agent, "visibility": "agent"}
    await create_categories(api, step.user)
    answer = await api.post("/v1/items", json=body)
    assert answer.status_code in {201, 404}, answer.text
    return answer.status_code == 201


async def write_page(api: httpx.AsyncClient, step: WritePage) -> None:
    """Ask for a page."""
    await create_categories(api, step.user)
    answer = await api.post(f"/v1/categories/{step.category}/consolidate", json={"user_id": step.user})
    assert answer.status_code == 202, answer.text


async def forget_kept(api: httpx.AsyncClient, forget: Forget) -> None:
    """Delete resources or items; those that are gone by then stay so."""
    for one in forget.ids:
        answer = await api.delete(f"/v1/{forget.what}/{one}", params={"user_id": forget.user})
        assert answer.status_code in {200, 404}, answer.text


def _message(say: Say, words: Mapping[tuple[str, str], str]) -> dict[str, Any]:
    return {
        "id": say.id,
        "role": say.role,
        "name": say.name,
        "content": with_word(say, words),
        "occurred_at": say.at.isoformat(),
    }
