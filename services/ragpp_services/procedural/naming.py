"""How entries of this tier are identified, compared and put into words. Pure."""

import hashlib
from collections.abc import Mapping
from datetime import timedelta
from typing import Final

import orjson
from pydantic import JsonValue

from ragpp.learned import OWN_ENTRY, PREFERENCE
from ragpp.models import DateSpan, FindingEntry, Precision, PreferenceEntry, RuleEntry, Scope
from ragpp.preference_values import canonical, same_text, shown

WrittenEntry = PreferenceEntry | RuleEntry
"""An entry that is written once for its id."""
ProceduralEntry = WrittenEntry | FindingEntry

_INSTANT: Final = timedelta(microseconds=1)
_CHARACTERS: Final[Mapping[Precision, int]] = {"month": 7, "season": 7, "year": 4}
"""How much of an ISO 8601 moment tells an interval of that precision; a day is ten characters."""


def preference_id(scope: Scope, category: str, key: str) -> str:
    """The id of a user's preference of that name: the same at every write, and never that of another user."""
    name = orjson.dumps([scope.tenant_id, scope.user_id, category, key])
    return f"{PREFERENCE}{hashlib.sha256(name).hexdigest()[:32]}"


def activation_entry(rule_id: str, activation_id: str) -> str:
    """The id of the entry that an activation of a rule is: of no other rule's, and of a form that nobody may choose."""
    return f"{OWN_ENTRY}{hashlib.sha256(orjson.dumps([rule_id, activation_id])).hexdigest()}"


def outcome_entry(rule_id: str, outcome_id: str) -> str:
    """The same of an outcome; an activation may have the same id."""
    return f"{OWN_ENTRY}{hashlib.sha256(orjson.dumps([rule_id, outcome_id, 'outcome'])).hexdigest()}"


def value_hash(value: JsonValue) -> bytes:
    """The hash that two values have in common that say the same: SHA-256 of `same_text`. A verdict is remembered by it,
    since the value may be forgotten."""
    return hashlib.sha256(same_text(value).encode()).digest()


def preference_line(category: str, key: str, value: JsonValue) -> str:
    """A preference in one line: what is embedded, and what a context shows."""
    return f"{category} {key}: {shown(value)}"


def finding_line(text: str, when: DateSpan | None) -> str:
    """A finding in one line, with the time it speaks of when that is known and not in its words: "… (2023-05-19)"."""
    if when is None:
        return text
    moment = span_text(when)
    return text if moment in text else f"{text} ({moment})"


def span_text(when: DateSpan) -> str:
    """The interval in as few words as its precision needs: 2023-05-19 14:00, 2023-05-19, week of 2023-05-15, 2023-05,
    2023 or 2010s; an interval of several days, months or years with its first and its last one."""
    start, last = when.start.isoformat(), (when.end - _INSTANT).isoformat()
    if when.precision in {"minute", "hour"}:
        return start[:16].replace("T", " ")
    if when.precision == "decade":
        return f"{start[:4]}s"
    if when.precision == "week" and when.end - when.start <= timedelta(days=7):
        return f"week of {start[:10]}"
    shown = _CHARACTERS.get(when.precision, 10)
    return start[:shown] if start[:shown] == last[:shown] else f"{start[:shown]} to {last[:shown]}"


def entry_line(entry: ProceduralEntry) -> str:
    """The text that an entry is embedded as."""
    if isinstance(entry, PreferenceEntry):
        return preference_line(entry.category, entry.key, entry.value)
    return entry.text


def content_hash(entry: WrittenEntry) -> bytes:
    """SHA-256 of what an entry says; two entries of one id with different hashes conflict.

    Of a preference: category, key, value, stated. Of a rule: text, triggers, priority, active. Left out is what may
    differ when the same thing is worked out again: confidence, sources, time and vector.
    """
    if isinstance(entry, PreferenceEntry):
        value = entry.value if isinstance(entry.value, str) else {"json": canonical(entry.value)}
        said: list[object] = ["preference", entry.category, entry.key, value, entry.stated]
    else:
        said = ["rule", entry.text, entry.triggers, entry.priority, entry.active]
    return hashlib.sha256(orjson.dumps(said)).digest()
