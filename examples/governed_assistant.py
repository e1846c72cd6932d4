"""An assistant with a memory, around any function that answers.

export $(ragpp env)   # the address and the key of the running stack
python examples/governed_assistant.py
"""

import asyncio
import os
import sys

from ragpp import AsyncMemoryClient
from ragpp.errors import MemorySystemError
from ragpp_services.governor.graph import Governor
from ragpp_services.governor.values import Event, Invocation, Limits, Prompt


async def respond(prompt: Prompt) -> str:
    """Your model: `prompt.system` holds what is remembered, `prompt.messages` what is to be answered."""
    remembered = "; ".join(memory.text for memory in prompt.memories[:2]) or "nothing yet"
    return f"You said: {prompt.messages[-1].content} I remember: {remembered}"


async def main(url: str, key: str, user: str = "example", limits: Limits | None = None) -> list[str]:
    """Two messages in two sessions; what was answered. Raises MemorySystemError when there is no such memory."""
    answers = []
    async with AsyncMemoryClient(url, key) as memory, Governor(memory, respond, limits=limits) as governor:
        await memory.pending(user)  # a turn goes on without a memory, and an example that does shows nothing
        for session, content in (("monday", "My locker is number 418."), ("tuesday", "Which locker is mine?")):
            event = Event(user_id=user, session_id=session, content=content)
            result = await governor.turn(Invocation(event=event))
            answers.append(result.response.content)
    return answers


if __name__ == "__main__":
    if not {"RAGPP_URL", "RAGPP_API_KEY"} <= os.environ.keys():
        sys.exit("RAGPP_URL or RAGPP_API_KEY is not set. Start a stack with `ragpp up`, then: export $(ragpp env)")
    try:
        print(*asyncio.run(main(os.environ["RAGPP_URL"], os.environ["RAGPP_API_KEY"])), sep="\n")
    except MemorySystemError as error:
        sys.exit(f"{error.title}: {error.message}. {' '.join(error.suggestions)}")
