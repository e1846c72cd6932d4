"""The memory as tools, in OpenAI's form. The model is a script, so no key is needed; put yours in its place.

ragpp up   # in this folder; its client.json then says where the memory is
python examples/memory_tools.py
"""

import json
import sys
from typing import Any

from ragpp import MemoryManager
from ragpp.errors import MemorySystemError
from ragpp.tools import SyncMemoryTools, openai_calls, openai_result, openai_tools

FACT = "Maya prefers e-mail to phone calls."
SCRIPT: tuple[tuple[str, dict[str, object]], ...] = (
    ("remember", {"content": FACT, "category": "lead_preferences", "importance": "high"}),
    ("recall", {"query": "How does Maya like to be contacted?", "k": 1}),
    ("list_categories", {}),
    ("get_category", {"name": "lead_preferences"}),
)
Message = dict[str, Any]


def model(messages: list[Message], tools: list[Message]) -> Message:
    """Stands for `client.chat.completions.create(model=…, messages=messages, tools=tools)`: one call a turn."""
    turn = sum(message["role"] == "assistant" for message in messages)
    if turn == len(SCRIPT):
        return {"role": "assistant", "content": f"I know of {len(tools)} tools, and have used them."}
    name, arguments = SCRIPT[turn]
    call = {"id": f"call_{turn}", "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
    return {"role": "assistant", "tool_calls": [call]}


def main(tools: SyncMemoryTools) -> list[str]:
    """What the tools answered, and the model in the end."""
    messages: list[Message] = [{"role": "user", "content": f"{FACT} What do you know of her?"}]
    while messages[-1]["role"] != "assistant":
        reply = model(messages, openai_tools())
        messages.append(reply)
        calls = openai_calls(reply.get("tool_calls"))
        messages += [openai_result(call, tools.answer(call.name, call.arguments)) for call in calls]
    return [message["content"] for message in messages if message["role"] == "tool"] + [messages[-1]["content"]]


if __name__ == "__main__":
    print(json.dumps(openai_tools()[0], indent=2))
    try:
        with SyncMemoryTools(MemoryManager(user_id="example")) as memory:
            print(*main(memory), sep="\n\n")
    except MemorySystemError as error:
        sys.exit(f"{error.title}: {error.message}. {' '.join(error.suggestions)}")
