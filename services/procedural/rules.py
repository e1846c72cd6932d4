"""The rules' part of the tier."""

from collections.abc import Sequence

from pydantic import ValidationError

from ragpp.cursors import decode_cursor, encode_cursor
from ragpp.errors import Conflict, InvalidInput, NotFound
from ragpp.ledger import NewEvent
from ragpp.models import Page, Rule, RuleEntry, Scope
from services.procedural import writing
from services.procedural.core import Core, page_size
from services.procedural.rows import RuleChange
from services.procedural.store import Rows


class RuleVerbs(Core):
    """What `ragpp.tiers.ProceduralTier` says about rules."""

    async def create_rule(self, scope: Scope, entry: RuleEntry) -> Rule:
        """See the contract. Conflict also for the id of a rule that was forgotten."""
        await self.identify()
        vectors = await self.vectors_of([entry])
        async with self._store.writing(scope) as rows:
            await writing.apply(rows, scope, [entry], vectors, self._clock())
            rule = await rows.rule(entry.id)
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
        """See the contract. Without a difference there is no new version. What carries no epoch a person does.
        InvalidInput for a rule that is to be put aside and made active at once."""
        if aside is not None and active:
            raise InvalidInput("a rule that is put aside is not active", suggestions=("Give `active` or `aside`.",))
        now = self._clock()
        embedding = None
        if text is not None:
            await self.identify()
            embedding = await self.embed(text)
        async with self._store.writing(scope, epoch) as rows:
            rule = await _existing(rows, rule_id)
            wanted = False if aside is not None else active
            entry = _changed(rule, text=text, triggers=triggers, priority=priority, active=wanted)
            reason = None if entry.active else aside or rule.aside
            if (_behaviour(entry), reason) == (_behaviour(rule), rule.aside):
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
            )
            by_hand = epoch is None
            await rows.change_rule(rule_id, change, now, acted=by_hand, written=by_hand and text is not None)
            await rows.record([NewEvent("rule.changed", rule_id, change.occurred_at)], now)
            return await _existing(rows, rule_id)

    async def list_rules(
        self, scope: Scope, active: bool | None = None, cursor: str | None = None, limit: int = 50
    ) -> Page[Rule]:
        """See the contract."""
        after = None
        if cursor is not None:
            priority_after, id_after = decode_cursor(cursor, int, str)
            if not 0 <= int(priority_after) <= 10:
                raise InvalidInput("the cursor is not one that this list gave out")
            after = (int(priority_after), str(id_after))
        size = page_size(limit)
        async with self._store.reading(scope) as rows:
            found = await rows.rules_page(active, after, size + 1)
        items = tuple(found[:size])
        following = encode_cursor(items[-1].priority, items[-1].id) if len(found) > size else None
        return Page[Rule](items=items, next_cursor=following)

    async def get_rule(self, scope: Scope, rule_id: str) -> Rule:
        """See the contract."""
        async with self._store.reading(scope) as rows:
            return await _existing(rows, rule_id)

    async def rule_versions(self, scope: Scope, rule_id: str) -> list[Rule]:
        """Every version, newest first, each with the record of the whole rule. NotFound when there is none."""
        async with self._store.reading(scope) as rows:
            versions = await rows.rule_versions(rule_id)
        if not versions:
            raise NotFound("there is no rule of that id")
        return versions

    async def restore_rule(self, scope: Scope, rule_id: str, version: int) -> Rule:
        """See the contract. Nothing changes when the rule is as it was in that version."""
        now = self._clock()
        async with self._store.writing(scope) as rows:
            rule = await _existing(rows, rule_id)
            wanted = next((found for found in await rows.rule_versions(rule_id) if found.version == version), None)
            if wanted is None:
                raise NotFound(f"the rule has no version {version}")
            if (_behaviour(wanted), wanted.aside) == (_behaviour(rule), rule.aside):
                return rule
            moment = max(now, rule.occurred_at)
            await rows.restore_rule(rule_id, version, rule.version + 1, moment, now)
            await rows.record([NewEvent("rule.changed", rule_id, moment)], now)
            return await _existing(rows, rule_id)

    async def record_outcome(self, scope: Scope, rule_id: str, success: bool) -> Rule:
        """See the contract. The rate is the running mean rₙ = rₙ₋₁ + (xₙ − rₙ₋₁) / n of all outcomes xₙ, 1 or 0."""
        async with self._store.writing(scope) as rows:
            rule = await rows.count_outcome(rule_id, success)
        if rule is None:
            raise NotFound("there is no rule of that id")
        return rule


async def _existing(rows: Rows, identifier: str) -> Rule:
    rule = await rows.rule(identifier)
    if rule is None:
        raise NotFound("there is no rule of that id")
    return rule


def _behaviour(rule: Rule | RuleEntry) -> tuple[str, tuple[str, ...], int, bool]:
    """What a new version would have to differ in."""
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
