"""Two agents of one user choose their memories: what one learns the other finds, and what is private stays private.

    python infra/scripts/agents_demo.py              # starts the embedded stack, or attaches to it

`ergon` builds, `scribe` answers customers. Each keeps what it learns, some of it for itself. Both are asked, choose
from their catalogs, and are given what they chose within their budgets. One of them says that a memory misled it, and
that one sinks. No language model is needed: both take what is recommended. Exit code 1 where a budget is broken.
"""

import asyncio
import os
import subprocess
import sys
import uuid
from pathlib import Path
from typing import Final

from ragpp import MemoryCatalog
from ragpp.api.hooks import TurnCatalog
from ragpp.client import AsyncMemoryClient
from ragpp_infra.embedded.home import Home

BUDGET: Final = 120
ASKED: Final = "Why do exports of large orders fail?"
SHARED: Final = (
    "Exports of large orders fail, since the proxy ends requests after thirty seconds.",
    "Exports of large orders fail, since the disk of the export server is slow.",
)
OF_ERGON: Final = "The password of the export server is changed by hand on the first Monday of a month."
OF_SCRIBE: Final = "Customers of the bakery group prefer short answers without apologies."


async def show(client: AsyncMemoryClient) -> None:
    """Learn, choose, be given, judge. Raises RuntimeError where a budget is broken."""
    user = f"agents-{uuid.uuid4().hex[:8]}"
    ergon = MemoryCatalog("ergon", client=client, user_id=user)
    scribe = MemoryCatalog("scribe", client=client, user_id=user)
    await client.set_agent_budget("scribe", user_id=user, limit=BUDGET)

    print("ergon learns two things for everybody, and keeps one for itself; scribe keeps one for itself")
    for text in SHARED:
        await ergon.store(text, visibility="shared")
    await ergon.store(OF_ERGON, visibility="agent")
    await scribe.store(OF_SCRIBE, visibility="agent")
    for name, agent in (("ergon", ergon), ("scribe", scribe)):
        seen = await agent.get_relevant("", max_tokens=1_000)
        print(f"  {name} sees {len(seen.memories)} memories")

    print(f"\nscribe is asked: {ASKED}")
    offered = await turn(scribe)
    first, second = (line.entry.memory_id for line in offered.catalog[:2])

    print("\nscribe says that the first of them misled it")
    moved = await scribe.feedback(first, -1, "It was not that.")
    print(f"  it was worth {moved.old:.2f}, and is {moved.new:.2f}")
    for _ in range(2):
        await scribe.feedback(first, -1, "It was not that.")
    print(f"\nergon is asked the same: {ASKED}")
    again = await turn(ergon)
    order = [line.entry.memory_id for line in again.catalog]
    print(f"  what misled scribe has sunk below the other: {order.index(first) > order.index(second)}")

    used = await client.agent_usage("scribe", user_id=user)
    print(f"\nscribe was given {used.memory_tokens} tokens of memories and {used.catalog_tokens} of catalogs")


async def turn(agent: MemoryCatalog) -> TurnCatalog:
    """One turn, as it is seen."""
    offered = await agent.pre_prompt_hook(ASKED)
    print("\n".join(f"  │ {line}" for line in offered.formatted.splitlines()))
    for one in offered.recommendation:
        print(f"  {one.handle} is recommended: {one.reason}")
    given = await agent.memory_request_hook([one.handle for one in offered.recommendation])
    budget = given.token_budget
    print("\n".join(f"  │ {line}" for line in given.formatted.splitlines()))
    print(f"  {budget.used} of {budget.limit} tokens used")
    if budget.used > budget.limit:
        raise RuntimeError("a turn was given more than its budget")
    answer = given.memories[0].text if given.memories else "Nobody knows."
    told = await agent.post_response_hook(answer, [one.handle for one in given.memories])
    print(f"  useful: {', '.join(f'{value:.2f}' for value in told.useful.values())}")
    return offered


async def run(home: Path) -> None:
    """Show, on the stack of that folder."""
    async with Home(home).client() as client:
        await show(client)


def main() -> None:
    """Bring the stack up and show."""
    home = Path(os.environ.get("RAGPP_HOME", ".ragpp")).resolve()
    environment = os.environ | {"RAGPP_HOME": str(home)}
    subprocess.run([sys.executable, "-m", "ragpp_infra.cli.main", "up"], check=True, env=environment)
    asyncio.run(run(home))


if __name__ == "__main__":
    main()
