"""A bad question, page or id is refused with a code and what to do; an odd one at the edge is answered."""

import json
from base64 import urlsafe_b64encode
from itertools import product
from typing import Final, cast

import httpx
import pytest

from tests.support.belongings import OF_USER, url_for
from tests.support.each import each
from tests.support.hostile import MOMENTS, REFUSED_MOMENTS, Json, as_json
from tests.support.operations import OPERATIONS, checked_problem
from tests.support.refusing import INVALID, JSON, USER, message
from tests.support.strangers import OF_NOBODY

pytestmark = pytest.mark.server


REFUSED_RECALLS: Final[dict[str, dict[str, Json]]] = {
    "a negative budget": {"token_budget": -1},
    "a huge budget": {"token_budget": 10**12},
    "a budget beyond 64 bits": {"token_budget": 10**30},
    "half a token": {"token_budget": 0.5},
    "a truth as a budget": {"token_budget": True},
    "a text as a budget": {"token_budget": "100"},
    "a truth as a deadline": {"deadline_ms": True},
    "a truth as a limit": {"limit": True},
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
    "a query that does not show": {"query": "\u200b\ufeff"},
    "a name that does not show": {"name": "\u200b"},
    "an entity that does not show": {"entities": ["\u00ad"]},
    "an over-long query": {"query": "x" * 20_001},
    "NUL in the query": {"query": "a\x00b"},
    "an empty session": {"session_id": ""},
    "a garbage receipt": {"after": "r1.zz.1"},
    "a receipt with a line end": {"after": "r1.1.1\n"},
    "a receipt beyond 64 bits": {"after": "r1.ffffffffffffffff.ffffffffffffffff"},
    "a range from its end to its start": {"time_range": {"start": MOMENTS[-1], "end": MOMENTS[0]}},
    "a range from a day": {"time_range": {"start": "2024-05-01"}},
    "a range from the year 1": {"time_range": {"start": "0001-01-01T00:00:00Z"}},
    "a range to a number": {"time_range": {"end": "1.714e9"}},
    **{f"the moment {moment}": {"as_of": moment} for moment in REFUSED_MOMENTS},
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


async def test_a_bad_recall_is_refused_and_says_which_field(api: httpx.AsyncClient) -> None:
    async def refused(case: str) -> None:
        body = as_json({"user_id": USER, "query": "q", **REFUSED_RECALLS[case]})
        problem = checked_problem(await api.post("/v1/recall", content=body, headers=JSON), *INVALID)
        (name,) = REFUSED_RECALLS[case]
        assert any(error.field.startswith(name) for error in problem.errors), problem.errors

    await each(REFUSED_RECALLS, refused, at_once=8)


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
LISTS: Final = [
    name
    for name, operation in OPERATIONS.items()
    if name not in OF_NOBODY and "cursor" in {p.name for p in operation.parameters}
]
OF_ALL: Final = {"GET /v1/jobs", "GET /v1/users"}
"""Lists that are of the whole tenant without a user."""
OF_CATALOG: Final = {
    *(f"GET /v1/{kind}" for kind in ("resources", "items", "categories", "events")),
    "GET /api/memory/export",
}
"""Lists of what all users share, without a user, to a key that may."""
OF_USERS: Final = [name for name in OPERATIONS if name.startswith(f"GET {OF_USER}")]


async def test_a_list_refuses_a_cursor_that_is_not_its_own_and_pages_of_no_size(api: httpx.AsyncClient) -> None:
    async def refused(case: tuple[str, str]) -> None:
        name, query = case
        url = url_for(OPERATIONS[name], "u")
        checked_problem(await api.get(f"{url}{'&' if '?' in url else '?'}{query}"), *REFUSED_QUERIES[query])

    await each(product(LISTS, REFUSED_QUERIES), refused, at_once=8)


NUMBERS: Final = (2**63, 2**64 - 1, -(2**63) - 1, 2**63 - 1, 2**31, -(2**31) - 1)


def positions(number: int) -> tuple[list[Json], ...]:
    """Where a cursor that holds the number might stand."""
    return ([number], [number, "x"], [number, 1], [1, number], ["resources", number], ["items", number])


async def test_a_cursor_with_a_number_that_no_store_holds_is_refused_and_one_at_the_edge_is_no_crash(
    api: httpx.AsyncClient,
) -> None:
    async def asked(case: tuple[str, int, list[Json]]) -> None:
        name, number, position = case
        url = url_for(OPERATIONS[name], "u")
        cursor = urlsafe_b64encode(json.dumps(position).encode()).decode().rstrip("=")
        answer = await api.get(f"{url}{'&' if '?' in url else '?'}cursor={cursor}")
        if -(2**63) < number < 2**63:
            assert answer.status_code in {200, 422}, answer.text
        else:
            checked_problem(answer, *INVALID)

    cases = [(name, number, position) for name in LISTS for number in NUMBERS for position in positions(number)]
    await each(cases, asked, at_once=8)


@pytest.mark.parametrize("number", [2**63, 2**64, 2**31, 10**30])
async def test_a_job_of_a_number_that_no_ledger_has_is_not_found(api: httpx.AsyncClient, number: int) -> None:
    for method, path in (("GET", ""), ("POST", "/retry"), ("POST", "/cancel")):
        checked_problem(await api.request(method, f"/v1/jobs/{number}.observe{path}"), 404)


IMPOSSIBLE: Final = ("%00", "%ff", "%ed%a0%80", "x" * 257)
"""Ids that nobody and nothing can have, as they stand in an address."""


async def test_a_list_is_always_of_a_user_that_can_be(api: httpx.AsyncClient) -> None:
    async def asked(case: tuple[str, str]) -> None:
        name, user = case
        if not user and name in OF_ALL:
            assert (await api.get(OPERATIONS[name].path)).status_code == 200
            return
        if not user and name in OF_CATALOG:
            checked_problem(await api.get(OPERATIONS[name].path), 403, "MEM-022")
            return
        problem = checked_problem(await api.get(f"{OPERATIONS[name].path}?{user}"), *INVALID)
        assert [error.field for error in problem.errors] == ["user_id"]

    users = ("", *(f"user_id={user}" for user in ("", *IMPOSSIBLE)))
    await each(product([name for name in LISTS if name not in OF_USERS], users), asked, at_once=8)


async def test_what_is_of_a_user_is_of_one_that_can_be(api: httpx.AsyncClient) -> None:
    async def refused(case: tuple[str, str]) -> None:
        name, user = case
        path = OPERATIONS[name].path.replace("{user_id}", user)
        problem = checked_problem(await api.get(path.replace("{reflection_id}", "x")), *INVALID)
        assert [error.field for error in problem.errors] == ["user_id"]

    await each(product(OF_USERS, IMPOSSIBLE), refused, at_once=8)


@pytest.mark.parametrize("below", ["-0.1", "1.1", "nan", "inf", "half", ""])
async def test_a_threshold_that_cannot_be_is_refused(api: httpx.AsyncClient, below: str) -> None:
    problem = checked_problem(await api.get(f"/v1/users/u/review?below={below}"), *INVALID)
    assert [error.field for error in problem.errors] == ["below"]


@pytest.mark.parametrize("receipt", ["garbage", "r1.1", "r2.1.1", "r1.%00.1", "r1.1.1%0a", "r1.-1.1", "x" * 100])
async def test_a_garbage_receipt_is_refused(api: httpx.AsyncClient, receipt: str) -> None:
    checked_problem(await api.get(f"/v1/pending?user_id=u&receipt={receipt}"), *INVALID)


async def test_an_id_that_cannot_be_is_refused(api: httpx.AsyncClient) -> None:
    async def refused(case: tuple[str, str, str]) -> None:
        method, kind, identifier = case
        checked_problem(await api.request(method, f"/v1/{kind}/{identifier}?user_id=u"), *INVALID)

    kinds = ("interactions", "sessions", "entities", "relationships", "preferences", "rules")
    await each(product(("GET", "DELETE"), kinds, (*IMPOSSIBLE, "a%00b")), refused, at_once=8)
