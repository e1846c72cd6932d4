"""Forgetting: what was written goes with every version, and only ids and hashes of what it was stay behind."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

from ragpp.ledger import NewEvent
from services.procedural.finding_evidence import fold, without_sources
from services.procedural.merging import settle
from services.procedural.reflections import forget_rules
from services.procedural.reflections import without_sources as report_without
from services.procedural.store import Rows
from services.procedural.versions import PreferenceVersion

FORGOTTEN_REASON: Final = "it conflicted with a rule that was forgotten"
"""What the reason for putting a rule aside becomes when it told the words of a forgotten one."""


async def forget(rows: Rows, ids: Collection[str], now: datetime, *, for_good: bool = True) -> int:
    """Delete preferences, rules and findings by their ids, and what single entries wrote by theirs; returns how many of
    `ids` existed.

    A preference goes with every verdict on it and every name that stands for it. A rule or finding that goes for
    good is not made again. An entry's id takes away its versions alone: what the other versions say becomes current
    again.
    """
    wanted = set(ids)
    aliases = await rows.aliases(wanted)
    preferences = await rows.delete_preferences(wanted | set(aliases.values()))
    await rows.delete_verdicts(preferences)
    rules = await _delete_rules(rows, wanted, for_good=for_good)
    findings = await rows.delete_findings(wanted)
    if findings and for_good:
        await rows.add_forgotten_findings(findings)
    events = [NewEvent("preference.forgotten", identifier, now) for identifier in preferences]
    events += [NewEvent("rule.forgotten", identifier, now) for identifier in rules]
    events += [NewEvent("finding.forgotten", identifier, now) for identifier in findings]
    written = [
        applied
        for applied in (await rows.applied(wanted)).values()
        if applied.kind == "preference" and applied.subject_id is not None
    ]
    subjects = {applied.subject_id for applied in written if applied.subject_id is not None}
    entry_ids = {applied.entry_id for applied in written}
    if subjects:
        versions = await rows.preference_versions(subjects)
        for identifier, found in versions.items():
            gone = [version for version in found if version.entry_id in entry_ids]
            events += await _without(rows, identifier, found, gone, now)
        await rows.bury(entry_ids)
    await rows.record(events, now)
    if events:
        await rows.raise_epoch()
    deleted = set(preferences) | {alias for alias, identifier in aliases.items() if identifier in preferences}
    return len((deleted & wanted) | set(rules) | set(findings) | entry_ids)


async def withdraw_sources(rows: Rows, interaction_ids: Collection[str], now: datetime) -> int:
    """Take interactions, which are marked as forgotten, out of the evidence; returns how many preferences, rules,
    findings and reports changed or went. Verdicts stay, by the hashes of the values: what was rejected is not learned
    from others. A rule or finding that goes is learned again from other interactions."""
    gone = set(interaction_ids)
    events = [
        *await _preferences_without(rows, gone, now),
        *await _rules_without(rows, gone, now),
        *await _findings_without(rows, gone, now),
    ]
    reports = await rows.reflections_of_sources(gone)
    for report in reports:
        await rows.change_reflection(report_without(report, gone))
    await rows.record(events, now)
    return len(events) + len(reports)


async def erase(rows: Rows, before: int, now: datetime) -> bool:
    """Delete a part of everything of the user, but for what somebody set by the event `before` or later; whether there
    may be more. A preference that was set later has its later versions alone. What a worker writes later rests on
    interactions of before, and goes: those since are not looked at yet."""
    later = await rows.set_later(before)
    entries = {entry_id for entry_id, _, _ in later}
    preferences = {identifier for _, kind, identifier in later if kind == "preference"}
    rules = {identifier for _, kind, identifier in later if kind == "rule"}
    for identifier, found in (await rows.preference_versions(preferences)).items():
        gone = [version for version in found if version.entry_id not in entries]
        if gone:
            await rows.record(await _without(rows, identifier, found, gone, now), now)
    return await rows.erase(entries, preferences, rules)


async def _preferences_without(rows: Rows, gone: set[str], now: datetime) -> list[NewEvent]:
    events = []
    touched = await rows.preferences_of_sources(gone)
    for identifier, found in (await rows.preference_versions(touched)).items():
        unsupported, kept = [], []
        for version in found:
            left = tuple(source for source in version.sources if source not in gone)
            if left == version.sources:
                kept.append(version)
            elif left:
                await rows.set_preference_sources(identifier, version.version, left)
                kept.append(replace(version, sources=left))
            else:
                unsupported.append(version)
        events += await _without(rows, identifier, [*kept, *unsupported], unsupported, now)
        await rows.bury({version.entry_id for version in unsupported})
    return events


async def _rules_without(rows: Rows, gone: set[str], now: datetime) -> list[NewEvent]:
    events, dropped = [], []
    for identifier, sources in (await rows.rules_of_sources(gone)).items():
        remaining = [source for source in sources if source not in gone]
        if remaining:
            await rows.set_rule_sources(identifier, remaining)
            events.append(NewEvent("rule.changed", identifier, now))
        else:
            dropped.append(identifier)
            events.append(NewEvent("rule.forgotten", identifier, now))
    await _delete_rules(rows, dropped, for_good=False)
    return events


async def _findings_without(rows: Rows, gone: set[str], now: datetime) -> list[NewEvent]:
    events, dropped, folded, changed, lost = [], [], [], [], {}
    known = await rows.finding_evidence(await rows.findings_of_sources(gone))
    for identifier, (kind, evidence) in known.items():
        left = without_sources(evidence, gone)
        lost[identifier] = sorted({one.number for one in evidence} - {one.number for one in left})
        changed += [(identifier, one) for one in left if one not in evidence]
        if left:
            folded.append(fold(identifier, kind, left))
            events.append(NewEvent("finding.changed", identifier, now))
        else:
            dropped.append(identifier)
            events.append(NewEvent("finding.forgotten", identifier, now))
    await rows.delete_finding_evidence(lost)
    await rows.change_finding_evidence(changed)
    await rows.put_findings(folded)
    if dropped:
        await rows.delete_findings(dropped)
    return events


async def _delete_rules(rows: Rows, identifiers: Collection[str], *, for_good: bool) -> list[str]:
    """Delete rules, and what else tells their words: reasons why others were put aside, and reports."""
    texts = await rows.rule_texts(identifiers) if identifiers else []
    deleted = await rows.delete_rules(identifiers, for_good=for_good) if texts else []
    if deleted:
        await rows.blur_aside([*texts, *deleted], FORGOTTEN_REASON)
        await forget_rules(rows, set(deleted), set(texts))
    return deleted


async def _without(
    rows: Rows,
    identifier: str,
    versions: Sequence[PreferenceVersion],
    gone: Collection[PreferenceVersion],
    now: datetime,
) -> list[NewEvent]:
    """Delete the versions `gone`, and make of the others what holds; without others the preference goes as well."""
    kept = [version for version in versions if version not in gone]
    if not kept:
        await rows.delete_preferences([identifier])
        return [NewEvent("preference.forgotten", identifier, now)]
    await rows.delete_preference_versions(identifier, [version.version for version in gone])
    made = await settle(rows, identifier, kept)
    events = [NewEvent("preference.changed", one, now) for one in made]
    return events if identifier in made else [*events, NewEvent("preference.forgotten", identifier, now)]
