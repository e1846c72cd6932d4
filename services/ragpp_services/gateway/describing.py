"""The API's description: a refusal, and the problem document that it is, stand there once, not at every route."""

from typing import Final, cast

from fastapi import FastAPI

from ragpp.errors.problems import MEDIA_TYPE, Problem

_SCHEMAS: Final = "#/components/schemas"
_REFUSALS: Final = {
    400: "The body is not UTF-8 encoded JSON.",
    401: "No valid key.",
    403: "The key does not allow it.",
    404: "Nothing of that id for this user.",
    409: "An id is known with other content, or what was to be changed has changed.",
    413: "The body is too large.",
    415: "The body is declared as something other than JSON.",
    422: "A value is outside what is accepted, or an id holds a secret.",
    503: "A store that this needs does not answer; repeating is safe.",
}


def refusal(status: int, description: str = "") -> dict[str, object]:
    """The response of that status among a route's `responses`: one of those that stand once, with what the route says
    of it where it says more."""
    return {"$ref": f"#/components/responses/{status}", "description": description or _REFUSALS[status]}


REFUSALS: Final[dict[int | str, dict[str, object]]] = {status: refusal(status) for status in _REFUSALS}
"""What every route with a key may answer."""


def describe_refusals(app: FastAPI) -> None:
    """Have the description of `app` hold what refusals refer to. FastAPI makes components of models of JSON alone, and
    a problem document has a media type of its own."""
    of_routes = app.openapi

    def openapi() -> dict[str, object]:
        described: dict[str, object] = of_routes()
        components = cast("dict[str, dict[str, object]]", described["components"])
        problem = Problem.model_json_schema(ref_template=f"{_SCHEMAS}/{{model}}")
        components["schemas"].update(problem.pop("$defs"), Problem=problem)
        content = {MEDIA_TYPE: {"schema": {"$ref": f"{_SCHEMAS}/Problem"}}}
        components["responses"] = {
            str(status): {"description": description, "content": content} for status, description in _REFUSALS.items()
        }
        return described

    app.openapi = openapi  # type: ignore[method-assign]  # FastAPI documents it as the way to add to a description
