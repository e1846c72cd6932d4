"""Why a value was refused, in words for whoever sent it: pydantic's reasons, each of them once."""

import re
from collections.abc import Mapping, Sequence
from typing import Final

Refusal = Mapping[str, object]
"""One of the errors of a pydantic ValidationError, as `errors()` has it."""

SECRET_IN_ID: Final = "secret_in_id"  # noqa: S105 - the name of a refusal
"""The type of the refusal of an id that holds a secret."""
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
    says that it is too short."""
    places = [_place(refusal) for refusal in refusals]
    return [
        refusal
        for refusal, place in zip(refusals, places, strict=True)
        if refusal.get("type") != "too_short"
        or not any(len(other) > len(place) and other[: len(place)] == place for other in places)
    ]


def _place(refusal: Refusal) -> tuple[object, ...]:
    location = refusal.get("loc")
    return tuple(location) if isinstance(location, tuple | list) else ()
