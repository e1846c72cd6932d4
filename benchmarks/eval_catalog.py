"""Questions to the catalog, through the public API of a running stack: `python -m benchmarks.eval_catalog`.

The 40 resources of `data/catalog` (conversations, documents, configurations and feedback of one small world of
companies) are stored and extracted for one user by POST /v1/resources; then every question is asked by POST
/v1/retrieve with the mode of `--mode`. Each question is answered by one sentence of one resource. A memory item answers
it when its content has all the words that the answer must say, in any case. Reported are

- held: of how many questions any item at all has the answer: what extraction leaves;
- R@1, R@5: of how many one of the first items has it; what `held` has more is lost by ranking.

The modes `llm` and `hybrid` need a language model; without LLM_RETRIEVAL a stand-in is asked (`--stand-in`), which says
nothing about any model: `oracle` knows the answers, so that `llm` shows how many are among the candidates at all and
`hybrid` what escalation could win at most; `words` counts common words. For `hybrid` are reported

- escalated: the share of questions for which the model was asked, and their reasons;
- precision: of these, how many `rag` does not answer first; caught: how many of those that it does not are these;
- AUC: how often a question that `rag` answers first has more confidence than one that it does not.

Half of the questions, like the resources, were written without sight of the code (`questions_blind.jsonl`): nothing is
tuned on those, and they are not shown one by one.
"""

import argparse
import asyncio
import json
import statistics
import time
import uuid
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pydantic import AwareDatetime, BaseModel, ConfigDict, JsonValue
from rich.console import Console
from rich.table import Table

from benchmarks.evaluation import wide_console
from benchmarks.sealed import sealed
from benchmarks.stack import running_gateway
from benchmarks.stand_in import StandIn, by_answers, with_a_model
from benchmarks.stored_resources import extract_all
from ragpp.api import ResourceIn, RetrieveRequest
from ragpp.catalog import RESOURCE_TYPES, MemoryItem, ResourceType, RetrievalMode, RetrievalResult
from ragpp.client import AsyncMemoryClient
from ragpp.retrieval import ConfidenceScorer

DATA: Final = Path(__file__).parent / "data" / "catalog"
RESOURCES: Final = DATA / "resources.jsonl"
FILES: Final = (DATA / "questions_sighted.jsonl", DATA / "questions_blind.jsonl")
FIRST: Final = 5
PAGE: Final = 200
WIDTH: Final = 100
"""Characters of an item that are shown."""
COLUMNS: Final[dict[str, Callable[["Outcome"], bool]]] = {
    "held": lambda one: one.held,
    "R@1": lambda one: one.place == 1,
    "R@5": lambda one: one.place is not None,
}


class _Line(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class RawResource(_Line):
    """A resource as it is in the file."""

    id: str
    resource_type: ResourceType
    occurred_at: AwareDatetime
    metadata: dict[str, JsonValue]
    content: str


class Asked(_Line):
    """A question. `resource`: the one that answers it; `says`: what the answer must contain, in any case."""

    id: str
    question: str
    resource: str
    says: tuple[str, ...]

    def answered_by(self, text: str) -> bool:
        """True where `text` has all that the answer must say."""
        return all(words.casefold() in text.casefold() for words in self.says)


@dataclass(frozen=True)
class Outcome:
    """`held`: an item has the answer. `place`: of the first item found that has it, from 1; None below FIRST.
    `similarities` and `first_by_words`: of what the mode `rag` finds, and whether its first item has the answer."""

    asked: Asked
    resource_type: ResourceType
    held: bool
    place: int | None
    found: tuple[str, ...]
    answer: RetrievalResult
    similarities: tuple[float, ...] = ()
    first_by_words: bool = False


def read_resources() -> list[RawResource]:
    """The resources, a line each."""
    return [RawResource.model_validate_json(line) for line in sealed(RESOURCES).splitlines()]


def read_questions(path: Path) -> list[Asked]:
    """The questions of a file, a line each. ValueError for a blind file that was changed since it was written."""
    return [Asked.model_validate_json(line) for line in sealed(path).splitlines()]


def of_user(user: str, resources: Sequence[RawResource]) -> Iterator[ResourceIn]:
    """The resources as a user's own."""
    for one in resources:
        yield ResourceIn(
            user_id=user,
            id=f"{user}-{one.id}",
            resource_type=one.resource_type,
            content=one.content,
            metadata=one.metadata,
            occurred_at=one.occurred_at,
            extract=True,
        )


async def items_of(client: AsyncMemoryClient, user: str) -> AsyncIterator[MemoryItem]:
    """All items of a user."""
    cursor: str | None = None
    while True:
        page = await client.items(user, cursor=cursor, limit=PAGE)
        for item in page.items:
            yield item
        if page.next_cursor is None:
            return
        cursor = page.next_cursor


async def ask(
    client: AsyncMemoryClient,
    user: str,
    asked: Asked,
    resource_type: ResourceType,
    items: Sequence[MemoryItem],
    mode: RetrievalMode,
) -> Outcome:
    """Ask one question; `items`: all that there are."""

    async def answered(mode: RetrievalMode) -> RetrievalResult:
        return await client.retrieve(RetrieveRequest(user_id=user, query=asked.question, mode=mode, k=FIRST))

    def right(found: RetrievalResult) -> list[bool]:
        return [asked.answered_by(item.content) for item in found.items]

    answer = await answered(mode)
    by_words_and_meaning = answer if mode is RetrievalMode.RAG else await answered(RetrievalMode.RAG)
    lines = zip(answer.confidence_scores, answer.items, strict=True)
    return Outcome(
        asked=asked,
        resource_type=resource_type,
        held=any(asked.answered_by(item.content) for item in items),
        place=next((place for place, is_right in enumerate(right(answer), start=1) if is_right), None),
        found=tuple(f"{score:.3f} {item.content[:WIDTH]!r}" for score, item in lines),
        answer=answer,
        similarities=by_words_and_meaning.similarities,
        first_by_words=any(right(by_words_and_meaning)[:1]),
    )


def escalation_of(outcomes: Sequence[Outcome]) -> dict[str, float]:
    """How often a model was asked, and whether it was where `rag` is wrong; see the module."""
    asked = [one for one in outcomes if one.answer.escalation_reason is not None]
    wrong = [one for one in outcomes if not one.first_by_words]
    sure = [ConfidenceScorer().of_similarities(one.similarities) for one in outcomes]
    pairs = [
        (a > b) + (a == b) / 2
        for a, good in zip(sure, outcomes, strict=True)
        if good.first_by_words
        for b, bad in zip(sure, outcomes, strict=True)
        if not bad.first_by_words
    ]
    caught = sum(not one.first_by_words for one in asked)
    return {
        "escalated": len(asked) / len(outcomes),
        "precision": caught / max(1, len(asked)),
        "caught": caught / max(1, len(wrong)),
        "AUC": statistics.fmean(pairs) if pairs else 0.5,
    }


def reasons_of(outcomes: Sequence[Outcome]) -> Counter[str]:
    """Why a model was asked: how often for each reason, without figures."""
    reasons = (reason.partition(";")[0] for one in outcomes if (reason := one.answer.escalation_reason) is not None)
    return Counter("low confidence" if "confidence" in reason else reason for reason in reasons)


def table_of(title: str, outcomes: Sequence[Outcome]) -> tuple[Table, dict[str, dict[str, float]]]:
    """A line for each type of resource, and the same as shares."""
    table = Table("resources", "questions", *COLUMNS, title=title, title_justify="left")
    numbers: dict[str, dict[str, float]] = {}
    for name in (*RESOURCE_TYPES, "all"):
        chosen = [one for one in outcomes if name in {one.resource_type, "all"}]
        if chosen:
            shares = {column: statistics.fmean(hit(one) for one in chosen) for column, hit in COLUMNS.items()}
            table.add_row(name, str(len(chosen)), *(f"{100 * share:.0f}" for share in shares.values()))
            numbers[name] = {"n": float(len(chosen)), **shares}
    return table, numbers


def show(outcome: Outcome, console: Console) -> None:
    """A question that was not answered first, and what was found instead."""
    asked = outcome.asked
    console.rule(f"{asked.id} {asked.resource}: held {outcome.held}, place {outcome.place}")
    console.print(f"{asked.question}  →  {', '.join(asked.says)}", markup=False)
    console.print("\n".join(outcome.found), markup=False, highlight=False)


async def run(
    paths: Sequence[Path], console: Console, *, showing: bool, mode: RetrievalMode, stand_in: StandIn
) -> dict[str, dict[str, dict[str, float]]]:
    """Fill a catalog, ask, print; returns the shares by file and type of resource."""
    resources, user = read_resources(), f"catalog-{uuid.uuid4().hex[:8]}"
    types = {one.id: one.resource_type for one in resources}
    numbers = {}
    known = {one.question: one.answered_by for path in paths for one in read_questions(path)}
    async with AsyncExitStack() as stack:
        chooser = "no model"
        if mode is not RetrievalMode.RAG:
            chooser = await stack.enter_async_context(with_a_model(stand_in, by_answers(known)))
        client = await stack.enter_async_context(running_gateway(timeout_s=300))
        console.print(f"mode {mode}, chosen by {chooser}")
        started = time.perf_counter()
        await extract_all(client, user, of_user(user, resources))
        items = [item async for item in items_of(client, user)]
        seconds = time.perf_counter() - started
        console.print(f"{len(resources)} resources, {len(items)} items, stored and extracted in {seconds:.1f} s")
        for path in paths:
            outcomes = [await ask(client, user, one, types[one.resource], items, mode) for one in read_questions(path)]
            if showing and not path.stem.endswith("_blind"):
                for outcome in outcomes:
                    if outcome.place != 1:
                        show(outcome, console)
            table, numbers[path.name] = table_of(path.name, outcomes)
            console.print(table)
            if mode is RetrievalMode.HYBRID:
                escalation = escalation_of(outcomes)
                numbers[path.name]["escalation"] = escalation
                console.print(", ".join(f"{name} {share:.2f}" for name, share in escalation.items()))
                console.print(", ".join(f"{reason}: {count}" for reason, count in reasons_of(outcomes).most_common()))
    return numbers


def main() -> None:
    """Parse the command line and run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=Path, default=list(FILES))
    parser.add_argument("--show", action="store_true", help="what was not found first, but of the blind half")
    parser.add_argument("--mode", type=RetrievalMode, choices=list(RetrievalMode), default=RetrievalMode.RAG)
    parser.add_argument(
        "--stand-in", choices=["oracle", "words"], default="oracle", help="where LLM_RETRIEVAL is empty"
    )
    parser.add_argument("--json", type=Path, help="write the shares here, too")
    given = parser.parse_args()
    numbers = asyncio.run(
        run(given.files, wide_console(), showing=given.show, mode=given.mode, stand_in=given.stand_in)
    )
    if given.json:
        given.json.write_text(json.dumps(numbers, indent=2))


if __name__ == "__main__":
    main()
