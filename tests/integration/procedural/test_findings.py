"""Findings and reports of reflections in the procedural tier: kept once, supported by more, forgotten with what they
rest on."""

from datetime import date, timedelta

import pytest

from ragpp.errors import Conflict, InvalidInput, NotFound
from ragpp.learned import Reflection, RuleConflict, Theme
from ragpp.models import DateSpan, Entry, FindingEntry, FindingKind, MemoryQuery, RuleEntry, Scope
from ragpp_services.procedural.tier import PostgresProceduralTier
from tests.support.procedural import NOON, procedural_entry
from tests.support.scopes import new_scope

pytestmark = pytest.mark.server

DAY = DateSpan(
    start=NOON.replace(hour=0), end=NOON.replace(hour=0) + timedelta(days=1), precision="day", text="yesterday"
)


def finding(
    identifier: str,
    text: str = "the boiler broke",
    *sources: str,
    kind: FindingKind = "event",
    hours: float = 0,
    confidence: float = 0.6,
    when: DateSpan | None = None,
) -> FindingEntry:
    return FindingEntry(
        id=identifier,
        finding=kind,
        text=text,
        confidence=confidence,
        when=when,
        occurred_at=NOON + timedelta(hours=hours),
        sources=sources or ("i1",),
        details={"seen": len(sources)},
    )


async def test_found_again_it_has_more_support(tier: PostgresProceduralTier, scope: Scope) -> None:
    [first] = await tier.store(scope, [finding("f", "the boiler broke", "i1", confidence=0.7, when=DAY)])
    [again] = await tier.store(scope, [finding("f", "the boiler broke", "i1", confidence=0.7, when=DAY)])
    [more] = await tier.store(scope, [finding("f", "the boiler broke", "i2", "i1", hours=2)])
    assert (first.duplicate, again.duplicate, more.duplicate) == (False, True, False)
    assert first.event_id is not None
    [found] = (await tier.list_findings(scope)).items
    assert (found.support, set(found.sources), found.confidence, found.when) == (2, {"i1", "i2"}, 0.7, DAY)
    assert (found.first_at, found.last_at) == (NOON, NOON + timedelta(hours=2))


async def test_one_batch_may_find_the_same_twice_beside_other_entries(
    tier: PostgresProceduralTier, scope: Scope
) -> None:
    entries: list[Entry] = [
        finding("f", "x", "i1"),
        procedural_entry("tea", id="p"),
        finding("f", "x", "i2"),
        finding("f", "x", "i1"),
    ]
    stored = await tier.store(scope, entries)
    assert [(one.id, one.duplicate) for one in stored] == [("f", False), ("p", False), ("f", False), ("f", True)]
    assert [one.support for one in (await tier.list_findings(scope)).items] == [2]


async def test_an_id_of_another_kind_of_finding_is_a_conflict_for_all(
    tier: PostgresProceduralTier, scope: Scope
) -> None:
    await tier.store(scope, [finding("f")])
    with pytest.raises(Conflict) as caught:
        await tier.store(scope, [procedural_entry("tea"), finding("new"), finding("f", kind="plan")])
    assert caught.value.details["indexes"] == [2]
    assert len((await tier.list_findings(scope)).items) == 1
    assert (await tier.list_preferences(scope)).items == ()


async def test_what_had_been_found_by_then_is_seen_then(tier: PostgresProceduralTier, scope: Scope) -> None:
    await tier.store(scope, [finding("f", "broke", "i1"), finding("f", "broke twice", "i1", "i2", hours=2)])
    await tier.store(scope, [finding("g", "was mended", "i3", hours=1, kind="insight")])
    for hours, texts in [(-1, []), (0, ["broke"]), (1, ["was mended", "broke"]), (2, ["broke twice", "was mended"])]:
        as_of = NOON + timedelta(hours=hours)
        assert [one.text for one in (await tier.list_findings(scope, as_of=as_of)).items] == texts
        asked = MemoryQuery(scope=scope, text="broke twice was mended", as_of=as_of)
        found = {memory.text.partition(": ")[2] for memory in await tier.retrieve(asked) if memory.kind == "finding"}
        assert found == set(texts)
    assert [one.id for one in (await tier.list_findings(scope)).items] == ["f", "g"]
    assert [one.id for one in (await tier.list_findings(scope, "insight")).items] == ["g"]
    assert (await tier.list_findings(scope, "plan", NOON + timedelta(days=1))).items == ()


@pytest.mark.parametrize("as_of", [None, NOON + timedelta(days=1)])
async def test_findings_are_paged_the_latest_first(tier: PostgresProceduralTier, scope: Scope, as_of: object) -> None:
    await tier.store(scope, [finding(f"f{n}", f"n{n}", f"i{n}", hours=n % 3) for n in range(7)])
    names, cursor = [], None
    while True:
        moment = NOON + timedelta(days=1) if as_of else None
        page = await tier.list_findings(scope, as_of=moment, cursor=cursor, limit=2)
        names += [one.id for one in page.items]
        cursor = page.next_cursor
        if cursor is None:
            break
    assert names == ["f2", "f5", "f1", "f4", "f0", "f3", "f6"]
    with pytest.raises(InvalidInput):
        await tier.list_findings(scope, cursor="not a cursor")


async def test_a_finding_is_recalled_with_its_time_when_it_concerns_the_query(
    tier: PostgresProceduralTier, scope: Scope
) -> None:
    await tier.store(scope, [finding("f", "the boiler broke", when=DAY), finding("g", "adopted a puppy", "i2")])
    [found] = await tier.retrieve(MemoryQuery(scope=scope, text="when did the boiler broke"))
    assert (found.kind, found.text, found.sources) == ("finding", "event: the boiler broke (2024-05-01)", ("i1",))
    assert found.tokens > 0
    by_words = MemoryQuery(scope=scope, text="boiler broke", mode="lexical")
    assert [(one.id, one.similarity) for one in await tier.retrieve(by_words)] == [("f", None)]


async def test_forgotten_interactions_take_findings_along(tier: PostgresProceduralTier, scope: Scope) -> None:
    await tier.store(
        scope,
        [
            finding("alone", "x", "i1"),
            finding("both", "broke", "i2"),
            finding("both", "broke again", "i1", "i3", hours=1, confidence=0.9),
        ],
    )
    assert await tier.forget_sources(scope, ["i1"]) == 2
    [left] = (await tier.list_findings(scope)).items
    assert (left.text, left.confidence, left.last_at, left.sources) == ("broke", 0.6, NOON, ("i2",))
    late = [finding("alone", "x", "i1"), finding("late", "y", "i1", "i4"), finding("both", "again", "i3", hours=1)]
    assert [one.duplicate for one in await tier.store(scope, late)] == [True, True, False]
    assert {one.id: one.sources for one in (await tier.list_findings(scope)).items} == {"both": ("i2", "i3")}


async def test_a_finding_that_was_forgotten_is_not_made_again(tier: PostgresProceduralTier, scope: Scope) -> None:
    await tier.store(scope, [finding("f")])
    assert await tier.forget(scope, ["f", "unknown"]) == 1
    assert await tier.forget(scope, ["f"]) == 0
    [again] = await tier.store(scope, [finding("f", "the boiler broke", "i9")])
    assert again.duplicate
    assert (await tier.list_findings(scope)).items == ()
    assert await tier.retrieve(MemoryQuery(scope=scope, text="the boiler broke")) == []


async def test_one_user_never_sees_anothers_findings_or_reports(tier: PostgresProceduralTier, scope: Scope) -> None:
    await tier.store(scope, [finding("f")])
    await tier.save_reflection(scope, report("r", 1))
    for other in (
        scope.model_copy(update={"user_id": "bob"}),
        new_scope().model_copy(update={"user_id": scope.user_id}),
    ):
        assert (await tier.list_findings(other)).items == ()
        assert (await tier.list_findings(other, as_of=NOON)).items == ()
        assert await tier.forget(other, ["f"]) == 0
        assert await tier.forget_sources(other, ["i1"]) == 0
        assert (await tier.list_reflections(other)).items == ()
        with pytest.raises(NotFound):
            await tier.get_reflection(other, "r")
        assert (await tier.save_reflection(other, report("r", 2))).interactions_analyzed == 2
    assert (await tier.get_reflection(scope, "r")).interactions_analyzed == 1
    assert len((await tier.list_findings(scope)).items) == 1


def report(identifier: str, day: int, *, kind: str = "daily", themes: tuple[Theme, ...] = ()) -> Reflection:
    return Reflection.model_validate(
        {
            "id": identifier,
            "kind": kind,
            "date": date(2024, 5, day),
            "status": "completed",
            "interactions_analyzed": day,
            "themes_identified": len(themes),
            "created_at": NOON + timedelta(days=day),
            "themes": themes,
            "new_rules": ("r1", "Be brief."),
            "conflicts": (RuleConflict(kept_id="r1", aside_id="r2", reason="“Be brief.” came later"),),
            "failed": {"rules": "gave up"},
        }
    )


async def test_a_report_is_kept_once(tier: PostgresProceduralTier, scope: Scope) -> None:
    first = await tier.save_reflection(scope, report("a", 1))
    assert first == report("a", 1) == await tier.get_reflection(scope, "a")
    assert await tier.save_reflection(scope, report("a", 2)) == first
    with pytest.raises(NotFound):
        await tier.get_reflection(scope, "b")


async def test_reports_are_listed_by_date(tier: PostgresProceduralTier, scope: Scope) -> None:
    for day in (2, 1, 3):
        await tier.save_reflection(scope, report(f"d{day}", day))
        await tier.save_reflection(scope, report(f"x{day}", day, kind="incremental"))
    found, cursor = [], None
    while True:
        page = await tier.list_reflections(scope, cursor=cursor, limit=4)
        found += [one.id for one in page.items]
        cursor = page.next_cursor
        if cursor is None:
            break
    assert found == ["x3", "d3", "x2", "d2", "x1", "d1"]
    assert [one.id for one in (await tier.list_reflections(scope, "daily")).items] == ["d3", "d2", "d1"]
    with pytest.raises(InvalidInput):
        await tier.list_reflections(scope, cursor="not a cursor")


async def test_a_report_says_nothing_of_what_was_forgotten(tier: PostgresProceduralTier, scope: Scope) -> None:
    garden = Theme(text="garden", share=0.5, interactions=1, sources=("i1", "i2"))
    boiler = Theme(text="boiler", share=0.5, interactions=1, sources=("i3",))
    await tier.save_reflection(scope, report("a", 1, themes=(garden, boiler)))
    await tier.store(scope, [RuleEntry(id="r1", text="Be brief.", occurred_at=NOON, sources=("i3",))])
    assert await tier.forget_sources(scope, ["i2"]) == 1
    left = await tier.get_reflection(scope, "a")
    assert (left.themes, left.themes_identified) == ((boiler,), 2)
    late = await tier.save_reflection(scope, report("b", 2, themes=(garden,)))
    assert late.themes == ()
    assert await tier.forget_sources(scope, ["i3"]) == 2
    for identifier in ("a", "b"):
        left = await tier.get_reflection(scope, identifier)
        assert (left.themes, left.new_rules, left.conflicts) == ((), (), ())
