"""Odd texts that are accepted stay as they are, wherever they stand."""

import json
from typing import Final

import httpx
import pytest

from ragpp.models import Interaction, Page, Preference, Rule, SessionInfo
from ragpp.redaction import redact
from tests.support.hostile import CONTROLS, METACHARACTERS
from tests.support.operations import OPERATIONS
from tests.support.refusing import USER, nothing_is_stored, resource

pytestmark = pytest.mark.server


@pytest.mark.parametrize("text", METACHARACTERS)
async def test_odd_texts_come_back_from_the_catalog_as_they_are(api: httpx.AsyncClient, text: str) -> None:
    stored = await api.post("/v1/resources", json=resource(content=text, metadata={"k": text}))
    assert stored.status_code == 201, stored.text
    resource_id = stored.json()["resource"]["resource_id"]
    kept = (await api.get(f"/v1/resources/{resource_id}", params={"user_id": USER})).json()
    assert (kept["content"], kept["metadata"]) == (text, {"k": text})
    item = {"content": text, "source_resource_id": resource_id, "domain": text[:100]}
    made = await api.post("/v1/items", json={"user_id": USER, "items": [item]})
    assert made.status_code == 201, made.text
    assert (made.json()["items"][0]["content"], made.json()["items"][0]["domain"]) == (text, text[:100])
    for path, body in (
        ("/v1/retrieve", {"query": text or "x"}),
        ("/v1/recall", {"query": text or "x"}),
    ):
        if text.strip():
            assert (await api.post(path, json={"user_id": USER, **body})).is_success
    assert (await api.get("/v1/resources", params={"user_id": USER, "search": text})).is_success


@pytest.mark.parametrize("text", METACHARACTERS)
async def test_metacharacters_are_only_text_wherever_they_stand(api: httpx.AsyncClient, text: str) -> None:
    same = "an id" if any(control in text for control in CONTROLS) else text  # what a new id may not be
    message_ = {"id": same, "name": text, "content": text, "channel": text, "domain": text, "metadata": {text: [text]}}
    written = {"user_id": same, "session_id": same, "agent_id": same, "messages": [message_]}
    answer = await api.post("/v1/interactions", json=written)
    assert answer.status_code == 201, answer.text
    rule = {"user_id": same, "id": same, "text": text, "triggers": [text]}
    assert (await api.post("/v1/rules", json=rule)).status_code == 201
    preference = await api.post("/v1/preferences", json={"user_id": same, "category": text, "key": text, "value": text})
    assert preference.status_code == 201, preference.text

    async def read(name: str, **path: str) -> bytes:
        answer = await api.get(OPERATIONS[name].url(path, {"user_id": same}))
        assert answer.status_code == 200, answer.text
        return answer.content

    item = Interaction.model_validate_json(await read("GET /v1/interactions/{interaction_id}", interaction_id=same))
    assert item.content == redact(text).text
    assert (item.id, item.session_id, item.agent_id, item.name) == (same, same, same, text)
    assert (item.channel, item.domain, item.metadata) == (text, text, {text: [text]})
    sessions = Page[SessionInfo].model_validate_json(await read("GET /v1/sessions"))
    assert [session.session_id for session in sessions.items] == [same]
    session = json.loads(await read("GET /v1/sessions/{session_id}", session_id=same))
    assert [(shown["id"], shown["content"]) for shown in session["messages"]] == [(same, text)]
    kept = Rule.model_validate_json(await read("GET /v1/rules/{item_id}", item_id=same))
    assert (kept.id, kept.text, kept.triggers) == (same, text, (text,))
    learned = Preference.model_validate_json(preference.content)
    read_again = await read("GET /v1/preferences/{item_id}", item_id=learned.id)
    assert Preference.model_validate_json(read_again) == learned
    assert (learned.category, learned.key, learned.value) == (text, text, text)
    recalled = await api.post(
        "/v1/recall",
        json={"user_id": same, "session_id": same, "query": text, "entities": [text], "in_session": same,
              "agent_id": same, "channel": text, "domain": text, "persona": text, "situation": {text: text}},
    )  # fmt: skip
    assert recalled.status_code == 200, recalled.text
    assert recalled.json()["status"] == "complete", recalled.text
    await nothing_is_stored(api, "someone else")
    for name in ("interactions", "sessions", "rules"):
        address = OPERATIONS[f"DELETE /v1/{name}/{{{_ID[name]}}}"].url({_ID[name]: same}, {"user_id": same})
        assert (await api.delete(address)).status_code == (202 if name == "sessions" else 200)


_ID: Final = {"interactions": "interaction_id", "sessions": "session_id", "rules": "item_id"}
