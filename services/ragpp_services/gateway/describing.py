"""The API's description: a refusal, and the problem document that it is, stand there once, not at every route; and
every field and parameter has words."""

from collections.abc import Iterator, Mapping
from typing import Final, cast

from fastapi import FastAPI

from ragpp.errors.problems import MEDIA_TYPE, Problem
from ragpp_services.gateway.field_words import describe_fields, field_words
from ragpp_services.gateway.settings import GatewaySettings

_SCHEMAS: Final = "#/components/schemas"
_HEADERS: Final = {
    "X-Request-ID": "The request's id, as its lines in the log have it: the one that it came with, where that is made "
    "of at most 64 letters, digits, dots, dashes and underscores and holds no secret.",
    "RateLimit-Policy": 'What the key may ask: `"key";q=2000;w=2` are 2,000 requests in 2 seconds.',
    "RateLimit": 'What is left of it: `"key";r=1999;t=1` are 1,999 requests, and all of them again in 1 second.',
    "Retry-After": "Seconds to wait before the same is sent again.",
}
_OF_EVERY_ANSWER: Final = ("X-Request-ID", "RateLimit-Policy", "RateLimit")
_OF_REFUSALS: Final = {429: ("Retry-After",), 503: ("Retry-After",)}
_REFUSALS: Final = {
    400: "The body is not UTF-8 encoded JSON.",
    401: "No valid key.",
    403: "The key does not allow it.",
    404: "Nothing of that id for this user.",
    408: "The body has not come in time. Nothing was done.",
    409: "An id is known with other content, or what was to be changed has changed.",
    413: "The body is too large, or has too much in it: `details` tell of what, how much, and how much may be.",
    415: "The body is declared as something other than JSON.",
    422: "A value is outside what is accepted, or an id holds a secret.",
    429: "The key asks too often, or too much at once. Nothing was done.",
    503: "A store that this needs does not answer; repeating is safe.",
}

_BOUNDS: Final = {
    413: {
        "max_body_bytes": "bytes of the body",
        "max_messages": "messages, items or memories",
        "max_characters": "characters of all texts, a resource's aside",
        "max_metadata": "values of metadata, each counted once for every key above it",
    },
    429: {
        "key_requests_per_s": "requests of a key a second",
        "key_burst": "of them at a time",
        "key_requests_at_once": "requests of a key under way",
        "key_body_bytes_at_once": "bytes of their bodies",
        "body_bytes_at_once": "bytes of the bodies of all keys",
    },
}
"""The subject of a refusal, by the setting that says how much there may be."""
_UNBOUNDED: Final = frozenset(_REFUSALS[status] for status in _BOUNDS)


def refusal(status: int, description: str = "") -> dict[str, object]:
    """The response of that status among a route's `responses`: one of those that stand once, with what the route says
    of it where it says more."""
    return {"$ref": f"#/components/responses/{status}", "description": description or _REFUSALS[status]}


REFUSALS: Final[dict[int | str, dict[str, object]]] = {status: refusal(status) for status in _REFUSALS}
"""The refusals that every route with a key may answer."""


def complete_description(app: FastAPI, settings: GatewaySettings) -> None:
    """Have the description of `app` hold what refusals refer to, with the bounds that `settings` have, and say what
    each field and parameter means. FastAPI makes components of models of JSON alone, and a problem document has a media
    type of its own."""
    of_routes = app.openapi

    def openapi() -> dict[str, object]:
        described: dict[str, object] = of_routes()
        components = cast("dict[str, dict[str, object]]", described["components"])
        bounds = {status: f"{_REFUSALS[status]} {_told(settings, of)}" for status, of in _BOUNDS.items()}
        problem = Problem.model_json_schema(ref_template=f"{_SCHEMAS}/{{model}}")
        components["schemas"].update(problem.pop("$defs"), Problem=problem)
        content = {MEDIA_TYPE: {"schema": {"$ref": f"{_SCHEMAS}/Problem"}}}
        components["responses"] = {
            str(status): {
                "description": description,
                "content": content,
                "headers": _headers(*_OF_EVERY_ANSWER, *_OF_REFUSALS.get(status, ())),
            }
            for status, description in (_REFUSALS | bounds).items()
        }
        components["headers"] = {
            name: {"description": told, "schema": {"type": "string"}} for name, told in _HEADERS.items()
        }
        for answer in _answers(described):
            if "$ref" not in answer:
                answer["headers"] = _headers(*_OF_EVERY_ANSWER)
            elif answer.get("description") in _UNBOUNDED:
                del answer["description"]  # it would be shown instead of the one with the bounds
        describe_fields(described, field_words())
        return described

    app.openapi = openapi  # type: ignore[method-assign]  # FastAPI documents it as the way to add to a description


def _told(settings: GatewaySettings, bounds: Mapping[str, str]) -> str:
    """How much there may be, and by which settings."""
    prefix = settings.model_config.get("env_prefix", "")
    most = {name: f"{getattr(settings, name):,}".removesuffix(".0") for name in bounds}
    told = [
        f"{'no bound of' if most[name] == '0' else most[name]} {what} (`{prefix}{name.upper()}`)"
        for name, what in bounds.items()
    ]
    return f"Taken are at most: {'; '.join(told)}."


def _headers(*names: str) -> dict[str, object]:
    return {name: {"$ref": f"#/components/headers/{name}"} for name in names}


def _answers(described: dict[str, object]) -> Iterator[dict[str, object]]:
    """Those of each operation, refusals among them."""
    for operations in cast("dict[str, dict[str, object]]", described["paths"]).values():
        for operation in cast("dict[str, dict[str, dict[str, dict[str, object]]]]", operations).values():
            yield from operation["responses"].values()
