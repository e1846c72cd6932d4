"""A request's body made a value, or a refusal: in a time that its size bounds, whatever is in it."""

import json
from functools import cache
from typing import Final

from annotated_types import MaxLen
from fastapi.exceptions import RequestValidationError
from pydantic import ValidationError
from pydantic_core import from_json

from ragpp.errors import InvalidInput, MalformedBody, problems
from ragpp.fields import LONE_SURROGATE, has_surrogates
from ragpp.models import Value
from ragpp_services.gateway.limits import RequestLimits

Place = tuple[str | int, ...]
BYTES_OF_AN_ITEM: Final = 2
"""Bytes of an item of a list, at least: a figure and a comma."""
MOST_TOLD: Final = 1_000
"""Refused values that are named, at most. More are only counted: each of them takes microseconds."""


def value_of(raw: bytes, model: type[Value], limits: RequestLimits) -> Value:
    """The value that `raw` stands for.

    pydantic parses and validates a body at once. FastAPI's own way, `json.loads` and then the validation of what came
    out, takes half as long again for 5 MB of ASCII, lets lone surrogates pass, and fails on deep nesting. But it looks
    at each of a list's items before it says that they are too many, and nothing else runs meanwhile; so what there is
    too much of is refused before.

    Raises MalformedBody for what is not UTF-8 JSON, RequestValidationError or InvalidInput for what does not fit
    `model`, TooMuchAtOnce.
    """
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise MalformedBody(f"the body is not UTF-8: byte {error.start} cannot be decoded") from error
    limits.check_json(raw, model)
    _refuse_long_lists(raw, model)
    try:
        body = model.model_validate_json(raw)
    except ValidationError as error:
        raise _refusal(error, raw) from error
    limits.check(body)
    return body


def _refuse_long_lists(raw: bytes, model: type[Value]) -> None:
    """Raises RequestValidationError for a list with more items than its field takes. What is no JSON is left to who
    reads all of it."""
    most = _most_items(model)
    if not most or len(raw) < BYTES_OF_AN_ITEM * min(most.values()):
        return
    try:
        given = from_json(raw, cache_strings="none")
    except ValueError:
        return
    if not isinstance(given, dict):
        return
    errors = [
        {
            "type": "too_long",
            "loc": ("body", name),
            "msg": f"has {len(items):,} items, and at most {most[name]:,} are taken",
        }
        for name, items in given.items()
        if name in most and isinstance(items, list) and len(items) > most[name]
    ]
    if errors:
        raise RequestValidationError(errors)


@cache
def _most_items(model: type[Value]) -> dict[str, int]:
    """How many items each field takes that says so itself; of a text as many characters."""
    return {
        name: bound.max_length
        for name, field in model.model_fields.items()
        for bound in field.metadata
        if isinstance(bound, MaxLen)
    }


def _refusal(error: ValidationError, raw: bytes) -> Exception:
    count = error.error_count()
    if count > MOST_TOLD:
        return InvalidInput(
            f"{count:,} values are refused, too many to name them",
            suggestions=("Send one message, item or memory alone to be told what is wrong with it.",),
        )
    errors = error.errors(include_url=False, include_input=False)
    if errors[0]["type"] == "json_invalid":
        places = _lone_surrogates(raw)
        if places:
            reason = {"type": "value_error", "msg": LONE_SURROGATE}
            return RequestValidationError([{**reason, "loc": ("body", *place)} for place in places])
        return MalformedBody(f"the body is not JSON: {problems.printable(errors[0]['msg'])}")
    return RequestValidationError([{**item, "loc": ("body", *item["loc"])} for item in errors])


def _lone_surrogates(raw: bytes) -> list[Place]:
    """Where texts with lone surrogates are in a body that is JSON but for these, of keys the objects that have them: at
    most MOST_TOLD. pydantic says no more than in which line and column the first is."""
    try:
        unread: list[tuple[Place, object]] = [((), json.loads(raw))]
    except (ValueError, RecursionError):
        return []
    found: list[Place] = []
    while unread and len(found) < MOST_TOLD:
        place, value = unread.pop()
        if isinstance(value, str):
            found += [place] if has_surrogates(value) else []
        elif isinstance(value, list):
            unread += [((*place, number), item) for number, item in reversed([*enumerate(value)])]
        elif isinstance(value, dict):
            found += [place] if any(map(has_surrogates, value)) else []
            unread += [((*place, name), item) for name, item in reversed(value.items())]
    return found
