"""Rows of behavioural rules and their versions."""

from collections.abc import Collection, Sequence
from datetime import datetime

import asyncpg

from ragpp.learned import LEARNED_RULE, SUGGESTED_RULE
from ragpp.models import Rule, RuleEntry, Vector
from ragpp_services.procedural.ranking import Scored
from ragpp_services.procedural.rules.versions import RuleAct, RuleChange, RuleVersion
from ragpp_services.procedural.statements import MAX_CANDIDATES, Statements, cosine_of, half


class RuleRows:
    """One user's rules."""

    def __init__(self, run: Statements) -> None:
        self._run = run

    async def find(self, identifier: str) -> Rule | None:
        row = await self._run.fetchrow("rule", identifier)
        return rule_of(row) if row else None

    async def page(self, active: bool | None, after: tuple[int, str] | None, limit: int) -> list[Rule]:
        return [rule_of(row) for row in await self._run.fetch("rules_page", active, *(after or (None, None)), limit)]

    async def to_review(self, limit: int) -> list[Rule]:
        return [rule_of(row) for row in await self._run.fetch("rules_to_review", SUGGESTED_RULE, LEARNED_RULE, limit)]

    async def versions(self, identifier: str) -> list[Rule]:
        """Every version, newest first."""
        return [rule_of(row) for row in await self._run.fetch("rule_versions", identifier)]

    async def add(self, entry: RuleEntry, embedding: Vector, now: datetime) -> None:
        """The rule and its first version; a person's when it rests on nothing that was said."""
        await self._run.execute(
            "add_rule",
            entry.id,
            entry.text,
            list(entry.triggers),
            entry.priority,
            entry.active,
            1,
            entry.occurred_at,
            now,
            list(entry.sources),
            half(embedding),
            entry.proposed,
        )
        await self._run.execute("keep_rule_version", entry.id, not entry.sources, not entry.sources, False)

    async def change(
        self,
        identifier: str,
        change: RuleChange,
        now: datetime,
        *,
        acted: bool = False,
        written: bool = False,
        judged: bool = False,
    ) -> None:
        """The rule as its next version; `acted`: by a person, `written` with a text of theirs, `judged` for saying
        whether it is followed."""
        await self._run.execute(
            "change_rule",
            identifier,
            change.text,
            list(change.triggers),
            change.priority,
            change.active,
            change.version,
            change.occurred_at,
            now,
            half(change.embedding),
            change.aside,
            change.proposed,
        )
        await self._run.execute("keep_rule_version", identifier, acted, written, judged)

    async def restore(self, identifier: str, earlier: int, version: int, occurred_at: datetime, now: datetime) -> None:
        await self._run.execute("restore_rule", identifier, earlier, version, occurred_at, now)
        await self._run.execute("keep_rule_version", identifier, True, False, False)

    async def drop_reports(self, identifier: str, before: datetime) -> None:
        """Forget which activations and outcomes of a rule were counted before a moment, and not how many."""
        await self._run.execute("drop_reports", [identifier], before)

    async def note_report(self, entry_id: str, identifier: str, now: datetime) -> None:
        """That this activation or outcome was counted is known from now on."""
        await self._run.execute("add_report", entry_id, identifier, now)

    async def count_activation(self, identifier: str) -> None:
        await self._run.execute("count_activation", identifier)

    async def count_outcome(self, identifier: str, success: bool) -> Rule | None:
        row = await self._run.fetchrow("count_outcome", identifier, success)
        return rule_of(row) if row else None

    async def of_sources(self, interaction_ids: Collection[str]) -> set[str]:
        """The rules that rest on any of these."""
        return {row["id"] for row in await self._run.fetch("rules_of_sources", list(interaction_ids))}

    async def set_sources(self, identifier: str, sources: Sequence[str]) -> None:
        """Set the sources of the rule and of all its versions."""
        await self._run.execute("set_rule_sources", identifier, list(sources))
        await self._run.execute("set_rule_version_sources", identifier, list(sources))

    async def histories(self, identifiers: Collection[str]) -> dict[str, list[RuleVersion]]:
        """Every version of each, oldest first."""
        found: dict[str, list[RuleVersion]] = {}
        for row in await self._run.fetch("rule_histories", list(identifiers)):
            values = {**row, "triggers": tuple(row["triggers"])}
            found.setdefault(values.pop("rule_id"), []).append(RuleVersion(**values))
        return found

    async def delete_versions(self, identifier: str, versions: Collection[int]) -> None:
        """Delete some versions of a rule, and let it be what the latest of the others says."""
        await self._run.execute("delete_some_rule_versions", identifier, list(versions))
        await self._run.execute("rewind_rule", identifier)

    async def disown(self, identifier: str, triggers: Collection[str]) -> None:
        """Let a rule rest on nothing, and have none of `triggers`, in any version. Its entries may say it anew."""
        await self._run.execute("strip_rule", identifier, list(triggers))
        await self.set_sources(identifier, ())
        await self._run.execute("rewind_rule", identifier)
        await self.unhash(identifier)

    async def unhash(self, identifier: str) -> None:
        """Let the rule's entry say something else from now on."""
        await self._run.execute("unhash_subjects", "rule", [identifier])

    async def first_told(
        self, beginning: str, *, but: str = "", since: datetime, until: datetime | None = None
    ) -> set[str]:
        """The learned rules whose first version is of that time, by what their ids begin with, and do not."""
        return {row["rule_id"] for row in await self._run.fetch("rules_first_told", beginning, but, since, until)}

    async def within_sources(self, interaction_ids: Collection[str]) -> set[str]:
        """The rules that rest on nothing but these."""
        return {row["id"] for row in await self._run.fetch("rules_within_sources", list(interaction_ids))}

    async def asides_of(self, texts: Collection[str]) -> list[tuple[str, int, bool]]:
        """(rule, version, whether a person did so) wherever a rule was put aside for a reason that holds any of
        `texts`."""
        rows = await self._run.fetch("rules_aside_all", list(texts))
        return [(row["rule_id"], row["version"], row["acted"]) for row in rows]

    async def put_act(self, identifier: str, act: RuleAct) -> None:
        await self._run.execute(
            "put_rule_act", identifier, act.priority, act.active, act.activations, act.outcomes, act.successes, act.at
        )

    async def take_act(self, identifier: str) -> RuleAct | None:
        row = await self._run.fetchrow("take_rule_act", identifier)
        return RuleAct(**row) if row else None

    async def drop_acts(self) -> None:
        """Forget what a person did to rules that are not learned again."""
        await self._run.execute("drop_rule_acts")

    async def set_record(self, identifier: str, act: RuleAct) -> None:
        """How often the rule was followed, and with what success."""
        await self._run.execute("set_rule_record", identifier, act.activations, act.outcomes, act.successes)

    async def texts(self, identifiers: Collection[str]) -> list[str]:
        """Every text that these rules had in any version."""
        return [row["text"] for row in await self._run.fetch("rule_texts", list(identifiers))]

    async def blur_aside(self, texts: Collection[str], reason: str) -> None:
        """Let `reason` stand where a rule was put aside for a reason that holds one of `texts`."""
        rows = await self._run.fetch("rules_aside", list(texts))
        if rows:
            identifiers = [row["rule_id"] for row in rows]
            await self._run.execute("blur_rules_aside", identifiers, reason)
            await self._run.execute("blur_rule_versions_aside", identifiers, reason)

    async def delete(self, identifiers: Collection[str], *, for_good: bool) -> list[str]:
        """Delete these with every version; returns the ids that existed. Their entries are buried when it is for good,
        or else may write them again."""
        await self._run.execute("delete_rule_versions", list(identifiers))
        if for_good:
            await self._run.execute("delete_rule_acts", list(identifiers))
            await self._run.execute("drop_reports", list(identifiers), None)
        await self._run.execute("bury_subjects" if for_good else "unapply_subjects", "rule", list(identifiers))
        return [row["id"] for row in await self._run.fetch("delete_rules", list(identifiers))]

    async def rank(self, embedding: Vector | None, as_of: datetime | None) -> list[Scored[Rule]]:
        """The active rules, as they are or as they were at `as_of`, with their cosine to `embedding`."""
        vector = half(embedding)
        if as_of is None:
            rows = await self._run.fetch("rank_rules", vector, MAX_CANDIDATES)
        else:
            rows = await self._run.fetch("rank_rule_versions", vector, as_of, MAX_CANDIDATES)
        return [Scored(rule_of(row), cosine_of(row)) for row in rows]


def rule_of(row: asyncpg.Record) -> Rule:
    """The success rate is the running mean rₙ = rₙ₋₁ + (xₙ − rₙ₋₁) / n of the outcomes xₙ (1 or 0), kept as the counts
    that it is the quotient of, so that it is exact in whatever order they come."""
    outcomes = row["outcomes"]
    return Rule(
        id=row["id"],
        text=row["text"],
        triggers=tuple(row["triggers"]),
        priority=row["priority"],
        active=row["active"],
        aside=row["aside"],
        proposed=row["proposed"],
        activation_count=row["activations"],
        outcomes=outcomes,
        success_rate=row["successes"] / outcomes if outcomes else None,
        version=row["version"],
        updated_at=row["updated_at"],
        occurred_at=row["occurred_at"],
        sources=tuple(row["sources"]),
    )
