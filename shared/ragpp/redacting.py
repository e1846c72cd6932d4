"""Input as it may be stored: without secrets, in whatever it has of text."""

import json
import re
from collections.abc import Callable
from typing import Final

from pydantic import JsonValue

from ragpp.redaction import Redacted, Redactor

_LABEL_CHARS: Final = 100
_NAME: Final = re.compile(r"[\w .-]{1,64}")
"""A key that may tell what its value is; a longer one, or a path, is a text of its own."""


class Redaction:
    """Takes secrets out of texts, labels, values and JSON. Pure, given its `redactor`."""

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor

    def counted(self, text: str) -> Redacted:
        """`text` as it may be stored, and how many secrets there were."""
        return self._redactor.redact(text)

    def value(self, key: str, value: JsonValue) -> JsonValue:
        """The value of `key`, as it may be stored: also without a secret that only its key gives away, or one in it."""
        if not isinstance(value, str):
            (redacted,) = self.json({key: value})[0].values()
            return redacted
        alone = self._redactor.redact(value).text
        hidden = None if self._redactor.redact(key).count else self._given_away(key, alone)
        return alone if hidden is None else hidden

    def label(self, label: str) -> str:
        """A short text as it may be stored; what redaction makes too long is cut."""
        return self._redactor.redact(label).text[:_LABEL_CHARS]

    def json(self, metadata: dict[str, JsonValue]) -> tuple[dict[str, JsonValue], int]:
        """`metadata` with every text in it redacted, keys as well, also where a key above gives it away, as it may a
        number; and how many secrets there were."""
        count = 0
        known: dict[str, Redacted] = {}

        def key_of(key: str) -> str:
            nonlocal count
            if key not in known:
                known[key] = self._redactor.redact(key)
            count += known[key].count
            return known[key].text

        def each(keys: dict[str, tuple[str, ...]], items: dict[str, JsonValue]) -> dict[str, JsonValue]:
            made: dict[str, JsonValue] = {}
            for key, item in items.items():
                named = key_of(key)
                made[_another(named, made) if named in made else named] = under(keys[key], item)
            return made

        def under(keys: tuple[str, ...], item: JsonValue) -> JsonValue:
            nonlocal count
            if isinstance(item, list):
                return [under(keys, part) for part in item]
            if isinstance(item, dict):
                return each({key: (key, *keys) for key in item}, item)
            if item is None or isinstance(item, bool):
                return item
            said = item if isinstance(item, str) else str(item)
            alone = self._redactor.redact(said)
            for key in keys:
                if not known[key].count and (hidden := self._given_away(key, alone.text)) is not None:
                    count += alone.count + 1
                    return hidden
            if not isinstance(item, str):
                return item
            count += alone.count
            return alone.text

        return each({key: (key,) for key in metadata}, metadata), count

    def _given_away(self, key: str, value: str) -> str | None:
        """`value` redacted for its key ("password": …), of which neither is a secret alone; None where the key does not
        give it away."""
        if not _NAME.fullmatch(key):
            return None
        beginning = f"{key}: "
        both = self._redactor.redact(f"{beginning}{value}")
        return both.text.removeprefix(beginning) if both.count and both.text.startswith(beginning) else None


def each_text(value: JsonValue, change: Callable[[str], str], *, keys: bool = True, numbers: bool = False) -> JsonValue:
    """JSON with each text in it as `change` gives it; `keys` as well, of which those that become alike keep their
    values. With `numbers` one that is changed as a text is a text then."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, list):
        return [each_text(one, change, keys=keys, numbers=numbers) for one in value]
    if isinstance(value, dict):
        made: dict[str, JsonValue] = {}
        for key, one in value.items():
            named = change(key) if keys else key
            made[_another(named, made) if named in made else named] = each_text(one, change, keys=keys, numbers=numbers)
        return made
    if not numbers or value is None or isinstance(value, bool):
        return value
    told = json.dumps(value)
    return value if (new := change(told)) == told else new


def _another(name: str, taken: dict[str, JsonValue]) -> str:
    """`name` with a number behind it that none of `taken` has: keys that differed have the same mask then."""
    return next(f"{name} ({number})" for number in range(2, len(taken) + 3) if f"{name} ({number})" not in taken)
