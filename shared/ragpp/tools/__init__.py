"""The memory as tools of a language model: document 002 §5, for any framework that calls tools.

    async with MemoryManager(user_id="u1") as memory:
        tools = MemoryTools(memory)
        reply = await model(messages, tools=openai_tools())
        for call in openai_calls(reply.tool_calls):
            messages.append(openai_result(call, await tools.answer(call.name, call.arguments)))

`SyncMemoryTools` is the same without `await`; `ragpp.tools.langchain` makes tools of LangChain's of either.
"""

from ragpp.tools.calls import ToolCall, anthropic_calls, anthropic_result, openai_calls, openai_result
from ragpp.tools.resolver import MemoryTools, ToolAnswer
from ragpp.tools.schemas import anthropic_tools, openai_tools
from ragpp.tools.specifications import TOOLS, Tool
from ragpp.tools.sync import SyncMemoryTools

__all__ = [
    "TOOLS",
    "MemoryTools",
    "SyncMemoryTools",
    "Tool",
    "ToolAnswer",
    "ToolCall",
    "anthropic_calls",
    "anthropic_result",
    "anthropic_tools",
    "openai_calls",
    "openai_result",
    "openai_tools",
]
