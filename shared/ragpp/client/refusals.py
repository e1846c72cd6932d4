"""Fields that make no request, in the words of the call they were given in."""

from collections.abc import Mapping, Sequence
from typing import Final

from pydantic import BaseModel, ValidationError

from ragpp.client.arguments import FIELDS, nearest
from ragpp.errors import InvalidInput, TextTooLong
from ragpp.errors.problems import invalid_fields
from ragpp.errors.reasons import Refusal, without_echoes

WORDS: Final = {"content": "text", **{field: word for word, field in FIELDS.items()}}
"""The plain words for fields."""
_FILTER: Final = (
    'A filter is written as {"equal": {"key": "project", "value": "apollo"}}; its other operators are in, exists, and, '
    "or, not."
)
_CORRECT: Final = "Correct what is named here, and call again."
_FORM: Final = {
    **dict.fromkeys(("tuple_type", "list_type", "set_type", "frozen_set_type"), "must be a list"),
    **dict.fromkeys(("dict_type", "model_type", "model_attributes_type"), "must be a mapping"),
    "string_type": "must be text",
    "missing": "is missing",
}
_OF_ANOTHER_FORM: Final = frozenset({*_FORM, "extra_forbidden"})


def refusal_of(error: ValidationError, model: type[BaseModel], *, is_plain: bool) -> InvalidInput:
    """The InvalidInput of what is no `model`: a TextTooLong where a text is. `is_plain`: of plain words."""
    errors = [_worded(item, model, is_plain=is_plain) for item in without_echoes(list(map(dict, error.errors())))]
    refused = invalid_fields(errors)
    if type(refused) is not InvalidInput:
        return refused
    if (most := _limit_in(errors)) is not None:
        return TextTooLong(refused.message, details={**refused.details, "most": most})
    is_filter = any(_place(item)[:1] == ("filter",) and item["type"] in _OF_ANOTHER_FORM for item in errors)
    return InvalidInput(refused.message, suggestions=(_FILTER if is_filter else _CORRECT,), details=refused.details)


def _worded(item: Refusal, model: type[BaseModel], *, is_plain: bool) -> dict[str, object]:
    place = _place(item)
    if is_plain:
        place = place[2:] if place[:2] == ("messages", 0) else place
        place = tuple(WORDS.get(str(part), part) for part in place[:1]) + place[1:]
    told = _FORM.get(str(item["type"]), item["msg"])
    if item["type"] == "extra_forbidden":
        told = f"is not known{nearest(str(place[-1]), model.model_fields) if len(place) == 1 else ''}"
    return {**item, "loc": place, "msg": told}


def _place(item: Refusal) -> tuple[object, ...]:
    location = item["loc"]
    return location if isinstance(location, tuple) else ()


def _limit_in(errors: Sequence[Refusal]) -> int | None:
    """How many characters the first text may have that has more; None where none has."""
    for item in errors:
        context = item.get("ctx")
        known = context if isinstance(context, Mapping) else {}
        is_text = item.get("type") == "string_too_long" or known.get("field_type") == "Value"  # looked at before
        if is_text and isinstance(most := known.get("max_length"), int):
            return most
    return None
