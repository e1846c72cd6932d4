"""The library sentence-transformers beside the ONNX graph: the same vectors, and one memory that both write and read.

    python -m benchmarks.prove_sentence_transformers [--messages 100] [--home FOLDER] [--environments FOLDER]

The library comes from the package registry into an environment of its own, which is kept; the model's files are those
of the installed package, put where the library looks for the model by its name. First each embeds the reference texts
and what is told below, in a process of its own. Then a stack runs with the one, the other, and the one again: each
tells a user the same messages, and both are asked about both.
"""

import argparse
import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import asyncpg
import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.embedder_alone import Measured
from benchmarks.environments import CannotInstall, proofs_folder, python_of
from benchmarks.proof import PEOPLE, Proving, conversation, proving, quantile, statements
from benchmarks.waiting import digested
from ragpp.api import MessageIn, RecallRequest, StoreRequest
from ragpp.client import AsyncMemoryClient
from ragpp.embedding import FloatMatrix
from ragpp.embedding.checkpoint import MODEL, Checkpoint, installed_checkpoint
from ragpp.errors import EmbeddingMismatch
from ragpp_infra.embedded.home import Home
from ragpp_infra.embedded.stack import Stack

ROOT: Final = Path(__file__).resolve().parents[1]
REFERENCES: Final = ROOT / "tests" / "data" / "reference_vectors.json"
GRAPH: Final = "onnx"
LIBRARY: Final = "sentence-transformers"
REVISION: Final = "0" * 40
"""The revision under which the hub's cache has the files: the library asks for none."""
APART: Final = 1e-5
"""How far the cosine of two vectors of one text may be from 1."""
TIED: Final = 1e-3
"""Two memories with scores as near as this may change places."""
BATCH: Final = 50
DIGEST_S: Final = 3_600.0
ASKED: Final = (
    "Where does {} live?",
    "At which hospital does {} work?",
    "Which contract did {} sign?",
    "What did we talk about with {}?",
)
AS_OF: Final = datetime(2026, 1, 1, tzinfo=UTC)
STORED: Final = """
SELECT embedding::real[] AS vector FROM episodic.chunks WHERE user_id = $1 ORDER BY turn, part"""
Ranking = list[tuple[str, float]]


@dataclass
class Answers:
    """The answers of recalls with one embedder. `rankings`: by user, for each question the ids with their scores."""

    rankings: dict[str, list[Ranking]] = field(default_factory=dict)
    taken_ms: list[float] = field(default_factory=list)


def hub_of(checkpoint: Checkpoint, folder: Path) -> Path:
    """The folder `folder` as a cache of the model hub that has the files of `checkpoint` under the model's name."""
    checkpoint.weights, checkpoint.tokenizer  # noqa: B018 - verified where they are named
    kept = folder / "hub" / f"models--{MODEL.replace('/', '--')}"
    (kept / "refs").mkdir(parents=True, exist_ok=True)
    (kept / "refs" / "main").write_text(REVISION, encoding="utf-8")
    snapshot = kept / "snapshots" / REVISION
    snapshot.parent.mkdir(exist_ok=True)
    snapshot.unlink(missing_ok=True)
    snapshot.symlink_to(checkpoint.folder, target_is_directory=True)
    return folder


def told(count: int) -> list[MessageIn]:
    """`count` messages: talk, and as many facts, no two of which are one."""
    talk = conversation(11, count - count // 2, "m")
    facts = [
        MessageIn(id=f"f{number}", content=text, occurred_at=talk[-1].occurred_at)
        for number, text in enumerate(statements(12, count // 2))
    ]
    return [*talk, *facts]


def alone(
    python: Path, settings: Mapping[str, str], texts: Sequence[str], folder: Path
) -> tuple[Measured, FloatMatrix]:
    """The vectors that the embedder of `settings` makes of `texts`, in a process of `python`, and how."""
    asked, output = folder / "texts.json", folder / "vectors.npy"
    asked.write_text(json.dumps(list(texts)), encoding="utf-8")
    done = subprocess.run(
        [str(python), "-m", "benchmarks.embedder_alone", str(asked), str(output)],
        check=True,
        cwd=ROOT,
        env=os.environ | dict(settings),
        stdout=subprocess.PIPE,
    )
    return Measured.model_validate_json(done.stdout), np.load(output)


def least_cosine(first: FloatMatrix, second: FloatMatrix) -> float:
    """The smallest cosine of two rows of one number."""
    lengths = np.linalg.norm(first, axis=1) * np.linalg.norm(second, axis=1)
    return float(((first * second).sum(axis=1) / lengths).min())


def is_same(first: Ranking, second: Ranking) -> bool:
    """True where both name the same memories in the same order, but for places that TIED leaves open."""
    scores = dict(first)
    return len(first) == len(second) and all(
        mine == theirs or abs(scores.get(theirs, 1e9) - score) <= TIED
        for (mine, score), (theirs, _) in zip(first, second, strict=True)
    )


def compare_vectors(proof: Proving, python: Path, settings: Mapping[str, Mapping[str, str]], messages: int) -> None:
    """Both embed the same texts; print what that takes, and check that the vectors are the same."""
    document = json.loads(REFERENCES.read_text(encoding="ascii"))
    references = np.array([row["vector"] for row in document["rows"]], dtype=np.float32)
    texts = [*(row["text"] for row in document["rows"]), *(message.content for message in told(messages))]
    found = {}
    with tempfile.TemporaryDirectory(prefix="ragpp-proof-") as folder:
        for name, own in settings.items():
            found[name] = alone(python, own, texts, Path(folder))
    table = Table("embedder", "load s", "text p50 ms", "p95", "texts/s", "resident MB", "batched, apart by")
    for name, (measured, _) in found.items():
        table.add_row(
            name,
            f"{measured.load_s:.1f}",
            f"{measured.p50_ms:.1f}",
            f"{measured.p95_ms:.1f}",
            f"{measured.texts_per_s:.0f}",
            f"{measured.resident_mb:.0f}",
            f"{measured.apart:.0e}",
        )
    Console(width=100).print(table)
    (graph, ours), (library, theirs) = found[GRAPH], found[LIBRARY]
    proof.check(graph.model == library.model == MODEL, f"both are {MODEL}")
    cosine = least_cosine(ours, theirs)
    proof.check(cosine >= 1 - APART, f"{len(texts)} texts: the least cosine of both is 1 - {1 - cosine:.1e}")
    cosine = least_cosine(theirs[: len(references)], references)
    proof.check(cosine >= 1 - APART, f"the committed reference vectors are the library's: 1 - {1 - cosine:.1e}")


async def tell(client: AsyncMemoryClient, user: str, messages: Sequence[MessageIn]) -> None:
    """Store the messages, and wait until they are digested."""
    for start in range(0, len(messages), BATCH):
        part = tuple(messages[start : start + BATCH])
        await client.remember(StoreRequest(user_id=user, session_id=f"s{start // BATCH}", messages=part))
    await digested(client, user, timeout_s=DIGEST_S, pause_s=1)


async def ask(client: AsyncMemoryClient, users: Sequence[str]) -> Answers:
    """Ask about each of PEOPLE; a first question warms up."""
    answers = Answers({user: [] for user in users})
    questions = [form.format(person) for form in ASKED for person in PEOPLE]
    for user in users:
        for question in (questions[0], *questions):
            asked = RecallRequest(user_id=user, query=question, as_of=AS_OF, deadline_ms=20_000, tiers=("episodic",))
            began = time.perf_counter()
            answer = await client.recall(asked)
            answers.taken_ms.append((time.perf_counter() - began) * 1_000)
            answers.rankings[user].append([(memory.id, memory.score) for memory in answer.memories])
    return answers


async def stored(home: Path, user: str) -> FloatMatrix:
    """The vectors that PostgreSQL has of a user's messages, in their order."""
    connection = await asyncpg.connect(Stack(home).postgres_superuser_dsn().get_secret_value())
    try:
        return np.array([row["vector"] for row in await connection.fetch(STORED, user)], dtype=np.float32)
    finally:
        await connection.close()


def compare_answers(proof: Proving, what: str, first: Answers, second: Answers, user: str) -> None:
    """Check that the user's recalls answer the same."""
    pairs = list(zip(first.rankings[user], second.rankings[user], strict=True))
    same = sum(is_same(mine, theirs) for mine, theirs in pairs)
    exact = sum([one for one, _ in mine] == [one for one, _ in theirs] for mine, theirs in pairs)
    found = min(len(mine) for mine, _ in pairs)
    proof.check(
        found > 0 and same == len(pairs),
        f"{what}: {same} of {len(pairs)} recalls name the same memories in the same order, {exact} without any tie",
    )


async def share_a_memory(proof: Proving, settings: Mapping[str, Mapping[str, str]], messages: int) -> None:
    """The stack runs with the graph, the library, and the graph again; both users are asked about with each."""
    said, home = told(messages), Home(proof.home)
    async with home.client(timeout_s=120) as client:
        await tell(client, GRAPH, said)
        first = await ask(client, [GRAPH])
    proof.restart(settings[LIBRARY])
    async with home.client(timeout_s=120) as client:
        began = time.perf_counter()
        await tell(client, LIBRARY, said)
        seconds = time.perf_counter() - began
        second = await ask(client, [GRAPH, LIBRARY])
    proof.restart(settings[GRAPH])
    async with home.client(timeout_s=120) as client:
        third = await ask(client, [GRAPH, LIBRARY])
    print(f"{len(said)} messages stored and digested with the library in {seconds:.0f} s")
    for name, answers in (("graph", first), ("library", second), ("graph again", third)):
        half, most = quantile(answers.taken_ms, 0.5), quantile(answers.taken_ms, 0.95)
        print(f"recall with the {name:12} p50 {half:6.1f} ms, p95 {most:6.1f} ms of {len(answers.taken_ms)}")
    compare_answers(proof, "told with the graph, asked with the library", first, second, GRAPH)
    compare_answers(proof, "and with the graph again", second, third, GRAPH)
    compare_answers(proof, "told with the library, asked with the graph", second, third, LIBRARY)
    second.rankings["told twice"], first.rankings["told twice"] = second.rankings[LIBRARY], first.rankings[GRAPH]
    compare_answers(proof, "told and asked with the library, and with the graph", first, second, "told twice")
    ours, theirs = await stored(proof.home, GRAPH), await stored(proof.home, LIBRARY)
    proof.check(len(ours) == len(theirs) >= len(said), f"{len(theirs)} vectors are stored of each")
    cosine = least_cosine(ours, theirs)
    proof.check(cosine >= 1 - APART, f"the least cosine of those of one message is 1 - {1 - cosine:.1e}")


def refuse_another_name(proof: Proving, own: Mapping[str, str]) -> None:
    """The same files under another name are another model to a memory: it must not start with them."""
    named = {**own, "EMBEDDING_MODEL": str(installed_checkpoint().folder)}
    done = subprocess.run(
        [str(proof.python), "-m", "ragpp_infra.cli.main", "restart"],
        check=False,
        env=os.environ | {"RAGPP_HOME": str(proof.home)} | named,
        capture_output=True,
        text=True,
    )
    refused = done.returncode != 0 and EmbeddingMismatch.code in done.stdout + done.stderr
    proof.check(refused, f"a memory refuses the vectors of a model of another name, {EmbeddingMismatch.code}")


def run(home: Path, environments: Path, messages: int) -> None:
    """Make the environment, compare, share, refuse."""
    print(f"the environment is in {environments / LIBRARY}; made anew, it takes a download of some GB")
    python = python_of(LIBRARY, environments, upon_own=True)
    hub = hub_of(installed_checkpoint(), environments / LIBRARY / "models")
    # one thread of torch in each process: all of them share the cores
    one_thread = {"OMP_NUM_THREADS": "1"}
    offline = {"HF_HOME": str(hub), "HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1"}
    settings = {name: {"EMBEDDING_PROVIDER": name, **offline, **one_thread} for name in (GRAPH, LIBRARY)}
    compared = Proving(home)
    compare_vectors(compared, python, settings, messages)
    with proving(home, python=python, settings=settings[GRAPH]) as proof:
        proof.failures = compared.failures
        asyncio.run(share_a_memory(proof, settings, messages))
        refuse_another_name(proof, settings[LIBRARY])
    proof.verdict()


def main() -> None:
    """Parse the command line and run; exits with 1 where a claim does not hold."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--messages", type=int, default=100)
    parser.add_argument("--home", type=Path, help="the stack's folder; default: a temporary one")
    parser.add_argument("--environments", type=Path, default=proofs_folder(), help="where the environment is kept")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="ragpp-proof-") as folder:
        try:
            run((given.home or Path(folder) / "home").resolve(), given.environments.resolve(), given.messages)
        except CannotInstall as error:
            sys.exit(f"the environment cannot be made: {error}")


if __name__ == "__main__":
    main()
