"""The client's words to whoever calls it wrongly for the first time: those of the call, with what to do."""

import traceback
from collections.abc import Callable
from datetime import date
from typing import Final, cast

import httpx
import pytest

import ragpp
from ragpp import AsyncMemoryClient, MemoryClient
from ragpp.api import KeyMade
from ragpp.errors import (
    ClientClosed,
    ConfigurationError,
    Conflict,
    GatewayUnreachable,
    InvalidInput,
    MemorySystemError,
    NotFound,
    RateLimited,
    ResourceNotFoundError,
    SecretInId,
    TextTooLong,
    TierUnavailable,
    Unauthenticated,
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
        ("recall", ("x",), {"user": "ana", "k": 5}, r"^recall\(\) takes no 'k'; did you mean 'limit'\?"),
        ("recall", ("x",), {"user": "ana", "top_k": 5}, r"^recall\(\) takes no 'top_k'; did you mean 'limit'\?"),
        ("recall", ("x",), {"user": "ana", "max_tokens": 5}, r"takes no 'max_tokens'; did you mean 'token_budget'\?"),
        ("recall", (), {"user": "ana", "text": "x"}, r"^recall\(\) takes no 'text'; did you mean 'query'\?"),
        ("recall", ("x", "ana"), {}, r"^recall\(\) too many positional arguments; name the rest, such as user=…"),
        ("set_preference", ("ana", "drink", "milk", "oat"), {}, r"takes a PreferenceIn or its fields by keyword"),
        (
            "correct_finding",
            ("ana", "f-1"),
            {"text": "x"},
            r"takes finding_id first, then a FindingChange or its fields",
        ),
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
        ("recall", ("x",), {"user": "ana", "situation": 5}, "situation: must be text or a mapping"),
        ("recall", (), {"user_id": "ana"}, "query: is missing"),
        ("forget_interaction", ("ana", ""), {}, "interaction_id: is empty"),
        ("interaction", ("ana", 5), {}, "interaction_id: must be text"),
        ("confirm_finding", ("ana", None), {}, "finding_id: must be text"),
        ("erase_user", ("",), {}, "user_id: is empty"),
        ("profile", ("",), {}, "user_id: is empty"),
        ("pending", (), {"user": 5}, "user_id: must be text"),
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


@each_case(("name", "field"), [("remember", "occurred_at"), ("recall", "as_of")])
def test_a_day_is_no_time_and_is_refused_by_its_name(name: str, field: str) -> None:
    with pytest.raises(InvalidInput, match=rf"^{field}: is a day: give a datetime"):
        loose(name)("x", user="ana", **{field: date(2026, 3, 8)})


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


FACES: Final = [MemoryClient, AsyncMemoryClient]


@each_case(
    ("kind", "given", "told"),
    [
        (kind, given, told)
        for kind in FACES
        for given, told in (
            ({"timeout_s": -1}, "timeout_s: must be a number over 0"),
            ({"timeout_s": "30"}, "timeout_s: must be a number over 0"),
            ({"retries": -1}, "retries: must be 0 or a whole number"),
            ({"backoff_s": -0.1}, "backoff_s: must be 0 or a number"),
            ({"outbox": 5}, "outbox: must be a folder"),
            ({"api_key": "kéy\n"}, "the key is no text, or has a line break"),
            ({"api_key": 123}, "the key is no text"),
            ({"base_url": "http://"}, "address cannot be read"),
            ({"base_url": "http://gateway:port"}, "address cannot be read"),
        )
    ],
)
def test_a_client_that_cannot_work_is_refused_when_it_is_made(kind: Loose, given: dict[str, object], told: str) -> None:
    with pytest.raises((InvalidInput, ConfigurationError)) as caught:
        kind(**{"base_url": "http://gateway", "api_key": "key", **given})
    assert told in caught.value.message
    assert "\n  " in str(caught.value)


@each_case("kind", FACES)
def test_a_client_is_told_by_its_own_name_what_it_does_not_take(kind: Loose) -> None:
    with pytest.raises(TypeError, match=r"^(Async)?MemoryClient\(\) takes no 'url'; did you mean 'base_url'\?"):
        kind(url="http://gateway")


@each_case(
    ("given", "told"),
    [
        ({"api_key": "k"}, "`api_key` is given without `base_url`, and RAGPP_URL is not set"),
        ({"base_url": "http://gateway"}, "`base_url` is given without `api_key`, and RAGPP_API_KEY is not set"),
    ],
)
def test_half_of_a_gateway_is_told_with_the_half_that_is_missing(
    monkeypatch: pytest.MonkeyPatch, given: dict[str, object], told: str
) -> None:
    for name in ("RAGPP_URL", "RAGPP_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(ConfigurationError, match=f"{told}\n.*both to the client or neither"):
        cast("Loose", MemoryClient)(**given)


async def test_a_client_shows_where_it_asks_and_never_its_key() -> None:
    with MemoryClient("http://ana:secret@gateway:1", "rp_secret", transport=ScriptedGateway()) as memory:
        assert repr(memory) == "<MemoryClient of http://gateway:1>"
    async with AsyncMemoryClient("http://gateway", "rp_secret", transport=ScriptedGateway()) as other:
        assert repr(other) == "<AsyncMemoryClient of http://gateway>"


FUTURE: Final = InvalidInput(
    "messages.0.occurred_at is more than five minutes in the future",
    details={"errors": [{"field": "messages.0.occurred_at", "reason": "is more than five minutes in the future"}]},
)
NO_RECEIPT: Final = InvalidInput(
    "the receipt is not one that a write answered",
    suggestions=("Pass the `receipt` of a POST /v1/interactions answer as it was given.",),
    details={"errors": [{"field": "after", "reason": "is not one that a write answered"}]},
)


@each_case(
    ("answered", "advice"),
    [
        (NotFound("there is no interaction of that id"), "lists, such as `interactions` or `findings`, tell"),
        (
            NotFound("no report", suggestions=("Make one: POST /v1/health/report.",)),
            "Make one: `make_health_report()`.",
        ),
        (NotFound("there is no such route", suggestions=("See GET /docs.",)), "not of one version"),
        (
            Unauthenticated("the API key is unknown, revoked or expired"),
            "Give the key as `api_key`, or set RAGPP_API_KEY",
        ),
        (RateLimited("too often"), "Wait as many seconds as `retry_after` says"),
        (TierUnavailable("the graph is away"), "See `ready()` for the tier"),
        (InvalidInput("limit: is too much"), "Correct what is named here"),
        (NO_RECEIPT, "Give `after` the `receipt` that `remember` answered"),
        (Conflict("twice", suggestions=("Merge the two: POST /v1/entities/{id}/merge.",)), "`merge_entities()`"),
        (ResourceNotFoundError("none"), "List what exists: `resources()`."),
    ],
)
def test_what_a_gateway_advises_is_told_in_the_words_of_the_client(answered: MemorySystemError, advice: str) -> None:
    with pytest.raises(type(answered)) as caught:
        client(refusal(answered)).lag()
    assert any(advice in one for one in caught.value.suggestions), caught.value.suggestions
    assert advice in str(caught.value)
    assert not any(word in str(caught.value) for word in ("GET", "POST", "Authorization", "Retry-After"))


def test_a_field_of_one_message_that_the_gateway_refuses_is_named_as_it_was_written() -> None:
    with pytest.raises(InvalidInput, match=r"^occurred_at is more than five minutes") as caught:
        client(refusal(FUTURE)).remember("x", user="ana")
    assert caught.value.details["errors"] == [
        {"field": "occurred_at", "reason": "is more than five minutes in the future"}
    ]
    with pytest.raises(InvalidInput, match=r"^messages\.0\.occurred_at is more"):
        client(refusal(FUTURE)).remember(user_id="ana", messages=[{"content": "x"}, {"content": "y"}])
