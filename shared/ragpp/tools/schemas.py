"""The tools in the form in which a provider's API takes them. Pure."""

from typing import Final

from pydantic import JsonValue

from ragpp.tools.specifications import TOOLS, Tool

_NOT_STRICT: Final = frozenset({"default", "minLength", "maxLength"})
"""What OpenAI's strict schemas may not have; the resolver sees to it all the same."""


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


def _strict(tool: Tool) -> JsonValue:
    """Every property is required there."""
    parameters = tool.parameters()
    properties, required = parameters["properties"], parameters["required"]
    assert isinstance(properties, dict)  # noqa: S101 - as `Tool.parameters` makes them
    assert isinstance(required, list)  # noqa: S101
    shown: dict[str, JsonValue] = {}
    for name, field in properties.items():
        assert isinstance(field, dict)  # noqa: S101
        kept = {key: value for key, value in field.items() if key not in _NOT_STRICT}
        if name not in required:
            kept["type"] = [kept["type"], "null"]
            if isinstance(choices := kept.get("enum"), list):
                kept["enum"] = [*choices, None]
        shown[name] = kept
    return {**parameters, "properties": shown, "required": list(shown)}
