"""Findings that a person confirms, corrects or rejects; in process and over HTTP."""

from datetime import UTC, datetime, timedelta

import pytest

from ragpp.errors import NotFound
from ragpp.learned import BY_HAND_DETAIL, COUNTED_DETAIL, READ_DETAIL, Finding
from ragpp.models import FindingEntry, MemoryQuery, Scope, TimeRange
from ragpp.tiers import ProceduralTier
from tests.support.scopes import new_scope

pytestmark = pytest.mark.server
NOON = datetime(2024, 5, 1, 12, tzinfo=UTC)
MEANING = (1.0, *[0.0] * 383)
WALNUTS = "Nora is allergic to walnuts"
HAZELNUTS = "Nora is allergic to hazelnuts"


def told(
    text: str = WALNUTS, identifier: str = "f", source: str = "i1", hours: int = 0, **details: float
) -> FindingEntry:
    """A statement as it is judged: nothing is likely but what `details` says."""
    judged = {"changes": 0.01, "past": 0.01, "negated": 0.01, "planned": 0.1, "kept": 0.7} | details
    return FindingEntry(
        id=identifier,
        finding="taste" if COUNTED_DETAIL not in details else "pattern",
        text=text,
        confidence=0.7,
        meaning=MEANING,
        occurred_at=NOON + timedelta(hours=hours),
        sources=(source,),
        details={"verbatim": text, **judged},
    )


async def only(tier: ProceduralTier, scope: Scope, as_of: datetime | None = None) -> Finding:
    [found] = [one for one in (await tier.list_findings(scope, as_of=as_of)).items if one.id == "f"]
    return found


async def test_a_confirmed_finding_is_sure_and_goes_with_the_message_it_rests_on(tier: ProceduralTier) -> None:
    scope = new_scope()
    await tier.store(scope, [told()])
    confirmed = await tier.judge_finding(scope, "f", "confirmed")
    assert (confirmed.text, confirmed.confidence, confirmed.sources) == (WALNUTS, 1.0, ("i1",))
    assert confirmed == await only(tier, scope) == await tier.judge_finding(scope, "f", "confirmed")
    assert (await only(tier, scope, NOON)).confidence == 0.7
    await tier.forget_sources(scope, ["i1"])
    assert (await tier.list_findings(scope)).items == ()


async def test_what_else_says_a_confirmed_finding_stays_when_one_message_is_forgotten(tier: ProceduralTier) -> None:
    scope = new_scope()
    await tier.store(scope, [told(), told(source="i2", hours=1)])
    await tier.judge_finding(scope, "f", "confirmed")
    await tier.forget_sources(scope, ["i1"])
    left = await only(tier, scope)
    assert (left.sources, left.confidence) == (("i2",), 0.7)


async def test_a_confirmed_finding_holds_though_something_said_before_seemed_to_end_it(tier: ProceduralTier) -> None:
    scope = new_scope()
    booked, off = "we booked the ferry to Aland", "the ferry to Aland is cancelled"
    await tier.store(scope, [told(booked, planned=0.5), told(off, "off", "i2", 5, changes=0.97)])
    assert (await only(tier, scope)).ended_by == "off"
    confirmed = await tier.judge_finding(scope, "f", "confirmed")
    assert (confirmed.valid_to, confirmed.ended_by) == (None, None)
    assert "f" in {one.id for one in await tier.retrieve(MemoryQuery(scope=scope, text="ferry to Aland"))}
    later = confirmed.last_at + timedelta(hours=1)
    await tier.store(scope, [told(off, "off", "i3", changes=0.97).model_copy(update={"occurred_at": later})])
    assert (await only(tier, scope)).ended_by == "off"


async def test_a_corrected_finding_stays_as_a_person_says_whatever_is_said_or_forgotten(tier: ProceduralTier) -> None:
    scope = new_scope()
    await tier.store(scope, [told()])
    corrected = await tier.correct_finding(scope, "f", HAZELNUTS)
    assert (corrected.text, corrected.confidence, corrected.sources, corrected.support) == (HAZELNUTS, 1.0, (), 0)
    assert (corrected.finding, corrected.details) == ("taste", {BY_HAND_DETAIL: "corrected"})
    assert corrected == await tier.correct_finding(scope, "f", HAZELNUTS)
    assert (await only(tier, scope, NOON)).text == WALNUTS

    await tier.store(scope, [told(source="i2", hours=9), told(source="i3", hours=10**6)])
    assert (await only(tier, scope)).text == HAZELNUTS
    [recalled] = await tier.retrieve(MemoryQuery(scope=scope, text="hazelnuts, or is Nora allergic to walnuts"))
    assert (recalled.text, recalled.sources, recalled.confidence) == (f"taste: {HAZELNUTS}", (), 1.0)
    await tier.forget_sources(scope, ["i1", "i2", "i3"])
    assert await only(tier, scope) == corrected.model_copy(update={"first_at": corrected.last_at})
    again = await tier.correct_finding(scope, "f", "Nora is allergic to all nuts")
    assert (await only(tier, scope)).text == again.text == "Nora is allergic to all nuts"


async def test_words_that_correct_a_finding_tell_its_time(tier: ProceduralTier) -> None:
    scope = new_scope()
    await tier.store(scope, [told("the ferry leaves on 3 June 2031").model_copy(update={"finding": "plan"})])
    corrected = await tier.correct_finding(scope, "f", "the ferry leaves on 4 June 2031")
    assert corrected.when is not None
    assert (corrected.when.start, corrected.when.precision) == (datetime(2031, 6, 4, tzinfo=UTC), "day")


async def test_what_is_unlearned_leaves_a_persons_words_alone(tier: ProceduralTier) -> None:
    """Catches a confirmation that keeps what a window of messages taught: it may hold words of any of them."""
    scope = new_scope()
    runs, swims = told("runs on Fridays", times=4), told("swims on Mondays", "g", "i2", times=3)
    await tier.store(scope, [runs, swims, told("cycles on Sundays", "h", "i3", times=3)])
    await tier.judge_finding(scope, "f", "confirmed")
    await tier.correct_finding(scope, "g", "swims on Tuesdays")
    await tier.unlearn(scope, NOON, "UTC")
    assert [one.text for one in (await tier.list_findings(scope)).items] == ["swims on Tuesdays"]


async def test_what_a_model_read_goes_though_it_was_confirmed(tier: ProceduralTier) -> None:
    scope = new_scope()
    read = told().model_copy(update={"details": {READ_DETAIL: "m"}})
    await tier.store(scope, [read])
    await tier.judge_finding(scope, "f", "confirmed")
    window = TimeRange(start=NOON, end=NOON + timedelta(hours=1))
    await tier.unlearn(scope, NOON + timedelta(days=1), "UTC", [window])
    assert (await tier.list_findings(scope)).items == ()


async def test_a_confirmed_statement_ends_nothing_that_was_said_after_it(tier: ProceduralTier) -> None:
    scope = new_scope()
    booked, off = "we booked the ferry to Aland", "the ferry to Aland is cancelled"
    await tier.store(scope, [told(off, changes=0.97), told(booked, "again", "i2", 5, planned=0.5)])
    await tier.judge_finding(scope, "f", "confirmed")
    found = {one.id: one for one in (await tier.list_findings(scope)).items}
    assert (found["again"].valid_to, found["again"].ended_by) == (None, None)
    assert "again" in {one.id for one in await tier.retrieve(MemoryQuery(scope=scope, text="ferry to Aland"))}


async def test_what_was_over_when_it_was_said_is_confirmed_once_and_as_over_then(tier: ProceduralTier) -> None:
    scope = new_scope()
    await tier.store(scope, [told("we had a boat", past=0.9, times=2)])
    confirmed = await tier.judge_finding(scope, "f", "confirmed")
    assert (confirmed.valid_to, confirmed.confidence) == (NOON, 1.0)
    assert await tier.judge_finding(scope, "f", "confirmed") == confirmed


async def test_a_rejected_finding_is_not_made_again(tier: ProceduralTier) -> None:
    scope = new_scope()
    await tier.store(scope, [told()])
    rejected = await tier.judge_finding(scope, "f", "rejected")
    assert (rejected.id, rejected.text) == ("f", WALNUTS)
    [stored] = await tier.store(scope, [told(source="i2", hours=1)])
    assert stored.duplicate
    assert (await tier.list_findings(scope)).items == ()


async def test_of_what_is_not_there_nothing_is_said(tier: ProceduralTier) -> None:
    scope = new_scope()
    await tier.store(new_scope(), [told()])
    for verdict in ("confirmed", "rejected"):
        with pytest.raises(NotFound):
            await tier.judge_finding(scope, "f", verdict)
    with pytest.raises(NotFound):
        await tier.correct_finding(scope, "f", HAZELNUTS)
