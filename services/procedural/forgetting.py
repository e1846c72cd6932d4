"""Forgetting: what was written goes with every version, and only the ids of its entries stay behind."""

from collections.abc import Collection
from dataclasses import replace
from datetime import datetime

from ragpp.ledger import NewEvent
from services.procedural.store import Rows
from services.procedural.versions import PreferenceVersion, fold


async def forget(rows: Rows, ids: Collection[str], now: datetime) -> int:
    """Delete preferences and rules by their ids, and what single entries wrote by theirs; returns how many of `ids`
    existed.

    An entry's id takes away its versions alone: what the other versions say becomes current again.
    """
    wanted = set(ids)
    preferences = await rows.delete_preferences(wanted)
    rules = await rows.delete_rules(wanted)
    events = [NewEvent("preference.forgotten", identifier, now) for identifier in preferences]
    events += [NewEvent("rule.forgotten", identifier, now) for identifier in rules]
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
            events.append(await _without(rows, identifier, found, gone, now))
        await rows.bury(entry_ids)
    await rows.record(events, now)
    return len(set(preferences) | set(rules) | entry_ids)


async def forget_sources(rows: Rows, interaction_ids: Collection[str], now: datetime) -> int:
    """Take interactions out of the evidence, for good; returns how many preferences and rules changed or went."""
    gone = set(interaction_ids)
    await rows.add_forgotten_sources(gone)
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
        events.append(await _without(rows, identifier, [*kept, *unsupported], unsupported, now))
        await rows.bury({version.entry_id for version in unsupported})
    dropped = []
    for identifier, sources in (await rows.rules_of_sources(gone)).items():
        remaining = [source for source in sources if source not in gone]
        if remaining:
            await rows.set_rule_sources(identifier, remaining)
            events.append(NewEvent("rule.changed", identifier, now))
        else:
            dropped.append(identifier)
            events.append(NewEvent("rule.forgotten", identifier, now))
    await rows.delete_rules(dropped)
    await rows.record(events, now)
    return len(events)


async def _without(
    rows: Rows,
    identifier: str,
    versions: Collection[PreferenceVersion],
    gone: Collection[PreferenceVersion],
    now: datetime,
) -> NewEvent:
    """Delete the versions `gone`, and make of the others what holds; without others the preference goes as well."""
    kept = [version for version in versions if version not in gone]
    if not kept:
        await rows.delete_preferences([identifier])
        return NewEvent("preference.forgotten", identifier, now)
    await rows.delete_preference_versions(identifier, [version.version for version in gone])
    category, key = (await rows.preference_names([identifier]))[identifier]
    await rows.put_preference(identifier, category, key, fold(kept))
    return NewEvent("preference.changed", identifier, now)
