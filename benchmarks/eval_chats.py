"""Recall in real chats, through the public API of a running stack: `python -m benchmarks.eval_chats`.

Each line of the files is a scenario: what one user said over several sessions, and a question asked after it, which was
asked before, is answered emptily, was corrected, lies in or beside a long paste, is about somebody else, was said in
passing, or was never talked about (`kind`). It is asked in a new session with a budget of 200 tokens, as of the moment
after the last message. Reported are

- first three: how many questions have the answer among the first three memories (of those that have one);
- shown: how many have the answer's own words in the context;
- beside the point: the share of the tokens of all lines shown that are neither the answer's nor related to it.

Half of the scenarios were written without sight of the code (`tests/data/chats_blind.jsonl`): nothing is tuned on
those, and they are not shown one by one.
"""

import argparse
import asyncio
import json
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict
from rich.console import Console
from rich.table import Table

from benchmarks.evaluation import EVIDENCE, batches, wide_console
from benchmarks.sealed import sealed
from benchmarks.stack import running_gateway
from benchmarks.waiting import digested
from ragpp.api import MessageIn, RecallRequest, RecallResponse, StoreRequest
from ragpp.client import AsyncMemoryClient
from ragpp.context.quoting import unmarked
from ragpp.models import Role
from ragpp.text.tokens import TokenCounter

DATA: Final = Path(__file__).parent.parent / "tests" / "data"
FILES: Final = (DATA / "chats.jsonl", DATA / "chats_blind.jsonl")
BUDGET: Final = 200
"""Tokens of the context."""
ASKED_IN: Final = "asked"
"""The session of the question."""
FIRST: Final = 3
AT_ONCE: Final = 4
"""Scenarios that are played side by side."""


class _Value(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Said(_Value):
    """A message of a scenario."""

    id: str
    role: Role = "user"
    name: str | None = None
    content: str


class Rejected(_Value):
    """A relationship that a person says is wrong."""

    type: str
    target: str


class Step(_Value):
    """A stretch of a session, a minute from one message to the next; or a person's verdict."""

    session: str | None = None
    at: datetime | None = None
    messages: tuple[Said, ...] = ()
    reject: Rejected | None = None


Kind = Literal["repeated_question", "non_answer", "correction", "paste", "other_people", "small_talk", "nothing"]


class Scenario(_Value):
    """`answer`: messages that state the answer, each by itself; none for a question about nothing. `answer_text`: words
    of theirs that a context must show. `related`: messages that are no waste to show."""

    id: str
    kind: Kind
    steps: tuple[Step, ...]
    ask: str
    ask_at: datetime
    answer: tuple[str, ...]
    answer_text: tuple[str, ...]
    related: tuple[str, ...] = ()
    why: str = ""


@dataclass(frozen=True)
class Outcome:
    """`place`: of the first memory that rests on the answer, from 1; None where there is none. `tokens`: of all lines
    shown; `beside`: of those that are beside the point."""

    scenario: Scenario
    place: int | None
    shown: bool
    tokens: int
    beside: int
    context: str
    found: tuple[str, ...]


def read_scenarios(path: Path) -> list[Scenario]:
    """The scenarios of a file, a line each. ValueError for a blind file that was changed since it was written."""
    return [Scenario.model_validate_json(line) for line in sealed(path).splitlines()]


async def tell(client: AsyncMemoryClient, scenario: Scenario) -> str:
    """Say it all and let it be digested; returns the user, who is a new one."""
    user = f"chat-{scenario.id}-{uuid.uuid4().hex[:8]}"
    for step in scenario.steps:
        if step.reject is not None:
            await _reject(client, user, step.reject)
            continue
        for part in batches(_messages(step)):
            await client.remember(StoreRequest(user_id=user, session_id=step.session or "default", messages=part))
        await digested(client, user)
    return user


async def play(client: AsyncMemoryClient, scenario: Scenario, counter: TokenCounter) -> Outcome:
    """Tell it, and ask."""
    answer = await client.recall(
        RecallRequest(
            user_id=await tell(client, scenario),
            session_id=ASKED_IN,
            query=scenario.ask,
            token_budget=BUDGET,
            deadline_ms=5_000,
            as_of=scenario.ask_at,
        )
    )
    return judged(scenario, answer, counter)


def _messages(step: Step) -> list[MessageIn]:
    return [
        MessageIn(
            id=said.id,
            role=said.role,
            name=said.name,
            content=said.content,
            occurred_at=None if step.at is None else step.at + timedelta(minutes=place),
        )
        for place, said in enumerate(step.messages)
    ]


async def _reject(client: AsyncMemoryClient, user: str, wrong: Rejected) -> None:
    """Reject the relationship, if it was learned."""
    page = await client.relationships(user_id=user, limit=200)
    for one in page.items:
        if one.type == wrong.type and one.target.casefold() == wrong.target.casefold():
            await client.reject_relationship(user_id=user, relationship_id=one.id)
    await digested(client, user)


def judged(scenario: Scenario, answer: RecallResponse, counter: TokenCounter) -> Outcome:
    """How well `answer` answers; a memory counts as the first EVIDENCE messages it rests on."""
    wanted, fine = set(scenario.answer), {*scenario.answer, *scenario.related}
    rests_on = {memory.id: set(memory.sources[:EVIDENCE]) for memory in answer.memories}
    places = (place for place, memory in enumerate(answer.memories, start=1) if rests_on[memory.id] & wanted)
    tokens = beside = 0
    for identifier, line in _lines(answer):
        size = counter.count(line)
        tokens += size
        beside += 0 if rests_on.get(identifier, set()) & fine else size
    text = unmarked(answer.context)
    return Outcome(
        scenario=scenario,
        place=next(places, None),
        shown=all(wanted_text in text for wanted_text in scenario.answer_text),
        tokens=tokens,
        beside=beside,
        context=answer.context,
        found=tuple(f"{memory.score:.3f} {memory.kind}: {memory.text[:90]!r}" for memory in answer.memories[:6]),
    )


def _lines(answer: RecallResponse) -> Iterator[tuple[str, str]]:
    """Each memory that is shown, by its id, with its lines in the context."""
    shown = [identifier for section in answer.sections for identifier in section.memories]
    items: list[list[str]] = []
    for line in answer.context.splitlines():
        if line.startswith("- "):
            items.append([line])
        elif items and line.startswith("  |"):
            items[-1].append(line)
    if len(items) != len(shown):
        raise RuntimeError(f"{len(items)} items in a context that names {len(shown)} memories")
    return zip(shown, map("\n".join, items), strict=True)


def table_of(name: str, outcomes: Sequence[Outcome]) -> tuple[Table, dict[str, dict[str, float]]]:
    """A line for each kind, and the same as numbers."""
    table = Table("kind", "scenarios", "first three", "shown", "beside the point", "tokens", title=name)
    numbers: dict[str, dict[str, float]] = {}
    for kind in (*dict.fromkeys(one.scenario.kind for one in outcomes), "all"):
        of_kind = [one for one in outcomes if kind in {one.scenario.kind, "all"}]
        answerable = [one for one in of_kind if one.scenario.answer]
        tokens = sum(one.tokens for one in of_kind)
        numbers[kind] = {
            "scenarios": len(of_kind),
            "answerable": len(answerable),
            "first three": sum(one.place is not None and one.place <= FIRST for one in answerable),
            "shown": sum(one.shown for one in answerable),
            "beside": sum(one.beside for one in of_kind) / max(1, tokens),
            "tokens": tokens / len(of_kind),
        }
        row = numbers[kind]
        of = f"/{row['answerable']:.0f}"
        table.add_row(
            kind,
            f"{row['scenarios']:.0f}",
            f"{row['first three']:.0f}{of}",
            f"{row['shown']:.0f}{of}",
            f"{row['beside']:.1%}",
            f"{row['tokens']:.0f}",
        )
    return table, numbers


async def run(path: Path, console: Console, *, show: bool) -> dict[str, dict[str, float]]:
    """Play the scenarios of a file; returns its numbers."""
    counter, limit = TokenCounter(), asyncio.Semaphore(AT_ONCE)
    async with running_gateway(timeout_s=300) as client:

        async def one(scenario: Scenario) -> Outcome:
            async with limit:
                return await play(client, scenario, counter)

        outcomes = await asyncio.gather(*map(one, read_scenarios(path)))
    if show and not path.stem.endswith("_blind"):
        for outcome in outcomes:
            _show(outcome, console)
    table, numbers = table_of(path.name, outcomes)
    console.print(table)
    return numbers


def _show(outcome: Outcome, console: Console) -> None:
    one = outcome.scenario
    beside = f"{outcome.beside} of {outcome.tokens} beside"
    console.rule(f"{one.id} {one.kind}: place {outcome.place}, shown {outcome.shown}, {beside}")
    console.print(f"{one.ask}  →  {one.answer_text} ({', '.join(one.answer)}; {one.why})", markup=False)
    console.print("\n".join(outcome.found), markup=False, highlight=False)
    console.print(outcome.context, markup=False, highlight=False)


def main() -> None:
    """Parse the command line and run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=Path, default=list(FILES))
    parser.add_argument("--show", action="store_true", help="each question with its context, but of the blind half")
    parser.add_argument("--json", type=Path, help="write the numbers here, too")
    given = parser.parse_args()
    console = wide_console()
    numbers = {path.name: asyncio.run(run(path, console, show=given.show)) for path in given.files}
    if given.json:
        given.json.write_text(json.dumps(numbers, indent=2))


if __name__ == "__main__":
    main()
