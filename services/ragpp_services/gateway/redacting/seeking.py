"""A search, and one thing looked through for it."""

import json
from collections import Counter
from typing import Final, cast

from pydantic import JsonValue

from ragpp.api.redacting import RedactedThing, RedactRequest, StoredThing
from ragpp.entries.values import ENTRY, GivenEntry
from ragpp.errors import Conflict
from ragpp.models import Scope
from ragpp.personal.redactor import Refusing, redactor_of
from ragpp.placeholders import kinds_counted
from ragpp.redacting import Redaction, each_text
from ragpp.redaction import DIVIDING, Redactor
from ragpp_services.gateway.parts import Parts
from ragpp_services.gateway.redacting.finders import pattern_redactor, text_redactor

PREVIEW_CHARS: Final = 200
_STORED_BY: Final = "stored_by"
_STORING: Final = ("entry", "remember")
"""Our values of it."""
_GIVEN: Final = frozenset({"summary", "tags", "references", "external_id"})
"""The fields of a `GivenEntry` that have somebody's words."""
_BEFORE: Final = 80
"""Characters that a preview has before the first thing that was replaced."""
_CUT: Final = 40
"""The longest beginning of a placeholder, which a preview does not end in."""


async def redactor_sought(parts: Parts, scope: Scope, body: RedactRequest) -> Redactor:
    """The redactor of what a request seeks: of the user's policy, where that masks, with its masks, and where it
    refuses, with placeholders. Raises Conflict where the policy keeps what is personal, InvalidInput."""
    if body.text is not None:
        return text_redactor(body.text, body.kind or "text")
    if body.pattern is not None:
        return pattern_redactor(body.pattern, body.kind or "pattern")
    policy = (await parts.policies.chosen(scope)).policy
    if policy.mode == "keep":
        raise Conflict(
            "the policy that holds for this user keeps personal data",
            suggestions=("Set one that masks: PUT /v1/users/{user_id}/personal-data (ragpp personal-data set mask).",),
        )
    redactor = redactor_of(policy, parts.marks.mask_key(scope))
    return redactor.patterns if isinstance(redactor, Refusing) else redactor


class Search:
    """One stored thing looked through: each of its texts is handed in, and answered as it is to be."""

    def __init__(self, redactor: Redactor, *, of_policy: bool) -> None:
        """`of_policy`: what a key tells is personal, as it is where it comes in."""
        self._redactor, self._of_policy = redactor, of_policy
        self.kinds: Counter[str] = Counter()
        self.preview = ""

    def text(self, text: str) -> str:
        """A text as it is to be stored."""
        redacted = self._redactor.redact(text)
        return self._noted(text, redacted.text) if redacted.count else text

    def optional(self, text: str | None) -> str | None:
        """The same of a text that there may be."""
        return None if text is None else self.text(text)

    def label(self, label: str) -> str:
        """A short text, which is cut where it becomes too long."""
        redacted = self._redactor.redact(label)
        return self._noted(label, Redaction(self._redactor).label(label)) if redacted.count else label

    def json(self, value: dict[str, JsonValue]) -> dict[str, JsonValue]:
        """JSON, its keys as well. A number that has what is sought is a text then."""
        new = Redaction(self._redactor).json(value)[0] if self._of_policy else self._all_of(value)
        if new != value:
            self._noted(json.dumps(value, ensure_ascii=False), json.dumps(new, ensure_ascii=False))
        return new

    def metadata(self, metadata: dict[str, JsonValue]) -> dict[str, JsonValue]:
        """Metadata of a thing of the catalog: of what is ours in it, the words that somebody gave alone."""
        ours: dict[str, JsonValue] = {}
        if metadata.get(_STORED_BY) in _STORING:
            ours[_STORED_BY] = metadata[_STORED_BY]
        given = metadata.get(ENTRY)
        if isinstance(given, dict) and given.keys() <= GivenEntry.model_fields.keys():
            ours[ENTRY] = {name: self.strings(one) if name in _GIVEN else one for name, one in given.items()}
        said = self.json({name: one for name, one in metadata.items() if name not in ours})
        return {**said, **ours}

    def strings(self, value: JsonValue) -> JsonValue:
        """JSON of ours, whose keys and numbers are no words of anybody's."""
        return each_text(value, self.text, keys=False)

    def value(self, key: str, value: JsonValue) -> JsonValue:
        """The value of `key`."""
        if self._of_policy and isinstance(value, str):
            new = Redaction(self._redactor).value(key, value)
            if new != value:
                self._noted(value, str(new))
            return new
        (new,) = self.json({"": value}).values()
        return new

    def found(self, what: StoredThing, identifier: str, new_id: str | None = None) -> RedactedThing:
        """The answer about it; an id that has what is sought is told without."""
        return RedactedThing(
            what=what,
            id=self._redactor.redact(identifier).text,
            new_id=new_id,
            kinds=dict(self.kinds),
            preview=self.preview,
        )

    def _all_of(self, value: dict[str, JsonValue]) -> dict[str, JsonValue]:
        new = each_text(value, lambda text: self._redactor.redact(text).text, numbers=True)
        return cast("dict[str, JsonValue]", new)

    def _noted(self, old: str, new: str) -> str:
        self.kinds += kinds_counted(new) - kinds_counted(old)
        self.preview = self.preview or _preview(new)
        return new


def _preview(text: str) -> str:
    """Some of `text`, which has something that was replaced, on one line; no placeholder is cut."""
    first = DIVIDING.search(text)
    start = max(0, first.start() - _BEFORE) if first is not None else 0
    end = min(len(text), max(start + PREVIEW_CHARS, first.end() if first is not None else 0))
    for one in DIVIDING.finditer(text, max(0, start - _CUT)):
        if one.start() < start < one.end():
            start = one.end()
        if one.start() < end < one.end():
            end = one.end()
    shown = " ".join(text[start:end].split())
    return f"{'…' if start else ''}{shown}{'…' if end < len(text) else ''}"
