"""Findings that a later one says hold no more, in process and over HTTP."""

from datetime import UTC, datetime, timedelta
from itertools import permutations

import pytest

from ragpp.learned import Finding
from ragpp.models import DateSpan, FindingEntry, FindingKind, MemoryQuery, Scope
from ragpp.tiers import ProceduralTier
from tests.support.each import each
from tests.support.scopes import new_scope

pytestmark = pytest.mark.server
NOON = datetime(2024, 5, 1, 12, tzinfo=UTC)
MEANING = (1.0, *[0.0] * 383)
ELSEWHERE = (0.0, 1.0, *[0.0] * 382)
BOOKED = "we booked the ferry to Aland"
OFF = "the ferry to Aland is cancelled"


def stated(
    identifier: str,
    said: str,
    hours: int = 0,
    *,
    finding: FindingKind = "plan",
    meaning: tuple[float, ...] | None = MEANING,
    when: DateSpan | None = None,
    **odds: float,
) -> FindingEntry:
    """A statement as it is judged: nothing is likely but what `odds` says."""
    judged = {"changes": 0.01, "past": 0.01, "negated": 0.01, "planned": 0.5, "kept": 0.7} | odds
    return FindingEntry(
        id=identifier,
        finding=finding,
        text=said,
        confidence=0.7,
        when=when,
        meaning=meaning,
        occurred_at=NOON + timedelta(hours=hours),
        sources=(f"i-{identifier}-{hours}",),
        details={"verbatim": said, **judged},
    )


def cancelled(hours: int = 5, identifier: str = "off") -> FindingEntry:
    return stated(identifier, OFF, hours, changes=0.97)


async def listed(tier: ProceduralTier, scope: Scope, as_of: datetime | None = None) -> dict[str, Finding]:
    return {one.id: one for one in (await tier.list_findings(scope, as_of=as_of)).items}


async def test_a_statement_ends_when_a_later_one_says_so_and_is_not_recalled(tier: ProceduralTier) -> None:
    scope = new_scope()
    await tier.store(scope, [stated("trip", BOOKED), stated("cat", "our cat Puck is diabetic", meaning=ELSEWHERE)])
    await tier.store(scope, [cancelled()])

    found = await listed(tier, scope)
    assert (found["trip"].valid_to, found["trip"].ended_by) == (NOON + timedelta(hours=5), "off")
    assert (found["off"].valid_to, found["cat"].valid_to) == (None, None)
    before = NOON + timedelta(hours=4)
    assert (await listed(tier, scope, before))["trip"].ended_by is None
    asked = MemoryQuery(scope=scope, text="ferry to Aland")
    assert {one.id for one in await tier.retrieve(asked)} == {"off"}
    assert "trip" in {one.id for one in await tier.retrieve(asked.model_copy(update={"as_of": before}))}
    for moment in (None, NOON + timedelta(hours=6)):
        wanted = asked.model_copy(update={"as_of": moment, "rejected": True})
        *shown, ended = await tier.retrieve(wanted)
        assert ([one.id for one in shown], ended.id, ended.confidence) == (["off"], "trip", 0.0)
        assert (ended.sources, ended.metadata) == (("i-trip-0",), {"verdict": "ended", "ended_in": ["i-off-5"]})


async def test_what_is_said_again_holds_again(tier: ProceduralTier) -> None:
    scope = new_scope()
    await tier.store(scope, [stated("trip", BOOKED), cancelled(), stated("trip", BOOKED, 9)])
    found = await listed(tier, scope)
    assert found["trip"].valid_to is None
    assert (await listed(tier, scope, NOON + timedelta(hours=8)))["trip"].ended_by == "off"
    await tier.store(scope, [cancelled(12)])
    assert (await listed(tier, scope))["trip"].valid_to == NOON + timedelta(hours=12)


async def test_the_order_of_arrival_does_not_matter(tier: ProceduralTier) -> None:
    entries = [stated("trip", BOOKED), cancelled(), stated("trip", BOOKED, 2), cancelled(7, "again")]

    async def told(order: tuple[FindingEntry, ...]) -> None:
        scope = new_scope()
        for entry in order:
            await tier.store(scope, [entry])
        trip = (await listed(tier, scope))["trip"]
        assert (trip.valid_to, trip.ended_by) == (NOON + timedelta(hours=5), "off"), [one.id for one in order]

    await each(permutations(entries), told)


async def test_forgetting_what_ended_it_lets_it_hold_again(tier: ProceduralTier) -> None:
    scope = new_scope()
    await tier.store(scope, [stated("trip", BOOKED), cancelled()])
    await tier.forget_sources(scope, ["i-off-5"])
    assert (await listed(tier, scope))["trip"].valid_to is None
    await tier.store(scope, [cancelled(6, "again")])
    await tier.forget(scope, ["again"])
    found = await listed(tier, scope)
    assert (list(found), found["trip"].ended_by) == (["trip"], None)
    assert {one.id for one in await tier.retrieve(MemoryQuery(scope=scope, text="ferry to Aland"))} == {"trip"}


async def test_what_is_not_sure_goes_behind_what_may_end_it_and_holds(tier: ProceduralTier) -> None:
    scope, axis = new_scope(), [0.0] * 384
    trip = stated("trip", BOOKED).model_copy(update={"embedding": (1.0, *axis[1:])})
    off = stated("off", OFF, 5, changes=0.5, meaning=(0.4, 0.84**0.5, *axis[2:]))
    await tier.store(scope, [trip, off.model_copy(update={"embedding": (0.5, 0.75**0.5, *axis[2:])})])
    assert (await listed(tier, scope))["trip"].valid_to is None
    for moment in (None, NOON + timedelta(hours=6)):
        asked = MemoryQuery(scope=scope, text="", embedding=(1.0, *axis[1:]), as_of=moment, rejected=True)
        *shown, may_be = await tier.retrieve(asked)
        assert {one.id for one in shown} == {"trip", "off"}
        assert (may_be.id, may_be.metadata["ended_in"]) == ("trip", ["i-off-5"])


async def test_of_one_batch_each_keeps_what_it_meant_in_its_own_message(tier: ProceduralTier) -> None:
    """A vector has something of all words of the message: with the message it has to go."""
    scope = new_scope()
    elsewhere = stated("trip", BOOKED, 1, meaning=ELSEWHERE)
    await tier.store(scope, [stated("trip", BOOKED), elsewhere, cancelled()])
    assert (await listed(tier, scope))["trip"].ended_by is None
    await tier.forget_sources(scope, list(elsewhere.sources))
    assert (await listed(tier, scope))["trip"].ended_by == "off"


async def test_only_what_is_later_about_the_same_and_says_so_ends_a_statement(tier: ProceduralTier) -> None:
    others = {
        "it was said before": cancelled(-1),
        "it was said in the same moment": cancelled(0),
        "it changes nothing": stated("off", BOOKED + " with cabin", 5),
        "it is about something else": stated("off", "my gym is closed", 5, meaning=ELSEWHERE, changes=0.97),
        "nobody judged it": cancelled().model_copy(update={"details": {"verbatim": OFF}}),
    }

    async def told(case: str) -> None:
        scope = new_scope()
        await tier.store(scope, [stated("trip", BOOKED), others[case]])
        assert (await listed(tier, scope))["trip"].ended_by is None

    await each(others, told)


async def test_a_statement_ends_without_the_second_encoder_too(tier: ProceduralTier) -> None:
    scope = new_scope()
    await tier.store(scope, [stated("trip", BOOKED, meaning=None), cancelled().model_copy(update={"meaning": None})])
    assert (await listed(tier, scope))["trip"].ended_by == "off"


async def test_another_user_and_another_tenant_end_nothing(tier: ProceduralTier) -> None:
    scope = new_scope()
    await tier.store(scope, [stated("trip", BOOKED)])
    for other in (new_scope(), scope.model_copy(update={"user_id": "other"})):
        await tier.store(other, [cancelled()])
    assert (await listed(tier, scope))["trip"].valid_to is None


async def test_a_plan_is_over_when_its_day_is_and_what_was_over_when_it_was_said(tier: ProceduralTier) -> None:
    scope = new_scope()
    midnight = NOON + timedelta(hours=12)
    day = DateSpan(start=midnight, end=midnight + timedelta(days=1), precision="day", text="2 May")
    today = DateSpan(start=NOON - timedelta(hours=12), end=midnight, precision="day", text="today")
    since = day.model_copy(update={"text": "from 2 May"})
    await tier.store(
        scope,
        [
            stated("exam", "the exam is on 2 May", when=day),
            stated("flight", "the flight from Oslo is on 2 May", when=day),
            stated("job", "the new job starts on 2 May", when=day),
            stated("leave", "she is on leave from 2 May", when=since),
            stated("birth", "my daughter was born today", when=today, finding="event", past=0.9),
            stated("heart", "I had a heart attack in 2019", finding="health", past=0.9),
            stated("home", "our house was built on 2 May", when=day, finding="residence"),
            stated("student", "I studied in Graz", finding="work", past=0.9),
        ],
    )
    over = {name: one.valid_to for name, one in (await listed(tier, scope)).items()}
    assert {name: moment for name, moment in over.items() if moment} == {
        "exam": day.end,
        "flight": day.end,
        "student": NOON,
    }
    assert (await listed(tier, scope, NOON))["exam"].valid_to is None
