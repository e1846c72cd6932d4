"""Preferences, rules and findings, each view's by themselves, under the same ids."""

import hashlib
from collections.abc import Awaitable, Callable, Collection, Sequence
from contextlib import suppress
from typing import TypeVar

from ragpp.errors import Conflict, NotFound
from ragpp.fields import RESERVED
from ragpp.learned import OWN_ENTRY, Finding, Verdict
from ragpp.ledger.views import each_view, view_of
from ragpp.models import SHARED, Memory, MemoryQuery, OneValue, Preference, PreferenceEntry, Rule, RuleEntry, Scope
from ragpp.paging import PAGE, pages
from ragpp.preference_values import canonical
from ragpp.tiers import ProceduralTier
from ragpp_services.gateway.views.seeing import Sources, Viewed, Views, if_there

T = TypeVar("T")


class ViewedProcedural(Viewed[ProceduralTier], of=ProceduralTier):
    """Reads as `Viewed`. What a person sets or does in the whole memory is set, and done to what has the same id, in
    every view. What a key sets that is bound to an agent is that agent's, and it does to what no other agent sees.
    `begin`: sees that there is a view of the scope's."""

    def __init__(self, tier: ProceduralTier, views: Views, begin: Callable[[Scope], Awaitable[None]]) -> None:
        super().__init__(tier, views)
        self._begin = begin

    async def retrieve(self, query: MemoryQuery) -> list[Memory]:
        """As the protocol says. In the whole memory an agent that is named is told how to behave by what it may see: a
        rule, a wish or an instruction that was said to another agent alone is not for it."""
        whole = await self._seen(
            query.scope, lambda view: self._tier.retrieve(query.model_copy(update={"scope": view}))
        )
        if query.scope.view is not None or query.scope.agent_id is None:
            return whole
        own = view_of(query.scope.seen_by(query.scope.agent_id), await self._views.of(query.scope))
        if own.view is None:
            return whole
        seen = await self._tier.retrieve(query.model_copy(update={"scope": own}))
        followed = {one.id for one in (*whole, *seen) if _is_to_follow(one)}
        found = [one for one in whole if one.id not in followed] + [one for one in seen if one.id in followed]
        return sorted(found, key=lambda one: -one.score)[: query.limit]

    async def set_preference(self, scope: Scope, entry: PreferenceEntry) -> Preference:
        """See the protocol. An entry's id is its agent's: another may choose the same."""
        if scope.view is not None:
            own = hashlib.sha256(f"{scope.view}{RESERVED}{entry.id}".encode()).hexdigest()[:32]
            entry = entry.model_copy(update={"id": f"{OWN_ENTRY}{own}"})
        return await self._set(scope, lambda view: self._tier.set_preference(view, entry))

    async def create_rule(self, scope: Scope, entry: RuleEntry) -> Rule:
        """See the protocol. An id is a user's: one that another agent's rule has is a Conflict."""
        if scope.view is None:
            return await self._set(scope, lambda view: self._tier.create_rule(view, entry))
        known = await if_there(self._tier.get_rule(scope, entry.id))
        if not known and await if_there(self._tier.get_rule(scope.seen_by(None), entry.id)):
            raise Conflict("an id is known with other content", details={"indexes": [0]})
        try:
            return await self._set(scope, lambda view: self._tier.create_rule(view, entry))
        except Conflict:
            if not known:  # the whole memory has refused it, which knows every id
                await self._tier.forget(scope, [entry.id])
            raise

    async def judge_preference(
        self, scope: Scope, preference_id: str, verdict: Verdict, value: OneValue | None = None
    ) -> Preference:
        """See the protocol. Without `value` it is that of the scope's view everywhere."""
        if value is None:
            seen = await self._seen(scope, lambda view: self._tier.get_preference(view, preference_id))
            value = OneValue(value=seen.value)
        return await self._do(
            scope, preference_id, lambda view: self._tier.judge_preference(view, preference_id, verdict, value)
        )

    async def restore_preference(self, scope: Scope, preference_id: str, version: int) -> Preference:
        """See the protocol. The version is that of the scope's view; elsewhere its value is restored."""
        restored: list[Preference] = []

        async def change(view: Scope) -> Preference:
            restored.append(await self._tier.restore_preference(view, preference_id, version))
            return restored[0]

        async def elsewhere(view: Scope) -> None:
            for one in await self._tier.preference_versions(view, preference_id):
                if canonical(one.value) == canonical(restored[0].value):
                    await self._tier.restore_preference(view, preference_id, one.version)
                    return

        return await self._do(scope, preference_id, change, elsewhere)

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
        return await self._do(
            scope,
            rule_id,
            lambda view: self._tier.update_rule(view, rule_id, text, triggers, priority, active, aside, epoch),
        )

    async def judge_rule(self, scope: Scope, rule_id: str, verdict: Verdict) -> Rule:
        return await self._do(scope, rule_id, lambda view: self._tier.judge_rule(view, rule_id, verdict))

    async def judge_finding(self, scope: Scope, finding_id: str, verdict: Verdict) -> Finding:
        return await self._do(scope, finding_id, lambda view: self._tier.judge_finding(view, finding_id, verdict))

    async def correct_finding(self, scope: Scope, finding_id: str, text: str) -> Finding:
        return await self._do(scope, finding_id, lambda view: self._tier.correct_finding(view, finding_id, text))

    async def restore_rule(self, scope: Scope, rule_id: str, version: int) -> Rule:
        """See the protocol. The version is that of the scope's view; elsewhere the rule becomes what it is then."""
        restored: list[Rule] = []

        async def change(view: Scope) -> Rule:
            restored.append(await self._tier.restore_rule(view, rule_id, version))
            return restored[0]

        async def elsewhere(view: Scope) -> None:
            was = restored[0]
            active = None if was.proposed else was.active  # what is proposed stays so, in each view
            await self._tier.update_rule(view, rule_id, was.text, was.triggers, was.priority, active)

        return await self._do(scope, rule_id, change, elsewhere)

    async def record_activation(self, scope: Scope, rule_id: str, activation_id: str | None = None) -> Rule:
        """See the protocol. As an outcome; an id is its agent's: another may choose the same."""
        own_id = _own_id(scope, activation_id)
        return await self._record(scope, rule_id, lambda view: self._tier.record_activation(view, rule_id, own_id))

    async def record_outcome(self, scope: Scope, rule_id: str, success: bool, outcome_id: str | None = None) -> Rule:
        """See the protocol. How it worked out for an agent is known to that one, and in the whole memory."""
        own_id = _own_id(scope, outcome_id)
        return await self._record(
            scope, rule_id, lambda view: self._tier.record_outcome(view, rule_id, success, own_id)
        )

    async def forget(self, scope: Scope, ids: Collection[str]) -> int:
        """See the protocol: preferences, rules and findings, by their ids."""
        if scope.view is None:
            return await self._everywhere(scope, lambda view: self._tier.forget(view, ids))
        forgotten = 0
        for identifier in ids:
            forgotten += await self._forget(scope, identifier)
        return forgotten

    async def forget_sources(self, scope: Scope, interaction_ids: Collection[str]) -> int:
        """See the protocol: in every view."""
        return await self._everywhere(scope, lambda view: self._tier.forget_sources(view, interaction_ids))

    async def _set(self, scope: Scope, write: Callable[[Scope], Awaitable[T]]) -> T:
        """Write to the whole memory, which alone knows every id, and then to every view of it; or to the scope's own
        view alone, which is answered."""
        if scope.view is None:
            written = await write(scope)
            for view in each_view(scope, await self._views.of(scope))[1:]:
                await write(view)
            return written
        await self._begin(scope)
        await self._inherit(scope)
        written = await write(scope)  # first: what is in an agent's view alone is inherited by no other
        await write(scope.seen_by(None))
        return written

    async def _record(self, scope: Scope, rule_id: str, count: Callable[[Scope], Awaitable[Rule]]) -> Rule:
        """Count in the scope's view and in the whole memory, or in every view where the whole memory is asked."""
        views = await self._views.of(scope)
        here = view_of(scope, views)
        if scope.view is not None and here.view == SHARED:  # an agent without a view of its own: it is others' as well
            rule = await self._tier.get_rule(here, rule_id)
            await count(scope.seen_by(None))
            return rule
        self._see_built(scope, views)
        told = await count(here)
        whole, *others = each_view(scope, views)
        for view in [whole, *others] if scope.view is None else [whole]:
            if view.view != here.view:
                await if_there(count(view))
        return told

    async def _inherit(self, scope: Scope) -> None:
        """Let views that are not built have what people set and judged, before it is changed in the whole memory."""
        views = await self._views.of(scope)
        if not views[SHARED]:
            agents = [view for view in views if view != SHARED]
            await self._tier.inherit(scope.seen_by(SHARED), None, agents)
        if scope.view in views and not views[scope.view]:
            await self._tier.inherit(scope, SHARED)

    async def _forget(self, scope: Scope, identifier: str) -> int:
        async def forget(view: Scope) -> int:
            return await self._tier.forget(view, [identifier])

        return await self._do(scope, identifier, forget)

    async def _do(
        self,
        scope: Scope,
        identifier: str,
        change: Callable[[Scope], Awaitable[T]],
        elsewhere: Callable[[Scope], Awaitable[object]] | None = None,
    ) -> T:
        """Change what has this id in the scope's view, and then, the same or as `elsewhere` does, what has it in
        others."""
        concerned = await self._concerned(scope, lambda view: self._rest_of(view, identifier))
        done = await change(scope)  # of an agent that something was said to alone: it has a view
        for view in concerned:
            await if_there((elsewhere or change)(view))
        return done

    async def _rest_of(self, view: Scope, identifier: str) -> Sources | None:
        """The sources of the preference or rule, with all its versions, or the finding of that id; None without one."""
        with suppress(NotFound):
            versions = await self._tier.preference_versions(view, identifier)
            by_hand = [f"{RESERVED}{canonical(one.value)}" for one in versions if not one.sources]
            return frozenset(source for one in versions for source in one.sources).union(by_hand)
        with suppress(NotFound):
            rules = await self._tier.rule_versions(view, identifier)
            return frozenset(source for one in rules for source in one.sources or (f"{RESERVED}{one.text}",))
        async for finding in pages(lambda cursor: self._tier.list_findings(view, cursor=cursor, limit=PAGE)):
            if finding.id == identifier:
                return frozenset(finding.sources or (f"{RESERVED}{finding.text}",))
        return None


def _is_to_follow(memory: Memory) -> bool:
    return memory.kind == "rule" or memory.always_holds or memory.metadata.get("finding") == "instruction"


def _own_id(scope: Scope, report_id: str | None) -> str | None:
    """The id of a report as it is known in the whole memory, where another agent may have chosen the same."""
    return report_id if scope.view is None or report_id is None else f"{scope.view}{RESERVED}{report_id}"
