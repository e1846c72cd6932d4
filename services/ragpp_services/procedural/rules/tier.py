"""The rules' part of the tier."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

from pydantic import ValidationError

from ragpp.clock import Clock
from ragpp.errors import Conflict, InvalidInput, NotFound
from ragpp.learned import LEARNED_RULE, SUGGESTED_RULE, Verdict
from ragpp.ledger import NewEvent
from ragpp.models import Page, Rule, RuleEntry, Scope
from ragpp.stores.cursors import decode_cursor, page_of, page_size
from ragpp_services.procedural import writing
from ragpp_services.procedural.forgetting import withdrawing
from ragpp_services.procedural.naming import activation_entry, outcome_entry
from ragpp_services.procedural.rules.versions import RuleChange, judgement_of
from ragpp_services.procedural.store import Applied, ProceduralStore, Rows
from ragpp_services.procedural.vectors import Vectors

REPORT_KNOWN_FOR: Final = timedelta(days=30)
"""How long the id of an activation is kept, by which a repeat is known as one."""


class Rules:
    """The part of `ragpp.tiers.ProceduralTier` about rules."""

    def __init__(self, store: ProceduralStore, vectors: Vectors, clock: Clock) -> None:
        self._store, self._vectors, self._clock = store, vectors, clock

    async def create_rule(self, scope: Scope, entry: RuleEntry) -> Rule:
        """See the contract. Conflict also for the id of a rule that was forgotten."""
        await self._vectors.check_identity()
        vectors = await self._vectors.of_entries([entry])
        async with self._store.writing(scope) as rows:
            await writing.apply(rows, scope, [entry], vectors, self._clock())
            rule = await rows.rules.find(entry.id)
            if rule is None:
                raise Conflict("the id belongs to a rule that was forgotten")
            return rule

    async def update_rule(
        self,
        scope: Scope,
        rule_id: str,
        text: str | None = None,
        triggers: Sequence[str] | None = None,
        priority: int | None = None,
        active: bool | None = None,
        aside: str | None = None,
        epoch: int | None = None,
    ) -> Rule:
        """See the contract. Without a difference there is no new version, unless a person now says of a learned rule
        that it is followed, or not. What carries no epoch a person does. InvalidInput for a rule that is to be put
        aside and made active at once; Conflict when it is proposed and no person says so."""
        if aside is not None and active:
            raise InvalidInput("a rule that is put aside is not active", suggestions=("Give `active` or `aside`.",))
        now, by_hand = self._clock(), epoch is None
        embedding = None
        if text is not None:
            await self._vectors.check_identity()
            embedding = await self._vectors.embed(text)
        async with self._store.writing(scope, epoch) as rows:
            rule = await _existing(rows, rule_id)
            wanted = _wanted(rule, text=text, active=active, aside=aside)
            if rule.proposed and wanted is not None and not by_hand:
                raise Conflict("a rule that is proposed is not followed until a person confirms it")
            entry = _changed(rule, text=text, triggers=triggers, priority=priority, active=wanted)
            reason = None if entry.active else aside or rule.aside
            proposed = rule.proposed and wanted is None
            judged = by_hand and wanted is not None and bool(rule.sources)
            if (_behaviour(entry), reason, proposed) == (_behaviour(rule), rule.aside, rule.proposed) and not (
                judged and wanted != await _judged(rows, rule_id)
            ):
                return rule
            change = RuleChange(
                text=entry.text,
                triggers=entry.triggers,
                priority=entry.priority,
                active=entry.active,
                aside=reason,
                version=rule.version + 1,
                occurred_at=max(now, rule.occurred_at),
                embedding=embedding,
                proposed=proposed,
            )
            written = by_hand and text is not None
            await rows.rules.change(rule_id, change, now, acted=by_hand, written=written, judged=judged)
            await rows.record([NewEvent("rule.changed", rule_id, change.occurred_at)], now)
            return await _existing(rows, rule_id)

    async def review_rules(self, scope: Scope, limit: int = 50) -> list[Rule]:
        """See the contract. What a language model suggests is left out while a message says the same."""
        async with self._store.reading(scope) as rows:
            return await rows.rules.to_review(page_size(limit))

    async def judge_rule(self, scope: Scope, rule_id: str, verdict: Verdict) -> Rule:
        """See the contract. A confirmation goes with the last message that bears the rule out, as whatever else a
        person did to it; a rejection stays, by the rule's id, which is a hash of its words."""
        if verdict == "confirmed":
            return await self.update_rule(scope, rule_id, active=True)
        async with self._store.writing(scope) as rows:
            rule = await _existing(rows, rule_id)
            await withdrawing.forget(rows, [rule_id, *await _twins(rows, rule_id)], self._clock())
            return rule.model_copy(update={"deleted": True})

    async def list_rules(
        self, scope: Scope, active: bool | None = None, cursor: str | None = None, limit: int = 50
    ) -> Page[Rule]:
        after = None if cursor is None else decode_cursor(cursor, int, str)
        if after is not None and not 0 <= after[0] <= 10:
            raise InvalidInput("the cursor is not one that this list gave out")
        size = page_size(limit)
        async with self._store.reading(scope) as rows:
            found = await rows.rules.page(active, after, size + 1)
        return page_of(Page[Rule], found, size, lambda rule: (rule.priority, rule.id))

    async def get_rule(self, scope: Scope, rule_id: str) -> Rule:
        async with self._store.reading(scope) as rows:
            return await _existing(rows, rule_id)

    async def rule_versions(self, scope: Scope, rule_id: str) -> list[Rule]:
        """Every version, newest first, each with the record of the whole rule. NotFound when there is none."""
        async with self._store.reading(scope) as rows:
            versions = await rows.rules.versions(rule_id)
        if not versions:
            raise NotFound("there is no rule of that id")
        return versions

    async def restore_rule(self, scope: Scope, rule_id: str, version: int) -> Rule:
        """See the contract. Nothing changes when the rule is as it was in that version."""
        now = self._clock()
        async with self._store.writing(scope) as rows:
            rule = await _existing(rows, rule_id)
            wanted = next((found for found in await rows.rules.versions(rule_id) if found.version == version), None)
            if wanted is None:
                raise NotFound(f"the rule has no version {version}")
            followed = not rule.proposed and (wanted.active or wanted.proposed)
            wanted = wanted.model_copy(update={"active": followed})
            if (_behaviour(wanted), wanted.aside) == (_behaviour(rule), rule.aside):
                return rule
            moment = max(now, rule.occurred_at)
            await rows.rules.restore(rule_id, version, rule.version + 1, moment, now)
            await rows.record([NewEvent("rule.changed", rule_id, moment)], now)
            return await _existing(rows, rule_id)

    async def record_activation(self, scope: Scope, rule_id: str, activation_id: str | None = None) -> Rule:
        """See the contract. That an id was counted goes with the rule, and after REPORT_KNOWN_FOR."""
        now = self._clock()
        async with self._store.writing(scope) as rows:
            rule = await _existing(rows, rule_id)
            entry_id = None if activation_id is None else activation_entry(rule_id, activation_id)
            if await _was_counted(rows, rule_id, entry_id, now):
                return rule
            await rows.rules.count_activation(rule_id)
            return await _existing(rows, rule_id)

    async def record_outcome(self, scope: Scope, rule_id: str, success: bool, outcome_id: str | None = None) -> Rule:
        """See the contract. The rate is the running mean rₙ = rₙ₋₁ + (xₙ − rₙ₋₁) / n of all outcomes xₙ, 1 or 0. That
        an id was counted is known as that of an activation is."""
        async with self._store.writing(scope) as rows:
            rule = await _existing(rows, rule_id)
            entry_id = None if outcome_id is None else outcome_entry(rule_id, outcome_id)
            if await _was_counted(rows, rule_id, entry_id, self._clock()):
                return rule
            return await rows.rules.count_outcome(rule_id, success) or rule


async def _was_counted(rows: Rows, rule_id: str, entry_id: str | None, now: datetime) -> bool:
    """True where a report with an id was counted before; else it is known from now on. One without an id never was."""
    if entry_id is None:
        return False
    await rows.rules.drop_reports(rule_id, now - REPORT_KNOWN_FOR)
    if await rows.applied([entry_id]):
        return True
    await rows.rules.note_report(entry_id, rule_id, now)
    return False


async def _existing(rows: Rows, identifier: str) -> Rule:
    rule = await rows.rules.find(identifier)
    if rule is None:
        raise NotFound("there is no rule of that id")
    return rule


async def _judged(rows: Rows, identifier: str) -> bool | None:
    """True where a person said that the rule is followed, False where that it is not; None where nobody said."""
    return judgement_of((await rows.rules.histories([identifier]))[identifier])


async def _twins(rows: Rows, identifier: str) -> list[str]:
    """The other rule of the same words as the learned one of that id: the one that a language model suggests where
    messages say it, of which none is learned later where it is not there; or the one that messages say."""
    if not identifier.startswith(LEARNED_RULE):
        return []
    if identifier.startswith(SUGGESTED_RULE):
        twin = identifier.replace(SUGGESTED_RULE, LEARNED_RULE, 1)
    else:
        twin = identifier.replace(LEARNED_RULE, SUGGESTED_RULE, 1)
        if not await rows.applied([twin]):
            await rows.add_applied([Applied(twin, "rule", None, None, None)])
    return [twin] if await rows.rules.find(twin) is not None else []


def _wanted(rule: Rule, *, text: str | None, active: bool | None, aside: str | None) -> bool | None:
    """True where the rule is to be followed, False where not; None where nothing is said of it. Words that are given to
    what is proposed are no longer a proposal."""
    if aside is not None:
        return False
    return True if active is None and rule.proposed and text is not None else active


def _behaviour(rule: Rule | RuleEntry) -> tuple[str, tuple[str, ...], int, bool]:
    """The values of which a new version would have to differ in one."""
    return rule.text, rule.triggers, rule.priority, rule.active


def _changed(
    rule: Rule, *, text: str | None, triggers: Sequence[str] | None, priority: int | None, active: bool | None
) -> RuleEntry:
    """The rule with what is given. Raises InvalidInput for what a rule may not be."""
    try:
        return RuleEntry(
            id=rule.id,
            text=rule.text if text is None else text,
            triggers=rule.triggers if triggers is None else tuple(triggers),
            priority=rule.priority if priority is None else priority,
            active=rule.active if active is None else active,
            occurred_at=rule.occurred_at,
        )
    except ValidationError as error:
        raise InvalidInput(f"the rule cannot be changed so: {error.errors()[0]['msg']}") from error
