"""The tools as a model is told of them, in the form of each provider."""

import json

from pydantic import JsonValue, TypeAdapter

from ragpp.tools import (
    TOOLS,
    ToolAnswer,
    ToolCall,
    anthropic_result,
    anthropic_tools,
    openai_result,
    openai_tools,
)
from tests.support.each import each_case

NAMES = ["recall", "remember", "list_categories", "get_category"]


def parameters(tool: dict[str, JsonValue]) -> dict[str, JsonValue]:
    function = tool["function"]
    assert isinstance(function, dict)
    found = function["parameters"]
    assert isinstance(found, dict)
    return found


def test_the_four_tools_of_the_document_are_there_each_with_when_to_use_it() -> None:
    assert [tool.name for tool in TOOLS] == NAMES
    assert all("Use this tool " in tool.description for tool in TOOLS)


def test_recall_has_the_arguments_of_the_document_with_their_bounds_and_defaults() -> None:
    recall = parameters(openai_tools()[0])
    properties = recall["properties"]
    assert isinstance(properties, dict)
    assert recall["required"] == ["query"]
    assert list(properties) == ["query", "k", "mode", "category", "scope"]
    assert properties["k"] == {
        "type": "integer",
        "minimum": 1,
        "maximum": 20,
        "default": 5,
        "description": "Maximum number of results to return (1-20, default 5).",
    }
    assert properties["mode"] == {
        "type": "string",
        "enum": ["rag", "llm", "hybrid"],
        "description": "Search mode of curated knowledge, which alone is searched then - "
        '"rag" (fast), "llm" (accurate), "hybrid" (balanced).',
    }
    assert properties["category"] == {
        "type": "string",
        "minLength": 1,
        "maxLength": 200,
        "description": 'Optional category of curated knowledge to filter results (e.g., "lead_preferences").',
    }


def test_a_tool_without_arguments_has_an_empty_object() -> None:
    nothing = {"type": "object", "properties": {}, "required": [], "additionalProperties": False}
    assert parameters(openai_tools()[2]) == nothing


def test_openai_and_anthropic_are_told_the_same() -> None:
    for openai, anthropic, tool in zip(openai_tools(), anthropic_tools(), TOOLS, strict=True):
        assert openai["type"] == "function"
        described = {"name": tool.name, "description": tool.description}
        assert openai["function"] == {**described, "parameters": tool.parameters()}
        assert anthropic == {**described, "input_schema": tool.parameters()}


def test_a_strict_schema_requires_everything_and_lets_null_stand_for_what_is_left_out() -> None:
    recall = parameters(openai_tools(strict=True)[0])
    properties = recall["properties"]
    assert isinstance(properties, dict)
    assert recall["required"] == list(properties)
    assert properties["mode"] == {
        "type": ["string", "null"],
        "enum": ["rag", "llm", "hybrid", None],
        "description": "Search mode of curated knowledge, which alone is searched then - "
        '"rag" (fast), "llm" (accurate), "hybrid" (balanced).',
    }
    assert properties["query"] == {
        "type": "string",
        "description": "What to search for. Be specific for better results.",
    }
    assert all(tool["function"]["strict"] is True for tool in openai_tools(strict=True))  # type: ignore[index,call-overload]


@each_case("tools", [openai_tools(), openai_tools(strict=True), anthropic_tools()])
def test_a_schema_stands_alone_and_is_json(tools: list[dict[str, JsonValue]]) -> None:
    written = json.dumps(tools)
    assert "$ref" not in written
    assert '"title"' not in written
    assert json.loads(written) == tools


def test_the_providers_own_libraries_take_what_they_are_given() -> None:
    """Tools, and what is answered to a call."""
    from anthropic.types import ToolParam, ToolResultBlockParam  # noqa: PLC0415 - large, and of this test alone
    from openai.types.chat import (  # noqa: PLC0415
        ChatCompletionFunctionToolParam,
        ChatCompletionToolMessageParam,
    )

    for tool in (*openai_tools(), *openai_tools(strict=True)):
        assert TypeAdapter(ChatCompletionFunctionToolParam).validate_python(tool) == tool
    for tool in anthropic_tools():
        assert TypeAdapter(ToolParam).validate_python(tool) == tool
    call, answer = ToolCall("c1", "recall", "{}"), ToolAnswer("No.", ok=False)
    message = openai_result(call, answer)
    assert TypeAdapter(ChatCompletionToolMessageParam).validate_python(message) == message
    block = anthropic_result(call, answer)
    assert TypeAdapter(ToolResultBlockParam).validate_python(block) == block
