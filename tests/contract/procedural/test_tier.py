"""The procedural tier's promises beside the verbs of every tier, in process and over HTTP."""

import json
from datetime import UTC, date, datetime, timedelta
from types import EllipsisType
from typing import get_args

import pytest
from pydantic import JsonValue

from ragpp.errors import InvalidInput, NotFound, Outdated
from ragpp.learned import Reflection, RuleConflict, Theme, Verdict
from ragpp.models import DateSpan, FindingEntry, MemoryQuery, OneValue, PreferenceEntry, RuleEntry
from ragpp.tiers import ProceduralTier
from tests.support.each import each
from tests.support.scopes import new_scope

pytestmark = pytest.mark.server
NOON = datetime(2024, 5, 1, 12, tzinfo=UTC)
DAY = DateSpan(start=NOON, end=NOON + timedelta(days=1), precision="day", text="today")


def heard(
    identifier: str, text: str, *, key: str = "k", hours: int = 0, value: JsonValue | EllipsisType = ...
) -> PreferenceEntry:
    """An inferred preference: `text`, or `value` where it is given."""
    return PreferenceEntry(
        id=identifier,
        category="c",
        key=key,
        value=text if value is ... else value,
        confidence=0.4,
        stated=False,
        occurred_at=NOON + timedelta(hours=hours),
        sources=(f"i-{identifier}",),
    )


VALUES: list[tuple[JsonValue, str]] = [
    (True, "true"),
    (12, "12"),
    (1e30, "1e+30"),
    (None, "null"),
    (["chat", 3, None], "chat, 3, null"),
    ({"z": {"dark": True}, "a": 1.5}, "z = {dark = true}, a = 1.5"),
]


async def test_a_preference_holds_any_json_value(tier: ProceduralTier) -> None:
    async def held(case: tuple[JsonValue, str]) -> None:
        value, line = case
        scope = new_scope()
        text, entry = heard("a", "tea"), heard("b", "", hours=1, value=value)
        await tier.store(scope, [text, entry])
        assert [one.duplicate for one in await tier.store(scope, [entry])] == [True]
        [found] = (await tier.list_preferences(scope)).items
        assert json.dumps(found.value) == json.dumps(value)
        [memory] = await tier.retrieve(MemoryQuery(scope=scope, text="k"))
        assert memory.text == f"c k: {line}"
        assert json.dumps(memory.metadata["value"]) == json.dumps(value)
        assert [one.value for one in await tier.preference_versions(scope, found.id)] == [value, "tea"]
        again = await tier.set_preference(scope, heard("c", "", hours=2, value=value))
        assert again.confidence == 0.64  # the same said twice, by two messages
        rejected = await tier.judge_preference(scope, found.id, "rejected", OneValue(value=value))
        assert (rejected.value, rejected.verdict) == ("tea", None)
        restored = await tier.restore_preference(scope, found.id, 2)
        assert json.dumps(restored.value) == json.dumps(value)

    await each(VALUES, held)


async def test_an_inferred_json_value_waits_beside_a_stated_one(tier: ProceduralTier) -> None:
    async def waits(case: tuple[JsonValue, str]) -> None:
        value, _ = case
        scope = new_scope()
        stated = heard("a", "tea").model_copy(update={"stated": True})
        current = await tier.set_preference(scope, stated)
        assert (current.waiting, current.waiting_confidence) == (None, None)
        beside = await tier.set_preference(scope, heard("b", "", hours=1, value=value))
        assert (beside.value, beside.waiting, beside.waiting_confidence) == ("tea", value, 0.4)

    await each(VALUES, waits)


async def test_json_that_is_equal_is_one_value_and_a_text_that_spells_it_another(tier: ProceduralTier) -> None:
    scope = new_scope()
    values: list[JsonValue] = [{"a": 1, "b": [2.0]}, {"b": [2], "a": 1.0}, '{"a":1,"b":[2]}']
    for number, value in enumerate(values):
        await tier.store(scope, [heard(f"e{number}", "", hours=number, value=value)])
    [found] = (await tier.list_preferences(scope)).items
    assert (found.value, found.confidence) == ('{"a":1,"b":[2]}', 0.4)
    before = (await tier.list_preferences(scope, as_of=NOON + timedelta(hours=1))).items[0]
    assert (before.valid_from, before.confidence) == (NOON, 0.64)


async def test_preferences_by_time_review_verdicts_and_merging(tier: ProceduralTier) -> None:
    scope = new_scope()
    await tier.store(scope, [heard("a", "tea"), heard("b", "milk", hours=1), heard("c", "rum", key="other", hours=2)])
    [then] = (await tier.list_preferences(scope, as_of=NOON)).items
    assert (then.value, then.valid_from, then.valid_to, then.learned_at) == ("tea", NOON, None, NOON)
    first, second = await tier.review_preferences(scope, 0.5)
    assert {first.value, second.value} == {"milk", "rum"}
    milk, rum = (first, second) if first.value == "milk" else (second, first)
    merged = await tier.merge_preferences(scope, milk.id, rum.id)
    assert (merged.id, merged.value) == (milk.id, "rum")
    assert [one.valid_to for one in await tier.preference_versions(scope, milk.id)] == [
        None,
        NOON + timedelta(hours=2),
        NOON + timedelta(hours=1),
    ]
    rejected = await tier.judge_preference(scope, milk.id, "rejected")
    assert (rejected.value, rejected.verdict) == ("milk", None)
    confirmed = await tier.judge_preference(scope, milk.id, "confirmed", OneValue(value="Milk"))
    assert (confirmed.stated, confirmed.confidence, confirmed.verdict) == (True, 1.0, "confirmed")
    assert await tier.review_preferences(scope, 0.5) == []
    with pytest.raises(InvalidInput):
        await tier.merge_preferences(scope, milk.id, milk.id)
    with pytest.raises(NotFound):
        await tier.judge_preference(scope, "unknown", "rejected")


async def test_the_versions_of_a_preference_whose_every_value_was_rejected_are_read(tier: ProceduralTier) -> None:
    scope = new_scope()
    await tier.store(scope, [heard("a", "tea"), heard("b", "milk", hours=1)])
    [milk] = (await tier.list_preferences(scope)).items
    for value in ("milk", "tea"):
        await tier.judge_preference(scope, milk.id, "rejected", OneValue(value=value))
    versions = await tier.preference_versions(scope, milk.id)
    assert [(one.value, one.verdict, one.valid_to) for one in versions] == [
        ("milk", "rejected", NOON + timedelta(hours=1)),
        ("tea", "rejected", NOON),
    ]


async def test_a_confirmation_goes_with_the_last_who_said_it_and_a_rejection_stays(tier: ProceduralTier) -> None:
    read = new_scope()
    for verdict in get_args(Verdict):
        scope = new_scope()
        await tier.store(scope, [heard("a", "tea"), heard("b", "tea", hours=1)])
        [tea] = (await tier.list_preferences(scope)).items
        await tier.judge_preference(scope, tea.id, verdict)
        await tier.forget_sources(scope, ["i-a"])
        assert (await tier.get_preference(scope, tea.id)).verdict == verdict
        await tier.forget_sources(scope, ["i-b"])
        await tier.store(scope, [heard("c", "tea", hours=2)])
        assert (await tier.get_preference(scope, tea.id)).verdict == (None if verdict == "confirmed" else verdict)
    # what windows taught they may teach again
    await tier.store(read, [heard("model-a", "tea")])
    [tea] = (await tier.list_preferences(read)).items
    await tier.judge_preference(read, tea.id, "confirmed")
    await tier.forget_sources(read, ["i-model-a"])
    await tier.store(read, [heard("model-b", "tea")])
    assert (await tier.get_preference(read, tea.id)).verdict == "confirmed"
    await tier.forget_sources(read, ["i-model-b"])
    await tier.relearned(read)
    await tier.store(read, [heard("model-c", "tea")])
    assert (await tier.get_preference(read, tea.id)).verdict is None


async def test_findings_gain_support_and_are_forgotten(tier: ProceduralTier) -> None:
    scope = new_scope()
    entry = FindingEntry(
        id="f",
        finding="pattern",
        text="asks for the weather",
        when=DAY,
        occurred_at=NOON,
        sources=("i1",),
        details={"days": [1, 2.5, None], "at": {"hour": "8"}},
    )
    later = entry.model_copy(update={"sources": ("i2",), "occurred_at": NOON + timedelta(hours=1)})
    assert [one.duplicate for one in await tier.store(scope, [entry, entry, later])] == [False, True, False]
    [found] = (await tier.list_findings(scope, "pattern")).items
    assert (found.support, found.when, found.details) == (2, DAY, entry.details)
    assert (found.first_at, found.last_at) == (NOON, NOON + timedelta(hours=1))
    [then] = (await tier.list_findings(scope, as_of=NOON)).items
    assert then.support == 1
    assert await tier.forget_sources(scope, ["i1"]) == 1
    assert [one.sources for one in (await tier.list_findings(scope)).items] == [("i2",)]
    assert await tier.forget(scope, ["f"]) == 1
    assert (await tier.list_findings(scope)).items == ()


async def test_what_expired_is_learned_again_and_what_was_forgotten_is_not(tier: ProceduralTier) -> None:
    scope = new_scope()
    rule = RuleEntry(id="r", text="Be brief.", occurred_at=NOON, sources=("i1",))
    pattern = FindingEntry(id="f", finding="pattern", text="rows on Mondays", occurred_at=NOON, sources=("i1",))
    told = heard("p", "tea")
    for removed, duplicate in ((tier.expire, False), (tier.forget, True)):
        await tier.store(scope, [rule, pattern, told])
        [preference] = (await tier.list_preferences(scope)).items
        assert await removed(scope, ["r", "f", preference.id, "unknown"]) == 3
        assert await removed(scope, ["r", "f", preference.id]) == 0
        resumed = [entry.model_copy(update={"sources": ("i2",)}) for entry in (rule, pattern)]
        assert [one.duplicate for one in await tier.store(scope, resumed)] == [duplicate, duplicate]
        told = heard("q", "tea")
    assert (await tier.list_rules(scope)).items == ()
    assert (await tier.list_findings(scope)).items == ()


async def test_what_messages_teach_anew_stands_in_the_place_of_what_they_taught(tier: ProceduralTier) -> None:
    scope = new_scope()
    told = heard("p", "tea").model_copy(update={"sources": ("i1",)})
    both = heard("b", "milk", hours=1).model_copy(update={"sources": ("i1", "i2")})
    kept = FindingEntry(id="f", finding="decision", text="use rows", occurred_at=NOON, sources=("i1",))
    gone = kept.model_copy(update={"id": "g", "text": "use columns"})
    elsewhere = kept.model_copy(update={"id": "h", "text": "use trees", "sources": ("i3",)})
    await tier.store(scope, [told, both, kept, gone, elsewhere])
    epoch = await tier.epoch(scope)

    for now in (epoch, None):
        stored = await tier.store(scope, [told, kept], now, ["i1"])
        assert [one.duplicate for one in stored] == [False, False]

    with pytest.raises(Outdated):
        await tier.store(scope, [gone], epoch, ["i1"])
    assert {one.id for one in (await tier.list_findings(scope)).items} == {"f", "h"}
    assert [one.value for one in (await tier.list_preferences(scope)).items] == ["tea"]
    assert await tier.store(scope, [], None, ["i1"]) == []
    assert {one.id for one in (await tier.list_findings(scope)).items} == {"h"}
    assert (await tier.list_preferences(scope)).items == ()
    await tier.forget_sources(scope, ["i1"])
    await tier.store(scope, [told, kept], None, ["i1"])
    assert {one.id for one in (await tier.list_findings(scope)).items} == {"h"}
    assert (await tier.list_preferences(scope)).items == ()


async def test_a_report_is_kept_once_and_read_as_it_was(tier: ProceduralTier) -> None:
    scope = new_scope()
    report = Reflection(
        id="d",
        kind="daily",
        date=date(2024, 5, 1),
        status="completed",
        duration_ms=1.5,
        created_at=NOON,
        themes=(Theme(text="weather", share=0.5, interactions=2, sources=("i1", "i2")),),
        new_rules=("Be brief.",),
        conflicts=(RuleConflict(kept_id="a", aside_id="b", reason="came later"),),
        failed={"rules": "gave up"},
    )
    assert await tier.save_reflection(scope, report) == report
    assert await tier.save_reflection(scope, report.model_copy(update={"duration_ms": 9.0})) == report
    assert (await tier.list_reflections(scope, "daily")).items == (report,)
    assert await tier.get_reflection(scope, "d") == report
    with pytest.raises(NotFound):
        await tier.get_reflection(scope, "e")
