"""Applying entries: what is a duplicate, what conflicts, and what a write does to what is there."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from ragpp.errors import Conflict
from ragpp.ledger import EventKind, NewEvent
from ragpp.models import PreferenceEntry, Rule, RuleEntry, Scope, Stored, Vector
from ragpp_services.procedural.naming import WrittenEntry, content_hash, preference_id
from ragpp_services.procedural.preferences.rows import verdicts_as_of
from ragpp_services.procedural.preferences.versions import NO_VERDICTS, PreferenceVersion, fold, united
from ragpp_services.procedural.rules.versions import RuleChange
from ragpp_services.procedural.store import Applied, Rows, SubjectKind

CHANGED: Final[Mapping[SubjectKind, EventKind]] = {"preference": "preference.changed", "rule": "rule.changed"}


@dataclass(frozen=True, slots=True)
class Write:
    """An entry that is new, and its vector."""

    entry: WrittenEntry
    embedding: Vector


async def apply(
    rows: Rows, scope: Scope, entries: Sequence[WrittenEntry], vectors: Sequence[Vector], now: datetime
) -> list[Stored]:
    """Apply those of `entries` that are new; answers in their order.

    A known id is a duplicate, also when what it wrote was forgotten since. An entry of whose sources any was forgotten
    is a duplicate of nothing: it is not learned, and marked as applied when all were, unless it is a rule, whose id is
    that of its words: other interactions may say them. A known rule that is worked out again from others rests on those
    as well; one that was only proposed becomes what is said plainly. Raises Conflict for a known id that says something
    else, before anything is written.
    """
    known = await rows.applied({entry.id for entry in entries})
    _refuse_conflicts(entries, known, await _proposals(rows, entries, known))
    gone = await rows.forgotten_sources({source for entry in entries for source in entry.sources})
    writes: dict[str, Write] = {}
    buried: dict[str, Applied] = {}
    for entry, vector in zip(entries, vectors, strict=True):
        if entry.id in known or entry.id in writes:
            continue
        if gone.isdisjoint(entry.sources):
            writes[entry.id] = Write(entry, vector)
        elif isinstance(entry, PreferenceEntry) and gone.issuperset(entry.sources):
            buried[entry.id] = Applied(entry.id, entry.kind, None, None, None)
    fresh = list(writes.values())
    subjects = await _write(rows, scope, fresh, now)
    supported = await _support(rows, [Write(*pair) for pair in zip(entries, vectors, strict=True)], known, gone, now)
    event_ids = await rows.record(
        [
            *(
                NewEvent(CHANGED[write.entry.kind], subjects[write.entry.id], write.entry.occurred_at)
                for write in fresh
            ),
            *(NewEvent("rule.changed", identifier, now) for identifier in supported),
        ],
        now,
    )
    added = {
        write.entry.id: Applied(
            write.entry.id, write.entry.kind, subjects[write.entry.id], content_hash(write.entry), event_id
        )
        for write, event_id in zip(fresh, event_ids, strict=False)  # those of supported rules come after
    }
    await rows.add_applied([*added.values(), *buried.values()])
    return _answers(entries, added, known)


def _answers(entries: Sequence[WrittenEntry], added: dict[str, Applied], known: dict[str, Applied]) -> list[Stored]:
    """One answer for each entry; the second of two with one id is a duplicate of the first."""
    answered: set[str] = set()
    stored = []
    for entry in entries:
        applied = added.get(entry.id) or known.get(entry.id)
        new = entry.id in added and entry.id not in answered
        answered.add(entry.id)
        stored.append(Stored(id=entry.id, duplicate=not new, event_id=applied.event_id if applied else None))
    return stored


async def _proposals(rows: Rows, entries: Sequence[WrittenEntry], known: Mapping[str, Applied]) -> set[str]:
    """The rules that are only proposed and that one of `entries` says plainly, in words that may be others."""
    plain = {entry.id for entry in entries if isinstance(entry, RuleEntry) and entry.sources and not entry.proposed}
    rules = [await rows.rules.find(identifier) for identifier in sorted(plain & known.keys())]
    return {rule.id for rule in rules if rule is not None and rule.proposed}


def _refuse_conflicts(entries: Sequence[WrittenEntry], known: dict[str, Applied], proposals: set[str]) -> None:
    hashes = {
        identifier: None if identifier in proposals else applied.content_hash for identifier, applied in known.items()
    }
    conflicts = []
    for index, entry in enumerate(entries):
        expected = hashes.setdefault(entry.id, content_hash(entry))
        if expected is not None and expected != content_hash(entry):
            conflicts.append(index)
    if conflicts:
        raise Conflict("an id is known with other content", details={"indexes": conflicts})


async def _write(rows: Rows, scope: Scope, writes: Sequence[Write], now: datetime) -> dict[str, str]:
    """Write all; returns the id of what each entry wrote to, by entry id."""
    own = {
        write.entry.id: preference_id(scope, write.entry.category, write.entry.key)
        for write in writes
        if isinstance(write.entry, PreferenceEntry)
    }
    aliases = await rows.preferences.aliases(set(own.values()))
    named = {entry_id: aliases.get(identifier, identifier) for entry_id, identifier in own.items()}
    versions = await rows.preferences.versions(set(named.values())) if named else {}
    verdicts = verdicts_as_of(await rows.preferences.judged(set(named.values())), None) if named else {}
    names = await rows.preferences.names(set(aliases.values())) if aliases else {}
    for write in writes:
        if isinstance(write.entry, RuleEntry):
            named[write.entry.id] = write.entry.id
            await rows.rules.add(write.entry, write.embedding, now)
            await _act_again(rows, write.entry, now)
            continue
        entry, identifier = write.entry, named[write.entry.id]
        category, key = names.get(identifier, (entry.category, entry.key))
        earlier = versions.setdefault(identifier, [])
        version = PreferenceVersion(
            version=next_version(earlier),
            entry_id=entry.id,
            value=entry.value,
            confidence=entry.confidence,
            stated=entry.stated,
            occurred_at=entry.occurred_at,
            recorded_at=now,
            sources=entry.sources,
            name=None if identifier == own[entry.id] else (entry.category, entry.key),
        )
        earlier.append(version)
        await rows.preferences.add_version(identifier, version, write.embedding)
        await rows.preferences.put(identifier, category, key, fold(earlier, verdicts.get(identifier, NO_VERDICTS)))
    return named


async def _act_again(rows: Rows, entry: RuleEntry, now: datetime) -> None:
    """Do to a rule that is learned again what a person did to it before it went."""
    act = await rows.rules.take_act(entry.id)
    if act is None:
        return
    await rows.rules.set_record(entry.id, act)
    priority = entry.priority if act.priority is None else act.priority
    active = entry.active if act.active is None else act.active
    if priority != entry.priority or act.active is not None:
        change = RuleChange(
            text=entry.text,
            triggers=entry.triggers,
            priority=priority,
            active=active,
            aside=None,
            version=2,
            occurred_at=max(act.at, entry.occurred_at),
            embedding=None,
            proposed=entry.proposed and act.active is None,
        )
        await rows.rules.change(entry.id, change, now, acted=True, judged=act.active is not None)


async def _support(
    rows: Rows, writes: Sequence[Write], known: Mapping[str, Applied], gone: set[str], now: datetime
) -> list[str]:
    """Add to rules that are worked out again what they rest on beyond what was known, and let what was only proposed be
    what is said plainly; returns their ids."""
    again = {
        write.entry.id: (write.entry, write.embedding)
        for write in writes
        if isinstance(write.entry, RuleEntry)
        and write.entry.id in known
        and known[write.entry.id].subject_id is not None
        and gone.isdisjoint(write.entry.sources)
    }
    supported = []
    for identifier, (entry, embedding) in again.items():
        rule = await rows.rules.find(identifier) if entry.sources else None
        if rule is None:
            continue
        more = not set(entry.sources) <= set(rule.sources)
        plainly = rule.proposed and not entry.proposed
        if more:
            await rows.rules.set_sources(identifier, united(rule.sources, entry.sources))
        if plainly:
            await _say_plainly(rows, rule, entry, embedding, now)
        if more or plainly:
            supported.append(identifier)
    return supported


async def _say_plainly(rows: Rows, rule: Rule, entry: RuleEntry, embedding: Vector, now: datetime) -> None:
    """Let a rule that was only proposed be what `entry` says, as its next version; the priority and triggers that a
    person gave it stay."""
    acted = any(version.acted for version in (await rows.rules.histories([rule.id]))[rule.id])
    change = RuleChange(
        text=entry.text,
        triggers=rule.triggers if acted else entry.triggers,
        priority=rule.priority if acted else entry.priority,
        active=entry.active,
        aside=None,
        version=rule.version + 1,
        occurred_at=max(rule.occurred_at, entry.occurred_at),
        embedding=embedding,
        proposed=False,
    )
    await rows.rules.change(rule.id, change, now)
    await rows.rules.unhash(rule.id)


def next_version(versions: Sequence[PreferenceVersion]) -> int:
    """One above the highest; a forgotten version's number is not given again while a later one stands."""
    return max((version.version for version in versions), default=0) + 1
