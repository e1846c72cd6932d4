"""Why a value was refused, in words for whoever sent it: pydantic's reasons, each of them once."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

Refusal = Mapping[str, object]
"""One of the errors of a pydantic ValidationError, as `errors()` has it."""

SECRET_IN_ID: Final = "secret_in_id"  # noqa: S105 - the name of a refusal
"""The type of the refusal of an id that holds a secret."""
FORMS: Final = {
    **dict.fromkeys(("tuple_type", "list_type", "set_type", "frozen_set_type"), "a list"),
    **dict.fromkeys(("dict_type", "model_type", "model_attributes_type"), "a mapping"),
    "string_type": "text",
    "bool_type": "true or false",
    "int_type": "a whole number",
    "float_type": "a number",
}
"""The form that a value should have, by the type of the refusal of one that has another."""
OF_NO_FORM: Final = "of_no_form"
"""The type of the refusal of a value that has none of several forms."""
_FORM_NAME: Final = re.compile(
    r"(function-\w+|tuple|list|dict|set|frozenset|tagged-union|json-or-python|lax-or-strict)\[.*\]|constrained-[a-z]+"
)
"""A step of a place that names no field, but one of the forms that a value may have; no field is called so."""
_BARE_FORM_NAMES: Final = frozenset({"str", "bool", "int", "float"})
_JSON_FORM_NAMES: Final = frozenset({"dict", "list"})
_NO_JSON: Final = "invalid-json-value"
_CHOICE: Final = re.compile(r"\^\(([\w|-]+)\)\$")


def reason(refusal: Refusal) -> str:
    """Why one value was refused. The value itself is not repeated."""
    kind, context = refusal.get("type"), refusal.get("ctx")
    known = context if isinstance(context, Mapping) else {}
    if kind in {"too_short", "string_too_short"} and known.get("min_length") == 1:
        return "is empty"
    if kind in {"too_short", "too_long"} and known.get("field_type") == "Value":  # a text that was looked at before
        least = kind == "too_short"
        bound = known["min_length" if least else "max_length"]
        return f"String should have at {'least' if least else 'most'} {bound} characters"
    if kind == "too_long" and isinstance(given := known.get("actual_length"), int):
        return f"has {given:,} items, and at most {known.get('max_length'):,} are taken"
    if kind == "string_pattern_mismatch" and (choice := _CHOICE.fullmatch(str(known.get("pattern")))):
        return f"is none of {choice[1].replace('|', ', ')}"
    if kind == "value_error" and "error" in known:
        return str(known["error"])
    return str(refusal.get("msg", "is invalid"))


def without_echoes(refusals: Sequence[Refusal]) -> list[Refusal]:
    """`refusals` without those that only follow from another: of a list, an item of which was refused, pydantic also
    says that it is too short; of a value that may have several forms, that it has none of each."""
    told = _of_forms(refusals)
    places = [_place(refusal) for refusal in told]
    return [
        refusal
        for refusal, place in zip(told, places, strict=True)
        if refusal.get("type") != "too_short"
        or not any(len(other) > len(place) and other[: len(place)] == place for other in places)
    ]


def _of_forms(refusals: Sequence[Refusal]) -> list[Refusal]:
    """The same without the names of forms in their places: one refusal of a value that has none of its forms, and of
    one that has a form what is wrong with it."""
    named = [_named_place(refusal) for refusal in refusals]
    forms: dict[tuple[object, ...], list[str]] = {}
    for refusal, place in zip(refusals, named, strict=True):
        forms.setdefault(place, []).append(_form(refusal))
    inner = {place[:end] for place in forms for end in range(len(place))}
    told: list[Refusal] = []
    for refusal, place in zip(refusals, named, strict=True):
        if place == _place(refusal):
            told.append(refusal)
        elif not _form(refusal):
            told.append({**refusal, "loc": place})
        elif all(forms[place]) and place not in inner:
            told.append({**refusal, "loc": place, "type": OF_NO_FORM, "msg": f"must be {_either(forms[place])}"})
            forms[place] = [""]  # the others say the same
    return told


def _form(refusal: Refusal) -> str:
    """The form that the value does not have; empty where something else is wrong with it."""
    return FORMS.get(str(refusal.get("type")), "")


def _either(forms: Sequence[str]) -> str:
    *before, last = dict.fromkeys(forms)
    return f"{', '.join(before)} or {last}" if before else last


def _named_place(refusal: Refusal) -> tuple[object, ...]:
    """The place of a value by fields, keys and numbers alone."""
    steps = [step for step in _place(refusal) if not (isinstance(step, str) and _FORM_NAME.fullmatch(step))]
    if refusal.get("type") == _NO_JSON:
        return tuple(_without_json_forms(steps))
    if len(steps) > 1 and steps[-1] in _BARE_FORM_NAMES:
        steps.pop()
    return tuple(steps)


def _without_json_forms(steps: Sequence[object]) -> Iterator[object]:
    """`steps`, without `dict` before a key, and `list` before a number."""
    rest = iter(steps)
    for step in rest:
        yield next(rest, step) if step in _JSON_FORM_NAMES else step


def _place(refusal: Refusal) -> tuple[object, ...]:
    location = refusal.get("loc")
    return tuple(location) if isinstance(location, tuple | list) else ()
