"""A snapshot of a memory: places, the things in them by what they are called, and the fields of each."""

from collections.abc import Mapping
from typing import TypeAlias

from tests.support.oracle_exclusions import excluded_of

Fields: TypeAlias = dict[str, object]
Snapshot: TypeAlias = dict[str, dict[str, Fields]]


def add(snapshot: Snapshot, place: str, name: str, fields: Mapping[str, object]) -> None:
    """Put a thing into the snapshot, without what is excluded; another one of the same name gets a number."""
    left_out = excluded_of(place)
    things = snapshot.setdefault(place, {})
    again = sum(known.partition(" #")[0] == name for known in things)
    things[f"{name} #{again + 1}" if again else name] = {
        key: _plain(value) for key, value in fields.items() if key not in left_out and value is not None
    }


def _plain(value: object) -> object:
    """`value` without what only calculation adds: the last digits of a float."""
    if isinstance(value, float):
        return round(value, 9)
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    if isinstance(value, dict):
        return {key: _plain(one) for key, one in value.items()}
    return value
