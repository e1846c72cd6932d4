"""Making one preference of two, and two of one again when that is all that forgetting leaves."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import datetime

from ragpp.ledger import NewEvent
from ragpp.models import Preference
from ragpp_services.procedural.naming import preference_id
from ragpp_services.procedural.preferences.versions import PreferenceVersion, fold
from ragpp_services.procedural.store import Rows


async def merge(rows: Rows, keep: Preference, absorb: Preference) -> None:
    """Put the versions of `absorb` among those of `keep`, numbered anew by their time; each remembers the name that it
    was said under. What stood for `absorb`, and itself, stands for `keep` from here on."""
    found = await rows.preferences.versions([keep.id, absorb.id])
    named = [
        version if version.name else replace(version, name=(absorb.category, absorb.key))
        for version in found[absorb.id]
    ]
    by_time = sorted(
        [(version, keep.id, version.version) for version in found[keep.id]]
        + [(version, absorb.id, old.version) for version, old in zip(named, found[absorb.id], strict=True)],
        key=lambda one: (one[0].occurred_at, one[0].recorded_at, one[2]),
    )
    numbered = [(replace(one, version=number), of, old) for number, (one, of, old) in enumerate(by_time, start=1)]
    # numbers that are taken until all have moved: one statement a version, and the key is checked at each
    highest = max(old for _, _, old in numbered) + len(numbered)
    moving = {old: replace(one, version=one.version + highest) for one, of, old in numbered if of == keep.id}
    await rows.preferences.move_versions(keep.id, keep.id, moving)
    await rows.preferences.move_versions(absorb.id, keep.id, {old: one for one, of, old in numbered if of == absorb.id})
    settled = [one for one, of, _ in numbered if of == keep.id]
    await rows.preferences.move_versions(keep.id, keep.id, {one.version + highest: one for one in settled})
    await rows.preferences.copy_verdicts(absorb.id, keep.id)
    await rows.preferences.delete_verdicts([absorb.id])
    await rows.preferences.delete_rows([absorb.id])
    await rows.preferences.add_alias(absorb.id, keep.id)
    versions = [one for one, _, _ in numbered]
    await rows.preferences.put(
        keep.id, keep.category, keep.key, fold(versions, await rows.preferences.verdicts(keep.id))
    )


async def settle(
    rows: Rows, identifier: str, versions: Sequence[PreferenceVersion], *, apart: bool = False
) -> list[str]:
    """Make of `versions`, which are all that is left of a preference, what holds; returns the ids of what they amount
    to.

    While any of them was said under the preference's own name, that is one preference, unless the names are to be set
    `apart`. Otherwise its name was taken from what has been forgotten: each name that is left becomes a preference of
    its own again.
    """
    own = [version for version in versions if version.name is None]
    kept = own if apart else versions
    if own:
        category, key = (await rows.preferences.names([identifier]))[identifier]
        await rows.preferences.put(identifier, category, key, fold(kept, await rows.preferences.verdicts(identifier)))
        if len(kept) == len(versions):
            return [identifier]
    by_name: dict[tuple[str, str], list[PreferenceVersion]] = {}
    for version in versions:
        if version.name is not None:
            by_name.setdefault(version.name, []).append(replace(version, name=None))
    await rows.preferences.delete_aliases([identifier])
    made = [identifier] if own else []
    for (category, key), of_name in by_name.items():
        name = preference_id(rows.scope, category, key)
        await rows.preferences.move_versions(identifier, name, {version.version: version for version in of_name})
        await rows.preferences.copy_verdicts(identifier, name)
        await rows.preferences.put(name, category, key, fold(of_name, await rows.preferences.verdicts(name)))
        made.append(name)
    if not own:
        await rows.preferences.delete_rows([identifier])
    return made


async def without_versions(
    rows: Rows,
    identifier: str,
    versions: Sequence[PreferenceVersion],
    gone: Collection[PreferenceVersion],
    now: datetime,
    *,
    apart: bool = False,
) -> list[NewEvent]:
    """Delete the versions `gone`, and make of the others what holds; without others the preference goes as well.
    `apart`: what was merged into it stands for itself again, until it is found once more to be the same."""
    kept = [version for version in versions if version not in gone]
    if not kept:
        await rows.preferences.delete([identifier])
        return [NewEvent("preference.forgotten", identifier, now)]
    await rows.preferences.delete_versions(identifier, [version.version for version in gone])
    made = await settle(rows, identifier, kept, apart=apart)
    events = [NewEvent("preference.changed", one, now) for one in made]
    return events if identifier in made else [*events, NewEvent("preference.forgotten", identifier, now)]
