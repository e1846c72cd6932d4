"""The API's description is complete and its examples are true."""

import json
import re
from contextlib import AbstractAsyncContextManager
from typing import Final, cast

import pytest
from pydantic import BaseModel

from ragpp import api, models
from ragpp.errors import problems
from ragpp_services.gateway.app import create_app
from ragpp_services.gateway.parts import Parts
from ragpp_services.gateway.settings import GatewaySettings

Document = dict[str, object]
VERBS: Final = frozenset({"get", "post", "patch", "put", "delete"})


def _never_opened() -> AbstractAsyncContextManager[Parts]:
    raise AssertionError("the description needs no store")


DESCRIPTION: Final = cast("Document", json.loads(json.dumps(create_app(_never_opened).openapi())))


def _operations() -> dict[str, Document]:
    paths = cast("dict[str, dict[str, Document]]", DESCRIPTION["paths"])
    return {
        f"{verb.upper()} {path}": operation
        for path, operations in paths.items()
        for verb, operation in operations.items()
        if verb in VERBS
    }


OPERATIONS: Final = _operations()
MODELS_WITH_EXAMPLES: Final = {
    kind.__name__: kind
    for module in (api, models, problems)
    for kind in vars(module).values()
    if isinstance(kind, type)
    and issubclass(kind, BaseModel)
    and "example" in cast("Document", kind.model_config.get("json_schema_extra") or {})
}


@pytest.mark.parametrize("name", MODELS_WITH_EXAMPLES)
def test_an_example_is_what_it_is_an_example_of(name: str) -> None:
    kind = MODELS_WITH_EXAMPLES[name]
    example = cast("Document", kind.model_config["json_schema_extra"])["example"]
    kind.model_validate_json(json.dumps(example))


@pytest.mark.parametrize("operation", OPERATIONS)
def test_a_route_says_what_it_does_and_what_it_answers(operation: str) -> None:
    described = OPERATIONS[operation]
    assert described.get("summary")
    assert described.get("description")
    answers = cast("Document", described["responses"])
    assert any(status.startswith("2") for status in answers)
    if "/health/" not in operation:
        assert {"401", "403", "404", "413", "422", "429", "503"} <= set(answers)


BODILESS: Final = {
    "PUT /v1/users/{user_id}/pins/{tier}/{item_id}",
    "POST /v1/jobs/{job_id}/retry",
    "POST /v1/jobs/{job_id}/cancel",
    "POST /v1/health/report",
}
"""What does something and needs no more than its address."""


@pytest.mark.parametrize(
    "operation", [name for name in OPERATIONS if not name.startswith(("GET", "DELETE")) and name not in BODILESS]
)
def test_a_body_is_described_with_an_example(operation: str) -> None:
    text = json.dumps(OPERATIONS[operation]["requestBody"])
    referred = re.findall(r"#/components/schemas/(\w+)", text)
    schemas = cast("dict[str, Document]", cast("Document", DESCRIPTION["components"])["schemas"])
    assert "example" in text or any("example" in schemas[name] for name in referred)


@pytest.mark.parametrize("kind", ["schemas", "responses", "headers"])
def test_every_reference_leads_somewhere(kind: str) -> None:
    components = cast("Document", cast("Document", DESCRIPTION["components"])[kind])
    referred = set(re.findall(rf"#/components/{kind}/([\w.-]+)", json.dumps(DESCRIPTION)))
    assert referred
    assert referred <= set(components)


def test_a_reference_is_to_a_component() -> None:
    assert set(re.findall(r'"\$ref": "#/([^"]+)/', json.dumps(DESCRIPTION))) == {
        "components/schemas",
        "components/responses",
        "components/headers",
    }


@pytest.mark.parametrize("operation", OPERATIONS)
def test_every_answer_says_its_request_and_what_is_left_of_the_keys_rate(operation: str) -> None:
    refusals = cast("dict[str, Document]", cast("Document", DESCRIPTION["components"])["responses"])
    for status, answer in cast("dict[str, Document]", OPERATIONS[operation]["responses"]).items():
        described = cast("Document", (refusals[status] if "$ref" in answer else answer)["headers"])
        assert {"X-Request-ID", "RateLimit", "RateLimit-Policy"} <= set(described)
        assert ("Retry-After" in described) == (status in {"429", "503"} and "$ref" in answer)


@pytest.mark.parametrize("operation", [name for name in OPERATIONS if "/health/" not in name])
def test_every_refusal_is_a_problem_described_in_one_place(operation: str) -> None:
    answers = cast("dict[str, Document]", OPERATIONS[operation]["responses"])
    refusals = cast("dict[str, Document]", cast("Document", DESCRIPTION["components"])["responses"])
    for status in (status for status in answers if status >= "400"):
        assert answers[status]["$ref"] == f"#/components/responses/{status}"
        assert answers[status].get("description", refusals[status]["description"])
        assert refusals[status]["content"] == {
            problems.MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}
        }


def _refused(monkeypatch: pytest.MonkeyPatch, **settings: int | float) -> dict[str, str]:
    """What is said of each refusal by a gateway of these settings."""
    for name, value in settings.items():
        monkeypatch.setenv(f"GATEWAY_{name.upper()}", str(value))
    components = cast("Document", create_app(_never_opened).openapi()["components"])
    refusals = cast("dict[str, dict[str, str]]", components["responses"])
    return {status: refusal["description"] for status, refusal in refusals.items()}


BOUNDS: Final = {
    "413": ("max_body_bytes", "max_messages", "max_characters", "max_metadata"),
    "429": (
        *("key_requests_per_s", "key_burst", "key_requests_at_once"),
        *("key_body_bytes_at_once", "body_bytes_at_once"),
    ),
}


def test_what_is_too_much_is_told_with_the_figures_of_the_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    figures = {name: 2_000 + number for number, name in enumerate(sum(BOUNDS.values(), ()))}
    told = _refused(monkeypatch, **figures)
    for status, names in BOUNDS.items():
        for name in names:
            pattern = rf"\b{figures[name]:,} [^;]*\(`GATEWAY_{name.upper()}`\)"
            assert re.search(pattern, told[status]), f"{pattern} is not in {told[status]}"


@pytest.mark.parametrize("operation", OPERATIONS)
def test_a_route_says_nothing_else_of_what_is_too_much(operation: str) -> None:
    answers = cast("dict[str, Document]", OPERATIONS[operation]["responses"])
    for status in BOUNDS:
        assert answers.get(status) in (None, {"$ref": f"#/components/responses/{status}"})


def test_what_has_no_bound_is_told_to_have_none(monkeypatch: pytest.MonkeyPatch) -> None:
    told = _refused(monkeypatch, max_metadata=0)
    assert "no bound of values of metadata" in told["413"]


def test_every_bound_of_a_request_or_a_key_is_told() -> None:
    bounds = {name for name in GatewaySettings.model_fields if name.startswith(("max_", "key_")) or "at_once" in name}
    assert bounds == set(sum(BOUNDS.values(), ()))
