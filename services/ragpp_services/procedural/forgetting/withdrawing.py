"""Forgetting: what was written goes with every version, and only ids and hashes of what it was stay behind."""

from collections.abc import Collection, Sequence
from datetime import datetime

from ragpp.learned import HABIT_ENTRY, READ_ENTRY
from ragpp.ledger import NewEvent
from ragpp_services.procedural.forgetting.unlearning import BLURRED_REASON, drop_findings, drop_rules
from ragpp_services.procedural.naming import value_hash
from ragpp_services.procedural.preferences.merging import without_versions
from ragpp_services.procedural.preferences.versions import PreferenceVersion
from ragpp_services.procedural.reflections.tier import forget_rules
from ragpp_services.procedural.reflections.tier import without_sources as report_without
from ragpp_services.procedural.store import Rows


async def forget(rows: Rows, ids: Collection[str], now: datetime, *, for_good: bool = True) -> int:
    """Delete preferences, rules and findings by their ids, and what single entries wrote by theirs; returns how many of
    `ids` existed.

    A preference goes with every verdict on it and every name that stands for it. A rule or finding that goes for
    good is not made again. An entry's id takes away its versions alone: what the other versions say becomes current
    again.
    """
    wanted = set(ids)
    aliases = await rows.preferences.aliases(wanted)
    preferences = await rows.preferences.delete(wanted | set(aliases.values()))
    await rows.preferences.delete_verdicts(preferences)
    rules = await _delete_rules(rows, wanted, for_good=for_good)
    findings = await rows.findings.delete(wanted)
    if findings and for_good:
        await rows.findings.add_forgotten(findings)
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
        versions = await rows.preferences.versions(subjects)
        for identifier, found in versions.items():
            gone = [version for version in found if version.entry_id in entry_ids]
            events += await without_versions(rows, identifier, found, gone, now)
        await rows.bury(entry_ids)
    await rows.record(events, now)
    if events:
        await rows.raise_epoch()
    deleted = set(preferences) | {alias for alias, identifier in aliases.items() if identifier in preferences}
    return len((deleted & wanted) | set(rules) | set(findings) | entry_ids)


async def withdraw_sources(
    rows: Rows, interaction_ids: Collection[str], now: datetime, *, for_good: bool = True
) -> int:
    """Take interactions out of what was learned: whatever rests on any of them goes, or is made of the evidence that
    does not. Returns how many preferences, rules, findings and reports changed or went. `for_good`: they are forgotten;
    otherwise they stay, and may teach the same again.

    What can be learned from what is left is learned anew, from windows that are looked at again since the moments
    noted here. Verdicts stay, by the hashes of the values: what was rejected is not learned from others; so does what a
    person did to rules.
    """
    gone = set(interaction_ids)
    events = await _preferences_without(rows, gone, now, for_good=for_good)
    of_findings, moments = await drop_findings(rows, await rows.findings.of_sources(gone), gone, now)
    of_rules, told_at = await drop_rules(rows, await rows.rules.of_sources(gone), now, told=True)
    await rows.note_dropped([*moments, *told_at])
    reports = await rows.reflections.of_sources(gone)
    for report in reports:
        await rows.reflections.change(report_without(report, gone))
    events += [*of_findings, *of_rules]
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
    for identifier, found in (await rows.preferences.versions(preferences)).items():
        gone = [version for version in found if version.entry_id not in entries]
        if gone:
            await rows.record(await without_versions(rows, identifier, found, gone, now), now)
    return await rows.erase(entries, preferences, rules)


async def _preferences_without(rows: Rows, gone: set[str], now: datetime, *, for_good: bool) -> list[NewEvent]:
    events: list[NewEvent] = []
    touched = await rows.preferences.of_sources(gone)
    for identifier, found in (await rows.preferences.versions(touched)).items():
        unsupported = [version for version in found if not gone.isdisjoint(version.sources)]
        if for_good:
            heard = [version for version in unsupported if not version.entry_id.startswith((HABIT_ENTRY, READ_ENTRY))]
            await _lift_confirmations(rows, identifier, heard, [one for one in found if one not in unsupported])
        # the kept name is that of what was known longest
        renamed = any(version.name is None for version in unsupported)
        events += await without_versions(rows, identifier, found, unsupported, now, apart=renamed)
        entries = {version.entry_id for version in unsupported}
        buried = {version.entry_id for version in unsupported if for_good and gone.issuperset(version.sources)}
        await rows.bury(buried)
        await rows.unapply(entries - buried)
    return events


async def lift_what_nobody_says(rows: Rows) -> None:
    """Let nobody have confirmed values that no version has any more."""
    judged = [one for one in await rows.preferences.judged() if one.verdict == "confirmed"]
    versions = await rows.preferences.versions({one.preference_id for one in judged}) if judged else {}
    for one in judged:
        if one.value_hash not in {value_hash(version.value) for version in versions.get(one.preference_id, ())}:
            await rows.preferences.lift_verdicts(one.preference_id, [one.value_hash], "confirmed")


async def _lift_confirmations(
    rows: Rows, identifier: str, gone: Sequence[PreferenceVersion], kept: Sequence[PreferenceVersion]
) -> None:
    """A value that was confirmed and that nobody is known to have said is confirmed no more when it is said later."""
    left = {value_hash(version.value) for version in kept}
    await rows.preferences.lift_verdicts(
        identifier, {value_hash(version.value) for version in gone} - left, "confirmed"
    )


async def _delete_rules(rows: Rows, identifiers: Collection[str], *, for_good: bool) -> list[str]:
    """Delete rules, and what else tells their words: reasons why others were put aside, and reports."""
    texts = await rows.rules.texts(identifiers) if identifiers else []
    deleted = await rows.rules.delete(identifiers, for_good=for_good) if texts else []
    if deleted:
        await rows.rules.blur_aside([*texts, *deleted], BLURRED_REASON)
        await forget_rules(rows, set(deleted), set(texts))
    return deleted
