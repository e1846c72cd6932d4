"""A changed mind, through the API: what was believed before the move, what is believed after it, and as of before it.

    python infra/scripts/validity_demo.py            # starts the embedded stack, or attaches to it

The sample conversation goes in under a new user. Then the same questions are asked as of several moments of the
conversation: where Noor lives, what she drinks, and how sure the memory is of what it has not heard of for a while.
"""

import asyncio
import os
import subprocess
import sys
import uuid
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.resources import files
from pathlib import Path
from typing import Final

from ragpp.api import RecallRequest
from ragpp.client import AsyncMemoryClient
from ragpp.models import Relationship, TierName
from ragpp_infra.cli.digesting import wait_until_digested
from ragpp_infra.cli.ingest import ingest
from ragpp_infra.cli.lines import read_lines
from ragpp_infra.embedded.home import Home

BEFORE: Final = datetime(2024, 4, 1, tzinfo=UTC)
AFTER: Final = datetime(2024, 6, 1, tzinfo=UTC)
END: Final = datetime(2024, 10, 15, tzinfo=UTC)
MOMENTS: Final = (("before the move", BEFORE), ("after the move", AFTER), ("at the end", END))
LEARNED: Final[tuple[TierName, ...]] = ("semantic", "procedural")


async def show(client: AsyncMemoryClient) -> None:
    """Ingest, wait, ask."""
    user = f"validity-{uuid.uuid4().hex[:8]}"
    with (files("ragpp_infra") / "samples" / "conversation.jsonl").open("rb") as source:
        report = await ingest(client, user, read_lines(source))
    await wait_until_digested(client, user)
    print(f"{report.stored} messages of the sample conversation, told from January to October 2024, as user {user}\n")

    print('POST /v1/recall {"query": "Where does Noor live?", "as_of": …}')
    for name, moment in MOMENTS:
        lines = await recalled(client, user, "Where does Noor live?", moment, "LIVES_IN")
        print(f"  as of {moment:%Y-%m-%d}, {name}: {lines}")

    print("\nGET /v1/relationships?state=all&as_of=…   (what Noor LIVES_IN, with the time it held)")
    for name, moment in MOMENTS:
        held = await homes(client, user, moment)
        print(f"  as of {moment:%Y-%m-%d}, {name}:")
        for one in held:
            until = f"{one.valid_to:%Y-%m-%d}, said in {one.ended_by}" if one.valid_to else "now"
            print(f"    {one.target}: from {one.valid_from:%Y-%m-%d} until {until}; confidence {one.confidence:.2f}")

    print('\nPOST /v1/recall {"query": "What does Noor like to drink?", "as_of": …}')
    for name, moment in MOMENTS:
        lines = await recalled(client, user, "What does Noor like to drink?", moment, "drink")
        print(f"  as of {moment:%Y-%m-%d}, {name}: {lines}")

    print("\nDecay: a relationship that is not mentioned again, read as of later and later")
    faded = next(one for one in await homes(client, user, AFTER) if one.valid_to is None)
    for days in (0, 7, 30, 90):
        moment = datetime.fromtimestamp(faded.last_mention.timestamp() + days * 86_400, UTC)
        (one,) = [held for held in await homes(client, user, moment) if held.id == faded.id]
        print(f"  {days:>3} days after its last mention: confidence {one.confidence:.4f}")


async def recalled(client: AsyncMemoryClient, user: str, query: str, moment: datetime, about: str) -> str:
    """The lines of the context about one thing, from what was learned."""
    request = RecallRequest(user_id=user, query=query, as_of=moment, tiers=LEARNED, token_budget=2_000, limit=50)
    answer = await client.recall(request)
    lines = [line[2:] for line in answer.context.splitlines() if about in line and "Noor" in line]
    return "; ".join(lines) or "nothing"


async def homes(client: AsyncMemoryClient, user: str, moment: datetime) -> Sequence[Relationship]:
    """Where Noor lives and lived, as known at `moment`."""
    found = await client.relationships(user, state="all", as_of=moment, limit=200)
    homes = [one for one in found.items if one.type == "LIVES_IN" and one.source == "Noor"]
    return sorted(homes, key=lambda one: one.valid_from)


def main() -> None:
    """Bring the stack up and show."""
    home = Path(os.environ.get("RAGPP_HOME", ".ragpp")).resolve()
    subprocess.run(
        [sys.executable, "-m", "ragpp_infra.cli.main", "up"], check=True, env=os.environ | {"RAGPP_HOME": str(home)}
    )

    async def run() -> None:
        async with Home(home).client() as client:
            await show(client)

    asyncio.run(run())


if __name__ == "__main__":
    main()
