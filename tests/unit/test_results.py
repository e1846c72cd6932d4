"""The things that a job's result names are filled in where they can be."""

import asyncio
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from typing import Final, cast

import pytest
from pydantic import JsonValue

from ragpp.catalog import MemoryItem
from ragpp.errors import NotFound, TierUnavailable
from ragpp.learned import Finding, Reflection, Theme
from ragpp.models import FindingKind, Page, Preference, Relationship, Scope
from ragpp_services.gateway import results
from ragpp_services.gateway.parts import Parts
from ragpp_services.gateway.results import with_contents
from tests.support import values
from tests.support.each import each_case

NOON: Final = datetime(2024, 3, 11, 12, tzinfo=UTC)
SCOPE: Final = Scope(tenant_id="t", user_id="u")
EXTRACTED: Final[dict[str, JsonValue]] = {
    "patterns": [{"id": "f1", "confidence": 0.5, "support": 3}, {"id": "f2", "confidence": 0.4, "support": 3}],
    "preferences": [{"id": "p1", "confidence": 0.9, "stated": True, "evidence": 1}],
    "relationships": [{"id": "r1", "confidence": 0.8, "valid_to": None}],
    "findings": {"decision": 1},
    "model": None,
}
REFLECTED: Final[dict[str, JsonValue]] = {"reflection_id": "x", "kind": "daily", "conflicts": 0}
REPORT: Final = Reflection(
    id="x",
    kind="daily",
    date=date(2024, 3, 11),
    status="completed",
    created_at=NOON,
    themes=(Theme(text="boats", share=1, interactions=2),),
)


def found(identifier: str) -> Finding:
    return values.finding(NOON, id=identifier, finding="pattern", confidence=0.5, support=3)


def preferred(verdict: str | None = None) -> Preference:
    return values.preference(NOON, id="p1", confidence=0.9, verdict=verdict)


def related(verdict: str | None = None) -> Relationship:
    return values.relationship(NOON, id="r1", source="Ann", type="KNOWS", target="Bob", verdict=verdict)


@dataclass
class Tiers:
    """The procedural and the semantic tier. `pages`: of patterns. `slow`: never answers."""

    up: bool = True
    slow: bool = False
    pages: list[list[Finding]] = field(default_factory=lambda: [[found("f3"), found("f1")]])
    preference: Preference | None = field(default_factory=preferred)
    relationship: Relationship | None = field(default_factory=related)

    async def _answer(self) -> None:
        if not self.up:
            raise TierUnavailable("away")
        if self.slow:
            await asyncio.Event().wait()

    async def list_findings(
        self, scope: Scope, finding: FindingKind, *, cursor: str | None, limit: int
    ) -> Page[Finding]:
        del scope, limit
        await self._answer()
        assert finding == "pattern"
        page = int(cursor or 0)
        following = str(page + 1) if page + 1 < len(self.pages) else None
        return Page[Finding](items=tuple(self.pages[page]), next_cursor=following)

    async def get_preference(self, scope: Scope, preference_id: str) -> Preference:
        del scope, preference_id
        await self._answer()
        if self.preference is None:
            raise NotFound("gone")
        return self.preference

    async def get_relationship(self, scope: Scope, relationship_id: str) -> Relationship:
        del scope, relationship_id
        await self._answer()
        if self.relationship is None:
            raise NotFound("gone")
        return self.relationship

    async def get_reflection(self, scope: Scope, reflection_id: str) -> Reflection:
        del scope
        await self._answer()
        if reflection_id != REPORT.id:
            raise NotFound("gone")
        return REPORT


@dataclass
class Gateway:
    """The parts that are asked."""

    procedural: Tiers
    semantic: Tiers
    catalog: "Catalog"


async def filled(
    stage: str,
    result: dict[str, JsonValue] | None,
    procedural: Tiers | None = None,
    semantic: Tiers | None = None,
    catalog: "Catalog | None" = None,
) -> dict[str, JsonValue] | None:
    job = values.job(NOON, stage, state="done", attempts=1, result=result)
    gateway = Gateway(procedural or Tiers(), semantic or procedural or Tiers(), catalog or Catalog())
    return (await with_contents(cast("Parts", gateway), SCOPE, job)).result


async def test_an_extraction_says_what_its_ids_stand_for() -> None:
    assert await filled("extract", EXTRACTED) == {
        "patterns": [{"id": "f1", "text": "rows", "details": {}, "confidence": 0.5, "support": 3}],
        "preferences": [
            {
                "id": "p1",
                "category": "food",
                "key": "drink",
                "value": "tea",
                "confidence": 0.9,
                "stated": True,
                "evidence": 1,
            }
        ],
        "relationships": [
            {"id": "r1", "source": "Ann", "type": "KNOWS", "target": "Bob", "confidence": 0.8, "valid_to": None}
        ],
        "findings": {"decision": 1},
        "model": None,
    }


@each_case(
    "tiers",
    [
        Tiers(preference=None, relationship=None),
        Tiers(preference=preferred("rejected"), relationship=related("rejected")),
    ],
)
async def test_what_is_gone_is_left_out(tiers: Tiers) -> None:
    result = await filled("extract", EXTRACTED, tiers)
    assert result is not None
    assert (result["preferences"], result["relationships"]) == ([], [])


async def test_of_a_tier_that_is_down_the_ids_stay_and_the_others_are_filled() -> None:
    result = await filled("extract", EXTRACTED, semantic=Tiers(up=False))
    assert result is not None
    assert result["relationships"] == EXTRACTED["relationships"]
    assert "tea" in str(result["preferences"])
    assert await filled("extract", EXTRACTED, Tiers(up=False)) == EXTRACTED


async def test_a_tier_that_does_not_answer_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(results, "PATIENCE_S", 0.01)
    assert await filled("extract", EXTRACTED, Tiers(slow=True)) == EXTRACTED
    assert await filled("reflect", REFLECTED, Tiers(slow=True)) == REFLECTED


async def test_patterns_that_may_be_further_back_than_is_looked_are_not_left_out() -> None:
    pages = [[found(f"n{number}")] for number in range(results.PATTERN_PAGES)]
    last = [found("f1"), found("f2")]
    within = await filled("extract", EXTRACTED, Tiers(pages=[*pages[1:], last]))
    beyond = await filled("extract", EXTRACTED, Tiers(pages=[*pages, last]))
    assert within is not None
    assert beyond is not None
    assert str(within["patterns"]).count("rows") == 2
    assert beyond["patterns"] == EXTRACTED["patterns"]


async def test_a_reflection_is_its_report_while_that_is_there() -> None:
    assert await filled("reflect", REFLECTED) == REPORT.model_dump(mode="json")
    for left in (REFLECTED, REFLECTED | {"reflection_id": "forgotten"}):
        assert await filled("reflect", left, Tiers(up="forgotten" in str(left))) == left


@dataclass
class Catalog:
    """The catalog with one item."""

    up: bool = True

    async def get_item(self, scope: Scope, item_id: str) -> MemoryItem:
        del scope
        if not self.up:
            raise TierUnavailable("away")
        if item_id != ITEM.item_id:
            raise NotFound("deleted")
        return ITEM


ITEM: Final = values.item(NOON, "Pro costs $299 a month.", category="product_knowledge")


async def test_what_was_taken_from_a_resource_says_what_it_is_while_it_is_there() -> None:
    taken: dict[str, JsonValue] = {"resource_id": "res_1", "item_ids": ["item_1", "deleted"], "item_count": 2}
    shown = {"id": "item_1", "content": ITEM.content, "category": "product_knowledge"}
    assert await filled("catalog", taken) == taken | {"items": [shown]}
    away = await filled("catalog", taken, catalog=Catalog(up=False))
    assert away == taken | {"items": [{"id": "item_1"}, {"id": "deleted"}]}
    assert await filled("catalog", {"rebuilt": 3}) == {"rebuilt": 3}


async def test_other_results_are_as_they_are() -> None:
    assert await filled("maintain", {"task": "decay"}, Tiers(up=False)) == {"task": "decay"}
    assert await filled("extract", None) is None
