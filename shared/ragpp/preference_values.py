"""The values of preferences: any JSON value; when two say the same, and how one is shown in a line. Pure."""

import json
import re
import unicodedata
from typing import Annotated, Final

from pydantic import AfterValidator, JsonValue

from ragpp.fields import storable_json
from ragpp.names import says_nothing

MAX_VALUE_CHARS: Final = 4_000
"""Characters of a text, or of anything else as JSON."""
MAX_STORED_CHARS: Final = 64 * MAX_VALUE_CHARS
"""Redaction may lengthen what it touches."""
_CLOSING: Final = " \t\r\n.,;:!?…"
_PLAIN: Final = re.compile(r"[^\W\d_][^\s,:=\[\]{}\"]*(?: [^\s,:=\[\]{}\"]+)*")
"""A text that reads as one between brackets and commas without quotation marks around it."""
_UNSEEN: Final = re.compile(r"[\x7f-\x9f\u2028\u2029]")
"""Characters that end a line or do not show, and that JSON leaves as they are."""
_WORDS: Final = frozenset({"true", "false", "null"})
"""Words that are no text where they have no quotation marks."""


def canonical(value: JsonValue) -> str:
    """The same JSON for all that are equal: keys in order, no white space, numbers without a fraction as integers."""
    return json.dumps(_even(value), ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def same_text(value: JsonValue) -> str:
    """Equal for two values that say the same: texts when they differ in case, white space and closing punctuation
    alone, anything else by its canonical JSON, which no text is taken for."""
    if not isinstance(value, str):
        return f"\x00{canonical(value)}"
    folded = " ".join(unicodedata.normalize("NFKC", value).casefold().split())
    return folded.rstrip(_CLOSING) or folded or value


def tells_nothing(value: JsonValue) -> bool:
    """True where it is a text in which nothing shows; what is no text says something, if only that there is nothing."""
    return isinstance(value, str) and says_nothing(value)


def shown(value: JsonValue) -> str:
    """`value` as people and models read it, without brackets and quotation marks that only get in the way: a text as it
    is, a list as `chat, files`, an object as `theme = dark, panels = [chat, files], size = 12`. A colon would part a
    label from what follows, and a bracket would open a structure, which nothing that is remembered may seem to do."""
    if isinstance(value, list | dict) and value:
        return _part(value)[1:-1]
    return value if isinstance(value, str) else _part(value)


def _part(value: JsonValue) -> str:
    if isinstance(value, str):
        if _PLAIN.fullmatch(value) and value not in _WORDS:
            return value
        return _UNSEEN.sub(lambda one: f"\\u{ord(one[0]):04x}", json.dumps(value, ensure_ascii=False))
    if isinstance(value, list):
        return f"[{', '.join(map(_part, value))}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{_part(key)} = {_part(item)}' for key, item in value.items())}}}"
    return json.dumps(value)


def _even(value: JsonValue) -> JsonValue:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, list):
        return [_even(item) for item in value]
    if isinstance(value, dict):
        return {key: _even(item) for key, item in value.items()}
    return value


def _within(value: JsonValue, most: int) -> JsonValue:
    storable_json(value)
    if tells_nothing(value):
        raise ValueError("says nothing")
    if len(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)) > most:
        raise ValueError(f"is over {most:,} characters" + ("" if isinstance(value, str) else " as JSON"))
    return value


def given_value(value: JsonValue) -> JsonValue:
    """`value` as somebody may give it. Raises ValueError for one that is too long, or tells nothing."""
    return _within(value, MAX_VALUE_CHARS)


def _stored(value: JsonValue) -> JsonValue:
    return _within(value, MAX_STORED_CHARS)


PreferenceValue = Annotated[JsonValue, AfterValidator(given_value)]
"""As it is given: a text of 1 to MAX_VALUE_CHARS characters in which something shows, or what has as many at most as
JSON."""
StoredPreferenceValue = Annotated[JsonValue, AfterValidator(_stored)]
