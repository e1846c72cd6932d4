"""Questions to manuals and lists of answers, through the public API of a running stack: `python -m
benchmarks.eval_faq`.

Each text is stored as a document and extracted for a user of its own by POST /v1/resources. Then each of its questions
is asked by POST /v1/recall with a budget of `--budget` tokens, and by POST /v1/retrieve. It is answered where the
context, or what one of the `--k` things found says, has the words that the answer must say, in any case and however
they are broken into lines. Printed are how many are answered, the tokens of the contexts, and each question that is
not.

Texts and questions are files of one name, `x.txt` and `x.json`: `[{"question": …, "answer": [words, …]}]`.
"""

import argparse
import asyncio
import statistics
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pydantic import BaseModel, ConfigDict, TypeAdapter

from benchmarks.stack import running_gateway
from benchmarks.stored_resources import extract_all
from ragpp.api import ResourceIn
from ragpp.client import AsyncMemoryClient
from ragpp.context.quoting import unmarked

DATA: Final = Path(__file__).parent / "data" / "faq"
BUDGET: Final = 500
FOUND: Final = 5


class Asked(BaseModel):
    """A question, and all words that its answer has."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    question: str
    answer: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Outcome:
    """A question, where it is answered, and with how many tokens."""

    asked: Asked
    in_context: bool
    in_found: bool
    tokens: int


def has(text: str, answer: Sequence[str]) -> bool:
    """True where `text` says all of `answer`, in any case and any white space; an item ends in no full stop."""
    said = _flat(text)
    return all(_flat(one).rstrip(".") in said for one in answer)


async def evaluated(
    client: AsyncMemoryClient, text: str, questions: Sequence[Asked], *, budget: int = BUDGET, k: int = FOUND
) -> list[Outcome]:
    """Store `text` for a new user, and ask each of the questions."""
    user = f"faq-{uuid.uuid4()}"
    title = text.strip().splitlines()[0].lstrip("# ")
    document = ResourceIn(user_id=user, resource_type="document", content=text, metadata={"title": title}, extract=True)
    await extract_all(client, user, [document])
    outcomes = []
    for asked in questions:
        recalled = await client.recall(user_id=user, query=asked.question, token_budget=budget)
        found = await client.retrieve(user_id=user, query=asked.question, mode="rag", k=k)
        outcomes.append(
            Outcome(
                asked,
                has(unmarked(recalled.context), asked.answer),
                any(has(item.content, asked.answer) for item in found.items),
                recalled.tokens,
            )
        )
    return outcomes


def _flat(text: str) -> str:
    return " ".join(text.casefold().split())


async def main(names: Sequence[Path], budget: int, k: int) -> None:
    """Evaluate each text and print what came of it."""
    async with running_gateway() as client:
        for path in names:
            questions = TypeAdapter(list[Asked]).validate_json(path.with_suffix(".json").read_text("utf-8"))
            outcomes = await evaluated(client, path.read_text("utf-8"), questions, budget=budget, k=k)
            shown, found = sum(one.in_context for one in outcomes), sum(one.in_found for one in outcomes)
            tokens = round(statistics.mean(one.tokens for one in outcomes))
            print(f"{path.stem}: in the context {shown} of {len(outcomes)} ({tokens} tokens), retrieved {found}")
            for one in outcomes:
                missed = [where for where, there in (("context", one.in_context), ("found", one.in_found)) if not there]
                if missed:
                    print(f"  not in {', '.join(missed)}: {one.asked.question}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("texts", nargs="*", type=Path, default=sorted(DATA.glob("*.txt")), help="files x.txt")
    parser.add_argument("--budget", type=int, default=BUDGET, help="tokens of a context")
    parser.add_argument("--k", type=int, default=FOUND, help="how much is retrieved")
    given = parser.parse_args()
    asyncio.run(main(given.texts, given.budget, given.k))
