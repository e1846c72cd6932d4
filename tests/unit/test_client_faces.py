"""The client's two faces: the same verbs, by model or by keyword, waited for in a task or in a thread."""

import ast
import inspect
import pydoc
import re
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import assert_type, cast

import httpx
import orjson
import pytest
from pydantic import BaseModel

import ragpp.client
from ragpp.api import KeyIn, MessageIn, RecallRequest, RecallResponse, RuleChange, RuleIn, StoreRequest
from ragpp.client import AsyncMemoryClient, GatewayUnreachable, MemoryClient
from ragpp.client.plain import message, question
from ragpp.errors import ConfigurationError, Conflict, InvalidInput, TierUnavailable
from ragpp.models import Page, Rule
from tests.support.each import each_case
from tests.support.scripted import RECALLED, STORED, ScriptedGateway, answer, refusal

NOON = "2026-03-08T12:00:00Z"
AT_NOON = datetime(2026, 3, 8, 12, tzinfo=UTC)
RULE = {
    "id": "r/1",
    "text": "Offer tea.",
    "priority": 9,
    "active": True,
    "version": 2,
    "updated_at": NOON,
    "occurred_at": NOON,
}
JOB = {
    "id": "42.reflect",
    "user_id": "u1",
    "stage": "reflect",
    "kind": "reflect.requested",
    "subject_id": "a",
    "attempts": 1,
    "created_at": NOON,
    "due_at": NOON,
    "updated_at": NOON,
}


def sync(gateway: ScriptedGateway) -> MemoryClient:
    return MemoryClient("http://gateway", "key", retries=1, backoff_s=0, transport=gateway)


def asynchronous(gateway: ScriptedGateway) -> AsyncMemoryClient:
    return AsyncMemoryClient("http://gateway", "key", retries=1, backoff_s=0, transport=gateway)


async def test_fields_by_keyword_are_the_model() -> None:
    gateway = ScriptedGateway(*(answer(RECALLED) for _ in range(4)))
    async with asynchronous(gateway) as client:
        assert_type(await client.recall(RecallRequest(user_id="u1", query="x", limit=3)), RecallResponse)
        assert_type(await client.recall(user_id="u1", query="x", limit=3), RecallResponse)
    with sync(gateway) as client:
        assert_type(client.recall(request=RecallRequest(user_id="u1", query="x", limit=3)), RecallResponse)
        assert_type(client.recall(user_id="u1", query="x", limit=3), RecallResponse)
    assert gateway.bodies() == [{"user_id": "u1", "query": "x", "limit": 3}] * 4
    assert {request.headers["authorization"] for request in gateway.seen} == {"Bearer key"}


def test_messages_are_given_as_mappings_too_and_get_their_ids() -> None:
    gateway = ScriptedGateway(answer(STORED, 201), answer(STORED, 201))
    with sync(gateway) as client:
        client.remember(user_id="u1", messages=({"content": "hello"},))
        client.remember(StoreRequest(user_id="u1", messages=(MessageIn(content="hello"),)))
    for body in gateway.bodies():
        (message,) = cast("list[dict[str, str]]", body["messages"])
        assert message["id"]
        assert message["content"] == "hello"


def test_lists_and_mappings_from_variables_are_taken_and_the_models_keep_tuples() -> None:
    """A promise to a type checker as well, which reads this test, too."""
    gateway = ScriptedGateway(answer(STORED, 201), answer(STORED, 201), answer(RECALLED), answer(RULE, 201))
    messages, triggers, tiers = [MessageIn(content="hello")], ["tea"], ["episodic"]
    metadata: dict[str, object] = {"project": "apollo"}
    apollo = {"equal": {"key": "project", "value": "apollo"}}
    with sync(gateway) as client:
        client.remember(user_id="u1", messages=messages)
        client.remember("hello", user="u1", metadata=metadata)
        client.recall("x", user="u1", filter=apollo, tiers=["episodic"])
        client.create_rule(user_id="u1", text="Offer tea.", triggers=triggers)
    assert [gateway.bodies()[2][name] for name in ("filter", "tiers")] == [apollo, tiers]
    assert gateway.bodies()[3]["triggers"] == triggers
    assert KeyIn(scopes=["read"]).scopes == ("read",)
    assert hash(RuleIn(user_id="u1", text="Offer tea.", triggers=triggers))


def test_an_id_stands_before_the_fields() -> None:
    gateway = ScriptedGateway(*(answer(RULE) for _ in range(3)))
    with sync(gateway) as client:
        assert_type(client.update_rule("r/1", user_id="u1", priority=9), Rule)
        client.update_rule("r/1", RuleChange(user_id="u1", priority=9))
        client.update_rule(rule_id="r/1", change=RuleChange(user_id="u1", priority=9))
    assert gateway.bodies() == [{"user_id": "u1", "priority": 9}] * 3
    assert {request.url.raw_path for request in gateway.seen} == {b"/v1/rules/r%2F1"}
    assert {request.method for request in gateway.seen} == {"PATCH"}


def test_what_is_not_a_body_is_the_query_or_an_object() -> None:
    empty: dict[str, object] = {"items": [], "next_cursor": None}
    gateway = ScriptedGateway(answer(empty), answer(empty), answer(RULE))
    with sync(gateway) as client:
        assert_type(client.rules("u1", active=True), Page[Rule])
        client.findings("u1", as_of=AT_NOON)
        client.confirm_rule("u1", "r1")
    rules, findings, confirmed = gateway.seen
    assert dict(rules.url.params) == {"user_id": "u1", "active": "true", "limit": "50"}
    assert findings.url.params["as_of"] == "2026-03-08T12:00:00+00:00"
    assert orjson.loads(confirmed.content) == {"user_id": "u1"}


async def test_fields_that_make_no_request_are_refused_before_anything_is_sent() -> None:
    gateway = ScriptedGateway()
    with sync(gateway) as client:
        with pytest.raises(InvalidInput, match="query"):
            client.recall(user_id="u1")  # type: ignore[call-overload]
        with pytest.raises(InvalidInput, match="quer: "):
            client.recall(user_id="u1", query="x", quer="y")  # type: ignore[call-overload]
        with pytest.raises(TypeError, match="user"):
            client.recall("x")  # type: ignore[call-overload]
        with pytest.raises(InvalidInput, match="limit"):
            client.recall("x", user="u1", limit=0)
        with pytest.raises(InvalidInput, match="text: is empty"):
            client.remember("", user="u1")
        with pytest.raises(TypeError, match="either a RecallRequest or fields"):
            client.recall(RecallRequest(user_id="u1", query="x"), limit=3)  # type: ignore[call-overload]
        with pytest.raises(TypeError):
            client.rule("u1")  # type: ignore[call-arg]
    async with asynchronous(gateway) as memory:
        with pytest.raises(InvalidInput, match="query"):
            await memory.recall(user_id="u1")  # type: ignore[call-overload]
    assert gateway.seen == []


def test_the_synchronous_face_repeats_and_raises_as_the_other_does() -> None:
    away, refused = refusal(TierUnavailable("episodic did not answer")), refusal(Conflict("taken"))
    gateway = ScriptedGateway(away, answer({"pending": 3}), away, refused, *[httpx.ConnectError("refused")] * 2)
    with sync(gateway) as client:
        assert client.pending("u1") == 3
        with pytest.raises(Conflict, match="taken"):
            client.set_preference(user_id="u1", category="tone", key="length", value="short")
        with pytest.raises(GatewayUnreachable, match="http://gateway did not answer"):
            client.lag()
    assert len(gateway.seen) == 6
    first, second = [orjson.loads(request.content) for request in gateway.seen[2:4]]
    assert first == second
    assert first["id"]


def test_the_synchronous_face_waits_for_a_job() -> None:
    gateway = ScriptedGateway(answer({**JOB, "state": "pending"}), answer({**JOB, "state": "done"}))
    with sync(gateway) as client:
        assert client.ended_job("42.reflect").state == "done"


async def test_the_synchronous_face_works_where_a_loop_runs() -> None:
    with sync(ScriptedGateway(answer({"pending": 0}))) as client:
        assert client.pending("u1") == 0


async def test_readiness_is_told_also_when_a_tier_is_away() -> None:
    degraded = {"status": "degraded", "tiers": {"semantic": {"name": "semantic", "ok": False, "ms": 1.0}}}
    gateway = ScriptedGateway(answer(degraded, 503), answer(degraded, 503))
    async with asynchronous(gateway) as client:
        assert (await client.ready()).status == "degraded"
    with sync(gateway) as client:
        assert not client.ready().tiers["semantic"].ok


def test_a_verb_shows_its_signature_and_what_it_does() -> None:
    client = sync(ScriptedGateway())
    assert list(inspect.signature(client.rule).parameters) == ["user_id", "rule_id"]
    assert (client.rule.__doc__ or "").startswith("NotFound")
    assert inspect.iscoroutinefunction(asynchronous(ScriptedGateway()).rule)


@each_case("kind", [MemoryClient, AsyncMemoryClient])
def test_help_shows_what_a_method_takes_without_an_instance(
    kind: type[MemoryClient] | type[AsyncMemoryClient],
) -> None:
    shown = pydoc.plain(pydoc.render_doc(kind))
    assert re.search(r"remember\(self, text: str, \*, user: str, session: str = 'default'", shown)
    assert re.search(r"create_rule\(self, request: .*RuleIn \| None = None, \*, user_id: str, ", shown)
    assert re.search(r"pending\(self, user_id: str, receipt: str \| None = None\) -> int", shown)
    assert "Annotated" not in shown
    assert "(...)" not in shown


USED_MOST = (
    *("remember", "recall", "pending", "profile", "preferences", "set_preference", "interactions"),
    *("forget_interaction", "forget_about", "erase_user"),
)


@each_case("name", USED_MOST)
def test_a_method_that_is_used_most_has_an_example_that_its_signature_takes(name: str) -> None:
    """An example with an argument that there is none of would be copied."""
    method = getattr(MemoryClient, name)
    example = "\n".join(re.findall(r"^ {4}(.*)$", method.__doc__, re.MULTILINE))
    calls = [
        node
        for node in ast.walk(ast.parse(example))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == name
    ]
    assert calls
    assert inspect.isfunction(method)
    taken = set(inspect.signature(method).parameters) | {"user_id", "session_id", "messages"}
    assert {keyword.arg for call in calls for keyword in call.keywords} <= taken


def test_plain_words_are_the_models_and_say_no_more_than_was_said() -> None:
    gateway = ScriptedGateway(answer(STORED, 201), answer(RECALLED), answer(RECALLED))
    with sync(gateway) as client:
        client.remember("Hello.", user="u1", session="s1", agent="chef", name="Ana", id="m-1", occurred_at=AT_NOON)
        assert_type(client.recall("x", user="u1", session="s1", token_budget=0, as_of=AT_NOON), RecallResponse)
        client.recall(query="x", user="u1")
    stored, asked, by_name = gateway.bodies()
    assert stored == {
        "user_id": "u1",
        "session_id": "s1",
        "agent_id": "chef",
        "messages": [
            {"id": "m-1", "role": "user", "name": "Ana", "content": "Hello.", "occurred_at": NOON, "learn": True}
        ],
    }
    assert asked == {"user_id": "u1", "session_id": "s1", "query": "x", "token_budget": 0, "as_of": NOON}
    assert by_name == {"user_id": "u1", "query": "x"}


@each_case(("plain", "model"), [(message, MessageIn), (message, StoreRequest), (question, RecallRequest)])
def test_plain_words_say_all_that_a_model_has(plain: Callable[..., object], model: type[BaseModel]) -> None:
    said = set(inspect.signature(plain).parameters)
    named = {"user_id": "user", "session_id": "session", "agent_id": "agent", "content": "text", "messages": "text"}
    assert {named.get(name, name) for name in model.model_fields} <= said


async def test_the_wrong_kind_of_with_names_the_right_client() -> None:
    with pytest.raises(TypeError, match="AsyncMemoryClient"):
        async with sync(ScriptedGateway()):  # type: ignore[attr-defined]
            pass
    with pytest.raises(TypeError, match=r"ragpp\.MemoryClient"), asynchronous(ScriptedGateway()):  # type: ignore[attr-defined]
        pass


def test_the_name_of_before_is_the_synchronous_client_and_warns() -> None:
    with pytest.warns(DeprecationWarning, match="MemoryClient now"):
        assert ragpp.client.SyncMemoryClient is MemoryClient
    assert (ragpp.MemoryClient, ragpp.AsyncMemoryClient) == (MemoryClient, AsyncMemoryClient)


@each_case("kind", [AsyncMemoryClient, MemoryClient])
def test_address_and_key_are_those_of_the_environment(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, kind: type[AsyncMemoryClient] | type[MemoryClient]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("RAGPP_HOME", raising=False)
    monkeypatch.delenv("RAGPP_URL", raising=False)
    monkeypatch.setenv("RAGPP_API_KEY", "")
    with pytest.raises(ConfigurationError, match="address has no http:// or https:// before it"):
        kind("localhost:8700", "k")
    with pytest.raises(ConfigurationError, match="RAGPP_URL and RAGPP_API_KEY"):
        kind()
    with pytest.raises(ConfigurationError, match="RAGPP_API_KEY") as caught:
        kind("http://gateway")
    assert "RAGPP_URL" not in caught.value.message
    monkeypatch.setenv("RAGPP_URL", "http://there:1")
    monkeypatch.setenv("RAGPP_API_KEY", "rp_there")
    kind()
