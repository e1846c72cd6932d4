"""A memory is written, observed, extracted from, asked, forgotten and looked for, in every tier, by the ways that
requests go."""

import asyncio
from collections.abc import Sequence
from datetime import timedelta
from typing import Final

from ragpp.api import ItemIn, ItemsIn, RecallRequest, RecallResponse, ResourceIn
from ragpp.jobs import Job
from ragpp.ledger.scratch import ScratchLedger, Waiting
from ragpp.models import Memory, MemoryQuery, PreferenceEntry, Scope, SessionView, TierName
from ragpp_services.gateway.forgetting import Outcome, forget_messages
from ragpp_services.gateway.health import scratch
from ragpp_services.gateway.health.checks import Checks, Wrong
from ragpp_services.gateway.intake.knowledge import Whose
from ragpp_services.gateway.parts import Parts
from ragpp_services.gateway.remembering import Kept, keep

WRITE_MS: Final = 25.0
RECALL_MS: Final = 500.0
FORGET_MS: Final = 1_000.0
DIGEST_MS: Final = 5_000.0
TARGETS_MS: Final[dict[TierName, float]] = {
    "short_term": 10.0,
    "episodic": 100.0,
    "semantic": 200.0,
    "procedural": 50.0,
    "catalog": 50.0,
}
"""How long a tier may take to answer: document 004 for the four, 001 for the catalog. A write may take WRITE_MS
(design §9), a recall RECALL_MS and so many ms until it is digested DIGEST_MS (004)."""
TIMES: Final = 5
"""How often a tier is asked; its time is the median."""
WORKERS_S: Final = 30.0
"""Longest wait for the workers."""
_POLL_S: Final = 0.2
_QUERIES: Final[dict[TierName, str]] = {
    "episodic": scratch.ASKED,
    "semantic": scratch.ASKED,
    "procedural": "How does Maria like to travel?",
    "catalog": "How long does the trial last?",
}


class Trial:
    """One memory that is tried things with. `ledger`: where the workers' part is seen."""

    def __init__(self, parts: Parts, ledger: ScratchLedger, checks: Checks, scope: Scope) -> None:
        self._parts, self._ledger, self._checks, self._scope = parts, ledger, checks, scope
        self._written: list[Kept] = []

    async def run(self) -> None:
        """Everything, in the order in which the one needs the other. Never raises an error of ours."""
        await self._write()
        await self._find_what_is_written()
        await self._learn()
        await self._recall()
        await self._forget()

    async def _write(self) -> None:
        make, scope = self._checks.make, self._scope
        await make(
            "write",
            self._remember,
            target_ms=WRITE_MS,
            needs=("reach episodic",),
            times=len(scratch.SAID),
            told=lambda kept: f"{len(self._written)} messages, receipt {kept.receipt}",
        )
        await make(
            "write a preference",
            lambda: self._parts.procedural.store(scope, [self._preference()]),
            tier="procedural",
            needs=("reach procedural",),
        )
        await make("write an item", self._keep_item, tier="catalog", needs=("reach catalog",))

    async def _find_what_is_written(self) -> None:
        await self._checks.make(
            "read the conversation",
            lambda: self._parts.short_term.read(self._scope, 2_000),
            tier="short_term",
            target_ms=TARGETS_MS["short_term"],
            needs=("reach short_term", "write"),
            times=TIMES,
            told=_conversation,
        )
        await self._find("episodic", "write", scratch.MESSAGES)
        await self._find("procedural", "write a preference", ())
        await self._find("catalog", "write an item", (scratch.ITEM,))

    async def _learn(self) -> None:
        everywhere = ("write", "reach short_term", "reach semantic", "reach procedural", "reach catalog")
        await self._checks.make(
            "observe",
            self._digested,
            target_ms=DIGEST_MS,
            needs=everywhere,
            timeout_s=2 * WORKERS_S,
            told=lambda _none: "the workers have digested what was written",
        )
        await self._find("semantic", "observe", ())
        await self._checks.make(
            "extract",
            self._extracted,
            target_ms=DIGEST_MS,
            needs=("observe",),
            timeout_s=2 * WORKERS_S,
            told=lambda job: f"job {job.id} is {job.state}",
        )

    async def _recall(self) -> None:
        asked = RecallRequest(user_id=self._scope.user_id, session_id=scratch.SESSION, query=scratch.ASKED)
        await self._checks.make(
            "recall",
            lambda: self._parts.recaller.recall(self._scope, asked),
            target_ms=RECALL_MS,
            needs=("write",),
            times=TIMES,
            told=_answer,
        )

    async def _forget(self) -> None:
        await self._checks.make(
            "forget",
            lambda: forget_messages(self._parts, self._scope, scratch.MESSAGES),
            target_ms=FORGET_MS,
            needs=("write",),
            timeout_s=2 * WORKERS_S,
            told=_forgotten,
        )
        await self._checks.make(
            "forgotten by workers",
            self._digested,
            needs=("forget", "observe"),
            timeout_s=2 * WORKERS_S,
            told=lambda _none: "nothing is left to be done about it",
        )
        await self._checks.make(
            "find nothing of it",
            lambda: scratch.left(self._parts, self._scope, scratch.MESSAGES),
            needs=("forget",),
            told=_nothing,
        )

    async def _find(self, tier: TierName, needs: str, ids: Sequence[str]) -> None:
        query = MemoryQuery(scope=self._scope, text=_QUERIES[tier], entities=("Elena",) if tier == "semantic" else ())

        def told(found: list[Memory]) -> str:
            if not found or (ids and ids[0] not in {memory.id for memory in found}):
                raise Wrong("what was written is not found")
            return f"{len(found)} found"

        await self._checks.make(
            f"find {tier}",
            lambda: self._parts.by_name()[tier].retrieve(query),
            tier=tier,
            target_ms=TARGETS_MS[tier],
            needs=(needs, f"reach {tier}"),
            times=TIMES,
            told=told,
        )

    async def _remember(self) -> Kept:
        kept = await keep(self._parts, self._scope, scratch.said(self._scope.user_id, len(self._written)))
        self._written.append(kept)
        return kept

    def _preference(self) -> PreferenceEntry:
        return PreferenceEntry(
            id=scratch.PREFERENCE,
            category="travel",
            key="means of travel",
            value="trains",
            occurred_at=self._parts.clock(),
        )

    async def _keep_item(self) -> None:
        text = "The trial lasts 30 days and needs no credit card."
        resource = ResourceIn(id=scratch.RESOURCE, resource_type="document", content=text)
        entry = await self._parts.knowledge.resource(resource, Whose())
        await self._parts.catalog.store(self._scope, [entry])
        item = ItemIn(id=scratch.ITEM, content=text, source_resource_id=scratch.RESOURCE)
        items, _ = await self._parts.knowledge.items(ItemsIn(items=(item,)), Whose())
        await self._parts.catalog.store(self._scope, items)

    async def _digested(self) -> None:
        """Raises Wrong with what still waits."""
        waiting: Sequence[Waiting] = ()
        try:
            async with asyncio.timeout(WORKERS_S):
                while waiting := await self._ledger.waiting(self._scope):  # noqa: ASYNC110 - the workers are elsewhere
                    await asyncio.sleep(_POLL_S)
        except TimeoutError as error:
            raise Wrong(f"after {WORKERS_S:g} s there is still to do: {_listed(waiting)}") from error

    async def _extracted(self) -> Job:
        now = self._parts.clock()
        window = {"start": (now - timedelta(hours=1)).isoformat(), "end": now.isoformat()}
        job = await self._parts.jobs.request(self._scope, "extract.requested", "asked:health", window, now)
        await self._digested()
        done = await self._parts.jobs.job(self._scope.tenant_id, job.id)
        if done.state != "done":
            raise Wrong(f"the extraction is {done.state}: {done.error or 'nobody says why'}")
        return done


def _conversation(view: SessionView) -> str:
    if len(view.messages) < len(scratch.SAID):
        raise Wrong(f"{len(view.messages)} of {len(scratch.SAID)} messages are in the running conversation")
    return f"{len(view.messages)} messages"


def _answer(answer: RecallResponse) -> str:
    late = [f"{name} {tier.status}" for name, tier in answer.tiers.items() if tier.status not in {"ok", "skipped"}]
    if answer.status != "complete":
        raise Wrong(f"the answer is {answer.status}: {', '.join(late) or 'no tier says why'}")
    if scratch.MESSAGES[0] not in {memory.id for memory in answer.memories}:
        raise Wrong("what was written is not recalled")
    return f"{len(answer.memories)} memories, {answer.tokens} tokens, relevance {answer.relevance}"


def _forgotten(outcome: Outcome) -> str:
    """A tier that was late or down is left to the workers; whether they did it is looked at then."""
    if outcome.forgotten != len(scratch.MESSAGES):
        raise Wrong(f"{outcome.forgotten} of {len(scratch.MESSAGES)} messages were forgotten")
    late = [f"{tier} {status}" for tier, status in outcome.tiers.items() if status != "ok"]
    return f"{outcome.forgotten} messages" + (f"; left to the workers: {', '.join(late)}" if late else "")


def _nothing(found: str) -> str:
    if found:
        raise Wrong(f"{found} is still there of what was forgotten")
    return "nothing found"


def _listed(waiting: Sequence[Waiting]) -> str:
    return "; ".join(
        f"{one.works} of stage {one.stage} {one.state}{f', last error: {one.error}' if one.error else ''}"
        for one in waiting
    )
