"""The public API as its own description lists it, so that a test that goes through all of it forgets no route."""

import json
from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias, cast
from urllib.parse import quote

import httpx
from fastapi.routing import APIRoute
from pydantic import TypeAdapter

from ragpp.errors.problems import MEDIA_TYPE, Problem
from ragpp_services.gateway.app import create_app
from ragpp_services.gateway.parts import Parts
from ragpp_services.gateway.routes import (
    accesses,
    agents,
    categories,
    entries,
    events,
    files,
    findings,
    forgetting,
    graph,
    health,
    hooks,
    interactions,
    items,
    jobs,
    keys,
    learning,
    personal,
    procedural,
    recall,
    redacting,
    reflections,
    resources,
    retention,
    retrieve,
    review,
    sessions,
    users,
)

Schema: TypeAlias = dict[str, object]
_VERBS: Final = ("get", "post", "patch", "put", "delete")


@dataclass(frozen=True)
class Parameter:
    """A path or query parameter."""

    name: str
    place: Literal["path", "query"]
    schema: Schema
    required: bool


@dataclass(frozen=True)
class Operation:
    """One method on one path. `body` is the schema of its JSON body, where it takes one."""

    method: str
    path: str
    parameters: tuple[Parameter, ...]
    body: Schema | None

    @property
    def name(self) -> str:
        """As `POST /v1/recall`."""
        return f"{self.method} {self.path}"

    @property
    def needs_key(self) -> bool:
        """True where it touches anybody's memory."""
        return not self.path.startswith("/health/")

    def url(self, path: Mapping[str, str], query: Mapping[str, object]) -> str:
        """The address with these values, each escaped; None is left out, lone surrogates become what is not UTF-8."""
        address = self.path
        for name, value in path.items():
            address = address.replace(f"{{{name}}}", _escaped(value).replace(".", "%2E"))
        given = [f"{name}={_escaped(_as_text(value))}" for name, value in query.items() if value is not None]
        return f"{address}?{'&'.join(given)}" if given else address


def _escaped(text: str) -> str:
    return quote(text, safe="", errors="surrogatepass")


def _as_text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _never_opened() -> AbstractAsyncContextManager[Parts]:
    raise AssertionError("the description needs no store")


_APP: Final = create_app(_never_opened)
_DESCRIPTION: Final = cast("Schema", json.loads(json.dumps(_APP.openapi())))
COMPONENTS: Final = cast("dict[str, Schema]", cast("Schema", _DESCRIPTION["components"])["schemas"])


def resolved(schema: Schema) -> Schema:
    """`schema`, or what it refers to."""
    reference = schema.get("$ref")
    return COMPONENTS[reference.rsplit("/", 1)[-1]] if isinstance(reference, str) else schema


def _operation(method: str, path: str, described: Schema) -> Operation:
    parameters = cast("list[Schema]", described.get("parameters", []))
    body = cast("Schema | None", described.get("requestBody"))
    content = cast("dict[str, Schema]", body["content"]) if body else {}
    return Operation(
        method=method.upper(),
        path=path,
        parameters=tuple(
            Parameter(
                name=str(item["name"]),
                place="path" if item["in"] == "path" else "query",
                schema=cast("Schema", item["schema"]),
                required=bool(item.get("required")),
            )
            for item in parameters
        ),
        body=resolved(cast("Schema", content["application/json"]["schema"])) if content else None,
    )


OPERATIONS: Final[Mapping[str, Operation]] = {
    operation.name: operation
    for path, methods in cast("dict[str, dict[str, Schema]]", _DESCRIPTION["paths"]).items()
    for method, described in methods.items()
    if method in _VERBS
    for operation in [_operation(method, path, described)]
}
"""Every operation of the public API by its name."""

_MODULES: Final = (
    accesses,
    agents,
    categories,
    entries,
    events,
    files,
    findings,
    forgetting,
    graph,
    health,
    hooks,
    interactions,
    items,
    jobs,
    keys,
    learning,
    personal,
    procedural,
    recall,
    redacting,
    reflections,
    resources,
    retention,
    retrieve,
    review,
    sessions,
    users,
)
ROUTES: Final = [
    (f"{method} {route.path_format}", route)
    for module in _MODULES
    for route in module.router.routes
    if isinstance(route, APIRoute)
    for method in route.methods or ()
]
"""Every route of the public API with its operation's name."""
_RESULTS: Final[Mapping[str, TypeAdapter[object]]] = {name: TypeAdapter(route.response_model) for name, route in ROUTES}
_OTHER_RESULTS: Final[Mapping[tuple[str, int], TypeAdapter[object]]] = {
    (name, int(status)): TypeAdapter(described["model"])
    for name, route in ROUTES
    for status, described in route.responses.items()
    if "model" in described
}
"""Statuses of routes that answer something else with another one."""


def checked_result(operation: Operation, answer: httpx.Response) -> object:
    """The value in a successful answer, of the model that the description promises; AssertionError for another."""
    assert answer.is_success, answer.text
    value = json.loads(answer.content, parse_constant=_not_json)
    promised = _OTHER_RESULTS.get((operation.name, answer.status_code), _RESULTS[operation.name])
    promised.validate_json(answer.content)
    return value


def _not_json(constant: str) -> object:
    raise AssertionError(f"{constant} is not JSON")


def checked_problem(answer: httpx.Response, status: int | None = None, code: str | None = None) -> Problem:
    """The problem document of a refused request: with a status, a code and what to do, as every error must have."""
    assert answer.headers["content-type"] == MEDIA_TYPE, (
        f"{status or 'a problem'} was to be, not {answer.status_code} {answer.text}"
    )
    problem = Problem.model_validate_json(answer.content)
    assert problem.status == answer.status_code
    assert problem.code.startswith("MEM-")
    assert problem.code != "MEM-000"
    assert problem.title
    assert problem.detail
    assert problem.recovery_suggestions
    if status is not None:
        assert answer.status_code == status, f"{status} was to be, not {answer.text}"
    if code is not None:
        assert problem.code == code, f"{code} was to be, not {answer.text}"
    return problem
