"""A bad write is refused with a code and what to do, as a whole, and stores nothing; so is a body that is none."""

import json
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Final

import httpx
import pytest

from ragpp.models import Interaction, Page
from tests.support.each import each
from tests.support.hostile import CONTROLS, REFUSED_MOMENTS, Json, as_json
from tests.support.operations import checked_problem
from tests.support.real_gateway import RealGateway
from tests.support.refusing import INVALID, JSON, MALFORMED, USER, message, nothing_is_stored

pytestmark = pytest.mark.server


BLANK: Final = (" ", "\n", " \r\n\t ", "\u200b", " \u200b\n", "\u2028\u3000\ufeff", "\u00ad", "\x1f\x85")
"""Texts in which nothing shows."""


def write(**fields: Json) -> bytes:
    """A write of a good message with these fields around it."""
    return as_json({"user_id": USER, "messages": [{"content": "hello"}], **fields})


def with_metadata(text: str) -> bytes:
    """A write whose metadata is this JSON."""
    return b'{"user_id": "u", "messages": [{"content": "hello", "metadata": %s}]}' % text.encode()


def tomorrow() -> str:
    return (datetime.now(UTC) + timedelta(days=1)).isoformat()


REFUSED_WRITES: Final = {
    "empty content": (message(content=""), INVALID, "messages.0.content"),
    "over-long content": (message(content="x" * 100_001), INVALID, "messages.0.content"),
    "no content": (b'{"user_id": "u", "messages": [{}]}', INVALID, "messages.0.content"),
    "content that is no text": (message(content=7), INVALID, "messages.0.content"),
    "NUL in the content": (message(content="a\x00b"), INVALID, "messages.0.content"),
    "NUL in an id": (message(id="a\x00b"), INVALID, "messages.0.id"),
    "NUL in the user": (write(user_id="a\x00b"), INVALID, "user_id"),
    "NUL in a name": (message(name="\x00"), INVALID, "messages.0.name"),
    "NUL in metadata": (message(metadata={"k": ["a\x00"]}), INVALID, "messages.0.metadata"),
    "NUL in a key of metadata": (message(metadata={"a\x00": 1}), INVALID, "messages.0.metadata"),
    "a lone surrogate in the content": (message(content="a\ud800"), INVALID, "messages.0.content"),
    "a lone surrogate in the session": (write(session_id="\udfff"), INVALID, "session_id"),
    "a lone surrogate in metadata": (message(metadata={"k": "\ud800"}), INVALID, "messages.0.metadata.k"),
    **{f"content {blank!a}": (message(content=blank), INVALID, "messages.0.content") for blank in BLANK},
    **{
        f"{name} {blank!a}": (message(**{name: blank}), INVALID, f"messages.0.{name}")
        for blank in BLANK
        for name in ("id", "name", "channel")
    },
    **{
        f"{name} {blank!a}": (write(**{name: blank}), INVALID, name)
        for blank in BLANK
        for name in ("user_id", "session_id", "agent_id")
    },
    **{
        f"{control!a} in {name}": (write(**{name: f"a{control}b"}), INVALID, name)
        for control in CONTROLS
        for name in ("user_id", "session_id", "agent_id")
    },
    **{f"{control!a} in an id": (message(id=f"a{control}b"), INVALID, "messages.0.id") for control in CONTROLS},
    "invalid UTF-8": (b'{"user_id": "u", "messages": [{"content": "\xff"}]}', MALFORMED, None),
    "UTF-8 that encodes a surrogate": (b'{"user_id": "u", "messages": [{"content": "\xed\xa0\x80"}]}', MALFORMED, None),
    "UTF-16": (message().decode().encode("utf-16"), MALFORMED, None),
    "a future moment": (message(occurred_at=tomorrow()), INVALID, "messages.0.occurred_at"),
    "the last moment": (message(occurred_at="9999-12-31T23:59:59.999999Z"), INVALID, "messages.0.occurred_at"),
    **{
        f"the moment {moment}": (message(occurred_at=moment), INVALID, "messages.0.occurred_at")
        for moment in REFUSED_MOMENTS
    },
    **{
        f"the time {said!r}": (message(occurred_at=said), INVALID, "messages.0.occurred_at")
        for said in (1_700_000_000, 1.7e9, "1.7e9", "nan", True)
    },
    "NaN as a moment": (message(occurred_at=float("nan")), INVALID, "messages.0.occurred_at"),
    "a huge moment": (message(occurred_at=10**30), INVALID, "messages.0.occurred_at"),
    "an empty id": (message(id=""), INVALID, "messages.0.id"),
    "an over-long id": (message(id="x" * 257), INVALID, "messages.0.id"),
    "an over-long user": (write(user_id="x" * 257), INVALID, "user_id"),
    "an over-long name": (message(name="x" * 201), INVALID, "messages.0.name"),
    "an over-long channel": (message(channel="x" * 101), INVALID, "messages.0.channel"),
    "an unknown role": (message(role="root"), INVALID, "messages.0.role"),
    "an unknown field of a message": (message(text="hello"), INVALID, "messages.0.text"),
    "an unknown field": (write(tenant_id="other"), INVALID, "tenant_id"),
    "no messages": (write(messages=[]), INVALID, "messages"),
    "too many messages": (write(messages=[{"content": "x"}] * 1_001), INVALID, "messages"),
    "no user": (b'{"messages": [{"content": "hello"}]}', INVALID, "user_id"),
    "NaN in metadata": (with_metadata('{"k": NaN}'), INVALID, "messages.0.metadata"),
    "Infinity in metadata": (with_metadata('{"k": [-Infinity]}'), INVALID, "messages.0.metadata"),
    "1e400 in metadata": (with_metadata('{"k": {"l": 1e400}}'), INVALID, "messages.0.metadata"),
    "a number of 5,000 digits in metadata": (with_metadata('{"k": ' + "9" * 5_000 + "}"), MALFORMED, None),
    "metadata that is a list": (with_metadata("[]"), INVALID, "messages.0.metadata"),
    "over-long metadata": (message(metadata={"k": "x" * 16_385}), INVALID, "messages.0.metadata"),
    "metadata of 10,000 levels": (with_metadata('{"k": ' + "[" * 10_000 + "]" * 10_000 + "}"), MALFORMED, None),
    "metadata of 65 levels": (with_metadata('{"k": ' + "[" * 64 + "]" * 64 + "}"), INVALID, "messages.0.metadata"),
    "metadata of 65 objects": (with_metadata('{"k": ' * 65 + "1" + "}" * 65), INVALID, "messages.0.metadata"),
    "nothing": (b"", MALFORMED, None),
    "truncated JSON": (message()[:-3], MALFORMED, None),
    "more than one JSON": (message() * 2, MALFORMED, None),
    "a comment": (b"/* hello */" + message(), MALFORMED, None),
    "a list": (b"[]", INVALID, None),
    "a text": (b'"hello"', INVALID, None),
    "null": (b"null", INVALID, None),
    "a number": (b"1e999", INVALID, None),
}


async def test_a_bad_write_is_refused_as_a_whole_and_says_which_field(gateway: RealGateway) -> None:
    async def refused(case: str) -> None:
        body, (status, code), field = REFUSED_WRITES[case]
        async with gateway.newcomer() as api:
            problem = checked_problem(await api.post("/v1/interactions", content=body, headers=JSON), status, code)
            if field is not None:
                assert field in {error.field for error in problem.errors}
            await nothing_is_stored(api)

    await each(REFUSED_WRITES, refused, at_once=8)


async def test_what_is_empty_is_told_once_and_so(api: httpx.AsyncClient) -> None:
    first = await api.post("/v1/interactions", json={"user_id": USER, "messages": [{"content": ""}]})
    assert checked_problem(first, *INVALID).detail == "messages.0.content: is empty"
    asked = await api.post("/v1/recall", json={"user_id": USER, "query": ""})
    assert checked_problem(asked, *INVALID).detail == "query: is empty"


async def test_one_bad_message_of_many_refuses_all_and_is_named(api: httpx.AsyncClient) -> None:
    messages = [{"id": str(number), "content": "hello"} for number in range(20)]
    messages[13]["content"] = ""
    answer = await api.post("/v1/interactions", json={"user_id": USER, "messages": messages})
    assert [error.field for error in checked_problem(answer, *INVALID).errors] == ["messages.13.content"]
    await nothing_is_stored(api)


@pytest.mark.parametrize("declared", [True, False])
async def test_a_body_of_ten_megabytes_is_refused_however_it_is_sent(api: httpx.AsyncClient, declared: bool) -> None:
    body = message(content="x" * 10_000_000)

    async def pieces() -> AsyncIterator[bytes]:
        for start in range(0, len(body), 65_536):
            yield body[start : start + 65_536]

    content = body if declared else pieces()
    checked_problem(await api.post("/v1/interactions", content=content, headers=JSON), 413, "MEM-023")
    await nothing_is_stored(api)


@pytest.mark.parametrize("other", ["in the store", "in the batch"])
async def test_an_id_with_other_content_refuses_the_batch_and_names_its_place(
    api: httpx.AsyncClient, other: str
) -> None:
    first, second = {"id": "m", "content": "one"}, {"id": "m", "content": "two"}
    stored = other == "in the store"
    if stored:
        assert (await api.post("/v1/interactions", json={"user_id": USER, "messages": [first]})).status_code == 201
    batch = [{"id": "n", "content": "new"}, second] if stored else [first, second]
    answer = await api.post("/v1/interactions", json={"user_id": USER, "messages": batch})
    assert checked_problem(answer, 409, "MEM-011").details["indexes"] == [1]
    if not stored:
        await nothing_is_stored(api)
        return
    page = Page[Interaction].model_validate_json((await api.get("/v1/interactions", params={"user_id": USER})).content)
    assert [(item.id, item.content) for item in page.items] == [("m", "one")]
    session = (await api.get("/v1/sessions/default", params={"user_id": USER})).text
    assert "one" in session
    assert "two" not in session
    assert "new" not in session


async def test_the_same_message_twice_in_one_batch_is_stored_once(api: httpx.AsyncClient) -> None:
    twice = [{"id": "m", "content": "one"}] * 2
    answer = await api.post("/v1/interactions", json={"user_id": USER, "messages": twice})
    assert [item["duplicate"] for item in answer.json()["stored"]] == [False, True]
    assert len((await api.get("/v1/sessions/default", params={"user_id": USER})).json()["messages"]) == 1


@pytest.mark.parametrize(
    "content_type",
    ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "json", "*/*"],
)
async def test_a_body_that_is_declared_as_something_else_is_refused(api: httpx.AsyncClient, content_type: str) -> None:
    answer = await api.post("/v1/interactions", content=message(), headers={"content-type": content_type})
    checked_problem(answer, 415, "MEM-025")
    await nothing_is_stored(api)


async def test_metadata_as_deep_as_is_accepted_comes_back(api: httpx.AsyncClient) -> None:
    deep = '{"k": ' + "[" * 63 + "]" * 63 + "}"
    answer = await api.post("/v1/interactions", content=with_metadata(deep), headers=JSON)
    assert answer.status_code == 201, answer.text
    (kept,) = (await api.get("/v1/interactions", params={"user_id": USER})).json()["items"]
    assert json.dumps(kept["metadata"]) == deep
    recalled = (await api.post("/v1/recall", json={"user_id": USER, "query": "hello"})).json()
    assert [memory["metadata"] for memory in recalled["memories"] if memory["tier"] == "episodic"] == [kept["metadata"]]


@pytest.mark.parametrize("content_type", ["application/json; charset=utf-8", "Application/JSON", "application/ld+json"])
async def test_a_body_that_is_declared_as_json_in_any_way_is_read(api: httpx.AsyncClient, content_type: str) -> None:
    answer = await api.post("/v1/interactions", content=message(), headers={"content-type": content_type})
    assert answer.status_code == 201, answer.text


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("PUT", "/v1/interactions", 405),
        ("GET", "/v1/recall", 405),
        ("DELETE", "/v1/recall", 405),
        ("POST", "/v1/pending", 405),
        ("PATCH", "/v1/preferences/x", 405),
        ("BREW", "/v1/interactions", 405),
        ("GET", "/v1/interactions/", 404),
        ("DELETE", "/v1/interactions/", 404),
        ("GET", "/v1/rules/a/b/c", 404),
        ("GET", "/v2/recall", 404),
        ("GET", "//v1/interactions", 404),
        ("POST", "/", 405),
    ],
)
async def test_a_wrong_method_and_an_unknown_route_are_said_to_be_so(
    api: httpx.AsyncClient, method: str, path: str, status: int
) -> None:
    checked_problem(await api.request(method, f"http://gateway{path}?user_id=u"), status)


@pytest.mark.parametrize(
    "authorization",
    ["", "Bearer", "Bearer x", "Basic dTpw", "Bearer rp_000000000000_" + "A" * 43, "Bearer " + "A" * 200_000],
)
async def test_a_request_without_a_good_key_is_refused_whatever_else_it_is(
    gateway: RealGateway, authorization: str
) -> None:
    async with gateway.client(None) as stranger:
        headers = {"authorization": authorization, **JSON}
        checked_problem(await stranger.post("/v1/interactions", content=b"{", headers=headers), 401, "MEM-021")
