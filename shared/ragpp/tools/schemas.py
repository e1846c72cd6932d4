"""The tools in the form in which a provider's API takes them. Pure."""

from typing import Final

from pydantic import JsonValue

from ragpp.tools.specifications import TOOLS, Tool, object_of

_NOT_STRICT: Final = frozenset({"default", "minLength", "maxLength"})
"""Keywords that OpenAI's strict schemas may not have; the resolver sees to it all the same."""


def openai_tools(*, strict: bool = False) -> list[dict[str, JsonValue]]:
    """As OpenAI's chat completions take them, and whatever speaks their language. `strict`: so that the model keeps to
    the schema to the letter; what may be left out may be null then."""
    return [{"type": "function", "function": _function(tool, strict=strict)} for tool in TOOLS]


def anthropic_tools() -> list[dict[str, JsonValue]]:
    """As Anthropic's messages take them."""
    return [{"name": tool.name, "description": tool.description, "input_schema": tool.parameters()} for tool in TOOLS]


def _function(tool: Tool, *, strict: bool) -> dict[str, JsonValue]:
    described: dict[str, JsonValue] = {"name": tool.name, "description": tool.description}
    if not strict:
        return {**described, "parameters": tool.parameters()}
    return {**described, "parameters": _strict(tool), "strict": True}


def _strict(tool: Tool) -> dict[str, JsonValue]:
    """Every property is required there."""
    properties = {name: _supported(field) for name, field in tool.properties().items()}
    for name in properties.keys() - set(tool.required()):
        properties[name] |= _or_null(properties[name])
    return object_of(properties, properties)


def _supported(field: dict[str, JsonValue]) -> dict[str, JsonValue]:
    return {key: value for key, value in field.items() if key not in _NOT_STRICT}


def _or_null(field: dict[str, JsonValue]) -> dict[str, JsonValue]:
    choices = field.get("enum")
    nullable: dict[str, JsonValue] = {"type": [field["type"], "null"]}
    return nullable | {"enum": [*choices, None]} if isinstance(choices, list) else nullable
