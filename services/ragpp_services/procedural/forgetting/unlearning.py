"""Unlearning: dropping what several messages taught together, so that what is left of them may teach it anew.

What was found in a window of messages may hold words of each, and counts all of them. So it goes as a whole when one of
them is forgotten, and the moment from which windows taught it is noted: they are looked at again from there on.
"""

from collections.abc import Collection, Mapping, Sequence
from datetime import date, datetime, time, tzinfo
from typing import Final

from ragpp.learned import COUNTED_DETAIL, HABIT_ENTRY, LEARNED_RULE, READ_DETAIL, READ_ENTRY, SUGGESTED_RULE
from ragpp.ledger import NewEvent
from ragpp.models import FindingKind, TimeRange
from ragpp_services.procedural.findings.evidence import Evidence, fold
from ragpp_services.procedural.preferences.merging import without_versions
from ragpp_services.procedural.preferences.versions import PreferenceVersion
from ragpp_services.procedural.reflections.tier import forget_rules
from ragpp_services.procedural.rules.versions import RuleVersion, act_of
from ragpp_services.procedural.store import Rows

BLURRED_REASON: Final = "it conflicted with a rule that was forgotten"
"""The reason for putting a rule aside that replaces one which a person gave in the words of a forgotten rule."""


async def unlearn(
    rows: Rows,
    since: datetime,
    read: Sequence[TimeRange],
    days: Collection[date] | None,
    zone: tzinfo,
    now: datetime,
) -> None:
    """Drop the patterns that were last seen since a moment, with the habits and rules that came of them; the rules that
    were first told since the local day of that; what a language model read in the times `read`; and the reports of
    `days`, or all of those from which on windows are looked at again."""
    patterns = await rows.findings.taught(COUNTED_DETAIL, since)
    events, moments = await drop_findings(rows, patterns, None, now)
    entries, suggested = set[tuple[str, str]](), set[str]()
    for span in read:
        if span.start is not None:
            told = await rows.findings.taught(READ_DETAIL, span.start, span.end)
            events += await _drop_read(rows, told, span, now)
            suggested |= await rows.rules.first_told(SUGGESTED_RULE, since=span.start, until=span.end)
            entries |= await rows.preferences.of_entries(READ_ENTRY, (), span)
    events += await drop_entries(rows, entries, now)
    more, told_at = await drop_rules(rows, suggested, now, told=False)
    begin, more_told = await _drop_rules_since(rows, min([since, *moments, *told_at]), zone, now)
    await rows.note_dropped([*moments, *told_at, begin])
    await rows.reflections.delete(days, begin.astimezone(zone).date())
    await rows.record([*events, *more, *more_told], now)


async def _drop_rules_since(
    rows: Rows, since: datetime, zone: tzinfo, now: datetime
) -> tuple[datetime, list[NewEvent]]:
    """Drop the rules that were first told from the beginning of a local day on: a report tells which were learned on
    its day. Those that had given way to them may have been told before; then it is the day of the first of these.
    Answers that beginning, and what changed."""
    events: list[NewEvent] = []
    begin = _day_of(since, zone)
    while True:
        rules = await rows.rules.first_told(LEARNED_RULE, but=SUGGESTED_RULE, since=begin)
        more, told_at = await drop_rules(rows, rules, now, told=False)
        events += more
        before, begin = begin, _day_of(min([begin, *told_at]), zone)
        if begin == before:
            return begin, events


def _day_of(moment: datetime, zone: tzinfo) -> datetime:
    """The beginning of the local day of a moment."""
    return datetime.combine(moment.astimezone(zone).date(), time.min, zone)


async def drop_findings(
    rows: Rows, identifiers: Collection[str], gone: set[str] | None, now: datetime
) -> tuple[list[NewEvent], list[datetime]]:
    """Drop the evidence that rests on any of `gone`, or all of it. A pattern goes as a whole, with the habits and rules
    that rest on nothing else. A person's own words stay; a confirmation goes with what it confirmed, which may hold
    words of any message. Answers what changed, and when it was first taught."""
    moments, counted, kept = list[datetime](), set[str](), dict[str, list[Evidence]]()
    found = await rows.findings.evidence(identifiers)
    for identifier, (_, evidence) in found.items():
        left = [one for one in evidence if (one.is_correction if gone is None else gone.isdisjoint(one.sources))]
        if len(left) < len(evidence) and any(_is_counted(one) for one in evidence):
            moments.append(min((one.occurred_at for one in evidence if not one.is_by_hand), default=now))
            counted.update(source for one in evidence for source in one.sources)
            left = [one for one in left if one.is_correction]
        kept[identifier] = left
    events = await _keep(rows, found, kept, now)
    if counted:
        events += await drop_entries(rows, await rows.preferences.of_entries(HABIT_ENTRY, counted), now)
        more, told_at = await drop_rules(rows, await rows.rules.within_sources(counted), now, told=gone is not None)
        events, moments = [*events, *more], [*moments, *told_at]
    return events, moments


async def _drop_read(rows: Rows, identifiers: Collection[str], span: TimeRange, now: datetime) -> list[NewEvent]:
    """Drop what a language model read in a time, and leave what it read in others."""
    found = await rows.findings.evidence(identifiers)
    kept = {
        identifier: [one for one in evidence if READ_DETAIL not in one.details or _is_apart(one, span)]
        for identifier, (_, evidence) in found.items()
    }
    return await _keep(rows, found, kept, now)


async def _keep(
    rows: Rows,
    found: Mapping[str, tuple[FindingKind, Sequence[Evidence]]],
    kept: Mapping[str, Sequence[Evidence]],
    now: datetime,
) -> list[NewEvent]:
    """Let findings rest on what is kept of the evidence that was found, by id; those without any go."""
    folded = [fold(identifier, kind, kept[identifier]) for identifier, (kind, _) in found.items() if kept[identifier]]
    dropped = [identifier for identifier, left in kept.items() if not left]
    lost = {
        identifier: sorted({one.number for one in evidence} - {one.number for one in kept[identifier]})
        for identifier, (_, evidence) in found.items()
        if kept[identifier]
    }
    await rows.findings.delete_evidence(lost)
    await rows.findings.put(folded, [one.finding.id for one in folded])
    if dropped:
        await rows.findings.delete(dropped)
    return [
        NewEvent("finding.changed" if left else "finding.forgotten", identifier, now)
        for identifier, left in kept.items()
    ]


async def drop_entries(rows: Rows, entries: Collection[tuple[str, str]], now: datetime) -> list[NewEvent]:
    """Drop what entries wrote, by (preference, entry), so that they may write it again. A version of it that a person
    restored stays."""
    events: list[NewEvent] = []
    gone = {entry for _, entry in entries}
    versions = await rows.preferences.versions({preference for preference, _ in entries}) if entries else {}
    for identifier, found in versions.items():
        dropped = [version for version in found if version.entry_id in gone and not _is_restored(version)]
        events += await without_versions(rows, identifier, found, dropped, now)
    await rows.unapply(gone)
    return events


async def drop_rules(
    rows: Rows, identifiers: Collection[str], now: datetime, *, told: bool
) -> tuple[list[NewEvent], list[datetime]]:
    """Drop learned rules, and those that were put aside for them, to be learned anew. What a person wrote stays, in
    their words, without what it rested on; what else a person did is done again to a rule that is learned again.
    `told`: reports tell of them no longer, for what they rested on was forgotten. Answers what changed, and when the
    rules were first told."""
    histories = await _with_put_aside(rows, identifiers)
    if not histories:
        return [], []
    texts = {one.text for history in histories.values() for one in history if not one.written}
    going, events = [], []
    for identifier, history in histories.items():
        learned = _learned(history)
        repeated = any(one.text in own.text for one in learned for own in history if own.written)
        if history[0].written or (learned and len(learned) < len(history) and not repeated):
            triggers = {trigger for one in learned for trigger in one.triggers}
            await rows.rules.delete_versions(identifier, [one.version for one in learned])
            await rows.rules.disown(identifier, triggers)
            events.append(NewEvent("rule.changed", identifier, now))
        else:
            act = act_of(history)
            if act is not None:
                await rows.rules.put_act(identifier, act)
            going.append(identifier)
            events.append(NewEvent("rule.forgotten", identifier, now))
    await rows.rules.delete(going, for_good=False)
    events += await _take_back(rows, texts, now)
    if told:
        await forget_rules(rows, set(histories), texts)
    return events, [history[0].occurred_at for history in histories.values()]


def _learned(history: Sequence[RuleVersion]) -> list[RuleVersion]:
    """The versions that are no person's: by their words, or in a rule that was a person's from the first one on, where
    all have a person's words, by who made them."""
    if history[0].written:
        return [one for one in history if not one.acted]
    return [one for one in history if not one.written]


async def _with_put_aside(rows: Rows, identifiers: Collection[str]) -> dict[str, list[RuleVersion]]:
    """The versions of those rules, and of the learned ones that were put aside for them, and for those, and so on; but
    not of what a language model suggested, which would have to be asked again."""
    found: dict[str, list[RuleVersion]] = {}
    wanted = set(identifiers)
    while wanted:
        fresh = await rows.rules.histories(wanted)
        found |= fresh
        texts = {one.text for history in fresh.values() for one in history if not one.written}
        asides = await rows.rules.asides_of(texts) if texts else []
        told = {rule for rule, _, acted in asides if not acted and rule.startswith(LEARNED_RULE)}
        wanted = {rule for rule in told if not rule.startswith(SUGGESTED_RULE)} - found.keys()
    return found


async def _take_back(rows: Rows, texts: Collection[str], now: datetime) -> list[NewEvent]:
    """Let rules be as before they were put aside for what held any of `texts`; where a person put them aside, only the
    words go."""
    if not texts:
        return []
    by_rule: dict[str, list[int]] = {}
    acted = False
    for identifier, version, by_hand in await rows.rules.asides_of(texts):
        if by_hand:
            acted = True
        else:
            by_rule.setdefault(identifier, []).append(version)
    for identifier, versions in by_rule.items():
        await rows.rules.delete_versions(identifier, versions)
    if acted:
        await rows.rules.blur_aside(texts, BLURRED_REASON)
    return [NewEvent("rule.changed", identifier, now) for identifier in by_rule]


def _is_restored(version: PreferenceVersion) -> bool:
    """True where a person restored the version: that is said as it is written; what windows taught was said before."""
    return version.stated and version.occurred_at >= version.recorded_at


def _is_counted(one: Evidence) -> bool:
    return COUNTED_DETAIL in one.details


def _is_apart(one: Evidence, span: TimeRange) -> bool:
    """True where it was read at another time; of a confirmation nobody knows which reading it copied."""
    return not one.is_by_hand and not _within(one.occurred_at, span)


def _within(moment: datetime, span: TimeRange) -> bool:
    return (span.start is None or span.start <= moment) and (span.end is None or moment < span.end)
