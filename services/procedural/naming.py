"""How entries of this tier are identified, compared and put into words. Pure."""

import hashlib

import orjson

from ragpp.models import PreferenceEntry, RuleEntry, Scope

ProceduralEntry = PreferenceEntry | RuleEntry


def preference_id(scope: Scope, category: str, key: str) -> str:
    """The id of a user's preference of that name: the same at every write, and never that of another user."""
    name = orjson.dumps([scope.tenant_id, scope.user_id, category, key])
    return f"pref-{hashlib.sha256(name).hexdigest()[:32]}"


def preference_line(category: str, key: str, value: str) -> str:
    """A preference in one line: what is embedded, and what a context shows."""
    return f"{category} {key}: {value}"


def entry_line(entry: ProceduralEntry) -> str:
    """The text that an entry is embedded as."""
    if isinstance(entry, PreferenceEntry):
        return preference_line(entry.category, entry.key, entry.value)
    return entry.text


def content_hash(entry: ProceduralEntry) -> bytes:
    """SHA-256 of what an entry says; two entries of one id with different hashes conflict.

    Of a preference: category, key, value, stated. Of a rule: text, triggers, priority, active. Left out is what may
    differ when the same thing is worked out again: confidence, sources, time and vector.
    """
    if isinstance(entry, PreferenceEntry):
        said: list[object] = ["preference", entry.category, entry.key, entry.value, entry.stated]
    else:
        said = ["rule", entry.text, entry.triggers, entry.priority, entry.active]
    return hashlib.sha256(orjson.dumps(said)).digest()
