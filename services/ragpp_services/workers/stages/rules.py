"""The rules' part of a reflection: what is learned, what gains or loses support, and which of two gives way."""

import asyncio
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo
from typing import Final

import structlog

from ragpp.errors import LanguageModelError, NotFound
from ragpp.errors.summaries import safe_summary
from ragpp.learned import LEARNED_RULE, SUGGESTED_RULE, RuleConflict
from ragpp.llm.port import LanguageModel
from ragpp.llm.suggestions import suggest_rules
from ragpp.models import Interaction, Rule, RuleEntry, Scope, TimeRange
from ragpp.paging import PAGE, pages
from ragpp_services.workers.learning.behaviour import (
    FIRST_PRIORITY,
    HIGHEST_PRIORITY,
    RuleDraft,
    rules_seen,
    rules_told,
)
from ragpp_services.workers.learning.conflicts import conflicts_of
from ragpp_services.workers.learning.days import back
from ragpp_services.workers.learning.instructions import Instruction, instructions_of, rule_id
from ragpp_services.workers.learning.stated import plainly_own
from ragpp_services.workers.parts import WorkerParts
from ragpp_services.workers.stages.extract import HISTORY, MOST_HISTORY, patterns_until
from ragpp_services.workers.stages.history import said_within, teaches, vectors_of
from ragpp_services.workers.stages.instructing import meant

MOST_RULES: Final = 1_000
FAILING_OUTCOMES: Final = 5
FAILING_RATE: Final = 0.2
"""A learned rule that was followed so often, with success in no more than this share, is put aside."""
_log = structlog.stdlib.get_logger(__name__)


@dataclass(frozen=True)
class Learned:
    """`learned`: the texts of rules that are new. `conflicts`: who was put aside for whom."""

    learned: tuple[str, ...] = ()
    conflicts: tuple[RuleConflict, ...] = ()


async def learn_rules(
    parts: WorkerParts,
    scope: Scope,
    items: Sequence[Interaction],
    end: datetime,
    zone: tzinfo,
    epoch: int,
    *,
    model: LanguageModel | None = None,
) -> Learned:
    """Learn the rules that `items`, with the weeks before `end`, bear out; nothing changes when it is repeated.

    A rule is learned when one of `items` is among its evidence; a known one gains that evidence, and with it priority
    up to HIGHEST_PRIORITY. One that was put aside and is said again later comes back. What nobody said plainly, as all
    that only a model suggests, is proposed, and counts as learned when somebody does. `epoch`: of the procedural tier,
    from before `items` were read. `model`: may suggest rules. Raises TierUnavailable, EmbeddingError, Outdated.
    """
    drafts = await _drafts(parts, scope, items, end, zone, model)
    known = {rule.id: rule for rule in await _rules(parts, scope)}
    learned = []
    for draft in drafts:
        rule = known.get(draft.id)
        if rule is None:
            if await _learn(parts, scope, draft, epoch) and not draft.proposed:
                learned.append(draft.text)
        elif rule.proposed and not draft.proposed:
            await _learn(parts, scope, draft, epoch)
            learned.append(draft.text)
        else:
            await _support(parts, scope, rule, draft, epoch)
    told_at = {draft.id: draft.told_at for draft in drafts}
    rules = await _rules(parts, scope)
    await _put_failing_aside(parts, scope, rules, epoch)
    texts = {rule.text for rule in rules if rule.active}
    vectors = await vectors_of(parts, sorted(texts)) if len(texts) > 1 else {}
    conflicts = [
        conflict
        for conflict in conflicts_of(rules, told_at, vectors)
        if conflict.kept_id in told_at or not await _came_back(parts, scope, conflict.aside_id)
    ]
    for conflict in conflicts:
        await parts.procedural.update_rule(scope, conflict.aside_id, aside=conflict.reason[:1_000], epoch=epoch)
    return Learned(tuple(learned), tuple(conflicts))


async def _drafts(
    parts: WorkerParts,
    scope: Scope,
    items: Sequence[Interaction],
    end: datetime,
    zone: tzinfo,
    model: LanguageModel | None,
) -> list[RuleDraft]:
    span = TimeRange(start=back(end, HISTORY), end=end + timedelta(microseconds=1))
    history = [item for item in await said_within(parts, scope, span, most=MOST_HISTORY) if teaches(item)]
    patterns = await patterns_until(parts, scope, end, zone)
    ids = {item.id for item in items}
    read = await asyncio.to_thread(_borne_out, history, ids)
    instructed = await meant(parts.judge, history, read)
    drafts = [*await asyncio.to_thread(rules_told, instructed), *rules_seen(patterns)]
    drafts = [draft for draft in drafts if ids & set(draft.sources)]
    return [*drafts, *(await _suggested(parts, scope, items, drafts, model) if model is not None else ())]


def _borne_out(history: Sequence[Interaction], ids: Collection[str]) -> list[Instruction]:
    """The instructions in `history` to do what the messages `ids` tell, too: no other rule gains anything by them."""
    read = [(one, one.rule_id) for one in instructions_of(history)]
    wanted = {rule for one, rule in read if one.source in ids}
    return [one for one, rule in read if rule in wanted]


async def _suggested(
    parts: WorkerParts,
    scope: Scope,
    items: Sequence[Interaction],
    drafts: Sequence[RuleDraft],
    model: LanguageModel,
) -> list[RuleDraft]:
    """Rules that a language model suggests beyond those that are known; under ids that tell where they came from."""
    rules = await _rules(parts, scope)
    texts = [*(draft.text for draft in drafts), *(rule.text for rule in rules)]
    known = {*(draft.id for draft in drafts), *(rule.id for rule in rules)}
    try:
        suggested = await suggest_rules(model, await asyncio.to_thread(plainly_own, items), texts)
    except LanguageModelError as error:
        _log.warning("reflect.fell_back", analysis="rules", kind=error.kind, error=safe_summary(error))
        return []
    named = [(rule, rule_id(" ".join(rule.triggers), rule.text, refuses=False)) for rule in suggested]
    return [
        RuleDraft(
            id=identifier.replace(LEARNED_RULE, SUGGESTED_RULE, 1),
            text=rule.text,
            triggers=rule.triggers,
            priority=min(rule.priority, HIGHEST_PRIORITY),
            told_at=rule.occurred_at,
            first_at=rule.occurred_at,
            sources=rule.sources,
            proposed=True,
        )
        for rule, identifier in named
        if identifier not in known
    ]


async def _learn(parts: WorkerParts, scope: Scope, draft: RuleDraft, epoch: int) -> bool:
    """Store the rule, whose words take the place of those that were only proposed; False for one that is known, or that
    a person has forgotten, which is not learned again."""
    entry = RuleEntry(
        id=draft.id,
        text=draft.text,
        triggers=draft.triggers,
        priority=draft.priority,
        active=not draft.proposed,
        proposed=draft.proposed,
        occurred_at=draft.told_at,
        sources=draft.sources,
    )
    (stored,) = await parts.procedural.store(scope, [entry], epoch)
    return not stored.duplicate


async def _support(parts: WorkerParts, scope: Scope, rule: Rule, draft: RuleDraft, epoch: int) -> None:
    """Give a known rule the evidence that is new to it, and with it priority, unless a person gave it another one."""
    fresh = set(draft.sources) - set(rule.sources)
    if not fresh:
        return
    try:
        versions = await parts.procedural.rule_versions(scope, rule.id)
    except NotFound:  # forgotten since it was listed
        return
    first = versions[-1]
    entry = RuleEntry(
        id=rule.id,
        text=first.text,
        triggers=first.triggers,
        priority=first.priority,
        active=first.active,
        proposed=first.proposed,
        occurred_at=first.occurred_at,
        sources=draft.sources,
    )
    await parts.procedural.store(scope, [entry], epoch)
    ours = rule.priority == _earned(len(rule.sources)) or all(one.priority == rule.priority for one in versions)
    earned = _earned(len({*rule.sources, *draft.sources}))
    priority = max(rule.priority, earned) if ours else rule.priority
    back = rule.aside is not None and not rule.active
    if back or priority != rule.priority:
        await parts.procedural.update_rule(
            scope, rule.id, priority=priority, active=True if back else None, epoch=epoch
        )


def _earned(sources: int) -> int:
    """The priority of a rule that so many messages bear out."""
    return min(HIGHEST_PRIORITY, FIRST_PRIORITY + sources - 1)


async def _came_back(parts: WorkerParts, scope: Scope, identifier: str) -> bool:
    """True where the rule was put aside before: somebody wanted it all the same, nothing new was said against it."""
    return any(version.aside is not None for version in await parts.procedural.rule_versions(scope, identifier))


async def _put_failing_aside(parts: WorkerParts, scope: Scope, rules: list[Rule], epoch: int) -> None:
    """Put learned rules aside that do not work out; `rules` is changed along."""
    for place, rule in enumerate(rules):
        failing = rule.outcomes >= FAILING_OUTCOMES and (rule.success_rate or 0.0) <= FAILING_RATE
        if rule.active and failing and rule.id.startswith(LEARNED_RULE):
            reason = f"it worked out in {round((rule.success_rate or 0) * rule.outcomes)} of {rule.outcomes} cases"
            rules[place] = await parts.procedural.update_rule(scope, rule.id, aside=reason, epoch=epoch)


async def _rules(parts: WorkerParts, scope: Scope) -> list[Rule]:
    listed = pages(lambda cursor: parts.procedural.list_rules(scope, cursor=cursor, limit=PAGE), most=MOST_RULES)
    return [rule async for rule in listed]
