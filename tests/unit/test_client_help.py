"""The help of the client: each argument with its range and default, and examples that can be copied."""

import ast
import builtins
import inspect
import re
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Final

import pytest
from pydantic import BaseModel

import ragpp
from ragpp import AsyncMemoryClient, MemoryClient, remembering
from ragpp.api import MessageIn, RecallRequest, StoreRequest
from tests.support.each import each_case
from tests.support.scripted import RECALLED, STORED, ScriptedGateway, answer

FACES: Final = [MemoryClient, AsyncMemoryClient]
EXPLAINED: Final = ("remember", "recall", "pending", "conversation", "profile", "findings", "review")
MODELS: Final = {"remember": (MessageIn, StoreRequest), "recall": (RecallRequest,)}
PLAIN: Final = {"user_id": "user", "session_id": "session", "agent_id": "agent", "content": "text"}
KNOWN: Final = {"memory", "talk", *dir(builtins)}
"""Names that an example need not make: the client, a conversation, and Python's own."""


def told(function: object) -> str:
    return inspect.getdoc(function) or ""


def example(text: str) -> str:
    """The code in a docstring."""
    return "\n".join(line[4:] if line.startswith("    ") else "" for line in text.split("\n"))


def methods(kind: type) -> Iterator[tuple[str, Callable[..., object]]]:
    for name in dir(kind):
        if not name.startswith("_") and inspect.isfunction(method := getattr(kind, name)):
            yield name, method


def lines(function: object) -> dict[str, str]:
    """The lines about arguments, by name."""
    return dict(re.findall(r"^`(\w+)`: (.*)$", told(function), re.MULTILINE))


@each_case(("kind", "name"), [(kind, name) for kind in FACES for name in EXPLAINED])
def test_every_argument_of_what_is_used_first_has_a_line(kind: type, name: str) -> None:
    method = getattr(kind, name)
    assert [*lines(method)] == [one for one in inspect.signature(method).parameters if one != "self"]
    assert "Raises " in told(method)


def test_every_argument_of_remembering_has_a_line() -> None:
    assert [*lines(remembering)] == [*inspect.signature(remembering).parameters]


def limits(model: type[BaseModel], field: str) -> set[str]:
    """The numbers that bound a field, as a line has them."""
    schema = model.model_json_schema()["properties"][field]
    forms = [schema, *schema.get("anyOf", [])]
    bounds = ("minimum", "maximum", "maxLength", "maxItems")
    return {f"{form[bound]:,}" for form in forms for bound in bounds if bound in form}


@each_case("name", [*MODELS])
def test_the_ranges_and_defaults_that_help_tells_are_those_of_the_models(name: str) -> None:
    explained = lines(getattr(MemoryClient, name))
    for model in MODELS[name]:
        for field, described in model.model_fields.items():
            if field == "messages":
                continue
            line = explained[PLAIN.get(field, field)]
            numbers = {one.rstrip(",") for one in re.findall(r"-?\d[\d,]*", line)}
            assert limits(model, field) <= numbers, f"{field}: {line}"
            if isinstance(described.default, str | int):
                assert re.search(rf"else `?{described.default}\b", line), f"{field}: {line}"
            elif not described.is_required():
                assert "else " in line, f"{field}: {line}"


@each_case("kind", FACES)
def test_examples_are_awaited_where_a_loop_runs_and_nowhere_else(kind: type) -> None:
    for name, method in methods(kind):
        tree = compile(example(told(method)), name, "exec", ast.PyCF_ONLY_AST | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
        calls = {
            node
            for node in ast.walk(tree)
            if isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and isinstance(node.func.value, ast.Name)
            and node.func.value.id in {"memory", "talk"}
            and node.func.attr != "conversation"
        }
        awaited = {node.value for node in ast.walk(tree) if isinstance(node, ast.Await)}
        assert (calls <= awaited) if kind is AsyncMemoryClient else not awaited, name


@each_case("kind", FACES)
def test_every_name_of_an_example_is_imported_or_made_in_it_and_can_be_imported(kind: type) -> None:
    texts = {name: told(method) for name, method in methods(kind)}
    for name, text in {
        **texts,
        "remembering": told(remembering),
        "ragpp": told(ragpp),
        kind.__name__: told(kind),
    }.items():
        tree = compile(example(text), name, "exec", ast.PyCF_ONLY_AST | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
        used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
        made = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom):
                assert all(hasattr(import_module(node.module or ""), one.name) for one in node.names), name
                made |= {one.name for one in node.names}
        assert used - made <= KNOWN, name


@each_case("name", ["remember", "recall", "conversation"])
def test_an_example_runs_as_it_is_printed(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    stored, recalled = answer(STORED, 201), answer(RECALLED)
    gateway = ScriptedGateway(
        *{
            "remember": [stored, stored, answer({"pending": 0}), stored],
            "recall": [recalled, recalled],
            "conversation": [stored, recalled, stored],
        }[name]
    )
    monkeypatch.setattr(
        ragpp, "MemoryClient", lambda: MemoryClient("http://gateway", "key", transport=gateway), raising=False
    )
    exec(example(told(getattr(MemoryClient, name))), {})  # noqa: S102 - as a reader would
    assert gateway.seen


def test_help_of_the_package_says_where_to_start() -> None:
    for name in ("MemoryClient", "AsyncMemoryClient", "remembering", "errors", "ragpp.api", "remember", "recall"):
        assert name in told(ragpp)
