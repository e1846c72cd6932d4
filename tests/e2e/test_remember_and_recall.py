"""Messages that go in come out, in the right place of the context, and go away when they are forgotten."""

from datetime import datetime
from hashlib import sha256
from typing import Final

import httpx
import pytest

from ragpp.text.readers import Tokenizers
from ragpp.tiers import PROTOCOLS
from ragpp_services.workers.stages.repair import rebuild_short_term
from tests.support.real_gateway import RealGateway
from tests.support.waiting import eventually

pytestmark = pytest.mark.server

USER: Final = "ann"
MESSAGES: Final = [
    {"id": "m1", "name": "Ann", "content": "My sister Elena moved to Porto last spring.",
     "occurred_at": "2025-03-08T13:56:00Z"},
    {"id": "m2", "name": "Ann", "content": "I prefer tea over coffee.", "occurred_at": "2025-03-08T13:57:00Z"},
    {"id": "m3", "role": "assistant", "content": "Noted, tea it is.", "occurred_at": "2025-03-08T13:58:00Z"},
]  # fmt: skip


async def remember(api: httpx.AsyncClient, messages: list[dict[str, str]], session_id: str = "s1") -> dict[str, object]:
    answer = await api.post("/v1/interactions", json={"user_id": USER, "session_id": session_id, "messages": messages})
    assert answer.status_code == 201, answer.text
    body: dict[str, object] = answer.json()
    return body


async def recall(api: httpx.AsyncClient, query: str, **fields: object) -> dict[str, object]:
    answer = await api.post("/v1/recall", json={"user_id": USER, "query": query, **fields})
    assert answer.status_code == 200, answer.text
    body: dict[str, object] = answer.json()
    return body


async def test_a_write_is_acknowledged_by_both_tiers_with_a_receipt(api: httpx.AsyncClient) -> None:
    body = await remember(api, MESSAGES)
    assert body["tiers"] == {"episodic": "ok", "short_term": "ok"}
    unknown = {"duplicate": False, "forgotten": False, "redactions": 0, "redacted": []}
    assert body["stored"] == [{"id": f"m{n}", **unknown} for n in (1, 2, 3)]
    assert str(body["receipt"]).startswith("r1.")
    assert datetime.fromisoformat(str(body["timestamp"])).tzinfo is not None
    logged = (await api.get("/v1/interactions", params={"user_id": USER, "session_id": "s1"})).json()["items"]
    running = (await api.get("/v1/sessions/s1", params={"user_id": USER})).json()["messages"]
    for kept in (sorted(logged, key=lambda message: str(message["id"])), running):
        assert [(m["id"], m["content"]) for m in kept] == [(m["id"], m["content"]) for m in MESSAGES]


async def test_a_recall_right_after_the_write_finds_it(api: httpx.AsyncClient) -> None:
    await remember(api, MESSAGES)
    body = await recall(api, "Where did Elena move?", session_id="elsewhere")
    assert body["status"] == "complete"
    assert body["memories"][0]["id"] == "m1"  # type: ignore[index]
    assert "- [2025-03-08 13:56] Ann: My sister Elena moved to Porto last spring." in str(body["context"])


async def test_the_running_conversation_is_shown_once_and_first(api: httpx.AsyncClient) -> None:
    await remember(api, MESSAGES)
    body = await recall(api, "Where did Elena move?", session_id="s1")
    context = str(body["context"])
    assert context.startswith("## RECENT CONVERSATION")
    assert context.count("My sister Elena moved to Porto last spring.") == 1


async def test_what_was_said_becomes_entities_relationships_and_preferences(
    api: httpx.AsyncClient, gateway: RealGateway, tenant: str
) -> None:
    receipt = (await remember(api, MESSAGES))["receipt"]
    await gateway.digest(tenant)
    body = await recall(api, "What about Elena?", after=receipt, session_id="elsewhere")
    assert body["receipt_pending"] == 0
    entities = (await api.get("/v1/entities", params={"user_id": USER})).json()["items"]
    assert {"Elena", "Porto"} <= {entity["name"] for entity in entities}
    relationships = (await api.get("/v1/relationships", params={"user_id": USER})).json()["items"]
    assert ("Elena", "LIVES_IN", "Porto") in {(r["source"], r["type"], r["target"]) for r in relationships}
    assert all(r["sources"] for r in relationships)
    preferences = (await api.get("/v1/preferences", params={"user_id": USER})).json()["items"]
    assert any("tea" in preference["value"] for preference in preferences)
    titles = [section["title"] for section in body["sections"]]  # type: ignore[attr-defined]
    assert "KNOWN RELATIONSHIPS" in titles


async def test_forgetting_an_interaction_removes_it_and_what_rested_on_it_everywhere(
    api: httpx.AsyncClient, gateway: RealGateway, tenant: str
) -> None:
    await remember(api, MESSAGES)
    await gateway.digest(tenant)
    answer = await api.delete("/v1/interactions/m1", params={"user_id": USER})
    assert answer.status_code == 200, answer.text
    assert set(answer.json()["tiers"].values()) == {"ok"}
    await gateway.digest(tenant)
    for query in ("Where did Elena move?", "Porto"):
        body = await recall(api, query, session_id="s1", token_budget=4_000, limit=200)
        assert "Porto" not in str(body["context"])
        assert "Porto" not in str(body["memories"])
    assert (await api.get("/v1/interactions/m1", params={"user_id": USER})).status_code == 404
    names = {entity["name"] for entity in (await api.get("/v1/entities", params={"user_id": USER})).json()["items"]}
    assert "Porto" not in names
    session = (await api.get("/v1/sessions/s1", params={"user_id": USER})).json()
    assert "Porto" not in str(session)


async def test_the_same_ids_again_are_duplicates_and_change_nothing(api: httpx.AsyncClient) -> None:
    first = await remember(api, MESSAGES)
    again = await remember(api, MESSAGES)
    assert [item["duplicate"] for item in again["stored"]] == [True, True, True]  # type: ignore[attr-defined]
    assert again["receipt"] == first["receipt"]
    items = (await api.get("/v1/interactions", params={"user_id": USER})).json()["items"]
    assert len(items) == 3


async def test_a_known_id_with_other_content_refuses_the_whole_batch_and_names_the_index(
    api: httpx.AsyncClient,
) -> None:
    await remember(api, MESSAGES)
    fresh = {"id": "m9", "content": "fresh"}
    answer = await api.post(
        "/v1/interactions", json={"user_id": USER, "messages": [fresh, {"id": "m1", "content": "changed"}]}
    )
    assert answer.status_code == 409
    problem = answer.json()
    assert problem["code"] == "MEM-011"
    assert problem["details"]["indexes"] == [1]
    assert problem["recovery_suggestions"]
    assert (await api.get("/v1/interactions/m9", params={"user_id": USER})).status_code == 404


async def test_a_secret_never_reaches_a_store_and_the_answer_counts_it(api: httpx.AsyncClient) -> None:
    secret = "AKIA" + "Q3EGVFRMTUVA5N7X"
    body = await remember(api, [{"id": "k", "content": f"my key is {secret}, keep it"}])
    assert body["stored"][0]["redactions"] == 1  # type: ignore[index]
    stored = (await api.get("/v1/interactions/k", params={"user_id": USER})).json()["content"]
    assert secret not in stored
    assert stored.startswith("my key is [REDACTED:")
    recalled = await recall(api, "what is my key?", session_id="s1")
    assert secret not in str(recalled)


async def test_a_recall_as_of_a_moment_does_not_see_what_was_said_later(api: httpx.AsyncClient) -> None:
    await remember(
        api,
        [
            {"id": "old", "content": "I live in Leeds.", "occurred_at": "2024-01-01T10:00:00Z"},
            {"id": "new", "content": "I live in Porto.", "occurred_at": "2025-01-01T10:00:00Z"},
        ],
    )
    body = await recall(api, "Where do I live?", as_of="2024-06-01T00:00:00Z", session_id="s1")
    assert "Leeds" in str(body["context"])
    assert "Porto" not in str(body["context"])


async def test_excluded_ids_are_nowhere_in_the_answer(api: httpx.AsyncClient) -> None:
    await remember(api, MESSAGES)
    body = await recall(api, "Where did Elena move?", session_id="s1", exclude=["m1"])
    assert "m1" not in {memory["id"] for memory in body["memories"]}  # type: ignore[attr-defined]
    assert "My sister Elena" not in str(body["context"])


async def test_the_context_keeps_its_budget_and_frames_it_with_persona_and_situation(api: httpx.AsyncClient) -> None:
    await remember(api, MESSAGES)
    body = await recall(
        api, "tea", token_budget=120, persona="You are brief.", situation={"place": "kitchen"}, tools=["kettle: boils"]
    )
    context = str(body["context"])
    assert body["tokens"] == Tokenizers().named().count(context)
    assert int(str(body["tokens"])) <= 120
    titles = [section["title"] for section in body["sections"]]  # type: ignore[attr-defined]
    assert titles == [line.removeprefix("## ") for line in context.splitlines() if line.startswith("## ")]
    assert (titles[0], titles[-2:]) == ("PERSONA", ["AVAILABLE TOOLS", "CURRENT SITUATION"])
    places = [
        context.index(part) for part in ("You are brief.", "I prefer tea over coffee.", "kettle: boils", "kitchen")
    ]
    assert places == sorted(places)


async def test_a_list_is_paginated_by_cursor_without_gap_or_repeat(api: httpx.AsyncClient) -> None:
    await remember(api, [{"id": f"n{number}", "content": f"note {number}"} for number in range(7)])
    seen: list[str] = []
    cursor: str | None = None
    while True:
        params = {"user_id": USER, "limit": "3"} | ({"cursor": cursor} if cursor else {})
        page = (await api.get("/v1/interactions", params=params)).json()
        seen += [item["id"] for item in page["items"]]
        cursor = page["next_cursor"]
        if cursor is None:
            break
    assert sorted(seen) == [f"n{number}" for number in range(7)]


async def test_no_route_answers_without_a_key(gateway: RealGateway) -> None:
    async with gateway.client(None) as stranger:
        for method, path in (("POST", "/v1/recall"), ("GET", "/v1/interactions"), ("DELETE", "/v1/rules/x")):
            answer = await stranger.request(method, path, params={"user_id": USER})
            assert answer.status_code == 401, (method, path)
            assert answer.json()["code"] == "MEM-021"


async def test_every_access_is_audited_without_the_querys_text(
    api: httpx.AsyncClient, gateway: RealGateway, tenant: str
) -> None:
    await recall(api, "a very private question")
    rows = await gateway.audited(tenant)
    (row,) = [row for row in rows if row["action"] == "POST /v1/recall"]
    assert row["user_id"] == USER
    assert row["status"] == 200
    assert len(row["query_sha256"]) == 64
    assert row["query_sha256"] != sha256(b"a very private question").hexdigest()  # who guesses it cannot tell
    assert "private" not in str([dict(row) for row in rows])


async def test_health_names_every_tier(gateway: RealGateway) -> None:
    async with gateway.client(None) as anyone:
        assert (await anyone.get("/health/live")).status_code == 200

        async def ready() -> httpx.Response | None:
            answer = await anyone.get("/health/ready")
            return answer if answer.status_code == 200 else None

        answer = await eventually(ready, within_s=60, what="every tier answers")
    assert set(answer.json()["tiers"]) == set(PROTOCOLS)


async def test_short_term_memory_that_was_lost_is_rebuilt_from_the_episodic_tier(
    api: httpx.AsyncClient, gateway: RealGateway, tenant: str
) -> None:
    await remember(api, MESSAGES)
    await gateway.digest(tenant)
    before = (await api.get("/v1/sessions/s1", params={"user_id": USER})).json()["messages"]
    await gateway.lose_short_term()
    assert (await api.get("/v1/sessions/s1", params={"user_id": USER})).status_code == 404
    await rebuild_short_term(gateway.worker)
    after = (await api.get("/v1/sessions/s1", params={"user_id": USER})).json()["messages"]
    assert [(m["id"], m["content"]) for m in after] == [(m["id"], m["content"]) for m in before]
    assert await rebuild_short_term(gateway.worker) == 0


async def test_a_secret_that_only_its_key_gives_away_is_hidden(api: httpx.AsyncClient) -> None:
    message = {"id": "k", "content": "see the metadata", "metadata": {"password": "hunter2hunter2", "plan": "basic"}}
    answer = await api.post("/v1/interactions", json={"user_id": USER, "messages": [message]})
    assert answer.json()["stored"][0]["redactions"] == 1
    kept = (await api.get("/v1/interactions/k", params={"user_id": USER})).json()["metadata"]
    assert kept["plan"] == "basic"
    assert "hunter2" not in str(kept)


async def test_an_answer_says_whether_anything_it_found_is_about_the_question(
    api: httpx.AsyncClient, gateway: RealGateway, tenant: str
) -> None:
    """With an embedder that nobody measured: words alone tell that something is, and that there is nothing at all."""
    nobody = await recall(api, "Where does Elena live?")
    assert (nobody["memories"], nobody["relevance"]) == ([], "none")
    await remember(api, MESSAGES)
    assert (await recall(api, "Where did my sister Elena move?"))["relevance"] in {"some", "clear"}
    assert (await recall(api, "Which violin did the orchestra buy?"))["relevance"] is None
    other = await api.post("/v1/recall", json={"user_id": "bob", "query": "Where did my sister Elena move?"})
    assert other.json()["relevance"] == "none"
    await gateway.digest(tenant)
    known = await recall(api, "Where does Elena live?")
    assert known["relevance"] == "clear", "LIVES_IN has every word of it"
    running = await recall(api, "Where does Elena live?", session_id="s1", tiers=["short_term"])
    assert running["relevance"] is None
