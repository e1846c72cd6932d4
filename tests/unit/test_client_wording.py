"""The client's words to whoever calls it wrongly for the first time: those of the call, with what to do."""

import traceback
from collections.abc import Callable
from typing import cast

import httpx
import pytest

import ragpp
from ragpp import AsyncMemoryClient, MemoryClient
from ragpp.api import KeyMade
from ragpp.errors import (
    ClientClosed,
    Conflict,
    GatewayUnreachable,
    InvalidInput,
    MemorySystemError,
    SecretInId,
    TextTooLong,
)
from ragpp.errors.problems import problem_of
from tests.support.each import each_case
from tests.support.scripted import NOON, STORED, ScriptedGateway, answer, refusal

NONE_OF = dict.fromkeys(("user_id", "agent_id", "visibility", "expires_at", "revoked_at"))
KEY = {"key_id": "k1", "scopes": ["read"], "created_at": NOON, "state": "valid", "key": "rp_secret", **NONE_OF}
Loose = Callable[..., object]
"""A method that a checker lets be called wrongly."""


def client(*answers: httpx.Response | Exception) -> MemoryClient:
    return MemoryClient("http://gateway", "key", retries=0, backoff_s=0, transport=ScriptedGateway(*answers))


def loose(name: str, *answers: httpx.Response | Exception) -> Loose:
    return cast("Loose", getattr(client(*answers), name))


def test_a_console_completes_the_names_and_a_misspelt_one_is_no_object() -> None:
    assert set(dir(ragpp)) == set(ragpp.__all__)
    assert ragpp.errors.GatewayUnreachable is ragpp.client.GatewayUnreachable
    assert ragpp.errors.TextTooLong is ragpp.client.TextTooLong
    with pytest.raises(ImportError, match="MemoryCient"):
        from ragpp import MemoryCient  # type: ignore[attr-defined]  # noqa: F401, PLC0415 - as it is misspelt
    with pytest.raises(AttributeError):
        ragpp.client.MemoryCient  # type: ignore[attr-defined]  # noqa: B018


@each_case(
    ("raised", "advice"),
    [
        (httpx.ConnectError("refused"), "ragpp up"),
        (refusal(Conflict("it is there", suggestions=("Take another id.",))), "Take another id."),
    ],
)
def test_a_traceback_ends_with_what_to_do_and_the_message_and_the_document_do_not(
    raised: httpx.Response | Exception, advice: str
) -> None:
    with pytest.raises(MemorySystemError) as caught:
        client(raised).lag()
    error = caught.value
    assert advice in "".join(traceback.format_exception_only(error))
    assert advice not in error.message
    assert problem_of(error).detail == error.message
    assert str(GatewayUnreachable("away")) == "away"


async def test_the_other_face_tells_it_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAGPP_API_KEY", "k")
    with pytest.raises(MemorySystemError, match="Write it as http://"):
        AsyncMemoryClient("localhost:8700")
    gateway = ScriptedGateway(httpx.ConnectError("refused"))
    with pytest.raises(GatewayUnreachable, match="ragpp up"):
        await AsyncMemoryClient("http://gateway", "key", retries=0, transport=gateway).lag()


@each_case(
    ("name", "args", "fields", "told"),
    [
        ("remember", ("x",), {}, r"^remember\(\) missing a required argument: 'user'"),
        ("remember", (), {}, r"^remember\(\) missing"),
        ("remember", ("x",), {"user_id": "ana"}, r"^remember\(\) takes no 'user_id'; did you mean 'user'\?"),
        ("recall", ("x",), {"user": "ana", "lmit": 3}, r"^recall\(\) takes no 'lmit'; did you mean 'limit'\?"),
        ("pending", (), {}, r"^pending\(\) missing a required argument: 'user_id'"),
        ("rules", ("ana",), {"activ": True}, r"^rules\(\) takes no 'activ'; did you mean 'active'\?"),
        ("profile", (), {"user": "ana", "user_id": "bo"}, r"^profile\(\) takes either 'user' or 'user_id'"),
    ],
)
def test_a_call_that_does_not_fit_is_told_by_the_method_that_was_called(
    name: str, args: tuple[object, ...], fields: dict[str, object], told: str
) -> None:
    with pytest.raises(TypeError, match=told):
        loose(name)(*args, **fields)


@each_case(
    ("name", "args", "fields", "told"),
    [
        ("remember", ("",), {"user": "ana"}, "text: is empty"),
        ("remember", (None,), {"user": "ana"}, "text: must be text"),
        ("remember", (b"x",), {"user": "ana"}, "text: must be text, not bytes"),
        ("remember", ("x",), {"user": ""}, "user: is empty"),
        ("remember", (), {"user": "ana", "messages": [{"content": ""}]}, "messages.0.content: is empty"),
        ("recall", ("x",), {"user": "ana", "tiers": "episodic"}, "tiers: must be a list"),
        ("recall", (), {"user_id": "ana"}, "query: is missing"),
        (
            "create_rule",
            (),
            {"user": "ana", "text": "x", "trigers": ()},
            "trigers: is not known; did you mean 'triggers'?",
        ),
    ],
)
def test_a_field_is_refused_by_the_name_that_it_was_given_by(
    name: str, args: tuple[object, ...], fields: dict[str, object], told: str
) -> None:
    with pytest.raises(InvalidInput) as caught:
        loose(name)(*args, **fields)
    assert caught.value.message == told


@each_case("given", [{"project": "b"}, {"$in": ["b"]}, {"equal": {"project": "b"}}, "project"])
def test_a_filter_of_another_form_is_refused_with_one_of_the_right_form(given: object) -> None:
    with pytest.raises(InvalidInput, match=r'\{"equal": \{"key": "project", "value": "apollo"\}\}'):
        loose("recall")("x", user="ana", filter=given)


def test_limits_and_secrets_keep_their_kinds() -> None:
    with pytest.raises(TextTooLong, match="Split it"):
        client().remember("x" * 100_001, user="ana")
    with pytest.raises(SecretInId):
        client().remember("x", user="sk-proj-" + "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zA1bC3dE5f")


def test_an_id_goes_by_its_short_word_everywhere() -> None:
    gateway = ScriptedGateway(
        answer({"pending": 2}), answer({"items": [], "next_cursor": None}), answer(KEY, 201), answer(STORED, 201)
    )
    memory = MemoryClient("http://gateway", "key", retries=0, transport=gateway)
    for name, fields in (
        ("pending", {"user": "ana"}),
        ("interactions", {"user": "ana", "session": "monday", "agent": "chef"}),
        ("create_key", {"user": "ana", "scopes": ["read"]}),
        ("remember", {"user": "ana", "messages": [{"content": "x"}]}),
    ):
        cast("Loose", getattr(memory, name))(**fields)
    pending, listed, key, stored = gateway.seen
    assert pending.url.params["user_id"] == "ana"
    assert [listed.url.params[field] for field in ("user_id", "session_id", "agent_id")] == ["ana", "monday", "chef"]
    assert (b'"user_id":"ana"' in key.content, b'"user_id":"ana"' in stored.content) == (True, True)


def test_a_new_key_is_not_printed_and_says_where_it_is() -> None:
    made = KeyMade.model_validate(KEY)
    assert ".key" in repr(made)
    assert "rp_secret" not in f"{made!r}{made}"


async def test_a_closed_client_says_so() -> None:
    with client() as memory:
        pass
    with pytest.raises(ClientClosed, match="Make a new client"):
        memory.lag()
    async with AsyncMemoryClient("http://gateway", "key", transport=ScriptedGateway()) as other:
        pass
    with pytest.raises(RuntimeError, match="closed"):
        await other.lag()
