"""Fields that make no request, in the words of the call they were given in."""

import inspect
import re
from collections.abc import Mapping, Sequence
from typing import Final

from pydantic import BaseModel, ValidationError

from ragpp.client.arguments import FIELDS, nearest
from ragpp.errors import InvalidInput, MemorySystemError, NotFound, TextTooLong, Unauthenticated
from ragpp.errors.problems import invalid_fields
from ragpp.errors.reasons import FORMS, OF_NO_FORM, Refusal, without_echoes

WORDS: Final = {"content": "text", **{field: word for word, field in FIELDS.items()}}
"""The plain words for fields."""
_FILTER: Final = (
    'A filter is written as {"equal": {"key": "project", "value": "apollo"}}; its other operators are in, exists, and, '
    "or, not."
)
_CORRECT: Final = "Correct what is named here, and call again."
_ROUTE: Final = re.compile(r"`?\b(GET|POST|PUT|PATCH|DELETE) (/[\w/{}-]*[\w}])(\?[^\s,;.]*)?`?")
_IN_A_PATH: Final = re.compile(r"{[^}]*}")
_OF_A_RECEIPT: Final = "POST /v1/interactions answer"
_FOR_CALLERS: Final = {
    NotFound.default_suggestions[
        0
    ]: "Check the id and the user; lists, such as `interactions` or `findings`, tell what there is.",
    Unauthenticated.default_suggestions[0]: "Give the key as `api_key`, or set RAGPP_API_KEY; `ragpp status` names the "
    "file that has the embedded stack's.",
    "See GET /docs.": "The gateway and this client are perhaps not of one version.",
}
"""Advice of a gateway in the words of whoever calls the client."""
_FIRST: Final = "messages.0."
_TOLD: Final = {
    **{kind: f"must be {form}" for kind, form in FORMS.items()},
    "missing": "is missing",
}
_OF_ANOTHER_FORM: Final = frozenset({*FORMS, "missing", OF_NO_FORM, "extra_forbidden"})


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


def for_caller(error: MemorySystemError, *, is_single: bool) -> MemorySystemError:
    """The `error` that a gateway answered, with advice for whoever calls the client: methods for routes, and arguments
    for headers. `is_single`: it is about one message alone, whose fields are called without its place."""
    refused = error.details.get("errors")
    fields = [dict(one) for one in refused if isinstance(one, Mapping)] if isinstance(refused, list) else []
    message = error.message
    if is_single:
        message = message.replace(_FIRST, "")
        fields = [{**one, "field": str(one.get("field")).removeprefix(_FIRST)} for one in fields]
    named = str(fields[0].get("field")) if fields else "receipt"
    suggestions = tuple(_advice_for_caller(one, named) for one in error.suggestions)
    details = {**error.details, "errors": fields} if fields else error.details
    return type(error).worded(message, suggestions=suggestions, details=details)


def _advice_for_caller(told: str, field: str) -> str:
    if _OF_A_RECEIPT in told:
        return f"Give `{field}` the `receipt` that `remember` answered, as it is."
    worded = _FOR_CALLERS.get(told, told).replace("`Retry-After`", "`retry_after`")
    return _ROUTE.sub(lambda found: _method_of(found[1], found[2]) or found[0], worded)


def _method_of(method: str, path: str) -> str:
    """The client's method for a route, as it is called; empty where there is none."""
    from ragpp.client.route import RouteVerb  # noqa: PLC0415 - which imports this module
    from ragpp.client.verbs import Verbs  # noqa: PLC0415 - as above

    wanted = _IN_A_PATH.sub("{}", path)
    verbs = (verb for _, verb in inspect.getmembers_static(Verbs) if isinstance(verb, RouteVerb))
    of_route = (verb for verb in verbs if verb.method == method and _IN_A_PATH.sub("{}", verb.path) == wanted)
    name = next((verb.__name__ for verb in of_route), "")
    return f"`{name.removeprefix('_')}()`" if name else ""


def _worded(item: Refusal, model: type[BaseModel], *, is_plain: bool) -> dict[str, object]:
    place = _place(item)
    if is_plain:
        place = place[2:] if place[:2] == ("messages", 0) else place
        place = tuple(WORDS.get(str(part), part) for part in place[:1]) + place[1:]
    told = _TOLD.get(str(item["type"]), item["msg"])
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
