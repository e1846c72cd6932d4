"""Memories given to agents unasked, through the public API of a running stack: `python -m benchmarks.eval_agents`.

Each world of `data/agents` is a user with one agent, whose memories are kept by POST /api/memory/catalog. Then each
message goes to POST /v1/hooks/pre-message and /v1/hooks/pre-prompt. Of what is put before messages, and of what is
recommended from the catalog, are reported

- precision: the share of these memories that fit; recall: of those that fit, the share that is among them;
- hit: of the messages that a memory fits, for how many one is given; quiet: of those that none fits, for how many none;
- relevance: the mean relevance of what is put before messages, by document 000 (recency, tags, agent, priority).

Of the catalog that is offered, of 20 entries at most, recall and hit alone tell anything. Each pair of a memory and an
answer goes to POST /v1/hooks/post-response, which names the memory to the gateway and not in the answer; see
`benchmarks.agents.uses_of`. With `--together` one agent keeps all worlds of a half: five times as many memories, of
which only those of the message's own world are labelled.

The blind half was written without sight of the code: nothing is tuned on it, and it is not shown one by one.
"""

import argparse
import asyncio
import json
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Final

from rich.console import Console

from benchmarks.agents import Asked, Chosen, Half, Judged, Memory, halves, shares_of, uses_of
from benchmarks.agents_lab import table_of
from benchmarks.evaluation import wide_console
from benchmarks.stack import running_gateway
from ragpp.api.entries import EntryIn
from ragpp.api.hooks import PostResponseIn, PreMessageIn, PrePromptIn
from ragpp.client import AsyncMemoryClient
from ragpp.entries.relevance import RelevanceWeights

CI: Final = "assistant"
BEFORE: Final = "put before a message"
RECOMMENDED: Final = "recommended"
OFFERED: Final = "offered"
TERMS: Final = frozenset(field.name for field in fields(RelevanceWeights))
Answers = dict[str, list[Chosen]]
Numbers = dict[str, dict[str, dict[str, float]]]


async def keep(client: AsyncMemoryClient, user: str, memories: Sequence[Memory]) -> dict[str, str]:
    """A world as a user's; returns the labels' ids by those of the gateway."""
    known = {}
    for memory in memories:
        entry = EntryIn(user_id=user, ci=CI, content=memory.content, type=memory.type, timestamp=memory.occurred_at)
        known[(await client.store_entry(entry)).memory_id] = memory.id
    return known


async def ask(client: AsyncMemoryClient, user: str, asked: Asked, known: Mapping[str, str]) -> dict[str, Chosen]:
    """The memories given for a message, by how they are given."""
    injection = await client.pre_message(PreMessageIn(user_id=user, ci=CI, message=asked.message))
    catalog = await client.pre_prompt(PrePromptIn(user_id=user, ci=CI, prompt=asked.message))
    relevance = tuple(
        min(1.0, sum(value for name, value in injection.explain[one].items() if name in TERMS))
        for one in injection.memory_ids
    )

    def of(memory_ids: Sequence[str]) -> frozenset[str]:
        return frozenset(known[one] for one in memory_ids)

    return {
        BEFORE: Chosen(asked, of(injection.memory_ids), relevance),
        RECOMMENDED: Chosen(asked, of([one.memory_id for one in catalog.recommendation])),
        OFFERED: Chosen(asked, of([line.entry.memory_id for line in catalog.catalog])),
    }


async def answers_of(client: AsyncMemoryClient, labels: Half, *, together: bool) -> Answers:
    """The memories given for each message of a half, by how they are given."""
    run, users, known = uuid.uuid4().hex[:8], dict[str, str](), dict[str, str]()
    for world, memories in labels.worlds.items():
        users[world] = f"agents-{run}-{labels.name if together else world}"
        known |= await keep(client, users[world], memories)
    answers: Answers = {BEFORE: [], RECOMMENDED: [], OFFERED: []}
    for asked in labels.messages:
        for way, chosen in (await ask(client, users[asked.world], asked, known)).items():
            answers[way].append(chosen)
    return answers


async def judged(client: AsyncMemoryClient, labels: Half) -> list[Judged]:
    """How useful each memory is taken to be for its answer."""
    user, kept, told = f"agents-{uuid.uuid4().hex[:8]}", dict[str, str](), list[Judged]()
    for use in labels.uses:
        if use.memory not in kept:
            entry = await client.store_entry(EntryIn(user_id=user, ci=CI, content=use.memory))
            kept[use.memory] = entry.memory_id
        memory_id = kept[use.memory]
        request = PostResponseIn(user_id=user, ci=CI, response=use.response, memories_used=(memory_id,))
        told.append(Judged(use, (await client.post_response(request)).useful[memory_id]))
    return told


def show(chosen: Chosen, labels: Half, console: Console) -> None:
    """A message that was given what does not fit, or not given what does."""
    contents = {memory.id: memory.content for world in labels.worlds.values() for memory in world}
    fitting = set(chosen.asked.fitting)
    console.rule(chosen.asked.id)
    console.print(chosen.asked.message, markup=False)
    for mark, ids in (("wrong  ", chosen.ids - fitting), ("missing", fitting - chosen.ids)):
        for one in sorted(ids):
            console.print(f"{mark} {one} {contents[one]}", markup=False, highlight=False)


async def run(console: Console, *, showing: bool, together: bool) -> Numbers:
    """Keep, ask, print; returns the figures by what is measured, half and name."""
    answers, uses = dict[str, Answers](), dict[str, list[Judged]]()
    async with running_gateway() as client:
        for labels in halves():
            answers[labels.name] = await answers_of(client, labels, together=together)
            uses[labels.name] = await judged(client, labels)
            for chosen in answers[labels.name][BEFORE] if showing and labels.name == "development" else ():
                if chosen.ids != set(chosen.asked.fitting):
                    show(chosen, labels, console)
    numbers: Numbers = {}
    for way in (BEFORE, RECOMMENDED, OFFERED):
        rows = {name: shares_of(ways[way]) for name, ways in answers.items()}
        rows["total"] = shares_of([chosen for ways in answers.values() for chosen in ways[way]])
        if way == OFFERED:
            rows = {name: {column: row[column] for column in ("n", "recall", "hit")} for name, row in rows.items()}
        numbers[way] = rows
    told = {name: pairs for name, pairs in uses.items() if pairs}
    told["total"] = [pair for pairs in uses.values() for pair in pairs]
    numbers["used by an answer"] = {name: uses_of(pairs) for name, pairs in told.items() if pairs}
    for title, rows in numbers.items():
        console.print(table_of(title, rows))
    return numbers


def main() -> None:
    """Parse the command line and run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--show", action="store_true", help="what was given wrongly or not at all, of development")
    parser.add_argument("--together", action="store_true", help="one agent keeps all worlds of a half")
    parser.add_argument("--json", type=Path, help="write the figures here, too")
    given = parser.parse_args()
    numbers = asyncio.run(run(wide_console(), showing=given.show, together=given.together))
    if given.json:
        given.json.write_text(json.dumps(numbers, indent=2))


if __name__ == "__main__":
    main()
