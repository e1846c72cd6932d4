"""Recall: every tier is asked at once, each under the deadline; what answered in time becomes one context."""

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Final

import structlog

from ragpp.api import RecalledMemory, RecallRequest, RecallResponse, Relevance, SectionOut, TierStatus
from ragpp.clock import Clock
from ragpp.embedding import Embedder, SecondEncoder
from ragpp.errors import MemorySystemError
from ragpp.errors.summaries import safe_summary
from ragpp.models import TIER_NAMES, WITH_METADATA, Filters, Memory, MemoryQuery, Scope, TierName
from ragpp.observability.metrics import step
from ragpp.observability.traces import stepped
from ragpp.receipts import Receipt
from ragpp.retrieval.calibration import Calibration
from ragpp.text.port import TokenMeter
from ragpp.text.presence import asks_beyond_the_present
from ragpp.text.readers import Tokenizers
from ragpp.tiers import EpisodicTier, MemoryTier
from ragpp_services.gateway.asking import (
    Answer,
    Asked,
    Encoding,
    answers_of,
    asking,
    embedded,
    encoding,
    finished,
    names_in,
    read_long,
    retrieved,
)
from ragpp_services.gateway.assembly.answerability import relevance_of
from ragpp_services.gateway.assembly.cutting import why_cut
from ragpp_services.gateway.assembly.fusion import fuse
from ragpp_services.gateway.assembly.memory_key import memory_key
from ragpp_services.gateway.assembly.packing import Frame, Packed, pack
from ragpp_services.gateway.assembly.recalled import recalled
from ragpp_services.gateway.assembly.verdicts import parted, set_back, set_first
from ragpp_services.gateway.counting import count_recall, recall_step
from ragpp_services.gateway.wishes import without_wishes_of_others
from ragpp_services.gateway.zones import ZoneOf, nowhere, told_in

RESERVE_SHARE: Final = 0.1
RESERVE_MAX_S: Final = 0.025
"""The part of the deadline that is kept for fusion, packing and the answer: a tenth, at most 25 ms."""
WAITING_SHARE: Final = 0.5
"""The share of the time for awaiting a receipt's digestion: the tiers have the rest, also when PostgreSQL hangs."""
CANDIDATES: Final = 50
MOST_CANDIDATES: Final = 200
TOKENS_OF_ONE: Final = 40
"""A context is made of as many memories of each tier as its budget may hold, of which one takes some TOKENS_OF_ONE:
CANDIDATES at least, since fusion needs more than it shows."""
CONVERSATION_SHARE: Final = 0.5
"""The largest share of the token budget that is asked of short-term memory; packing decides what is shown."""
INLINE_CHARS: Final = 100_000
"""Up to this much text is fused and packed on the event loop, in a few milliseconds."""
NOT_OFFERED: Final = "behind the memories that a context of this budget is made of"
_POLL_S: Final = 0.01
_EPOCH: Final = datetime.fromtimestamp(0, UTC)
_log = structlog.stdlib.get_logger(__name__)

QueryEntities = Callable[[str], tuple[str, ...]]
"""Names and kinship words in a query, most specific first; under a millisecond."""


class Recaller:
    """Answers recalls from `tiers`; a tier that is not among them is `skipped` when it is asked for by name. Questions
    are encoded by `second` beside `embedder`."""

    def __init__(
        self,
        tiers: Mapping[TierName, MemoryTier],
        episodic: EpisodicTier,
        embedder: Embedder,
        query_entities: QueryEntities,
        tokenizers: Tokenizers,
        clock: Clock,
        *,
        deadline_ms: int,
        token_budget: int,
        second: SecondEncoder | None = None,
        zone_of: ZoneOf = nowhere,
    ) -> None:
        """`zone_of`: by which clocks times are told."""
        self._tiers, self._episodic = tiers, episodic
        self._embedder, self._query_entities = embedder, query_entities
        self._scale = Calibration.of_model(embedder.model)
        self._tokenizers, self._clock = tokenizers, clock
        self._deadline_ms, self._token_budget = deadline_ms, token_budget
        self._second, self._zone_of = second, zone_of

    @stepped("recall")
    async def recall(self, scope: Scope, request: RecallRequest) -> RecallResponse:
        """Never fails for a tier: one that is late or down makes the answer `partial` and is named.

        Raises InvalidInput for a receipt that is not one.
        """
        started = time.perf_counter()
        deadline_s = (request.deadline_ms or self._deadline_ms) / 1_000
        ends = started + deadline_s - min(RESERVE_MAX_S, deadline_s * RESERVE_SHARE)
        budget = self._token_budget if request.token_budget is None else request.token_budget
        receipt = Receipt.parse(request.after, field="after") if request.after else None
        stops = started + (ends - started) * WAITING_SHARE
        pending = asyncio.create_task(self._pending(scope, receipt, stops))
        zone = asyncio.ensure_future(self._zone_of(scope))
        await read_long(request.query)
        if receipt is not None:
            await asyncio.wait({pending}, timeout=max(0.0, stops - time.perf_counter()))
        names = [name for name in TIER_NAMES if name in (request.tiers or self._tiers)]
        found_by, unembedded = await self._answers(scope, request, budget, names, ends)
        answers = await without_wishes_of_others(found_by, self._episodic, scope, request.name, ends)
        if await finished(zone, ends):
            shown = {name: told_in(zone.result(), one.memories) for name, one in answers.items()}
            answers = {name: replace(one, memories=shown[name]) for name, one in answers.items()}
        counter = await self._tokenizers.ready(request.tokenizer)
        whole = unembedded is None and all(answer.status in {"ok", "skipped"} for answer in answers.values())
        found = {name: answer.memories for name, answer in answers.items() if answer.status == "ok"}
        relevant = relevance_of(request.query, found, self._scale, whole=whole, asker=request.name)
        ranking, packed = await self._assemble(request, answers, relevant, budget, counter)
        counted = await finished(pending, ends)
        answer = RecallResponse(
            status="complete" if whole else "partial",
            context=packed.context,
            tokens=packed.tokens,
            tokenizer=counter.name,
            elapsed_ms=round((time.perf_counter() - started) * 1_000, 2),
            retrieved_at=self._clock(),
            receipt_pending=pending.result() if counted else -1,
            relevance=relevant if relevant == "none" or _tells(packed) else None,
            sections=tuple(
                SectionOut(title=section.title, tokens=section.tokens, memories=section.memory_ids)
                for section in packed.sections
            ),
            memories=ranking,
            tiers={name: _status(one, None if name == "short_term" else unembedded) for name, one in answers.items()},
        )
        count_recall(answer, budget)
        return answer

    async def _answers(
        self, scope: Scope, request: RecallRequest, budget: int, names: Sequence[TierName], ends: float
    ) -> tuple[dict[TierName, Answer], str | None]:
        """Every tier's answer; and why the query was searched by words alone, if it was.

        Short-term memory needs no vector and is asked at once: it is there also when the embedder hangs, which is
        given half of the time at most.
        """
        query = self._query(scope, request, budget)
        with asking() as asked:
            if "short_term" in names:
                shown = query.model_copy(update={"limit": _candidates(budget)})
                asked["short_term"] = self._ask("short_term", shown)
            second = encoding(self._second if "episodic" in names else None, request.query, ends)
            unembedded: str | None = None
            if len(asked) < len(names):
                try:
                    vector = await embedded(self._embedder, request.query, (ends - time.perf_counter()) / 2)
                    query = query.model_copy(update={"embedding": vector})
                except (MemorySystemError, TimeoutError) as error:
                    unembedded = f"searched by words alone: the query was not embedded ({type(error).__name__})"
                    query = query.model_copy(update={"mode": "lexical"})
                    _log.warning("recall.not_embedded", error=safe_summary(error))
            with step("tiers"):
                for name in names:
                    if name not in asked:
                        asked[name] = self._ask(name, query, second)
                return _judged(await answers_of({name: asked[name] for name in names}, ends), query.text), unembedded

    async def _assemble(
        self,
        request: RecallRequest,
        answers: Mapping[TierName, Answer],
        level: Relevance | None,
        budget: int,
        counter: TokenMeter,
    ) -> tuple[tuple[RecalledMemory, ...], Packed]:
        """The fused ranking up to the limit, and the context, which the limit does not change; long texts in a thread,
        so that nobody waits for them."""
        most = _candidates(budget)
        frame = Frame(persona=request.persona, tools=request.tools, situation=request.state)
        found = {name: answer.memories for name, answer in answers.items()}

        def assemble() -> tuple[tuple[RecalledMemory, ...], Packed]:
            with recall_step("fuse"):
                shown = ranking = fuse(found)
                if request.limit > most:
                    shown = fuse({name: memories[:most] for name, memories in found.items()})
            conversation = _conversation(answers.get("short_term"))
            cut = why_cut(request, shown, level, self._scale, request.name, budget)
            with recall_step("pack", budget=budget):
                parts = not request.fill
                packed = pack(shown, conversation, frame, budget=budget, counter=counter, cut=cut, in_parts=parts)
            if shown is not ranking:
                behind = dict.fromkeys({*map(memory_key, ranking)}.difference(map(memory_key, shown)), NOT_OFFERED)
                packed = replace(packed, cut={**packed.cut, **behind})
            return recalled(ranking[: request.limit], packed, found if request.explain else None, counter), packed

        size = sum([len(memory.text) for answer in answers.values() for memory in answer.memories]) + frame.characters
        return await asyncio.to_thread(assemble) if size > INLINE_CHARS else assemble()

    def _query(self, scope: Scope, request: RecallRequest, budget: int) -> MemoryQuery:
        """The query for the tiers, without its vector."""
        return MemoryQuery(
            scope=scope,
            text=request.query,
            entities=names_in((*request.entities, *self._query_entities(request.query)), request.name),
            asker=request.name,
            limit=max(request.limit, _candidates(budget)),
            token_budget=int(budget * CONVERSATION_SHARE),
            tokenizer=request.tokenizer or self._tokenizers.usual,
            filters=Filters(
                time_range=request.time_range,
                session_id=request.in_session,
                agent_id=request.agent_id,
                role=request.role,
                message_type=request.message_type,
                channel=request.channel,
                domain=request.domain,
                task_type=request.task_type,
                exclude=request.exclude,
                similarity_threshold=request.similarity_threshold,
                min_confidence=request.min_confidence,
                metadata=request.filter,
            ),
            as_of=request.as_of,
            explain=request.explain,
            rejected=True,
            situation=request.state or "",
        )

    def _ask(self, name: TierName, query: MemoryQuery, second: Encoding | None = None) -> Asked | Answer:
        tier = self._tiers.get(name)
        if tier is None:
            return Answer("skipped", 0.0, detail="this tier is not part of the installation")
        if query.filters.metadata is not None and name not in WITH_METADATA:
            return Answer("skipped", 0.0, detail="this tier keeps no metadata, so that nothing in it fits the filter")
        return Asked(name, lambda: retrieved(tier, query, second if name == "episodic" else None))

    async def _pending(self, scope: Scope, receipt: Receipt | None, stops: float) -> int:
        """Undigested events: of the user at once, or of `receipt` once there are none, or as many as there are at
        `stops`. -1 when the ledger is down; one that hangs does not answer."""
        try:
            while receipt is not None:
                left = await self._episodic.pending(scope, receipt.first_event, receipt.last_event)
                if left == 0 or time.perf_counter() >= stops:
                    return left
                await asyncio.sleep(_POLL_S)
            return await self._episodic.pending(scope)
        except (MemorySystemError, TimeoutError):
            return -1


def _candidates(budget: int) -> int:
    """How many memories of each tier a context of `budget` tokens is made of."""
    return min(MOST_CANDIDATES, max(CANDIDATES, budget // TOKENS_OF_ONE))


def _judged(answers: dict[TierName, Answer], query: str) -> dict[TierName, Answer]:
    """`answers` without what a person rejected or a later one ended, what the first was learned from set back, and what
    the second was told in behind what says so, unless `query` asks of the past."""
    judged, gone = dict(answers), dict[TierName, list[Memory]]()
    for tier in ("semantic", "procedural"):
        if (known := answers.get(tier)) is not None:
            held, gone[tier] = parted(known.memories)
            judged[tier] = replace(known, memories=tuple(held)) if gone[tier] else known
    said, rejected, ended = answers.get("episodic"), gone.get("semantic"), gone.get("procedural")
    if said is None or not (rejected or ended):
        return judged
    remembered: Sequence[Memory] = said.memories
    if ended and not asks_beyond_the_present(query):
        remembered = set_first(remembered, ended)
    if rejected:
        remembered = set_back(remembered, rejected)
    judged["episodic"] = replace(said, memories=tuple(remembered))
    return judged


def _conversation(answer: Answer | None) -> list[Memory]:
    """Summary first, then messages, oldest first."""
    memories = answer.memories if answer else ()
    messages = [memory for memory in memories if memory.kind == "message"]
    messages.reverse()  # newest first as they come; what was said at one moment keeps its order
    messages.sort(key=lambda memory: memory.occurred_at or _EPOCH)
    return [memory for memory in memories if memory.kind == "summary"] + messages


def _tells(packed: Packed) -> bool:
    """True where anything is shown but what always holds."""
    return any(not memory.always_holds for section in packed.sections for memory in section.memories)


def _status(answer: Answer, unembedded: str | None) -> TierStatus:
    return TierStatus(status=answer.status, ms=answer.ms, hits=len(answer.memories), detail=answer.detail or unembedded)
