"""The thing that a person names by an id is found among all that is known, or it is told where ids are."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Final

import httpx
import pytest

from ragpp.client import AsyncMemoryClient
from ragpp.errors import InvalidInput, NotFound
from ragpp.errors.problems import MEDIA_TYPE, problem_of
from ragpp.models import Entity, Interaction, Value
from ragpp_infra.cli.known_items import items_of
from tests.support import values
from tests.support.each import each_case

NOON: Final = datetime(2026, 1, 1, 12, tzinfo=UTC)
ELENA: Final = Entity(
    id="0123456789abcdef0123456789abcdef", name="Elena", label="PERSON", first_mention=NOON, last_mention=NOON
)
TWIN: Final = ELENA.model_copy(update={"id": "0123456789abcdef0123456789abcdee", "name": "Greta"})
LAYOUT: Final = values.preference(
    NOON, id="pref-0123456789abcdef", category="editor", key="layout", value=["chat", "files"]
)
REJECTED: Final = LAYOUT.model_copy(update={"id": "pref-fedcba9876543210", "verdict": "rejected"})
SHORT: Final = values.rule(NOON, "Be short.", id="r1")
SAID: Final = Interaction(id="m-1", content="I like tea.", occurred_at=NOON)
LISTED: Final[Mapping[str, tuple[Value, ...]]] = {
    "/v1/entities": (ELENA, TWIN),
    "/v1/relationships": (),
    "/v1/preferences": (LAYOUT,),
    "/v1/rules": (SHORT,),
    "/v1/findings": (),
}
READ: Final[Mapping[str, Value]] = {
    **{f"/v1/entities/{one.id}": one for one in (ELENA, TWIN)},
    **{f"/v1/preferences/{one.id}": one for one in (LAYOUT, REJECTED)},
    "/v1/rules/r1": SHORT,
    "/v1/interactions/m-1": SAID,
}


def answered(request: httpx.Request) -> httpx.Response:
    """The answer of a gateway that knows these things of one user."""
    if request.url.path in LISTED:
        items = [json.loads(one.model_dump_json()) for one in LISTED[request.url.path]]
        return httpx.Response(200, json={"items": items, "next_cursor": None})
    if request.url.path in READ:
        return httpx.Response(200, content=READ[request.url.path].model_dump_json())
    return httpx.Response(
        404, json=problem_of(NotFound("there is none")).model_dump(), headers={"content-type": MEDIA_TYPE}
    )


async def named(*ids: str) -> list[tuple[str, str, str]]:
    async with AsyncMemoryClient("http://gateway", "key", transport=httpx.MockTransport(answered)) as client:
        return [(one.kind, one.id, one.text) for one in await items_of(client, "u", ids)]


@each_case(
    ("given", "kind", "identifier", "text"),
    [
        (ELENA.id, "entity", ELENA.id, "Elena (PERSON)"),
        ("pref-0123", "preference", LAYOUT.id, "editor layout: chat, files"),
        (REJECTED.id, "preference", REJECTED.id, "editor layout: chat, files"),
        ("r1", "rule", "r1", "Be short."),
        ("m-1", "interaction", "m-1", "I like tea."),
        (ELENA.id[:32], "entity", ELENA.id, "Elena (PERSON)"),
    ],
)
async def test_an_id_or_its_beginning_names_what_is_known(given: str, kind: str, identifier: str, text: str) -> None:
    assert await named(given) == [(kind, identifier, text)]


async def test_one_that_is_named_twice_is_found_once() -> None:
    assert len(await named("r1", LAYOUT.id, "pref-0123", "r1")) == 2


@each_case("given", ["none-of-these", "pref-fedc", "012", "m-"])
async def test_what_names_nothing_is_told_with_where_ids_are(given: str) -> None:
    with pytest.raises(NotFound, match="u") as caught:
        await named("r1", given)
    assert any("ragpp inspect u" in suggestion for suggestion in caught.value.suggestions)


@each_case("given", ["0123456789", "", " "])
async def test_what_names_several_or_nothing_at_all_is_refused(given: str) -> None:
    with pytest.raises(InvalidInput):
        await named(given)
