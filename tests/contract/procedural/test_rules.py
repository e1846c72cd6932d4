"""Rules, learned and said plainly, and what a person makes of them; in process and over HTTP."""

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import pytest

from ragpp.errors import Conflict, NotFound
from ragpp.learned import LEARNED_RULE, SUGGESTED_RULE
from ragpp.models import MemoryQuery, Rule, RuleEntry, Scope
from ragpp.tiers import ProceduralTier
from tests.support.each import each
from tests.support.scopes import new_scope

pytestmark = pytest.mark.server
NOON = datetime(2024, 5, 1, 12, tzinfo=UTC)


async def test_a_rule_is_put_aside(tier: ProceduralTier) -> None:
    scope = new_scope()
    await tier.create_rule(scope, RuleEntry(id="r", text="Be brief.", occurred_at=NOON))
    aside = await tier.update_rule(scope, "r", aside="asked for more")
    assert (aside.active, aside.aside) == (False, "asked for more")
    assert (await tier.update_rule(scope, "r", active=True)).aside is None


FRENCH = f"{LEARNED_RULE}f"


def told(
    *sources: str, id: str = FRENCH, text: str = "Answer in French.", plain: bool = False, hours: int = 0
) -> RuleEntry:
    """A rule that messages bear out, said plainly by one of them or by none."""
    at = NOON + timedelta(hours=hours)
    return RuleEntry(id=id, text=text, active=plain, proposed=not plain, occurred_at=at, sources=sources)


async def recalled(tier: ProceduralTier, scope: Scope, as_of: datetime | None = None) -> list[str]:
    query = MemoryQuery(scope=scope, text="In which language do I want answers: French?", as_of=as_of)
    return [memory.text for memory in await tier.retrieve(query) if memory.kind == "rule"]


def state(rule: Rule) -> tuple[bool, bool]:
    return rule.active, rule.proposed


async def test_what_is_proposed_is_reviewed_and_never_recalled_or_active(tier: ProceduralTier) -> None:
    scope = new_scope()
    later = told("i2", id=f"{LEARNED_RULE}g", text="Answer in German.", hours=1)
    await tier.store(scope, [told("i1"), later])
    assert [(one.id, *state(one), one.sources) for one in await tier.review_rules(scope)] == [
        (later.id, False, True, ("i2",)),
        (FRENCH, False, True, ("i1",)),
    ]
    assert [one.id for one in await tier.review_rules(scope, 1)] == [later.id]
    assert await recalled(tier, scope) == await recalled(tier, scope, NOON + timedelta(days=1)) == []
    assert (await tier.list_rules(scope, active=True)).items == ()
    assert {one.proposed for one in (await tier.list_rules(scope)).items} == {True}
    with pytest.raises(Conflict):
        await tier.update_rule(scope, FRENCH, active=True, epoch=await tier.epoch(scope))
    raised = await tier.update_rule(scope, FRENCH, priority=9)
    assert (raised.priority, *state(raised)) == (9, False, True)


async def test_who_confirms_a_proposal_makes_it_a_rule(tier: ProceduralTier) -> None:
    scope = new_scope()
    await tier.store(scope, [told("i1")])
    confirmed = await tier.judge_rule(scope, FRENCH, "confirmed")
    assert state(confirmed) == (True, False)
    assert await tier.judge_rule(scope, FRENCH, "confirmed") == confirmed
    assert await tier.review_rules(scope) == []
    assert await recalled(tier, scope) == ["Answer in French."]
    assert [one.proposed for one in await tier.rule_versions(scope, FRENCH)] == [False, True]
    await tier.store(scope, [told("i2", hours=1)])
    assert state(await tier.get_rule(scope, FRENCH)) == (True, False)
    assert state(await tier.restore_rule(scope, FRENCH, 1)) == (True, False)
    with pytest.raises(NotFound):
        await tier.judge_rule(scope, "unknown", "confirmed")


async def test_who_rejects_a_proposal_never_sees_it_again(tier: ProceduralTier) -> None:
    scope = new_scope()
    suggested = told("i3", id=FRENCH.replace(LEARNED_RULE, SUGGESTED_RULE))
    await tier.store(scope, [told("i1")])
    rejected = await tier.judge_rule(scope, FRENCH, "rejected")
    assert (rejected.text, rejected.deleted, *state(rejected)) == ("Answer in French.", True, False, True)
    await tier.forget_sources(scope, ["i1"])
    await tier.relearned(scope)
    again = await tier.store(scope, [told("i2"), suggested])
    assert [one.duplicate for one in again] == [True, True]
    assert (await tier.list_rules(scope)).items == ()
    with pytest.raises(NotFound):
        await tier.judge_rule(scope, FRENCH, "rejected")


async def test_who_rejects_a_rule_that_is_followed_never_sees_it_again(tier: ProceduralTier) -> None:
    scope = new_scope()
    await tier.store(scope, [told("i1")])
    await tier.judge_rule(scope, FRENCH, "confirmed")
    assert (await tier.judge_rule(scope, FRENCH, "rejected")).deleted
    assert (await tier.store(scope, [told("i2", hours=1)]))[0].duplicate
    assert (await tier.list_rules(scope)).items == ()
    assert await recalled(tier, scope) == []


async def test_who_rejects_a_rule_rejects_it_however_it_was_learned(tier: ProceduralTier) -> None:
    suggested = FRENCH.replace(LEARNED_RULE, SUGGESTED_RULE)
    for rejected in (FRENCH, suggested):
        scope = new_scope()
        await tier.store(scope, [told("i1", id=suggested)])
        await tier.judge_rule(scope, suggested, "confirmed")
        await tier.store(scope, [told("i2", plain=True)])
        await tier.judge_rule(scope, rejected, "rejected")
        assert (await tier.list_rules(scope)).items == (), rejected


DECISIONS: Final[list[dict[str, Any]]] = [{"active": True}, {"active": False}, {"aside": "no"}, {"text": "Use French."}]


async def test_who_turns_a_proposal_on_or_off_or_rewrites_it_has_decided(tier: ProceduralTier) -> None:
    async def decided(change: dict[str, Any]) -> None:
        scope = new_scope()
        await tier.store(scope, [told("i1")])
        changed = await tier.update_rule(scope, FRENCH, **change)
        assert state(changed) == ("text" in change or change.get("active", False), False)
        assert await tier.review_rules(scope) == []
        await tier.store(scope, [told("i2", hours=1)])
        assert state(await tier.get_rule(scope, FRENCH)) == state(changed)

    await each(DECISIONS, decided)


async def test_what_is_said_plainly_is_a_rule_from_then_on_in_those_words(tier: ProceduralTier) -> None:
    scope, hour = new_scope(), timedelta(hours=1)
    plain = told("i2", text="Answer in plain French.", plain=True, hours=1)
    await tier.store(scope, [told("i1")])
    for _ in range(2):
        await tier.store(scope, [plain])
        rule = await tier.get_rule(scope, FRENCH)
        assert (rule.text, *state(rule)) == (plain.text, True, False)
        assert (rule.version, rule.sources) == (2, ("i1", "i2"))
    assert await recalled(tier, scope, NOON) == []
    assert await recalled(tier, scope, NOON + hour) == await recalled(tier, scope) == [plain.text]
    await tier.store(scope, [told("i3", text=plain.text, hours=2)])
    assert state(await tier.get_rule(scope, FRENCH)) == (True, False)


async def test_what_a_person_set_of_a_proposal_stays_when_it_is_said_plainly(tier: ProceduralTier) -> None:
    scope = new_scope()
    await tier.store(scope, [told("i1")])
    await tier.update_rule(scope, FRENCH, priority=9, triggers=["letters"])
    await tier.store(scope, [told("i2", plain=True, hours=1)])
    rule = await tier.get_rule(scope, FRENCH)
    assert (rule.priority, rule.triggers, *state(rule)) == (9, ("letters",), True, False)


@pytest.mark.parametrize("confirmed", [True, False])
async def test_a_proposal_is_one_again_when_what_was_said_plainly_is_forgotten_unless_a_person_confirmed_it(
    tier: ProceduralTier, confirmed: bool
) -> None:
    scope = new_scope()
    await tier.store(scope, [told("i1", plain=True)])
    await tier.store(scope, [told("i2", plain=True, hours=1)])
    for _ in range(2 if confirmed else 0):
        await tier.judge_rule(scope, FRENCH, "confirmed")
    await tier.forget_sources(scope, ["i1"])
    assert (await tier.list_rules(scope)).items == ()
    await tier.store(scope, [told("i2", hours=1)])
    assert state(await tier.get_rule(scope, FRENCH)) == (confirmed, not confirmed)


async def test_a_suggestion_is_not_reviewed_while_the_users_words_say_the_same(tier: ProceduralTier) -> None:
    scope = new_scope()
    suggested = told("i1", id=FRENCH.replace(LEARNED_RULE, SUGGESTED_RULE))
    await tier.store(scope, [suggested])
    assert [one.id for one in await tier.review_rules(scope)] == [suggested.id]
    await tier.store(scope, [told("i2", plain=True)])
    assert await tier.review_rules(scope) == []
    await tier.forget_sources(scope, ["i2"])
    assert [one.id for one in await tier.review_rules(scope)] == [suggested.id]


async def test_an_activation_is_counted_once_for_its_id_also_when_many_arrive_at_once(tier: ProceduralTier) -> None:
    scope = new_scope()
    for name in ("r", "other"):
        await tier.create_rule(scope, RuleEntry(id=name, text=f"greet {name}", occurred_at=NOON))
    reported = ["a", "b", "a", "c", None, None, "b", "a"]
    await asyncio.gather(*(tier.record_activation(scope, "r", one) for one in reported))
    assert (await tier.get_rule(scope, "r")).activation_count == 5
    assert (await tier.record_activation(scope, "other", "a")).activation_count == 1
    with pytest.raises(NotFound):
        await tier.record_activation(scope, "none", "a")


async def test_an_outcome_is_counted_once_for_its_id_and_is_not_the_activation_of_that_id(tier: ProceduralTier) -> None:
    scope = new_scope()
    await tier.create_rule(scope, RuleEntry(id="r", text="greet", occurred_at=NOON))
    await tier.record_activation(scope, "r", "a")
    reported = [(True, "a"), (False, "b"), (True, "a"), (False, None), (False, None), (True, "b")]
    await asyncio.gather(*(tier.record_outcome(scope, "r", success, one) for success, one in reported[:2]))
    for success, one in reported[2:]:
        await tier.record_outcome(scope, "r", success, one)
    found = await tier.get_rule(scope, "r")
    assert (found.outcomes, found.success_rate, found.activation_count) == (4, 0.25, 1)


async def test_neither_an_outcome_nor_a_recall_is_an_activation(tier: ProceduralTier) -> None:
    scope = new_scope()
    await tier.create_rule(scope, RuleEntry(id="r", text="greet", occurred_at=NOON))
    assert [memory.id for memory in await tier.retrieve(MemoryQuery(scope=scope, text="greet"))] == ["r"]
    told = await tier.record_outcome(scope, "r", True)
    assert (told.activation_count, told.outcomes, told.success_rate) == (0, 1, 1.0)
    counted = await tier.record_activation(scope, "r")
    assert (counted.activation_count, counted.outcomes, counted.version) == (1, 1, 1)
    await tier.update_rule(scope, "r", priority=9)
    assert [one.activation_count for one in await tier.rule_versions(scope, "r")] == [1, 1]


async def test_a_forgotten_rule_leaves_no_activations_behind(tier: ProceduralTier) -> None:
    scope = new_scope()
    await tier.create_rule(scope, RuleEntry(id="r", text="greet", occurred_at=NOON))
    await tier.record_activation(scope, "r", "a")
    assert await tier.forget(scope, ["r"]) == 1
    with pytest.raises(NotFound):
        await tier.record_activation(scope, "r", "a")
    assert await tier.holdings(scope) == {}
    while await tier.erase(scope, 2**62):
        pass
    again = await tier.create_rule(scope, RuleEntry(id="r", text="greet", occurred_at=NOON))
    assert again.activation_count == 0
    assert (await tier.record_activation(scope, "r", "a")).activation_count == 1


async def test_what_was_reported_of_a_learned_rule_is_known_when_it_is_learned_again(tier: ProceduralTier) -> None:
    scope = new_scope()
    learned = RuleEntry(id=f"{LEARNED_RULE}x", text="greet", occurred_at=NOON, sources=("i1",))
    await tier.store(scope, [learned])
    await tier.record_activation(scope, learned.id, "a")
    await tier.record_outcome(scope, learned.id, False)
    await tier.forget_sources(scope, ["i1"])
    await tier.store(scope, [learned.model_copy(update={"sources": ("i2",)})])
    found = await tier.get_rule(scope, learned.id)
    assert (found.activation_count, found.outcomes, found.success_rate) == (1, 1, 0.0)
