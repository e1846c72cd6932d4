"""The oracle: a memory from which something was forgotten is the one that a witness has who never heard it.

Both are users of one stack, of two tenants, with the same settings and clock. A script is played into the subject with
all that happens to its workers, and what remains of it into the witness; then the stores are read and compared.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final
from uuid import uuid4

import httpx

from ragpp.clock import system_clock
from ragpp.models import Scope
from tests.support.everywhere import places_of
from tests.support.oracle_acting import Target
from tests.support.oracle_comparing import Difference, differences
from tests.support.oracle_exclusions import OF_SMALL_WINDOWS, Exclusion
from tests.support.oracle_graph import is_bare_rejection
from tests.support.oracle_model import language_models
from tests.support.oracle_mutations import Mutation, leaving_out
from tests.support.oracle_playing import Moment, Player
from tests.support.oracle_playing import Stage as PlayingStage
from tests.support.oracle_reading import read_memory
from tests.support.oracle_script import ENDS, HINT, Act, Say, Script, texts_of, words_of
from tests.support.oracle_snapshot import Snapshot, add
from tests.support.oracle_vocabulary import QUERIES
from tests.support.oracle_workers import LocalWorkers
from tests.support.real_gateway import RealGateway, open_gateway
from tests.support.stacks import StoreStack
from tests.support.stopping import stoppable_worker

SMALL_WINDOW: Final = {"SHORT_TERM_MAX_TOKENS": "100", "SHORT_TERM_KEEP_MESSAGES": "1"}
"""So that a session of a few messages has a summary."""
SHRINK_S: Final = 120.0
PATIENCE_S: Final = 60.0
PAUSE_S: Final = 0.5


@dataclass(frozen=True)
class Oracle:
    """Judges scripts on one stack. `besides`: what is not compared beside what never is. `planted`: each word that was
    forgotten, with the message it was in."""

    stack: StoreStack
    gateway: RealGateway
    stage: PlayingStage
    besides: tuple[Exclusion, ...] = ()
    planted: dict[str, str] = field(default_factory=dict)
    recalling: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(4))

    async def judge(self, script: Script) -> list[Difference]:
        """Play the script into a subject and what remains of it into a witness; where they differ."""
        words = words_of(script)
        subject, witness = (f"oracle-{uuid4().hex}" for _ in range(2))
        played = Player(self.stage, subject, script, words, users=script.users)
        await played.play()
        left, noted = script.remaining.unsaid(played.gone), await played.repetitions()
        quiet = Player(self._quiet, witness, left, words, users=script.users, targets=played.found, noted=noted)
        quiet.standing = await played.verdicts()
        await quiet.play()
        await self._leave_out_rewritten(quiet.skipped, subject, witness)
        found = await self._failures(subject)
        for user in script.users:
            sessions = sorted({step.session for step in script.steps if isinstance(step, Say) and step.user == user})
            here = await self._snapshot(Scope(tenant_id=subject, user_id=user), sessions)
            there = await self._snapshot(Scope(tenant_id=witness, user_id=user), sessions)
            found += differences(user, here, there)
        return found + await self._left_over(script, left, words, subject, witness)

    async def _leave_out_rewritten(self, skipped: Sequence[tuple[Act, Target]], *tenants: str) -> None:
        """Delete rules that a person rewrote, where the witness had none to be rewritten."""
        for tenant_id in tenants:
            async with await self.stage.client(tenant_id) as api:
                for act, target in skipped:
                    if act.deed == "rule_text":
                        answer = await api.delete(f"/v1/rules/{target.called[0]}", params={"user_id": act.user})
                        assert answer.status_code in {200, 404}, answer.text

    @asynccontextmanager
    async def without(self, mutation: Mutation) -> "AsyncIterator[Oracle]":
        """The oracle on a memory that leaves a step of forgetting out, while inside; nobody disturbs its workers."""
        async with leaving_out(self.gateway, self.stack, mutation) as gateway:
            stage = replace(self._quiet, workers=LocalWorkers(gateway))
            yield replace(self, gateway=gateway, stage=stage, planted={})

    @property
    def _quiet(self) -> PlayingStage:
        """For the witness: nothing of it is counted."""
        return replace(self.stage, tally=type(self.stage.tally)())

    async def _snapshot(self, scope: Scope, sessions: Sequence[str]) -> Snapshot:
        snapshot = await read_memory(self.stack, scope, self.besides)
        for edge in await self._relationships(scope):
            name = f"{edge.source} {edge.type} {edge.target}"
            add(
                snapshot,
                "relationships at the moment",
                name,
                {"confidence": edge.confidence, "valid_to": edge.valid_to},
            )
        async with await self.stage.client(scope.tenant_id) as api:
            recalls = [
                self._recall(api, scope.user_id, query, sessions[number % len(sessions)])
                for number, query in enumerate(QUERIES)
            ]
            for query, recalled in zip(QUERIES, await asyncio.gather(*recalls), strict=True):
                _add_recall(snapshot, query, recalled)
            stats = await api.get("/v1/memory/stats", params={"user_id": scope.user_id})
            assert stats.is_success, stats.text
            add(snapshot, "catalog.stats", "counts", stats.json())
        return snapshot

    async def _relationships(self, scope: Scope) -> Any:
        page = await self.gateway.parts.semantic.list_relationships(scope, as_of=ENDS, limit=500, state="all")
        said = [edge for edge in page.items if not is_bare_rejection(edge.model_dump())]
        return sorted(said, key=lambda edge: (edge.source, edge.type, edge.target))

    async def _recall(self, api: httpx.AsyncClient, user: str, query: str, session: str) -> dict[str, Any]:
        body = {"user_id": user, "query": query, "as_of": ENDS.isoformat(), "session_id": session, "limit": 50}
        if "recall" in {one.place for one in self.besides}:  # of the running conversation
            body["tiers"] = ["episodic", "semantic", "procedural", "catalog"]
        deadline = time.monotonic() + PATIENCE_S
        while True:
            async with self.recalling:
                answer = await api.post("/v1/recall", json=body)
            assert answer.is_success, answer.text
            recalled: dict[str, Any] = answer.json()
            if recalled["status"] == "complete":
                return recalled
            assert time.monotonic() < deadline, recalled["tiers"]

    async def _failures(self, tenant_id: str) -> list[Difference]:
        failures = await self.gateway.worker.ledger.failures(1_000)
        return [
            Difference(one.scope.user_id, "jobs", f"{one.kind} of {one.subject_id}", "error", one.error, "none failed")
            for one in failures
            if one.scope.tenant_id == tenant_id
        ]

    async def _left_over(
        self, script: Script, left: Script, words: Mapping[tuple[str, str], str], subject: str, witness: str
    ) -> list[Difference]:
        """Where the subject's part of every store holds a word of a forgotten message, and the witness's does not,
        which has heard the replies that stay."""
        planted = {words[key]: key for key in script.forgotten if key in words}
        staying = {words.get((step.user, step.id)) for step in left.steps if isinstance(step, Say)}
        texts = texts_of(script)
        told = {word: f"{key[1]}: {texts[key]}" for word, key in planted.items()}
        self.planted.update({word: text for word, text in told.items() if word not in staying})
        found = await places_of(self.stack, list(planted), hint=HINT, tenant_id=subject) if planted else {}
        heard = await places_of(self.stack, list(planted), hint=HINT, tenant_id=witness) if planted else {}
        of_replies = {one.place for one in self.besides if not one.fields}
        return [
            Difference(planted[word][0], "dump", place, None, f"a word of {told[word]}", "–")
            for word, places in found.items()
            for place in sorted(places - heard.get(word, set()))
            if word not in staying or not any(area in place for area in of_replies)
        ]

    async def dump(self) -> list[Difference]:
        """Where a dump of every live store holds a word of any message that was forgotten before an oracle; those that
        leave a step of forgetting out not counted."""
        found = await places_of(self.stack, list(self.planted), hint=HINT) if self.planted else {}
        return [
            Difference("somebody", "dump", place, None, f"a word of {self.planted[word]}", "–")
            for word, places in found.items()
            for place in sorted(places)
        ]


def _add_recall(snapshot: Snapshot, query: str, recalled: dict[str, Any]) -> None:
    """Add the answer: the lines of the context, and each memory at its place with its scores; of those with the same
    score, which come by their ids, the order is that of their texts."""
    shown = ("score", "similarity", "confidence", "tier", "kind", "text", "tokens", "occurred_at", "said_by")
    ranked = sorted(recalled["memories"], key=lambda memory: (-memory["score"], memory["text"], memory["tier"]))
    lines = [" ".join(str(memory[name]) for name in (*shown, "in_context")) for memory in ranked]
    add(snapshot, "recall", query, {"context": sorted(recalled["context"].splitlines()), "ranked": lines})


@asynccontextmanager
async def open_oracle(
    stack: StoreStack,
    folder: Path,
    *,
    small_windows: bool = False,
    model: bool = False,
) -> AsyncIterator[Oracle]:
    """An oracle whose workers are in this process, stopped and killed at the points of `stopping.install_points`, which
    must have been called."""
    more = SMALL_WINDOW if small_windows else {}
    clock = Moment()
    async with AsyncExitStack() as exits:
        gateway = await exits.enter_async_context(open_gateway(stack.endpoints(), folder, clock=clock, more=more))
        if model:
            gateway = replace(gateway, worker=replace(gateway.worker, models=language_models(system_clock)))
        dying = await exits.enter_async_context(stoppable_worker(gateway, more))
        dying = replace(dying, models=gateway.worker.models)
        workers = LocalWorkers(gateway, dying)
        stage = PlayingStage(client_of(gateway), gateway.worker.ledger, gateway.parts.episodic, workers, clock)
        yield Oracle(stack, gateway, stage, OF_SMALL_WINDOWS if small_windows else ())


class _Patient(httpx.AsyncBaseTransport):
    """Repeats what a store did not answer in time, as clients do: on a busy machine that is no difference."""

    def __init__(self, inner: httpx.AsyncBaseTransport) -> None:
        self._inner = inner

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        deadline = time.monotonic() + PATIENCE_S
        answer = await self._inner.handle_async_request(request)
        while answer.status_code == httpx.codes.SERVICE_UNAVAILABLE and time.monotonic() < deadline:
            await asyncio.sleep(PAUSE_S)
            answer = await self._inner.handle_async_request(request)
        return answer


def client_of(gateway: RealGateway) -> Callable[[str], Awaitable[httpx.AsyncClient]]:
    """A function that makes a client with a key of a tenant."""

    async def client(tenant_id: str) -> httpx.AsyncClient:
        transport = _Patient(httpx.ASGITransport(app=gateway.app, raise_app_exceptions=False))
        headers = {"authorization": f"Bearer {await gateway.key(tenant_id)}"}
        return httpx.AsyncClient(transport=transport, base_url="http://gateway", headers=headers)

    return client


Judge = Callable[[Script], Awaitable[list[Difference]]]


async def smallest(
    judge: Judge, script: Script, found: list[Difference], within_s: float = SHRINK_S
) -> tuple[Script, list[Difference]]:
    """The smallest script, by leaving steps out, that still differs in a place in which this one does; as far as the
    time goes."""
    deadline, places = time.monotonic() + within_s, {one.place for one in found}
    size = max(1, len(script.steps) // 2)
    while size and time.monotonic() < deadline:
        start = 0
        while start < len(script.steps) and time.monotonic() < deadline:
            smaller = script.without(range(start, start + size))
            differing = await judge(smaller) if smaller.forgotten else []
            if places & {one.place for one in differing}:
                script, found = smaller, differing
            else:
                start += size
        size //= 2
    return script, found


def told(script: Script, found: list[Difference]) -> str:
    """The script and its differences, to read."""
    return "\n".join(["", "the script:", str(script), f"{len(found)} differences:", *(f"  {one}" for one in found)])
