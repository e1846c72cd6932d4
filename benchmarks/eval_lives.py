"""Whole lives, what a memory gives back of them and learned of them: `python -m benchmarks.eval_lives [FILE ...]`.

Each life is stored session by session for a user of its own, digested, extracted from and reflected upon. Then its
claims are compared with the facts, and its questions are asked as of its end, at each budget: as the gateway fills a
context by default and, where it knows `fill`, with all that fits. The figures are those of the evaluation folder's
`lives.py`; beside them stands what contexts would be that showed fewer of their lines (`benchmarks.frontier`).

A `.txt` file is one of the labelled chats (`benchmarks/data/labelled`), of which nobody lists what is to be learned.
With `--model` the windows of each session are read by a language model, as they are when a user falls quiet: an endpoint
of OpenAI's chat completions, or a folder of answers that were recorded (`benchmarks.asked_model`). Printed are its calls
and tokens, also for 1,000 messages, and the share of its claims that no message bears out, which are dropped.

A file named `…_blind.json` or with a seal beside it is in tables of its own, and never shown line by line.
"""

import argparse
import asyncio
import json
import os
import uuid
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Final, TypeVar

from pydantic import BaseModel
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from benchmarks.asked_model import AskedModel
from benchmarks.asking import Way, knows, query, ways_of
from benchmarks.evaluation import DATA, LIMIT, batches, wide_console
from benchmarks.figures import Figures, together
from benchmarks.frontier import Context, Point, frontier
from benchmarks.labelled import read_chat
from benchmarks.lives import (
    NOTHING,
    Claim,
    Kept,
    Life,
    Question,
    claim_of,
    knowledge,
    life_files,
    lines_of,
    of_context,
    of_ranking,
    read_life,
)
from benchmarks.sealed import is_sealed
from benchmarks.stack import home, running_gateway
from benchmarks.waiting import digested, done
from ragpp.api import ExtractIn, RecallResponse, ReflectIn, StoreRequest
from ragpp.client import AsyncMemoryClient
from ragpp.models import Page
from ragpp_infra.embedded.home import Home

BUDGETS: Final = (200, 500)
ALL: Final = "all"
PAGE: Final = 100
T = TypeVar("T")
Contexts = dict[tuple[int, Way], list[Context]]


@dataclass
class Outcome:
    """The counts of one life. `contexts`: of the questions that it answers, by budget and way. `misses`: a line for
    each."""

    life: Life
    figures: Figures = field(default_factory=Figures)
    contexts: Contexts = field(default_factory=dict)
    misses: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Plan:
    """How lives are asked: at these budgets and in these ways, the first of which is the one that counts. `learning`:
    they are extracted from and reflected upon before, session by session where they are `read` by a model. `named`: the
    recall tells who asks."""

    budgets: Sequence[int]
    ways: Sequence[Way]
    learning: bool
    named: bool
    read: bool = False


async def tell(client: AsyncMemoryClient, life: Life, user: str, plan: Plan) -> None:
    """Store all of it and wait until it is digested and, as far as planned, learned from."""
    for session, messages in life.sessions().items():
        for part in batches(messages):
            await client.remember(StoreRequest(user_id=user, session_id=session, messages=part))
    await digested(client, user)
    if plan.learning:
        for window in windows_of(life) if plan.read else [ExtractIn(start=life.messages[0].occurred_at, end=life.end)]:
            await done(client, (await client.extract(user, window)).id, f"the extraction of {user}")
        await done(client, (await client.reflect(user, ReflectIn(kind="incremental"))).id, f"the reflection of {user}")
        await digested(client, user)


def windows_of(life: Life) -> list[ExtractIn]:
    """The time of each session, in their order."""
    moments = [[one.occurred_at for one in messages if one.occurred_at] for messages in life.sessions().values()]
    spans = sorted((min(of_session), max(of_session)) for of_session in moments)
    return [ExtractIn(start=start, end=end + timedelta(microseconds=1)) for start, end in spans]


async def claims_of(client: AsyncMemoryClient, user: str) -> list[Claim]:
    """Everything that the memory says it knows."""
    rows: dict[Kept, list[BaseModel]] = {
        "relationships": [*await _all(lambda cursor: client.relationships(user, cursor=cursor, limit=PAGE))],
        "preferences": [*await _all(lambda cursor: client.preferences(user, cursor=cursor, limit=PAGE))],
        "rules": [*await _all(lambda cursor: client.rules(user, cursor=cursor, limit=PAGE))],
        "findings": [*await _all(lambda cursor: client.findings(user, cursor=cursor, limit=PAGE))],
    }
    made = (claim_of(kept, row.model_dump(mode="json")) for kept, of_it in rows.items() for row in of_it)
    return [claim for claim in made if claim is not None]


async def _all(page_of: Callable[[str | None], Awaitable[Page[T]]]) -> list[T]:
    """The items of all pages."""
    page = await page_of(None)
    items = list(page.items)
    while page.next_cursor is not None:
        page = await page_of(page.next_cursor)
        items += page.items
    return items


async def ask(client: AsyncMemoryClient, outcome: Outcome, user: str, plan: Plan) -> None:
    """Ask every question at each budget and in each way, one at a time."""
    life, outdated = outcome.life, outcome.life.outdated()
    for question in life.questions:
        for way in plan.ways:
            for budget in plan.budgets:
                answer = await client.recall(
                    query(
                        user,
                        question.q,
                        way=way,
                        name=question.name if plan.named else None,
                        limit=LIMIT,
                        token_budget=budget,
                        as_of=question.as_of or life.end,
                    )
                )
                title = f"{budget}" if way == plan.ways[0] else f"{budget}, {way}"
                parts = [outcome.figures, of_context(question, answer, title)]
                if (budget, way) == (plan.budgets[0], plan.ways[0]):
                    parts.append(of_ranking(question, answer, outdated))
                outcome.figures = together(parts)
                if question.kind != NOTHING:
                    outcome.contexts.setdefault((budget, way), []).append(lines_of(question, answer))
                if (budget, way) == (plan.budgets[-1], plan.ways[0]):
                    outcome.misses += missed(question, answer)


def missed(question: Question, answer: RecallResponse) -> Iterator[str]:
    """A line where the context lacks one of the answers, or `none` is said wrongly, or not said."""
    told = f"[{question.kind}] {question.q}  {answer.relevance}"
    if question.kind == NOTHING:
        if answer.relevance != "none":
            yield f"{told}: nothing is known"
        return
    context = lines_of(question, answer)
    lacking = question.answers.difference(*(line.answers for line in context.lines))
    if lacking or answer.relevance == "none":
        about = sum(line.about for line in context.lines)
        yield f"{told}: about {about}/{len(context.lines)}, without {', '.join(sorted(lacking)) or 'nothing'}"


async def play(client: AsyncMemoryClient, life: Life, user: str, plan: Plan, console: Console) -> Outcome:
    """Tell it, see what was learned, ask."""
    outcome = Outcome(life)
    await tell(client, life, user, plan)
    if plan.learning:
        claims = await claims_of(client, user)
        outcome.figures, unknown = knowledge(life, claims)
        outcome.misses += [f"not known: {fact}" for fact in unknown]
        kinds = [claim.kept for claim in claims if claim.holds]
        console.print(f"{life.id} learned (current):", {kept: kinds.count(kept) for kept in dict.fromkeys(kinds)})
    await ask(client, outcome, user, plan)
    return outcome


def figures_table(title: str, columns: Mapping[str, Figures]) -> Table:
    """A line for each figure, a column for each set."""
    table = Table("", title=title, title_justify="left")
    for name in columns:
        table.add_column(name, justify="right")
    for name in together(columns.values()).sums:
        table.add_row(name, *(figures.cell(name) for figures in columns.values()))
    return table


def frontier_table(title: str, points: Mapping[Way, Mapping[str, Point]]) -> Table:
    """A line for each cut; for each way what it leaves of the lines that are shown."""
    table = Table("lines shown", title=title, title_justify="left")
    for way in points:
        for column in ("about", "answer", "all", "tokens", "lines"):
            table.add_column(f"{way} {column}" if len(points) > 1 else column, justify="right")
    for cut in next(iter(points.values())):
        cells = []
        for of_way in points.values():
            one = of_way[cut]
            cells += [f"{100 * share:.1f}" for share in (one.about, one.answer, one.everything)]
            cells += [f"{one.tokens:.0f}", f"{one.lines:.1f}"]
        table.add_row(cut, *cells)
    return table


def report(title: str, outcomes: Sequence[Outcome], plan: Plan, console: Console) -> dict[str, object]:
    """Print the tables of some lives; the same as numbers."""
    columns = {ALL: together(one.figures for one in outcomes), **{one.life.id: one.figures for one in outcomes}}
    console.print(figures_table(f"{title}: means, or % (of)", columns))
    fronts: dict[str, dict[str, dict[str, object]]] = {}
    for budget in plan.budgets:
        points = {
            way: frontier([context for one in outcomes for context in one.contexts.get((budget, way), ())])
            for way in plan.ways
        }
        if all(points.values()):
            console.print(frontier_table(f"{title}, {budget} tokens: lines about the question (%)", points))
        fronts[str(budget)] = {way: {cut: asdict(one) for cut, one in of_way.items()} for way, of_way in points.items()}
    return {"figures": {name: figures.sums for name, figures in columns.items()}, "frontier": fronts}


async def run_with_model(files: Sequence[Path], given: argparse.Namespace, console: Console) -> dict[str, object]:
    """As `run`, on workers that ask the model, and print what was asked of it."""
    log = Home(home()).logs / "workers.log"
    async with AskedModel(given.model, os.environ.get("LLM_OPENAI_API_KEY", "")).serving() as model:
        os.environ |= {
            "LLM_EXTRACTION": f"openai:{given.model_name}",
            "LLM_OPENAI_BASE_URL": model.url,
            "LLM_OPENAI_API_KEY": "behind",
            "LLM_TOKENS_PER_DAY": "0",
            "WORKER_SCHEDULE": "false",
        }
        begun = log.stat().st_size if log.exists() else 0
        numbers = await run(files, given, console)
    asked, claims, dropped = model.asked, 0, 0
    for line in log.read_bytes()[begun:].splitlines():
        if b"llm.claims" in line:
            told = json.loads(line)
            claims, dropped = claims + told["claims"], dropped + told["dropped"]
    messages = sum(len(read_life(path).messages) for path in files if path.suffix == ".json")
    thousand = 1_000 / max(1, messages)
    console.print(
        f"calls: {dict(asked.calls)}, of them {asked.unanswered} unanswered; tokens read {asked.read:,}, ", end=""
    )
    console.print(f"written {asked.written:,}; for 1,000 messages {asked.calls.total() * thousand:.0f} calls, ", end="")
    console.print(f"{asked.read * thousand:,.0f} and {asked.written * thousand:,.0f} tokens")
    console.print(
        f"claims: {claims}, dropped as no message bears them out: {dropped} ({100 * dropped / max(1, claims):.1f} %)"
    )
    return numbers | {"model": {**asdict(asked), "claims": claims, "dropped": dropped}}


async def run(files: Sequence[Path], given: argparse.Namespace, console: Console) -> dict[str, object]:
    """Play the lives, one after the other, and print; returns the numbers, of open and sealed ones."""
    async with running_gateway(timeout_s=300) as client:
        named = bool(given.name) and await knows(client, "name")
        if given.name and not named:
            console.print("this gateway's recalls have no `name`: it is left out")
        if not given.learning:
            console.print("nothing is extracted or reflected upon: what is shown is found in messages alone")
        plan = Plan(given.budgets, await ways_of(client, console), given.learning, named, given.model is not None)
        outcomes: dict[bool, list[Outcome]] = {False: [], True: []}
        with Progress(transient=True, console=console) as progress:
            for path in progress.track(files):
                life = read_chat(path).life if path.suffix == ".txt" else read_life(path)
                outcome = await play(client, life, f"life-{life.id}-{given.run}", plan, console)
                outcomes[is_sealed(path)].append(outcome)
    numbers: dict[str, object] = {}
    for closed, title in ((False, "open"), (True, "sealed")):
        if not outcomes[closed]:
            continue
        numbers[title] = report(f"{title} lives", outcomes[closed], plan, console)
        for outcome in outcomes[closed] if given.show and not closed else ():
            console.rule(outcome.life.id)
            console.print("\n".join(outcome.misses), markup=False, highlight=False)
    return numbers


def main() -> None:
    """Parse the command line and run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    usual = life_files(DATA)
    parser.add_argument("files", nargs="*", type=Path, default=usual)
    parser.add_argument("--budgets", type=int, nargs="+", default=list(BUDGETS), help="tokens of a context")
    parser.add_argument("--name", action="store_true", help="the recall tells who asks")
    parser.add_argument("--no-learning", dest="learning", action="store_false", help="no extraction, no reflection")
    parser.add_argument(
        "--run", default=uuid.uuid4().hex[:8], help="of the users' names: one given again asks them again"
    )
    parser.add_argument("--model", help="an endpoint, or a folder of recorded answers; its key: LLM_OPENAI_API_KEY")
    parser.add_argument("--model-name", default="model", help="as the endpoint calls it")
    parser.add_argument("--show", action="store_true", help="each miss, but of sealed lives")
    parser.add_argument("--json", type=Path, help="write the numbers here, too")
    given = parser.parse_args()
    if not given.files:
        raise SystemExit(f"no lives in {DATA / 'lives'}; name the files")
    play_all = run if given.model is None else run_with_model
    numbers = asyncio.run(play_all(given.files, given, wide_console()))
    if given.json:
        given.json.write_text(json.dumps(numbers, indent=2))


if __name__ == "__main__":
    main()
