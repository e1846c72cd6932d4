"""Checks of what every route that changes something must have kept, read back from where it is kept."""

import re
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Final, TypeAlias, cast
from urllib.parse import unquote

from ragpp.catalog import DEFAULT_CATEGORIES
from ragpp.redacting import Redaction
from ragpp.redaction import SECRETS, redact
from ragpp.text.readers import Tokenizers
from tests.support.asked_memory import Memory, Object
from tests.support.hostile import Json
from tests.support.kept_values import exactly, label, moment, redacted
from tests.support.operations import OPERATIONS, checked_result


async def interactions_are_kept(memory: Memory, sent: Object, result: Object) -> None:
    user_id, session_id = str(sent["user_id"]), str(sent.get("session_id", "default"))
    assert result["tiers"] == {"episodic": "ok", "short_term": "ok"}
    stored = cast("list[Object]", result["stored"])
    for message, item in zip(cast("list[Object]", sent["messages"]), stored, strict=True):
        identifier = str(item["id"])
        assert message.get("id") in {None, identifier}
        kept = await memory.read("GET /v1/interactions/{interaction_id}", user_id, interaction_id=identifier)
        assert kept["content"] == redact(str(message["content"])).text
        if item["duplicate"]:
            continue
        name = message.get("name")
        assert kept["name"] == (None if name is None else redact(str(name)).text)
        assert exactly(kept["metadata"]) == exactly(redacted(message.get("metadata", {})))
        assert (kept["session_id"], kept["agent_id"]) == (session_id, sent.get("agent_id"))
        defaults: Object = {"role": "user", "message_type": "conversation"}
        for field in ("role", "message_type", "channel", "domain", "task_type"):
            assert kept[field] == label(message.get(field, defaults.get(field))), field
        if message.get("occurred_at") is not None:
            assert moment(kept["occurred_at"]) == moment(message["occurred_at"])
        listed = await memory.items("GET /v1/interactions", user_id, session_id=session_id)
        assert identifier in {one["id"] for one in listed} or len(listed) == 200
        address = OPERATIONS["GET /v1/sessions/{session_id}"]
        query = {"user_id": user_id, "token_budget": 200_000}
        view = checked_result(address, await memory.api.get(address.url({"session_id": session_id}, query)))
        shown = {one["id"]: one for one in cast("list[Object]", cast("Object", view)["messages"])}
        if identifier in shown:  # otherwise it has moved into the summary
            assert (shown[identifier]["content"], shown[identifier]["name"]) == (kept["content"], kept["name"])


async def a_recall_is_whole(memory: Memory, sent: Object, result: Object) -> None:
    del memory
    statuses = {tier: cast("Object", status)["status"] for tier, status in cast("Object", result["tiers"]).items()}
    assert set(statuses.values()) <= {"ok", "skipped", "timeout"}, statuses
    assert result["status"] == "partial" or "timeout" not in statuses.values()
    budget = sent.get("token_budget")
    assert cast("int", result["tokens"]) <= (2_000 if budget is None else float(cast("float", budget)))
    ids = {memory_["id"] for memory_ in cast("list[Object]", result["memories"])}
    assert ids.isdisjoint(cast("list[str]", sent.get("exclude", [])))


async def a_preference_is_kept(memory: Memory, sent: Object, result: Object) -> None:
    user_id, identifier = str(sent["user_id"]), str(result["id"])
    assert await memory.read("GET /v1/preferences/{item_id}", user_id, item_id=identifier) == result
    assert (result["category"], result["key"]) == (label(sent["category"]), label(sent["key"]))
    versions = await memory.read("GET /v1/preferences/{item_id}/versions", user_id, item_id=identifier)
    values = {exactly(version["value"]) for version in cast("list[Object]", versions["items"])}
    assert exactly(Redaction(SECRETS).value(str(sent["key"]), sent["value"])) in values


async def a_rule_is_kept(memory: Memory, sent: Object, result: Object) -> None:
    user_id, identifier = str(sent["user_id"]), str(result["id"])
    assert await memory.read("GET /v1/rules/{item_id}", user_id, item_id=identifier) == result
    versions = await memory.read("GET /v1/rules/{item_id}/versions", user_id, item_id=identifier)
    wanted = (redact(str(sent["text"])).text, label(sent.get("triggers", [])))
    assert wanted in [(v["text"], v["triggers"]) for v in cast("list[Object]", versions["items"])]


async def a_changed_rule_is_kept(memory: Memory, sent: Object, result: Object) -> None:
    kept = await memory.read("GET /v1/rules/{item_id}", str(sent["user_id"]), item_id=str(result["id"]))
    assert kept == result
    assert sent.get("priority") in {None, kept["priority"]}
    assert label(sent.get("triggers")) in (None, kept["triggers"])
    if sent.get("text") is not None:
        assert kept["text"] == redact(str(sent["text"])).text


async def reads_the_same(memory: Memory, sent: Object, result: Object, *, kind: str) -> None:
    user_id = str(sent["user_id"])
    assert await memory.read(f"GET /v1/{kind}/{{item_id}}", user_id, item_id=str(result["id"])) == result


a_preference_reads_the_same = partial(reads_the_same, kind="preferences")
a_rule_reads_the_same = partial(reads_the_same, kind="rules")


async def a_rejected_rule_is_gone(memory: Memory, sent: Object, result: Object) -> None:
    assert result["deleted"] is True
    gone = await memory.get("GET /v1/rules/{item_id}", str(sent["user_id"]), item_id=str(result["id"]))
    assert gone.status_code == 404


async def a_finding_reads_the_same(memory: Memory, sent: Object, result: Object) -> None:
    assert result in await memory.items("GET /v1/findings", str(sent["user_id"]))


async def a_rejected_finding_is_gone(memory: Memory, sent: Object, result: Object) -> None:
    assert result["id"] not in {one["id"] for one in await memory.items("GET /v1/findings", str(sent["user_id"]))}


async def an_entity_reads_the_same(memory: Memory, sent: Object, result: Object) -> None:
    user_id = str(sent["user_id"])
    for entity in cast("list[Object]", result.get("items", [result])):
        assert await memory.read("GET /v1/entities/{entity_id}", user_id, entity_id=str(entity["id"])) == entity


async def a_stated_relationship_is_kept(memory: Memory, sent: Object, result: Object) -> None:
    user_id, identifier = str(sent["user_id"]), str(result["id"])
    kept = await memory.read("GET /v1/relationships/{relationship_id}", user_id, relationship_id=identifier)
    assert {**kept, "confidence": None} == {**result, "confidence": None}
    assert (result["type"], result["sources"]) == (sent["type"], [])
    assert identifier in {one["id"] for one in await memory.items("GET /v1/relationships", user_id, state="all")}


async def a_judged_relationship_is_kept(memory: Memory, sent: Object, result: Object) -> None:
    user_id, identifier = str(sent["user_id"]), str(result["id"])
    kept = await memory.read("GET /v1/relationships/{relationship_id}", user_id, relationship_id=identifier)
    fading = {"confidence": None}
    assert {**kept, **fading} == {**result, **fading}
    state = "rejected" if result["verdict"] == "rejected" else "current"
    assert identifier in {one["id"] for one in await memory.items("GET /v1/relationships", user_id, state=state)}


async def something_was_forgotten(memory: Memory, sent: Object, result: Object) -> None:
    del memory, sent
    assert cast("int", result["forgotten"]) >= 1
    assert set(cast("Object", result["tiers"]).values()) == (set() if result.get("dry_run") else {"ok"})


async def what_was_found_is_there(memory: Memory, sent: Object, result: Object) -> None:
    for one in cast("list[Object]", result["found"]):
        assert one["why"]
        await memory.read("GET /v1/interactions/{interaction_id}", str(sent["user_id"]), interaction_id=str(one["id"]))
    assert (result["forgotten"] is None) == (sent.get("confirm") is None)


async def what_has_it_is_told_of(_: Memory, sent: Object, result: Object) -> None:
    assert result["dry_run"] == sent.get("dry_run", True)
    for one in cast("list[Object]", result["found"]):
        assert one["kinds"]


async def a_job_reads_the_same(memory: Memory, _: Object, result: Object) -> None:
    kept = await memory.read("GET /v1/jobs/{job_id}", str(result["user_id"]) or None, job_id=str(result["id"]))
    assert kept == result
    assert result["state"] in {"pending", "cancelled"}


async def an_erasure_is_asked_for(memory: Memory, sent: Object, result: Object) -> None:
    await a_job_reads_the_same(memory, sent, result)
    assert (result["stage"], result["state"]) == ("erase", "pending")


async def a_session_is_to_go(memory: Memory, sent: Object, result: Object) -> None:
    if sent.get("interactions") == "keep":
        await something_was_forgotten(memory, sent, result)
    else:
        await an_erasure_is_asked_for(memory, sent, result)


async def settings_are_kept(memory: Memory, sent: Object, result: Object) -> None:
    url = OPERATIONS["GET /v1/users/{user_id}/settings"].url({"user_id": str(sent["user_id"])}, {})
    assert (await memory.api.get(url)).json() == result
    assert {name: sent.get(name, kept) for name, kept in result.items()} == result


async def a_policy_holds(memory: Memory, sent: Object, result: Object) -> None:
    whose = "/v1/users/{user_id}" if "user_id" in sent else "/v1"
    url = OPERATIONS[f"GET {whose}/personal-data"].url({"user_id": str(sent.get("user_id"))}, {})
    assert (await memory.api.get(url)).json() == result
    assert (await memory.api.delete(url)).is_success  # what comes after is kept as it was sent


async def pins(memory: Memory, user_id: str) -> Json:
    answer = await memory.api.get(OPERATIONS["GET /v1/users/{user_id}/pins"].url({"user_id": user_id}, {}))
    return cast("Object", checked_result(OPERATIONS["GET /v1/users/{user_id}/pins"], answer))["pins"]


async def a_pin_is_listed(memory: Memory, sent: Object, result: Object) -> None:
    assert result in cast("list[Json]", await pins(memory, str(sent["user_id"])))


async def a_pin_is_gone(memory: Memory, sent: Object, result: Object) -> None:
    assert result not in cast("list[Json]", await pins(memory, str(sent["user_id"])))


def whose(sent: Object) -> str | None:
    """The user of a request that may concern nobody's: what all users of the tenant share."""
    return None if sent.get("user_id") is None else str(sent["user_id"])


async def a_resource_is_kept(memory: Memory, sent: Object, result: Object) -> None:
    shown = cast("Object", result["resource"])
    identifier = str(shown["resource_id"])
    assert sent.get("id") in {None, identifier}
    kept = await memory.read("GET /v1/resources/{resource_id}", whose(sent), resource_id=identifier)
    assert str(kept["content"]).startswith(str(shown["content"]))
    if result["duplicate"]:
        return
    if sent.get("content") is not None:
        assert kept["content"] == redact(str(sent["content"])).text
    messages = cast("list[Object]", kept["messages"])
    for message, said in zip(messages, cast("list[Object]", sent.get("messages", [])), strict=True):
        start, end = cast("int", message["start"]), cast("int", message["end"])
        assert str(kept["content"])[start:end] == redact(str(said["content"])).text
    assert exactly(kept["metadata"]) == exactly(redacted(sent.get("metadata", {})))
    if sent.get("extract"):
        await a_job_reads_the_same(memory, sent, cast("Object", result["job"]))


async def items_are_kept(memory: Memory, sent: Object, result: Object) -> None:
    kept = cast("list[Object]", result["items"])
    for item in kept:
        assert await memory.read("GET /v1/items/{item_id}", whose(sent), item_id=str(item["item_id"])) == item
    assert len(kept) + len(cast("list[Json]", result["forgotten"])) == len(cast("list[Json]", sent["items"]))


async def a_memory_is_kept(memory: Memory, sent: Object, result: Object) -> None:
    kept = await memory.read("GET /api/memory/catalog/{memory_id}", whose(sent), memory_id=str(result["memory_id"]))
    assert kept == result
    assert result["content"]


async def a_catalog_fits_its_budget(_: Memory, __: Object, result: Object) -> None:
    budget = cast("dict[str, int]", result["token_budget"])
    assert budget["used"] + budget["left"] == budget["limit"]
    assert budget["used"] == (COUNTER.count(str(result["formatted"])) if result["catalog"] else 0)


async def what_was_chosen_fits_the_budget(_: Memory, __: Object, result: Object) -> None:
    budget = cast("dict[str, int]", result["token_budget"])
    assert cast("int", result["tokens"]) <= budget["used"] <= budget["limit"]


async def an_answer_is_judged(_: Memory, __: Object, result: Object) -> None:
    assert all(0 <= value <= 1 for value in cast("dict[str, float]", result["useful"]).values())


async def what_is_put_before_a_message_is_counted(_: Memory, __: Object, result: Object) -> None:
    injection = str(result["injection"])
    assert result["tokens"] == (COUNTER.count(injection) if injection else 0)


async def a_budget_is_kept(memory: Memory, sent: Object, result: Object) -> None:
    assert result["used"] == 0
    assert sent["limit"] in {None, result["limit"]}
    ci = str(sent["ci"])
    body = {"user_id": sent.get("user_id"), "ci": ci, "prompt": "tea"}
    begun = await memory.api.post("/v1/hooks/pre-prompt", json=body)
    assert begun.json()["token_budget"]["limit"] == result["limit"], begun.text


async def a_source_is_kept(memory: Memory, sent: Object, result: Object) -> None:
    assert result["source"] == sent["source"]
    report = await memory.read("GET /v1/agents/{ci}/comparison", whose(sent), ci=str(sent["ci"]))
    assert report["source"] == sent["source"]


async def each_memory_is_kept_or_refused(memory: Memory, sent: Object, result: Object) -> None:
    asked, told = cast("list[Object]", sent["memories"]), cast("list[Object]", result["results"])
    assert len(asked) == len(told)
    nowhere = {"refused", "expired", "absent"} if sent.get("dry_run") else {"refused", "expired"}
    for one in told:
        assert (one["memory_id"] is None) == (one["outcome"] in nowhere) == (one["reason"] is not None)
        if one["memory_id"] is not None:
            await memory.read("GET /api/memory/catalog/{memory_id}", whose(sent), memory_id=str(one["memory_id"]))


async def a_value_stays_in_range(_: Memory, __: Object, result: Object) -> None:
    assert all(0 <= cast("float", result[name]) <= 1 for name in ("old", "new"))


async def what_was_asked_for_is_scored(memory: Memory, sent: Object, result: Object) -> None:
    del memory
    scores = cast("list[float]", result["confidence_scores"])
    assert len(scores) == len(cast("list[Json]", result["items"])) <= cast("int", sent.get("k", 5))
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 for score in scores)


async def a_category_reads_the_same(memory: Memory, sent: Object, result: Object) -> None:
    kept = await memory.read("GET /v1/categories/{category}", whose(sent), category=str(result["name"]))
    assert kept == result


async def a_page_is_kept(memory: Memory, sent: Object, result: Object) -> None:
    await a_category_reads_the_same(memory, sent, result)
    assert (result["markdown_content"], result["edited"]) == (redact(str(sent["content"])).text, True)


async def the_defaults_are_there(memory: Memory, sent: Object, result: Object) -> None:
    names = [str(one["name"]) for one in cast("list[Object]", result["items"])]
    assert names == sorted(DEFAULT_CATEGORIES)
    for name in names:
        await memory.read("GET /v1/categories/{category}", whose(sent), category=name)


async def an_episode_goes_on(memory: Memory, sent: Object, result: Object) -> None:
    ending = OPERATIONS["POST /v1/learning/episodes/{episode_id}/end"]
    address = ending.url({"episode_id": str(result["episode_id"])}, {})
    ended = await memory.api.post(address, json={"user_id": sent.get("user_id"), "final_reward": 0.5})
    assert ended.json() == {"items": [], "next_cursor": None}, ended.text


async def what_was_used_is_there(memory: Memory, sent: Object, result: Object) -> None:
    item = await memory.read("GET /v1/items/{item_id}", whose(sent), item_id=str(result["item_id"]))
    assert result["key"] == item["key"]
    assert sent.get("content") is None or item["content"] == redacted(sent["content"])


async def values_stay_in_range(_: Memory, __: Object, result: Object) -> None:
    for one in cast("list[Object]", result["items"]):
        assert 0 <= cast("float", one["old"]) <= 1
        assert 0 <= cast("float", one["new"]) <= 1


COUNTER: Final = Tokenizers().named()
Check: TypeAlias = Callable[[Memory, Object, Object], Awaitable[None]]
KEPT: Final[Mapping[str, Check]] = {
    "POST /v1/interactions": interactions_are_kept,
    "POST /v1/recall": a_recall_is_whole,
    "POST /v1/forget": what_was_found_is_there,
    "POST /v1/redact": what_has_it_is_told_of,
    "POST /v1/preferences": a_preference_is_kept,
    "POST /v1/preferences/{item_id}/restore": a_preference_reads_the_same,
    "POST /v1/preferences/{item_id}/confirm": a_preference_reads_the_same,
    "POST /v1/preferences/{item_id}/reject": a_preference_reads_the_same,
    "POST /v1/rules": a_rule_is_kept,
    "PATCH /v1/rules/{item_id}": a_changed_rule_is_kept,
    "POST /v1/rules/{item_id}/restore": a_rule_reads_the_same,
    "POST /v1/rules/{item_id}/activations": a_rule_reads_the_same,
    "POST /v1/rules/{item_id}/outcomes": a_rule_reads_the_same,
    "POST /v1/rules/{item_id}/confirm": a_rule_reads_the_same,
    "POST /v1/rules/{item_id}/reject": a_rejected_rule_is_gone,
    "PATCH /v1/findings/{item_id}": a_finding_reads_the_same,
    "POST /v1/findings/{item_id}/confirm": a_finding_reads_the_same,
    "POST /v1/findings/{item_id}/reject": a_rejected_finding_is_gone,
    "PATCH /v1/entities/{entity_id}": an_entity_reads_the_same,
    "POST /v1/relationships": a_stated_relationship_is_kept,
    "POST /v1/relationships/{relationship_id}/confirm": a_judged_relationship_is_kept,
    "POST /v1/relationships/{relationship_id}/reject": a_judged_relationship_is_kept,
    "POST /v1/relationships/{relationship_id}/restore": a_judged_relationship_is_kept,
    "POST /v1/jobs/{job_id}/retry": a_job_reads_the_same,
    "POST /v1/jobs/{job_id}/cancel": a_job_reads_the_same,
    "POST /v1/users/{user_id}/extract": a_job_reads_the_same,
    "POST /v1/users/{user_id}/reflect": a_job_reads_the_same,
    "POST /v1/users/{user_id}/retention": a_job_reads_the_same,
    "POST /v1/resources": a_resource_is_kept,
    "POST /v1/resources/{resource_id}/extract": a_job_reads_the_same,
    "POST /v1/items": items_are_kept,
    "POST /api/memory/catalog": a_memory_is_kept,
    "POST /api/memory/cleanup": a_job_reads_the_same,
    "POST /v1/hooks/pre-prompt": a_catalog_fits_its_budget,
    "POST /v1/hooks/memory-request": what_was_chosen_fits_the_budget,
    "POST /v1/hooks/post-response": an_answer_is_judged,
    "POST /v1/hooks/pre-message": what_is_put_before_a_message_is_counted,
    "POST /v1/hooks/post-message": a_job_reads_the_same,
    "PUT /v1/agents/{ci}/budget": a_budget_is_kept,
    "PUT /v1/agents/{ci}/source": a_source_is_kept,
    "POST /api/memory/import": each_memory_is_kept_or_refused,
    "POST /v1/catalog/{memory_id}/feedback": a_value_stays_in_range,
    "POST /v1/items/search": what_was_asked_for_is_scored,
    "POST /v1/retrieve": what_was_asked_for_is_scored,
    "POST /v1/categories": a_category_reads_the_same,
    "POST /v1/categories/defaults": the_defaults_are_there,
    "PUT /v1/categories/{category}": a_page_is_kept,
    "POST /v1/categories/{category}/items": a_category_reads_the_same,
    "POST /v1/categories/{category}/consolidate": a_job_reads_the_same,
    "POST /v1/memory/rebuild": a_job_reads_the_same,
    "POST /v1/learning/episodes": an_episode_goes_on,
    "POST /v1/learning/episodes/{episode_id}/access": what_was_used_is_there,
    "POST /v1/learning/episodes/{episode_id}/end": values_stay_in_range,
    "PUT /v1/users/{user_id}/settings": settings_are_kept,
    "PUT /v1/users/{user_id}/pins/{tier}/{item_id}": a_pin_is_listed,
    "POST /v1/entities/{entity_id}/merge": an_entity_reads_the_same,
    "POST /v1/entities/{entity_id}/split": an_entity_reads_the_same,
    **{name: something_was_forgotten for name in OPERATIONS if name.startswith("DELETE")},
    **dict.fromkeys(
        (f"{method} /v1{whose}/personal-data" for method in ("PUT", "DELETE") for whose in ("", "/users/{user_id}")),
        a_policy_holds,
    ),
    "DELETE /v1/users/{user_id}/pins/{tier}/{item_id}": a_pin_is_gone,
    "DELETE /v1/sessions/{session_id}": a_session_is_to_go,
    "DELETE /v1/users/{user_id}": an_erasure_is_asked_for,
}


def in_path(template: str, address: str) -> Object:
    """The values of the parameters in the path of an address."""
    pattern = re.sub(r"\{(\w+)\}", r"(?P<\1>[^/?]+)", template)
    match = re.match(pattern, address)
    return {name: unquote(value) for name, value in match.groupdict().items()} if match else {}
