"""Bad input is refused with a code and what to do, and stores nothing; odd input that is accepted stays as it is."""

import json
from base64 import urlsafe_b64encode
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Final, cast

import httpx
import pytest

from ragpp.api import Pending
from ragpp.models import Interaction, Page, Preference, Rule, SessionInfo
from ragpp.redaction import redact
from tests.support.belongings import OF_USER, url_for
from tests.support.hostile import CONTROLS, METACHARACTERS, MOMENTS, REFUSED_MOMENTS, Json, as_json
from tests.support.operations import OPERATIONS, checked_problem
from tests.support.real_gateway import RealGateway

pytestmark = pytest.mark.server

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


BLANK: Final = (" ", "\n", " \r\n\t ", "\u200b", " \u200b\n", "\u2028\u3000\ufeff", "\u00ad", "\x1f\x85")
"""Texts in which nothing shows."""


def message(**fields: Json) -> bytes:
    """A write of one message with these fields."""
    return as_json({"user_id": USER, "messages": [{"content": "hello", **fields}]})


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
        for said in ("0001-01-01T00:00:00Z", "1899-12-31T23:59:59Z", 1_700_000_000, 1.7e9, "1700000000", True)
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


@pytest.mark.parametrize("case", REFUSED_WRITES)
async def test_a_bad_write_is_refused_as_a_whole_and_says_which_field(api: httpx.AsyncClient, case: str) -> None:
    body, (status, code), field = REFUSED_WRITES[case]
    problem = checked_problem(await api.post("/v1/interactions", content=body, headers=JSON), status, code)
    if field is not None:
        assert field in {error.field for error in problem.errors}
    await nothing_is_stored(api)


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


def resource(**fields: Json) -> dict[str, Json]:
    """A resource with these fields."""
    return {"user_id": USER, "resource_type": "document", "content": "hello", **fields}


def said(content: str) -> Json:
    """One message of a conversation."""
    return {"content": content}


def talk(*messages: Json, **fields: Json) -> dict[str, Json]:
    """A conversation as a resource."""
    return {"user_id": USER, "resource_type": "conversation", "messages": list(messages), **fields}


REFUSED_RESOURCES: Final[dict[str, dict[str, Json]]] = {
    "no content": {"user_id": USER, "resource_type": "document"},
    "empty content": resource(content=""),
    "blank content": resource(content="\u200b\n"),
    "a blank message": talk({"content": "hello"}, {"content": " \u200b"}),
    "the year 1": resource(occurred_at="0001-01-01T00:00:00Z"),
    "a message of the year 1": talk({"content": "hello", "occurred_at": "0001-01-01T00:00:00Z"}),
    "a time that is a number": resource(occurred_at=1_700_000_000),
    "a control character in its id": resource(id="a\u2028b"),
    "over-long content": resource(content="x" * 1_000_001),
    "NUL in the content": resource(content="a\x00b"),
    "content and messages": talk({"content": "hello"}, content="hello"),
    "messages of a document": talk({"content": "hello"}) | {"resource_type": "document"},
    "nothing to remember": resource(remember=True),
    "an unknown type": resource(resource_type="diary"),
    "an unknown visibility": resource(visibility="everybody"),
    "one agent alone, and none named": resource(visibility="agent"),
    "no user of a visibility": resource(user_id=""),
    "a future moment": resource(occurred_at="9999-12-31T23:59:59Z"),
    "a future moment of a message": talk({"content": "hello", "occurred_at": "9999-12-31T23:59:59Z"}),
    "an over-long id": resource(id="x" * 257),
    "a record separator in its id": resource(id="a\x1eb"),
    "an unknown field": resource(tenant_id="other"),
    "a category that is no name": resource(category_hint="No Name"),
    "ids of no interactions": talk({"content": "hello", "id": "m1"}),
    "too many messages": talk(*[said("x")] * 1_001),
    "messages that are too long together": talk(*[said("x" * 100_000)] * 11),
    "metadata of 65 levels": resource(metadata={"k": cast("Json", json.loads("[" * 64 + "]" * 64))}),
}


@pytest.mark.parametrize("case", REFUSED_RESOURCES)
async def test_a_bad_resource_is_refused_and_nothing_of_it_is_kept(api: httpx.AsyncClient, case: str) -> None:
    checked_problem(await api.post("/v1/resources", json=REFUSED_RESOURCES[case]), *INVALID)
    await nothing_is_stored(api)


REFUSED_ITEMS: Final[dict[str, dict[str, Json]]] = {
    "empty content": {"content": ""},
    "blank content": {"content": "\u200b\u3000"},
    "the year 1": {"occurred_at": "0001-01-01T00:00:00Z"},
    "a control character in its id": {"id": "a\x1fb"},
    "over-long content": {"content": "x" * 16_001},
    "NUL in the content": {"content": "a\x00"},
    "no source": {"source_resource_id": ""},
    "a confidence over 1": {"confidence": 1.5},
    "an unknown importance": {"importance": "urgent"},
    "an unknown kind": {"kind": "rumour"},
    "a vector of another dimension": {"embedding": [1.0, 0.0]},
    "a vector of nothing": {"embedding": [0.0] * 384},
    "what a context of this memory said": {"content": "- Pro costs $299 a month. (relevance: 0.83)"},
    "a future moment": {"occurred_at": "9999-12-31T23:59:59Z"},
}


@pytest.mark.parametrize("case", REFUSED_ITEMS)
async def test_a_bad_item_refuses_all_and_is_named(api: httpx.AsyncClient, case: str) -> None:
    assert (await api.post("/v1/resources", json=resource(id="r1"))).status_code == 201
    good: dict[str, Json] = {"content": "hello", "source_resource_id": "r1"}
    answer = await api.post("/v1/items", json={"user_id": USER, "items": [good, good | REFUSED_ITEMS[case]]})
    assert {error.field for error in checked_problem(answer, *INVALID).errors} == {
        f"items.1.{next(iter(REFUSED_ITEMS[case]))}"
    }
    assert (await api.get("/v1/items", params={"user_id": USER})).json()["items"] == []


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


BAD_NAMES: Final = ("", "Prices", "prices-2", "_prices", "prices_", "a__b", "x" * 65, "é", "prices\n")
"""Of categories."""


REFUSED_RECALLS: Final[dict[str, dict[str, Json]]] = {
    "a negative budget": {"token_budget": -1},
    "a huge budget": {"token_budget": 10**12},
    "a budget beyond 64 bits": {"token_budget": 10**30},
    "half a token": {"token_budget": 0.5},
    "a deadline of 0": {"deadline_ms": 0},
    "a negative deadline": {"deadline_ms": -500},
    "a deadline of an hour": {"deadline_ms": 3_600_000},
    "NaN as a deadline": {"deadline_ms": float("nan")},
    "no memories": {"limit": 0},
    "too many memories": {"limit": 201},
    "no tiers": {"tiers": []},
    "an unknown tier": {"tiers": ["episodic", "cellar"]},
    "an empty query": {"query": ""},
    "a blank query": {"query": " \n\t "},
    "an over-long query": {"query": "x" * 20_001},
    "NUL in the query": {"query": "a\x00b"},
    "an empty session": {"session_id": ""},
    "a garbage receipt": {"after": "r1.zz.1"},
    "a receipt with a line end": {"after": "r1.1.1\n"},
    "a receipt beyond 64 bits": {"after": "r1.ffffffffffffffff.ffffffffffffffff"},
    "a range from its end to its start": {"time_range": {"start": MOMENTS[-1], "end": MOMENTS[0]}},
    "a range without an offset": {"time_range": {"start": "2024-05-01T10:00:00"}},
    "a moment without an offset": {"as_of": "2024-05-01T10:00:00"},
    "a moment before the year 1": {"as_of": REFUSED_MOMENTS[0]},
    "a similarity over 1": {"similarity_threshold": 1.5},
    "NaN as a similarity": {"similarity_threshold": float("nan")},
    "a confidence below 0": {"min_confidence": -0.1},
    "too many names": {"entities": ["x"] * 51},
    "an empty name": {"entities": [""]},
    "too many exclusions": {"exclude": [str(number) for number in range(1_001)]},
    "NUL in an exclusion": {"exclude": ["\x00"]},
    "NUL in the persona": {"persona": "\x00"},
    "NUL in the situation": {"situation": {"k": "\x00"}},
    "an unknown field": {"tenant_id": "other"},
}


@pytest.mark.parametrize("case", REFUSED_RECALLS)
async def test_a_bad_recall_is_refused_and_says_which_field(api: httpx.AsyncClient, case: str) -> None:
    body = as_json({"user_id": USER, "query": "q", **REFUSED_RECALLS[case]})
    problem = checked_problem(await api.post("/v1/recall", content=body, headers=JSON), *INVALID)
    (name,) = REFUSED_RECALLS[case]
    assert any(error.field.startswith(name) for error in problem.errors)


@pytest.mark.parametrize(
    "extreme",
    [
        {"token_budget": 0},
        {"token_budget": 200_000},
        {"deadline_ms": 1},
        {"limit": 200, "deadline_ms": 60_000},
        {"as_of": MOMENTS[0]},
        {"as_of": "9999-12-31T23:59:59.999999Z"},
        {"time_range": {"start": MOMENTS[0], "end": "9999-12-31T23:59:59.999999Z"}},
        {"similarity_threshold": -1, "min_confidence": 1},
        {"exclude": [f"{number}" * 85 for number in range(100, 200)]},
        {"query": "x" * 20_000},
        {"query": "\u200b ! ? \ufeff"},
    ],
)
async def test_a_recall_at_the_edge_of_what_is_accepted_is_answered(
    api: httpx.AsyncClient, extreme: dict[str, object]
) -> None:
    assert (await api.post("/v1/interactions", content=message(content="x marks the spot"))).status_code == 201
    answer = await api.post("/v1/recall", json={"user_id": USER, "query": "x", **extreme})
    assert answer.status_code == 200, answer.text
    body = answer.json()
    assert body["tokens"] <= cast("int", extreme.get("token_budget", 2_000))
    assert {tier["status"] for tier in body["tiers"].values()} <= {"ok", "timeout"}


REFUSED_QUERIES: Final = {
    "limit=0": INVALID,
    "limit=-1": INVALID,
    "limit=201": INVALID,
    "limit=99999999999999999999": INVALID,
    "limit=ten": INVALID,
    "limit=1e1": INVALID,
    "cursor=garbage": INVALID,
    "cursor=W10": INVALID,
    "cursor=WzEsMiwzLDRd": INVALID,
    "cursor=%00": INVALID,
    "cursor=": INVALID,
    "cursor=" + "A" * 5_000: INVALID,
    "cursor=WzFlNDAwLCJhIl0": INVALID,
    "cursor=WzEwMDAwMDAwMDAwMDAwMDAwMDAwMCwgIngiXQ": INVALID,
}
LISTS: Final = [name for name, operation in OPERATIONS.items() if "cursor" in {p.name for p in operation.parameters}]
OF_ALL: Final = {"GET /v1/jobs", "GET /v1/users"}
"""Lists that are of the whole tenant without a user."""
OF_CATALOG: Final = {
    *(f"GET /v1/{kind}" for kind in ("resources", "items", "categories", "events")),
    "GET /api/memory/export",
}
"""Lists of what all users share, without a user, to a key that may."""
OF_USERS: Final = [name for name in OPERATIONS if name.startswith(f"GET {OF_USER}")]


@pytest.mark.parametrize("query", REFUSED_QUERIES)
@pytest.mark.parametrize("name", LISTS)
async def test_a_list_refuses_a_cursor_that_is_not_its_own_and_pages_of_no_size(
    api: httpx.AsyncClient, name: str, query: str
) -> None:
    url = url_for(OPERATIONS[name], "u")
    checked_problem(await api.get(f"{url}{'&' if '?' in url else '?'}{query}"), *REFUSED_QUERIES[query])


@pytest.mark.parametrize("number", [2**63, 2**64 - 1, -(2**63) - 1, 2**63 - 1, 2**31, -(2**31) - 1])
@pytest.mark.parametrize("name", LISTS)
async def test_a_cursor_with_a_number_that_no_store_holds_is_refused_and_one_at_the_edge_is_no_crash(
    api: httpx.AsyncClient, name: str, number: int
) -> None:
    url = url_for(OPERATIONS[name], "u")
    for position in ([number], [number, "x"], [number, 1], [1, number], ["resources", number], ["items", number]):
        cursor = urlsafe_b64encode(json.dumps(position).encode()).decode().rstrip("=")
        answer = await api.get(f"{url}{'&' if '?' in url else '?'}cursor={cursor}")
        if -(2**63) < number < 2**63:
            assert answer.status_code in {200, 422}, answer.text
        else:
            checked_problem(answer, *INVALID)


@pytest.mark.parametrize("number", [2**63, 2**64, 2**31, 10**30])
async def test_a_job_of_a_number_that_no_ledger_has_is_not_found(api: httpx.AsyncClient, number: int) -> None:
    for method, path in (("GET", ""), ("POST", "/retry"), ("POST", "/cancel")):
        checked_problem(await api.request(method, f"/v1/jobs/{number}.observe{path}"), 404)


@pytest.mark.parametrize(
    "user", ["", "user_id=", "user_id=%00", "user_id=%ff", "user_id=%ed%a0%80", "user_id=" + "x" * 257]
)
@pytest.mark.parametrize("name", [name for name in LISTS if name not in OF_USERS])
async def test_a_list_is_always_of_a_user_that_can_be(api: httpx.AsyncClient, name: str, user: str) -> None:
    if not user and name in OF_ALL:
        assert (await api.get(OPERATIONS[name].path)).status_code == 200
        return
    if not user and name in OF_CATALOG:
        checked_problem(await api.get(OPERATIONS[name].path), 403, "MEM-022")
        return
    problem = checked_problem(await api.get(f"{OPERATIONS[name].path}?{user}"), *INVALID)
    assert [error.field for error in problem.errors] == ["user_id"]


@pytest.mark.parametrize("user", ["%00", "%ff", "%ed%a0%80", "x" * 257])
@pytest.mark.parametrize("name", OF_USERS)
async def test_what_is_of_a_user_is_of_one_that_can_be(api: httpx.AsyncClient, name: str, user: str) -> None:
    path = OPERATIONS[name].path.replace("{user_id}", user)
    problem = checked_problem(await api.get(path.replace("{reflection_id}", "x")), *INVALID)
    assert [error.field for error in problem.errors] == ["user_id"]


@pytest.mark.parametrize("below", ["-0.1", "1.1", "nan", "inf", "half", ""])
async def test_a_threshold_that_cannot_be_is_refused(api: httpx.AsyncClient, below: str) -> None:
    problem = checked_problem(await api.get(f"/v1/users/u/review?below={below}"), *INVALID)
    assert [error.field for error in problem.errors] == ["below"]


@pytest.mark.parametrize("receipt", ["garbage", "r1.1", "r2.1.1", "r1.%00.1", "r1.1.1%0a", "r1.-1.1", "x" * 100])
async def test_a_garbage_receipt_is_refused(api: httpx.AsyncClient, receipt: str) -> None:
    checked_problem(await api.get(f"/v1/pending?user_id=u&receipt={receipt}"), *INVALID)


@pytest.mark.parametrize("identifier", ["%00", "%ff", "a%00b", "%ed%a0%80", "x" * 257])
@pytest.mark.parametrize("kind", ["interactions", "sessions", "entities", "relationships", "preferences", "rules"])
@pytest.mark.parametrize("method", ["GET", "DELETE"])
async def test_an_id_that_cannot_be_is_refused(api: httpx.AsyncClient, method: str, kind: str, identifier: str) -> None:
    checked_problem(await api.request(method, f"/v1/{kind}/{identifier}?user_id=u"), *INVALID)


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
        ("GET", "/", 404),
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


REFUSED_ELSEWHERE: Final[dict[str, list[dict[str, Json]]]] = {
    "POST /v1/preferences": [
        {"category": "c", "key": "k", "value": ""},
        {"category": "c", "key": "k", "value": "x" * 4_001},
        {"category": "c", "key": "k", "value": ["x" * 4_000]},
        {"category": "c", "key": "k", "value": {"a\x00": 1}},
        {"category": "c", "key": "k", "value": [float("inf")]},
        {"category": "", "key": "k", "value": "v"},
        {"category": "c", "key": "k\x00", "value": "v"},
        {"category": "c", "key": "k", "value": "v", "confidence": 1.1},
        {"category": "c", "key": "k", "value": "v", "confidence": float("nan")},
        {"category": "c", "key": "k", "value": "v", "version": 1},
    ],
    "POST /v1/rules": [
        {"text": ""},
        {"text": "\u200b"},
        {"id": "a\x1fb", "text": "t"},
        {"text": "x" * 4_001},
        {"text": "a\x00"},
        {"text": "t", "triggers": [""]},
        {"text": "t", "triggers": ["x"] * 51},
        {"text": "t", "priority": 11},
        {"text": "t", "priority": -1},
        {"text": "t", "active": "perhaps"},
        {"text": "t", "id": "\x00"},
    ],
    "PATCH /v1/rules/{item_id}": [
        {"text": " "},
        {"text": ""},
        {"priority": 10**30},
        {"triggers": "all"},
        {"id": "other"},
        {"aside": ""},
    ],
    "POST /v1/rules/{item_id}/restore": [{}, {"version": 0}, {"version": 2**31}, {"version": "last"}],
    "POST /v1/rules/{item_id}/confirm": [{"user_id": ""}, {"user_id": 1}, {"verdict": "maybe"}, {"active": True}],
    "POST /v1/rules/{item_id}/reject": [{"user_id": "\x00"}, {"value": "x"}],
    "POST /v1/rules/{item_id}/activations": [{"id": ""}, {"id": "a\x00"}, {"id": 1}, {"success": True}],
    "POST /v1/rules/{item_id}/outcomes": [{}, {"success": "perhaps"}, {"success": None}],
    "POST /v1/preferences/{item_id}/restore": [{}, {"version": -1}, {"version": 1.5}],
    "POST /v1/preferences/{item_id}/confirm": [
        {"value": ""},
        {"value": "a\x00"},
        {"value": ["a\x00"]},
        {"verdict": "maybe"},
    ],
    "POST /v1/preferences/{item_id}/reject": [{"value": ""}, {"value": "x" * 4_001}, {"value": ["x" * 4_000]}],
    "PATCH /v1/entities/{entity_id}": [{}, {"name": ""}, {"name": " "}, {"name": "a\x00"}, {"label": "THING"}],
    "POST /v1/relationships": [
        {"source": "a", "type": "KNOWS", "target": ""},
        {"source": "a", "type": "knows", "target": "b"},
        {"source": "a", "type": "KNOWS", "target": "A"},
        {"source": "a\x00", "type": "KNOWS", "target": "b"},
        {"source": "a", "type": "KNOWS", "target": "b", "target_label": "THING"},
        {"source": "a", "type": "KNOWS", "target": "b", "valid_from": "2024-05-02T00:00:00Z", "valid_to": "2024-05-01"},
        {"source": "a", "type": "KNOWS", "target": "b", "confidence": 1},
    ],
    "POST /v1/relationships/{relationship_id}/confirm": [{"user_id": ""}, {"user_id": 1}, {"verdict": "maybe"}],
    "POST /v1/relationships/{relationship_id}/reject": [{"user_id": "\x00"}, {"value": "x"}],
    "POST /v1/relationships/{relationship_id}/restore": [{"user_id": None}, {"version": 1}],
    "POST /v1/forget": [
        {},
        {"about": {}},
        {"about": {"words": ""}},
        {"about": {"entity": "Elena", "words": "Porto"}},
        {"about": {"words": "a\x00"}},
        {"about": {"words": "Porto"}, "confirm": {}},
        {"about": {"words": "Porto"}, "limit": 0},
        {"about": {"words": "Porto"}, "everything": True},
    ],
    "POST /v1/users/{user_id}/extract": [
        {"start": "yesterday"},
        {"start": "2026-03-08T00:00:00Z", "end": "2026-03-08T00:00:00Z"},
        {"start": "2026-03-08T00:00:00"},
        {"id": ""},
        {"window": 1},
    ],
    "POST /v1/users/{user_id}/reflect": [
        {"kind": "weekly"},
        {"date": "2026-02-30"},
        {"date": "0001-01-01"},
        {"date": "9999-12-31"},
        {"kind": "incremental", "date": "2026-03-08"},
        {"id": "\x00"},
    ],
    "POST /v1/users/{user_id}/retention": [{"dry_run": "perhaps"}, {"dry_run": None}, {"plan": "trial"}],
    "PUT /v1/users/{user_id}/settings": [
        {"time_zone": "Mars/Olympus_Mons"},
        {"time_zone": "../../etc/passwd"},
        {"time_zone": "/usr/share/zoneinfo/UTC"},
        {"time_zone": "UTC\x00"},
        {"time_zone": ""},
        {"reflect_at": 24},
        {"reflect_at": -1},
        {"plan": ""},
        {"plan": "\x00"},
        {"plan": None},
    ],
    "POST /v1/entities/{entity_id}/merge": [{}, {"absorb_id": ""}, {"absorb_id": "x"}, {"absorb_id": ["a"]}],
    "POST /v1/entities/{entity_id}/split": [{}, {"absorbed_id": "\x00"}],
    "POST /v1/resources/{resource_id}/extract": [{"user_id": ""}, {"category_hint": "No Name"}, {"force": True}],
    "POST /api/memory/cleanup": [{"dry_run": "perhaps"}, {"user_id": "\x00"}, {"everything": True}],
    "POST /v1/hooks/pre-prompt": [
        {"prompt": "x"},
        {"ci": "", "prompt": "x"},
        {"ci": "a\x00", "prompt": "x"},
        {"ci": "a", "prompt": "x" * 100_001},
        {"ci": "a", "prompt": "a\x00"},
        {"ci": "a", "prompt": "x", "context": []},
    ],
    "POST /v1/hooks/memory-request": [
        {"ci": "a"},
        {"ci": "a", "memory_ids": [""]},
        {"ci": "a", "memory_ids": ["x"] * 101},
        {"ci": "a", "memory_ids": ["\x00"]},
    ],
    "POST /v1/hooks/post-response": [
        {"ci": "a"},
        {"ci": "a", "response": "x" * 100_001},
        {"ci": "a", "response": "x", "memories_used": "m1"},
    ],
    "POST /v1/hooks/pre-message": [{"ci": "a"}, {"message": "x"}, {"ci": "a", "message": 5}],
    "POST /v1/hooks/post-message": [
        {"ci": "a", "message": "\u200b", "response": "x"},
        {"ci": "a\x1fb", "message": "x", "response": "x"},
        {"ci": "a", "message": "x"},
        {"ci": "a", "message": "", "response": "x"},
        {"ci": "a", "message": "x", "response": "a\x00"},
    ],
    "PUT /v1/agents/{ci}/budget": [{}, {"limit": -1}, {"limit": 200_001}, {"limit": "many"}],
    "PUT /v1/agents/{ci}/source": [{}, {"source": "memory"}, {"source": None}, {"source": "file", "user_id": "\x00"}],
    "POST /api/memory/import": [
        {"memories": [{"content": "x"}, {"content": "\u200b"}]},
        {},
        {"memories": []},
        {"memories": [{"content": "x"}] * 101},
        {"memories": [{"content": "x"}, {"content": "a\x00"}]},
        {"memories": [{"content": "x", "user_id": "somebody-else"}]},
        {"memories": [{"content": "x", "priority": 11}]},
        {"memories": {"content": "x"}},
        {"memories": [{"content": "x"}], "dry_run": "perhaps"},
    ],
    "POST /v1/catalog/{memory_id}/feedback": [
        {"ci": "a"},
        {"ci": "a", "value": 1.5},
        {"ci": "a", "value": "NaN"},
        {"ci": "a", "value": 1, "reason": "x" * 1_001},
    ],
    "POST /api/memory/catalog": [
        {"content": " \u200b"},
        {"content": "x", "timestamp": "0001-01-01T00:00:00Z"},
        {"content": "x", "memory_id": "a\x85b"},
        {},
        {"content": ""},
        {"content": "x" * 16_001},
        {"content": "a\x00"},
        {"content": "x", "type": "magic"},
        {"content": "x", "priority": 11},
        {"content": "x", "tags": ["t"] * 33},
        {"content": "x", "expires": "soon"},
        {"content": "x", "expires": "2020-01-01T00:00:00Z"},
        {"content": "x", "metadata": {"entry": {"priority": 9}}},
        {"content": "x", "size": -1},
        {"content": "x", "visibility": "agent"},
        {"content": "x", "memory_id": ""},
    ],
    "POST /v1/items/search": [
        {},
        {"embedding": []},
        {"embedding": [1.0, 0.0]},
        {"embedding": [0.0] * 384},
        {"embedding": ["x"] * 384},
        {"embedding": [1.0] * 384, "k": 101},
    ],
    "POST /v1/retrieve": [
        {},
        {"query": ""},
        {"query": " \n"},
        {"query": "x" * 10_001},
        {"query": "a\x00"},
        {"query": "x", "mode": "magic"},
        {"query": "x", "k": 0},
        {"query": "x", "k": 101},
        {"query": "x", "category_filter": "No Name"},
        {"query": "x", "similarity_threshold": 1.5},
        {"query": "x", "as_of": "yesterday"},
    ],
    "POST /v1/categories": [
        {"name": "prices"},
        {"name": "prices", "description": "too short"},
        {"name": "prices", "description": "x" * 501},
        {"name": "prices", "description": "What it costs\x00"},
        {"name": "prices", "description": "What it costs", "visibility": "agent"},
        *[cast("dict[str, Json]", {"name": name, "description": "What it costs"}) for name in BAD_NAMES],
    ],
    "POST /v1/categories/defaults": [{"user_id": ""}, {"names": ["prices"]}],
    "PUT /v1/categories/{category}": [{}, {"content": ""}, {"content": "x" * 200_001}, {"content": "a\x00"}],
    "POST /v1/categories/{category}/items": [{}, {"item_ids": []}, {"item_ids": ["x"] * 1_001}, {"item_ids": [""]}],
    "POST /v1/categories/{category}/consolidate": [{"force": "perhaps"}, {"force": None}, {"sections": []}],
    "POST /v1/memory/rebuild": [{"user_id": "\x00"}, {"everything": True}],
    "POST /v1/learning/episodes": [
        {"goal": None},
        {"goal": ""},
        {"goal": "x" * 101},
        {"goal": "a\x00"},
        {"goal": "g", "domain": ""},
    ],
    "POST /v1/learning/episodes/{episode_id}/access": [
        {"content": "\u200b"},
        {},
        {"memory_id": "i1", "content": "both"},
        {"content": ""},
        {"content": "x" * 16_001},
        {"content": "x", "step_reward": 1.1},
        {"content": "x", "step_reward": "NaN"},
    ],
    "POST /v1/learning/episodes/{episode_id}/end": [
        {},
        {"final_reward": -1.1},
        {"final_reward": 1, "alpha": 0},
        {"final_reward": 1, "gamma": 1.5},
        {"final_reward": 1, "lambda_": -0.1},
    ],
}


@pytest.mark.parametrize("name", REFUSED_ELSEWHERE)
async def test_a_bad_change_is_refused_and_changes_nothing(api: httpx.AsyncClient, name: str) -> None:
    operation = OPERATIONS[name]
    url = operation.url({parameter.name: "x" for parameter in operation.parameters}, {})
    for fields in REFUSED_ELSEWHERE[name]:
        body = as_json(fields if OF_USER in operation.path else {"user_id": USER, **fields})
        checked_problem(await api.request(operation.method, url, content=body, headers=JSON), *INVALID)
    await nothing_is_stored(api)


def test_every_route_with_a_body_has_its_bad_bodies_here() -> None:
    with_body = {name for name, operation in OPERATIONS.items() if operation.body is not None}
    above = {"POST /v1/interactions", "POST /v1/recall", "POST /v1/resources", "POST /v1/items"}
    assert with_body == {*REFUSED_ELSEWHERE, *above}


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
