"""JSON schemas as providers' strict modes take them."""

from typing import Final, cast

from pydantic import BaseModel, JsonValue

_KEPT: Final = frozenset(
    {
        "$defs",
        "$ref",
        "additionalProperties",
        "anyOf",
        "const",
        "description",
        "enum",
        "items",
        "properties",
        "required",
        "type",
    }
)
"""The keywords that all of them know. Lengths, ranges and patterns are checked when the answer is read, in any case."""
_NAMED: Final = frozenset({"properties", "$defs"})
"""Keywords whose members are names of ours and not keywords."""


def strict_schema(model: type[BaseModel]) -> dict[str, object]:
    """The JSON schema of `model`, without the keywords that a strict mode refuses. `model` has to forbid unknown
    fields and to require all of its own."""
    return cast("dict[str, object]", _stripped(model.model_json_schema()))


def _stripped(node: JsonValue) -> JsonValue:
    if isinstance(node, list):
        return [_stripped(item) for item in node]
    if not isinstance(node, dict):
        return node
    kept: dict[str, JsonValue] = {}
    for key, value in node.items():
        if key in _NAMED and isinstance(value, dict):
            kept[key] = {name: _stripped(member) for name, member in value.items()}
        elif key in _KEPT:
            kept[key] = _stripped(value)
    return kept
