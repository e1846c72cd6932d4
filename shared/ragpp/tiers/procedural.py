"""The contract of the tier that holds preferences, rules, findings and reflections."""

from collections.abc import Collection, Sequence
from datetime import date, datetime
from typing import Protocol

from ragpp.learned import Finding, ProceduralText, Reflection, ReflectionKind, Verdict
from ragpp.models import (
    Entry,
    FindingKind,
    KnownUser,
    OneValue,
    Page,
    Preference,
    PreferenceEntry,
    Rule,
    RuleEntry,
    Scope,
    Stored,
    TimeRange,
)
from ragpp.tiers.memory import MemoryTier


class ProceduralTier(MemoryTier, Protocol):
    """Preferences, behavioural rules and findings, every version of a rule or preference readable; and the reports of
    reflections. `store` takes PreferenceEntry, RuleEntry and FindingEntry."""

    async def store(
        self,
        scope: Scope,
        entries: Sequence[Entry],
        epoch: int | None = None,
        instead_of: Sequence[str] = (),
    ) -> list[Stored]:
        """As every tier's. `instead_of`: interactions that are not forgotten, of which in the same transaction all goes
        first that rests on them, as by `forget_sources`, and may be learned again. That begins an epoch."""
        ...

    async def users(self, scope: Scope, after: str = "", limit: int = 50, only: str | None = None) -> list[KnownUser]:
        """As the episodic tier's: of whom there are preferences, rules or findings; without `last_at`."""
        ...

    async def set_preference(self, scope: Scope, entry: PreferenceEntry) -> Preference:
        """Write a preference: the new value and the greater confidence are kept; an inferred value never
        replaces a stated one and waits beside it. The confidence of what rests on interactions grows with them, and a
        value that changed begins with its own. Idempotent by the entry's id."""
        ...

    async def list_preferences(
        self,
        scope: Scope,
        category: str | None = None,
        cursor: str | None = None,
        limit: int = 50,
        as_of: datetime | None = None,
    ) -> Page[Preference]:
        """Preferences by category and key, without deleted and rejected ones; as they were at `as_of`, or as they
        are."""
        ...

    async def review_preferences(self, scope: Scope, below: float, limit: int = 50) -> list[Preference]:
        """Preferences of a confidence under `below` on which nobody has judged, the surest first."""
        ...

    async def judge_preference(
        self, scope: Scope, preference_id: str, verdict: Verdict, value: OneValue | None = None
    ) -> Preference:
        """Judge its current value, or `value`, one that it has or had. Confirmed: stated, with confidence 1. Rejected:
        not shown, and this value not learned again; another value of the same key is. The last verdict counts. Answers
        the preference as it is then: where an earlier value is left after a rejection, with that one. NotFound when
        there is none of that id, or it never had the value."""
        ...

    async def merge_preferences(
        self, scope: Scope, keep_id: str, absorb_id: str, epoch: int | None = None
    ) -> Preference:
        """Make one preference of two that ask the same question: the versions of both, by their time, under the kept
        name; what is said later under the absorbed name goes to the kept one. Repeating it changes nothing."""
        ...

    async def list_findings(
        self,
        scope: Scope,
        finding: FindingKind | None = None,
        as_of: datetime | None = None,
        cursor: str | None = None,
        limit: int = 50,
    ) -> Page[Finding]:
        """Findings of one kind or of all, the latest first; what had been found by `as_of`."""
        ...

    async def judge_finding(self, scope: Scope, finding_id: str, verdict: Verdict) -> Finding:
        """Confirmed: it is sure, and holds also where something that was said before seemed to end it. Rejected: it is
        deleted, answered as it was, and not made again. NotFound when there is none of that id."""
        ...

    async def correct_finding(self, scope: Scope, finding_id: str, text: str) -> Finding:
        """Put a person's words in place of the finding's. They are sure, rest on no interaction, and stay whatever is
        found later. NotFound when there is none of that id."""
        ...

    async def near_findings(self, scope: Scope, finding_ids: Sequence[str]) -> list[tuple[Finding, Finding]]:
        """Pairs of statements of which the later may say that the earlier holds no longer, as they are near each other
        in meaning: one of these findings in each, the earlier first, the nearest pairs first."""
        ...

    async def end_findings(self, scope: Scope, pairs: Sequence[tuple[str, str]], epoch: int | None = None) -> int:
        """Keep that the second finding of each pair says that the first holds no longer, as a language model read; how
        many there are of these. What is said again later holds again, and an ending goes with either finding. Repeating
        it changes nothing."""
        ...

    async def save_reflection(self, scope: Scope, reflection: Reflection, epoch: int | None = None) -> Reflection:
        """Keep a report, once for its id; answers the one that is kept."""
        ...

    async def list_reflections(
        self, scope: Scope, kind: ReflectionKind | None = None, cursor: str | None = None, limit: int = 50
    ) -> Page[Reflection]:
        """Reports, the latest date first."""
        ...

    async def get_reflection(self, scope: Scope, reflection_id: str) -> Reflection:
        """NotFound when there is none of that id in the scope."""
        ...

    async def get_preference(self, scope: Scope, preference_id: str) -> Preference:
        """NotFound when there is none of that id in the scope."""
        ...

    async def preference_versions(self, scope: Scope, preference_id: str) -> list[Preference]:
        """Every version, newest first."""
        ...

    async def restore_preference(self, scope: Scope, preference_id: str, version: int) -> Preference:
        """Make an earlier version's value current again, as a new version."""
        ...

    async def create_rule(self, scope: Scope, entry: RuleEntry) -> Rule:
        """Idempotent by the entry's id; Conflict when the id is known with another text."""
        ...

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
        """Change what is given, as a new version. `aside`: the reason why it is put aside, which makes it inactive;
        making it active again clears the reason. Who gives a rule that is proposed `active`, `aside` or other words has
        decided on it."""
        ...

    async def review_rules(self, scope: Scope, limit: int = 50) -> list[Rule]:
        """Rules that are proposed: nobody said them plainly, and no person confirmed them. The latest first."""
        ...

    async def judge_rule(self, scope: Scope, rule_id: str, verdict: Verdict) -> Rule:
        """Confirmed: the rule is active, and stays when only what is proposed is left of what it rests on. Rejected:
        it is deleted, answered as it was, and not learned again. NotFound when there is none of that id."""
        ...

    async def list_rules(
        self,
        scope: Scope,
        active: bool | None = None,
        cursor: str | None = None,
        limit: int = 50,
    ) -> Page[Rule]:
        """Rules by priority, highest first; those that are proposed among the ones that are not `active`."""
        ...

    async def get_rule(self, scope: Scope, rule_id: str) -> Rule:
        """NotFound when there is none of that id in the scope."""
        ...

    async def rule_versions(self, scope: Scope, rule_id: str) -> list[Rule]:
        """Every version, newest first."""
        ...

    async def restore_rule(self, scope: Scope, rule_id: str, version: int) -> Rule:
        """Make an earlier version current again, as a new version. What is proposed stays so, and what is not does not
        become it again."""
        ...

    async def record_activation(self, scope: Scope, rule_id: str, activation_id: str | None = None) -> Rule:
        """Count that the rule was activated, once for an id, which is known for 30 days. NotFound when there is no rule
        of that id in the scope."""
        ...

    async def record_outcome(self, scope: Scope, rule_id: str, success: bool, outcome_id: str | None = None) -> Rule:
        """Count an outcome and move the success rate, once for an id as above; NotFound as above. It is no
        activation."""
        ...

    async def inherit(self, scope: Scope, of: str | None, beside: Sequence[str] = ()) -> int:
        """Begin the scope's view with what people set, judged and deleted in the view `of` (None: the whole memory),
        which no message says; but for what was set in a view of `beside` alone. Harmless to repeat. Returns how much
        was set."""
        ...

    async def expire(self, scope: Scope, ids: Collection[str]) -> int:
        """As `forget`, but what is said or found again is learned again."""
        ...

    async def texts(self, scope: Scope, cursor: str | None = None, limit: int = 50) -> Page[ProceduralText]:
        """Every row that has words, those of one thing together: of preferences, rules and findings each version and
        each evidence by itself, and reports."""
        ...

    async def reword(self, scope: Scope, texts: Sequence[ProceduralText], epoch: int | None = None) -> None:
        """Put these words in the place of those of the same rows; nothing of what they said stays, but for ids. A
        preference of another name has another id, and what was judged of a value is judged of what is there now. A
        report goes. It begins an epoch; Outdated where something was forgotten since `epoch`."""
        ...

    async def forget_sources(self, scope: Scope, interaction_ids: Collection[str]) -> int:
        """Take forgotten interactions out of what was learned; what rested on any of them is made of the evidence that
        does not, or deleted with every version, but for what a person did. Returns how many preferences, rules,
        findings and reports changed or went."""
        ...

    async def unlearn(
        self,
        scope: Scope,
        since: datetime,
        time_zone: str,
        read: Sequence[TimeRange] = (),
        days: Sequence[date] | None = None,
    ) -> None:
        """Drop what windows of messages taught, so that they can teach it anew: patterns seen since that moment with
        what came of them, rules first told since its day, what a language model read in the times `read`, the reports
        of `days` or, where that is None, of all days from which on windows are to be looked at again. The ledger notes
        from when on that is. What a person said, wrote or judged stays. Begins an epoch."""
        ...

    async def relearned(self, scope: Scope) -> None:
        """All that was dropped has been looked at again: what a person did to a rule that nobody teaches any more, and
        that they confirmed a value that nobody says any more, is not kept for whoever teaches it later. While the
        ledger notes more to look at, nothing happens."""
        ...
