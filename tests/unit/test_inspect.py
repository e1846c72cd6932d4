"""`ragpp inspect`: everything that was learned is read, page by page, and shown with its state."""

import json
from datetime import UTC, date, datetime

import httpx
import pytest
from rich.console import Console

from ragpp.catalog import MemoryCategory, Resource
from ragpp.client import AsyncMemoryClient
from ragpp.learned import ProposedRule, Reflection, ReviewList, Theme
from ragpp.models import DateSpan, Entity
from ragpp_infra.cli.console import out
from ragpp_infra.cli.inspect_command import Known, known_of, known_view
from tests.support import values

NOON = datetime(2024, 3, 1, 12, tzinfo=UTC)


LEEDS = values.relationship(NOON, id="a", valid_to=NOON)
GLASGOW = values.relationship(NOON, id="b", target_id="g", target="Glasgow")
DOUBTED = values.rule(NOON, "Answer in Dutch.", active=False, proposed=True)
KNOWN = Known(
    user_id="u",
    entities=(Entity(id="e", name="Noor", label="PERSON", mentions=3, first_mention=NOON, last_mention=NOON),),
    relationships=(LEEDS, GLASGOW),
    preferences=(values.preference(NOON, value="tea [bold]"),),
    rules=(
        values.rule(NOON, "Answer in French."),
        values.rule(NOON, "Answer in German.", active=False, aside="says another value"),
        DOUBTED,
    ),
    findings=(
        values.finding(
            NOON,
            finding="plan",
            text="Move to Glasgow",
            when=DateSpan(start=NOON, end=NOON.replace(hour=13), precision="hour", text="at noon"),
        ),
    ),
    reflections=(
        Reflection(
            id="x",
            kind="daily",
            date=date(2024, 3, 1),
            status="completed",
            created_at=NOON,
            themes=(Theme(text="harbour", share=0.5, interactions=2),),
            failed={"rules": "MEM-010: away"},
        ),
    ),
    resources=(
        Resource(
            resource_id="res_1",
            resource_type="document",
            content="Pro costs $299 [bold] a month.",
            occurred_at=NOON,
            created_at=NOON,
            tokens=9,
            agent_id="sales",
            visibility="agent",
        ),
    ),
    items=(values.item(NOON, "Pro costs $299 a month.", category="product_knowledge", visibility="global"),),
    categories=(
        MemoryCategory(
            category_id="cat_1",
            name="product_knowledge",
            description="Products and what they cost",
            markdown_content="",
            item_count=7,
            updated_at=NOON,
            edited=True,
        ),
    ),
)


def shown(known: Known, limit: int = 30, width: int = 160) -> str:
    console = Console(width=width, record=True, file=None, force_terminal=False)
    with console.capture() as capture:
        console.print(known_view(known, limit=limit))
    return capture.get()


def test_each_kind_is_shown_with_its_state() -> None:
    text = shown(KNOWN)
    assert text.index("LIVES_IN Glasgow") < text.index("LIVES_IN Leeds")
    for part in ("ended", "aside: says another value", "tea [bold]", "harbour 50%", "2024-03-01 12:00", "rules"):
        assert part in text
    (doubted,) = [line for line in text.splitlines() if "Answer in Dutch." in line]
    assert doubted.split()[-1] == "proposed"


def test_in_eighty_columns_ids_and_days_stay_whole_and_texts_have_room(monkeypatch: pytest.MonkeyPatch) -> None:
    """Catches tables of so many columns that a text has a word a line, and an id ends in dots."""
    monkeypatch.setattr(out, "width", 80)
    said = "My sister Noor moved to Glasgow last spring, and loves it there."
    relationship = GLASGOW.model_copy(update={"id": "5bd5987c0ffee", "context": said})
    lines = shown(KNOWN.model_copy(update={"relationships": (relationship,)}), width=80).splitlines()
    assert max(map(len, lines)) <= 80
    (row,) = [line for line in lines if "Noor LIVES_IN Glasgow" in line]
    assert "2024-03-01" in row
    assert "…" not in row
    assert len([line for line in lines if any(word in line for word in ("sister", "spring", "loves"))]) <= 3


def test_the_catalog_is_shown_with_who_sees_it() -> None:
    lines = shown(KNOWN).splitlines()
    (resource,) = [place for place, line in enumerate(lines) if "document" in line]
    assert "$299 [bold]" in lines[resource]
    assert lines[resource + 1].strip() == "res_1, sales alone"
    (item,) = [place for place, line in enumerate(lines) if "all users" in line]
    assert "product_knowledge" in lines[item - 1]
    assert lines[item].strip() == "item_1, all users"
    (category,) = [line for line in lines if "a person" in line]
    assert category.split()[:2] == ["product_knowledge", "7"]


async def test_what_came_to_the_catalog_later_is_not_shown_of_an_earlier_moment() -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        if request.url.path.endswith("/review"):
            return httpx.Response(200, json={"relationships": [], "preferences": []})
        if request.url.path == "/v1/pending":
            return httpx.Response(200, json={"pending": 0})
        listed = {"/v1/items": KNOWN.items, "/v1/resources": KNOWN.resources}.get(request.url.path, ())
        return httpx.Response(200, json={"items": [json.loads(one.model_dump_json()) for one in listed]})

    async with AsyncMemoryClient("http://gateway", "key", transport=httpx.MockTransport(answer)) as client:
        before = await known_of(client, "u", as_of=NOON.replace(hour=11))
        then = await known_of(client, "u", as_of=NOON)
    assert (before.items, before.resources) == ((), ())
    assert (len(then.items), len(then.resources)) == (1, 1)


def test_what_waits_to_be_judged_is_counted() -> None:
    review = ReviewList(preferences=KNOWN.preferences, rules=(ProposedRule(rule=DOUBTED),))
    waiting = shown(KNOWN.model_copy(update={"review": review})).splitlines()[-2:]
    assert waiting == ["waiting for review: 0 relationships, 1 preference, 1 rule", "→ ragpp review --user u"]
    assert shown(KNOWN).splitlines()[-1] == "waiting for review: 0 relationships, 0 preferences, 0 rules"


def test_one_is_singular_and_what_is_still_being_digested_is_told() -> None:
    text = shown(KNOWN.model_copy(update={"pending": 3}))
    assert "1 finding ─" in text
    assert text.splitlines()[-1].startswith("still being digested: 3")


def test_the_counts_are_of_all_and_the_rows_are_limited() -> None:
    text = shown(KNOWN, limit=1)
    assert "2 relationships" in text
    assert "LIVES_IN Leeds" not in text


def test_nothing_known_is_shown_as_one_line_with_what_may_teach_something_yet() -> None:
    assert shown(Known(user_id="u")).split("\n") == ["Nothing is known of u.", ""]
    assert "still being digested: 2" in shown(Known(user_id="u", pending=2))
    assert "0 entities" in shown(Known(user_id="u", rules=(DOUBTED,)))


async def test_every_page_is_read_at_the_moment_asked_for() -> None:
    asked: list[httpx.URL] = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(request.url)
        if request.url.path.endswith("/review"):
            return httpx.Response(200, json={"relationships": [], "preferences": []})
        if request.url.path == "/v1/pending":
            return httpx.Response(200, json={"pending": 3})
        if request.url.path == "/v1/relationships":
            second = request.url.params.get("cursor") == "next"
            one = GLASGOW if second else LEEDS
            page = {"items": [json.loads(one.model_dump_json())], "next_cursor": None if second else "next"}
            return httpx.Response(200, json=page)
        return httpx.Response(200, json={"items": [], "next_cursor": None})

    async with AsyncMemoryClient("http://gateway", "key", transport=httpx.MockTransport(answer)) as client:
        known = await known_of(client, "u", as_of=NOON)
    assert [one.target for one in known.relationships] == ["Leeds", "Glasgow"]
    dated = {url.path for url in asked if "as_of" in url.params}
    assert dated == {"/v1/relationships", "/v1/preferences", "/v1/findings"}
