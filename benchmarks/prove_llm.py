"""A real language model behind a real server does all that RAG++ asks of one, and fails in each of its ways.

    python -m benchmarks.prove_llm [--home FOLDER] [--environments FOLDER]

The model is SmolLM2-135M-Instruct out of a package, behind llama-cpp-python's server (`benchmarks.llama_server`): far
too small to be of use, so what is proved is the way to it and back. The same work is done (`benchmarks.llm_work`)
without a model; with it; with less time than it takes; with a server that takes shorter prompts than ours; with a
budget that is spent; and with a server that is gone. Each time the log must tell every call, the API must say who did
the work, and nothing that is known without a model may be missing.
"""

import argparse
import asyncio
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import asyncpg
from rich.console import Console
from rich.table import Table

from benchmarks.environments import CannotInstall, proofs_folder
from benchmarks.llama_server import MODEL, LlamaServer, server_python
from benchmarks.llm_work import ANSWERED, PROMPTS, TASKS, Came, Work
from benchmarks.proof import Proving, proving
from ragpp.errors import BudgetSpent, MalformedReply, ModelRefused, ModelUnavailable
from ragpp.llm.port import PURPOSES
from ragpp_infra.embedded.home import Home
from ragpp_infra.embedded.stack import Stack

OK: Final = "ok"
FEW_TOKENS: Final = 500
"""Less than any prompt takes, for a process that counts its own budget."""
SHORT_CONTEXT: Final = 256
HASTE_S: Final = 0.3
"""Less than the model takes for any of our prompts."""
SOON_S: Final = 20.0
"""A task for which no model answers may take so many seconds more than without one."""
ALL_PROMPTS: Final = ("choose", "consolidate", "extract", "facts", "merges", "rules", "summarise", "themes")
OWN_KINDS: Final = ("relationships", "preferences", "rules", "findings")
"""Kinds of knowledge to which a model only adds."""
SPENT: Final = "SELECT coalesce(sum(tokens), 0) FROM ledger.spend"
LINE: Final = "What do I drink?"


@dataclass
class Told:
    """One way the work was done: what came of it, the calls that the logs tell, and how it ended for a chat."""

    came: Came
    calls: list[Mapping[str, object]] = field(default_factory=list)
    answered: Counter[int] = field(default_factory=Counter)

    def outcomes(self, prompt: str) -> Counter[str]:
        """How the calls of `prompt`, a name without its version, ended."""
        return Counter(str(one["outcome"]) for one in self.calls if str(one["prompt"]).partition(".")[0] == prompt)

    @property
    def tokens(self) -> int:
        return sum(int(str(one["tokens"])) for one in self.calls)


def settings_of(server: LlamaServer, **given: str) -> dict[str, str]:
    """The settings for all purposes, and `given`; short windows, so that some messages leave them."""
    named = {f"LLM_{purpose.upper()}": f"openai:{MODEL}" for purpose in PURPOSES}
    no_retries = {f"LLM_{part}MAX_RETRIES": "0" for part in ("", "EXTRACTION_", "CONSOLIDATION_", "RETRIEVAL_")}
    return {**named, **no_retries, **WINDOWS, "LLM_OPENAI_BASE_URL": server.url, "LLM_CONCURRENCY": "1", **given}


WINDOWS: Final = {
    "SHORT_TERM_MAX_TOKENS": "100",
    "SHORT_TERM_SUMMARY_TOKENS": "80",
    "SHORT_TERM_KEEP_MESSAGES": "3",
    "WORKER_SCHEDULE": "false",
}


class Logs:
    """The lines that the gateway and the workers log from now on."""

    def __init__(self, home: Path) -> None:
        self._files = [Home(home).logs / f"{name}.log" for name in ("gateway", "workers")]
        self._begin = {file: file.stat().st_size for file in self._files}

    def calls(self) -> list[Mapping[str, object]]:
        """Each call of a language model."""
        return [line for line in self._lines() if line.get("event") == "llm.called"]

    def _lines(self) -> Iterable[Mapping[str, object]]:
        for file in self._files:
            with file.open("rb") as log:
                log.seek(self._begin[file])
                for line in log:
                    if line.startswith(b"{"):
                        yield json.loads(line)


async def work(proof: Proving, server: LlamaServer, user: str, settings: Mapping[str, str]) -> Told:
    """Start the services with `settings` and do the work for `user`."""
    proof.restart(settings)
    logs, before = Logs(proof.home), server.answered()
    async with Home(proof.home).client(timeout_s=900) as client:
        came = await Work(client, user).do()
    return Told(came, logs.calls(), server.answered() - before)


def chat(proof: Proving, user: str, **settings: str) -> subprocess.CompletedProcess[str]:
    """A line said to `ragpp chat`, and what it answers."""
    command = [str(proof.python), "-m", "ragpp_infra.cli.main", "chat", "--user", user, "--json", "--budget", "200"]
    environment = os.environ | {"RAGPP_HOME": str(proof.home)} | dict(proof.settings) | settings
    return subprocess.run(command, input=f"{LINE}\n", env=environment, capture_output=True, text=True, check=False)


async def spent_tokens(home: Path) -> int:
    """The tokens that the ledger has as spent, of all days."""
    connection = await asyncpg.connect(Stack(home).postgres_superuser_dsn().get_secret_value())
    try:
        return int(await connection.fetchval(SPENT))
    finally:
        await connection.close()


def check_kept(proof: Proving, name: str, told: Told) -> None:
    """Nothing is lost: jobs are done, messages there, and what was learned rests on them."""
    came = told.came
    proof.check(not came.undone, f"{name}: every job is done {came.undone or ''}")
    proof.check(not came.missing, f"{name}: every message is there {came.missing or ''}")
    proof.check(not came.unborne, f"{name}: what was learned rests on messages {came.unborne or ''}")


def check_known(proof: Proving, name: str, told: Told, without: Told, kinds: Iterable[str]) -> None:
    """Knowledge of these kinds is not less than without a model."""
    lost = {kind: sorted(gone) for kind in kinds if (gone := without.came.learned[kind] - told.came.learned[kind])}
    proof.check(not lost, f"{name}: all is known that is known without a model {lost or ''}")


def check_said(proof: Proving, name: str, told: Told) -> None:
    """The API says of each task what the log says of its calls."""
    for task, prompt in zip(TASKS, PROMPTS, strict=True):
        calls, said = told.outcomes(prompt.partition(".")[0]), told.came.of.get(task, "nothing")
        ways = [outcome for outcome in calls if outcome != OK and outcome in said]
        proof.check(bool(ways) or (said == ANSWERED and OK in calls), f"{name}: of {task} is said: {said}")


async def check_answers(proof: Proving, server: LlamaServer, without: Told) -> Told:
    """With the model: each purpose is asked, most answers can be read, and the ledger counts what they cost."""
    before = await spent_tokens(proof.home)
    told = await work(
        proof, server, "model", settings_of(server, LLM_TIMEOUT_S="600", GATEWAY_RETRIEVAL_TIMEOUT_S="600")
    )
    check_kept(proof, "model", told)
    check_known(proof, "model", told, without, OWN_KINDS)
    check_said(proof, "model", told)
    outcomes = Counter(str(one["outcome"]) for one in told.calls)
    by_answer = outcomes.keys() <= {OK, MalformedReply.kind}
    proof.check(by_answer, f"model: calls end by their answer alone: {dict(outcomes)}")
    asked = {str(one["purpose"]) for one in told.calls}
    proof.check(asked == set(PURPOSES) - {"chat"}, f"model: it is asked for {', '.join(sorted(asked))}")
    readable = [prompt for prompt in ALL_PROMPTS if OK in told.outcomes(prompt)]
    most = len(readable) * 2 > len(ALL_PROMPTS)
    proof.check(most, f"model: answers of the form asked for came to {', '.join(readable)}")
    spent = await spent_tokens(proof.home) - before
    proof.check(0 < spent == told.tokens, f"model: {spent} tokens are spent in the ledger, {told.tokens} in the log")
    talk = chat(proof, "model")
    said = str(json.loads(talk.stdout)["response"]["text"]) if talk.returncode == 0 else talk.stderr
    told.came.texts["chat"] = said
    proof.check(talk.returncode == 0 and bool(said.strip()), "model: a chat is answered")
    return told


def check_failure(proof: Proving, name: str, told: Told, without: Told, kind: str) -> None:
    """Without an answer: said everywhere, in the log and by the API, soon, and as if there were no model."""
    check_kept(proof, name, told)
    check_known(proof, name, told, without, without.came.learned)
    check_said(proof, name, told)
    for prompt in ALL_PROMPTS:
        outcomes = told.outcomes(prompt)
        proof.check(outcomes.keys() == {kind}, f"{name}: the log says of {prompt}: {dict(outcomes)}")
    gained = {
        one: sorted(more) for one in told.came.learned if (more := told.came.learned[one] - without.came.learned[one])
    }
    proof.check(not gained, f"{name}: nothing is known that is not known without a model {gained or ''}")
    usual = without.came.seconds
    longer = {task: seconds - usual[task] for task, seconds in told.came.seconds.items()}
    task = max(longer, key=lambda one: longer[one])
    soon = longer[task] <= SOON_S
    proof.check(soon, f"{name}: none takes {SOON_S:.0f} s longer than without a model; {task} {longer[task]:.1f} s")


async def check_budget(proof: Proving, server: LlamaServer, without: Told) -> Told:
    """With a budget of what is spent already: no further call, of services or of a chat."""
    before = await spent_tokens(proof.home)
    told = await work(proof, server, "spent", settings_of(server, LLM_TOKENS_PER_DAY=str(before)))
    check_failure(proof, "spent", told, without, BudgetSpent.kind)
    proof.check(not told.answered, f"spent: the server gets no request {dict(told.answered) or ''}")
    after = await spent_tokens(proof.home)
    proof.check(before == after, f"spent: {before} tokens are spent before, {after} after")
    talk = chat(proof, "spent", LLM_TOKENS_PER_DAY=str(FEW_TOKENS))
    refused = talk.returncode == 1 and BudgetSpent.code in talk.stderr
    proof.check(refused, f"spent: a chat says {BudgetSpent.code}")
    return told


async def run(home: Path, python: Path) -> list[str]:
    """Do the work in each way, check, print."""
    ways: dict[str, Told] = {}
    with proving(home, settings=WINDOWS) as proof:
        server = LlamaServer(python, Home(home).logs)
        server.start()
        try:
            without = ways["none"] = await work(proof, server, "none", WINDOWS)
            proof.check(not without.calls and not without.answered, "none: no model is asked")
            empty = [kind for kind, known in without.came.learned.items() if not any(known)]
            proof.check(not empty, f"none: something of each kind is known {empty or ''}")
            check_kept(proof, "none", without)
            ways["model"] = await check_answers(proof, server, without)

            hasty = {"LLM_TIMEOUT_S": str(HASTE_S), "GATEWAY_RETRIEVAL_TIMEOUT_S": str(HASTE_S)}
            ways["too late"] = await work(proof, server, "late", settings_of(server, **hasty))
            check_failure(proof, "too late", ways["too late"], without, ModelUnavailable.kind)

            server.stop()
            server.start(context_tokens=SHORT_CONTEXT)
            ways["too long"] = await work(proof, server, "long", settings_of(server))
            check_failure(proof, "too long", ways["too long"], without, ModelRefused.kind)

            ways["spent"] = await check_budget(proof, server, without)

            server.stop()
            ways["gone"] = await work(proof, server, "gone", settings_of(server))
            check_failure(proof, "gone", ways["gone"], without, ModelUnavailable.kind)
        finally:
            server.stop()
        show(ways)
        return proof.failures


def show(ways: Mapping[str, Told]) -> None:
    """Print how the calls ended, how long each task took, and what the model wrote."""
    console = Console(width=140)
    table = Table("calls", *ways, title="how calls ended, and after how many tokens")
    for prompt in ALL_PROMPTS:
        cells = [told.outcomes(prompt) for told in ways.values()]
        table.add_row(prompt, *(", ".join(f"{count} {one}" for one, count in cell.items()) for cell in cells))
    table.add_row("tokens", *(str(told.tokens) for told in ways.values()))
    console.print(table)
    tasks = list(next(iter(ways.values())).came.seconds)
    table = Table("task", *ways, title="seconds a task takes")
    for task in tasks:
        table.add_row(task, *(f"{told.came.seconds[task]:.1f}" for told in ways.values()))
    console.print(table)
    print("what this model writes, which shows that it is far too small:")
    for task, text in ways["model"].came.texts.items():
        console.print(f"  {task}: {' '.join(text.split())[:400]}", markup=False, highlight=False)


def main() -> None:
    """Parse the command line and run; exits with 1 where a claim does not hold."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--home", type=Path, help="the stack's folder; default: a temporary one")
    parser.add_argument("--environments", type=Path, default=proofs_folder(), help="where the server is kept")
    given = parser.parse_args()
    print("the server; where it was never built, that takes half an hour")
    try:
        python = server_python(given.environments.resolve())
    except CannotInstall as error:
        sys.exit(f"the server cannot be made: {error}")
    with tempfile.TemporaryDirectory(prefix="ragpp-proof-") as folder:
        failures = asyncio.run(run((given.home or Path(folder) / "home").resolve(), python))
    if failures:
        sys.exit(f"{len(failures)} claims do not hold")
    print("every claim holds")


if __name__ == "__main__":
    main()
