"""An assistant with a memory, around any function that answers.

RAGPP_API_KEY=$(cat .ragpp/key) python examples/governed_assistant.py
"""

import asyncio
import os

from ragpp.client import MemoryClient
from services.governor.graph import Governor
from services.governor.values import Event, Invocation, Limits, Prompt


async def respond(prompt: Prompt) -> str:
    """Your model: `prompt.system` holds what is remembered, `prompt.messages` what is to be answered."""
    remembered = "; ".join(memory.text for memory in prompt.memories[:2]) or "nothing yet"
    return f"You said: {prompt.messages[-1].content} I remember: {remembered}"


async def main(url: str, key: str, user: str = "example", limits: Limits | None = None) -> list[str]:
    """Two messages in two sessions; what was answered."""
    answers = []
    async with MemoryClient(url, key) as memory, Governor(memory, respond, limits=limits) as governor:
        for session, content in (("monday", "My locker is number 418."), ("tuesday", "Which locker is mine?")):
            event = Event(user=user, session=session, content=content)
            result = await governor.turn(Invocation(event=event))
            answers.append(result.response.text)
    return answers


if __name__ == "__main__":
    for answer in asyncio.run(main(os.environ.get("RAGPP_URL", "http://127.0.0.1:8700"), os.environ["RAGPP_API_KEY"])):
        print(answer)
