"""An agent that chooses its memories: it is shown a light catalog, reads what it wants of it, and tells what helped.

ragpp up   # in this folder; its client.json then says where the memory is
python examples/choosing_agent.py "Where do we keep the orders?"
"""

import asyncio
import sys

from ragpp import MemoryCatalog
from ragpp.api.hooks import TurnCatalog
from ragpp.errors import MemorySystemError

NOTES = (
    "We decided to keep the orders in PostgreSQL, since their queries need joins.",
    "The nightly import failed, since the certificate of the mail server had expired.",
    "Next step is to move the invoices to the new server in Faro.",
)


def choose(offered: TurnCatalog) -> list[str]:
    """The handles of what is worth reading. A language model would be shown `offered.formatted` and asked."""
    return [one.handle for one in offered.recommendation]


def respond(prompt: str, memories: str) -> str:
    """An answer. A language model would be sent `memories`, a section of its prompt, and the prompt."""
    known = [line for line in memories.splitlines() if line.startswith("- ")]
    return f"What I know of it: {known[0].partition('] ')[2]}" if known else f"I know nothing of it: {prompt}"


async def turn(memories: MemoryCatalog, prompt: str) -> str:
    """Catalog, choose, request, respond, report. Raises MemorySystemError when there is no such memory."""
    offered = await memories.pre_prompt_hook(prompt)
    chosen = choose(offered)
    given = await memories.memory_request_hook(chosen)
    response = respond(prompt, given.formatted)
    await memories.post_response_hook(response, chosen)
    return response


async def run(prompt: str) -> None:
    """As the agent `ergon` of the user `example`."""
    async with MemoryCatalog("ergon", user_id="example") as memories:
        for note in NOTES:
            await memories.store(note, visibility="agent")
        print(await turn(memories, prompt))
        print(await memories.budget())


if __name__ == "__main__":
    try:
        asyncio.run(run(" ".join(sys.argv[1:]) or "Where do we keep the orders?"))
    except MemorySystemError as error:
        sys.exit(f"{error.title}: {error.message}. {' '.join(error.suggestions)}")
