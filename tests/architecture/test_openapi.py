"""The API's description is complete and its examples are true."""

import json
import re
from collections.abc import Iterator
from contextlib import AbstractAsyncContextManager
from typing import Final, cast

import pytest
from pydantic import BaseModel, ValidationError

from ragpp import api, models
from ragpp.errors import problems
from ragpp_services.gateway.app import create_app
from ragpp_services.gateway.field_words import describe_fields, field_words
from ragpp_services.gateway.parts import Parts
from ragpp_services.gateway.settings import GatewaySettings
from tests.support.each import each_case

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


REFUSALS: Final = cast("dict[str, Document]", cast("Document", DESCRIPTION["components"])["responses"])


def _answers(operation: str) -> dict[str, Document]:
    """The answers of a route, by status."""
    return cast("dict[str, Document]", OPERATIONS[operation]["responses"])


def test_there_are_routes_and_examples_to_look_at() -> None:
    """Catches a description that is read as an empty one, of which everything below would be true."""
    assert len(OPERATIONS) > 100
    assert len(MODELS_WITH_EXAMPLES) > 40


def test_an_example_is_what_it_is_an_example_of() -> None:
    """Catches a model whose fields changed and whose example did not."""
    offenders = [f"{name}: {wrong}" for name, kind in MODELS_WITH_EXAMPLES.items() for wrong in _wrong_example(kind)]
    assert not offenders, "\n".join(offenders)


def _wrong_example(kind: type[BaseModel]) -> list[str]:
    example = json.dumps(cast("Document", kind.model_config["json_schema_extra"])["example"])
    try:
        kind.model_validate_json(example)
    except ValidationError as refused:
        return [f"{example} is refused: {refused}"]
    return []


EXPECTED: Final = frozenset({"401", "403", "404", "413", "422", "429", "503"})
"""Refusals that every route may answer but those that tell how the gateway is."""


def test_a_route_says_what_it_does_and_what_it_answers() -> None:
    """Catches a new route without a docstring, or whose refusals nobody described."""
    offenders = [f"{operation}: {missing}" for operation in OPERATIONS for missing in _untold(operation)]
    assert not offenders, "\n".join(offenders)


def _untold(operation: str) -> Iterator[str]:
    for text in ("summary", "description"):
        if not OPERATIONS[operation].get(text):
            yield f"has no {text}"
    answers = _answers(operation).keys()
    if not any(status.startswith("2") for status in answers):
        yield f"answers nothing that is good, only {sorted(answers)}"
    if "/health/" not in operation and not answers >= EXPECTED:
        yield f"does not tell of {sorted(EXPECTED - answers)}"


BODILESS: Final = {
    "PUT /v1/users/{user_id}/pins/{tier}/{item_id}",
    "POST /v1/jobs/{job_id}/retry",
    "POST /v1/jobs/{job_id}/cancel",
    "POST /v1/health/report",
}
"""Routes that do something and need no more than their address."""


def test_a_body_is_described_with_an_example() -> None:
    """Catches a body that nobody shows how to write, and a route that takes none where one was."""
    schemas = cast("dict[str, Document]", cast("Document", DESCRIPTION["components"])["schemas"])
    offenders = [
        f"{operation}: no example in {text} or in {referred}"
        for operation, described in OPERATIONS.items()
        if not operation.startswith(("GET", "DELETE")) and operation not in BODILESS
        for text in (json.dumps(described.get("requestBody", "no body")),)
        for referred in (re.findall(r"#/components/schemas/(\w+)", text),)
        if not ("example" in text or any("example" in schemas[name] for name in referred))
    ]
    assert not offenders, "\n".join(offenders)


@each_case("kind", ["schemas", "responses", "headers"])
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


def test_every_answer_says_its_request_and_what_is_left_of_the_keys_rate() -> None:
    """Catches an answer without the headers of every answer, or that names when to come back where it does not."""
    offenders = [
        f"{operation} {status}: has the headers {sorted(headers)}"
        for operation in OPERATIONS
        for status, answer in _answers(operation).items()
        for headers in (
            cast("Document", (REFUSALS.get(status, {}) if "$ref" in answer else answer).get("headers", {})),
        )
        if not {"X-Request-ID", "RateLimit", "RateLimit-Policy"} <= set(headers)
        or ("Retry-After" in headers) != (status in {"429", "503"} and "$ref" in answer)
    ]
    assert not offenders, "\n".join(offenders)


def test_every_refusal_is_a_problem_described_in_one_place() -> None:
    """Catches a refusal that a route describes in its own way, or that is no problem of our form."""
    problem = {problems.MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}
    offenders = [
        f"{operation} {status}: {answer} with {refusal}"
        for operation in OPERATIONS
        if "/health/" not in operation
        for status, answer in _answers(operation).items()
        if status >= "400"
        for refusal in (REFUSALS.get(status, {}),)
        if answer.get("$ref") != f"#/components/responses/{status}"
        or not answer.get("description", refusal.get("description"))
        or refusal.get("content") != problem
    ]
    assert not offenders, "\n".join(offenders)


def _refused(monkeypatch: pytest.MonkeyPatch, **settings: int | float) -> dict[str, str]:
    """The description of each refusal by a gateway of these settings, by status."""
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


def test_a_route_says_nothing_else_of_what_is_too_much() -> None:
    """Catches a route that tells bounds of its own beside those of the settings."""
    offenders = [
        f"{operation} {status}: {answer}"
        for operation in OPERATIONS
        for status in BOUNDS
        for answer in (_answers(operation).get(status),)
        if answer not in (None, {"$ref": f"#/components/responses/{status}"})
    ]
    assert not offenders, "\n".join(offenders)


def test_what_has_no_bound_is_told_to_have_none(monkeypatch: pytest.MonkeyPatch) -> None:
    told = _refused(monkeypatch, max_metadata=0)
    assert "no bound of values of metadata" in told["413"]


def test_every_bound_of_a_request_or_a_key_is_told() -> None:
    bounds = {name for name in GatewaySettings.model_fields if name.startswith(("max_", "key_")) or "at_once" in name}
    assert bounds == set(sum(BOUNDS.values(), ()))


MOST_WORDS: Final = 25
SENTENCE_ENDS: Final = re.compile(r"(?<=[.!?])\s+")
RIDDLES: Final = frozenset({"Of", "What", "Whether", "Whose"})
"""First words of what tells a part of a sentence, and leaves the rest to be guessed."""


def _explained(description: Document) -> Iterator[tuple[str, Document]]:
    """Each property of a schema and each parameter, with where it is."""
    schemas = cast("dict[str, Document]", cast("Document", description["components"])["schemas"])
    for name, schema in schemas.items():
        for field, spec in cast("dict[str, Document]", schema.get("properties", {})).items():
            yield f"{name}.{field}", spec
    for path, operations in cast("dict[str, dict[str, Document]]", description["paths"]).items():
        for verb, operation in operations.items():
            for parameter in cast("list[Document]", operation.get("parameters", [])):
                yield f"{verb.upper()} {path} {parameter['name']}", parameter


def _ill_told(told: str) -> Iterator[str]:
    words = told.split()
    if len(words) < 3 or not told.endswith("."):
        yield "is no sentence"
    elif words[0].strip(":;,") in RIDDLES:
        yield f"begins with {words[0]}"
    longest = max(len(sentence.split()) for sentence in SENTENCE_ENDS.split(told))
    if longest > MOST_WORDS:
        yield f"has a sentence of {longest} words"


def test_every_field_and_parameter_says_what_it_is() -> None:
    """Catches a new field or parameter without words in `fields.toml`, or with such as nobody understands alone."""
    explained = [(place, str(spec.get("description", ""))) for place, spec in _explained(DESCRIPTION)]
    assert len(explained) > 1_000
    offenders = [f"{place} {wrong}: {told!r}" for place, told in explained for wrong in _ill_told(told)]
    assert not offenders, "\n".join(offenders)


def test_no_words_are_of_a_field_or_parameter_that_there_is_not() -> None:
    """Catches words of what is gone, or is called otherwise, or has words of its own in the code."""
    undescribed = cast("Document", json.loads(json.dumps(DESCRIPTION)))
    table = field_words()
    texts = {told for words in table.values() for told in words.values()}
    for _, spec in _explained(undescribed):
        if spec.get("description") in texts:
            del spec["description"]
    used = describe_fields(undescribed, table)
    stale = sorted({(section, name) for section, words in table.items() for name in words} - used)
    assert not stale, "\n".join(f"[{section}] {name}" for section, name in stale)


def test_what_the_code_says_of_a_field_goes_before_the_table() -> None:
    said: dict[str, Document] = {"a": {"description": "The code says it."}, "b": {}, "c": {"$ref": "#/x"}, "d": {}}
    described: Document = {"components": {"schemas": {"S": {"properties": said}}}, "paths": {}}
    words = {"any": {"a": "No.", "b": "Of any.", "c": "Of any."}, "S": {"b": "Of S."}}
    assert describe_fields(described, words) == {("S", "b"), ("any", "c")}
    assert said == {
        "a": {"description": "The code says it."},
        "b": {"description": "Of S."},
        "c": {"$ref": "#/x", "description": "Of any."},
        "d": {},
    }
