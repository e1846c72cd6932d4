"""The result of a work, as it is kept with it."""

import json
from collections.abc import Mapping

from pydantic import JsonValue

Result = Mapping[str, JsonValue]


def as_json(value: Result) -> str:
    """`value` as PostgreSQL's json takes it; a NUL, which it cannot hold, is left out."""
    return json.dumps(_without_nul(dict(value)), ensure_ascii=False)


def _without_nul(value: JsonValue) -> JsonValue:
    """In the values, as in their JSON it looks like what follows a backslash in a text."""
    if isinstance(value, str):
        return value.replace("\x00", "")
    if isinstance(value, dict):
        return {key.replace("\x00", ""): _without_nul(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_without_nul(item) for item in value]
    return value
