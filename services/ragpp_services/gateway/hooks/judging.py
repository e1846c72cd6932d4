"""Behind a turn: how useful the memories were for the answer."""

import asyncio
from collections.abc import Sequence
from typing import Final

import numpy as np

from ragpp.api.hooks import PostResponseIn, Usefulness
from ragpp.embedding import FloatMatrix
from ragpp.entries.usage import AgentUsage
from ragpp.entries.usefulness import closest_of, is_named, shared_terms, usefulness
from ragpp.entries.values import EntryQuery, FoundEntry
from ragpp.text.sentences import clean, split
from ragpp_services.gateway.hooks.turning import Agent, budget_of, handle_of, ids_of
from ragpp_services.gateway.parts import Parts

MOST_SENTENCES: Final = 100
"""Sentences of an answer that are compared with the memories."""


async def judged(parts: Parts, agent: Agent, body: PostResponseIn) -> Usefulness:
    """How useful each memory was that the answer had, told by its words; what they are worth moves by that, once a
    turn. What an agent has from its file is not judged: a file knows no worth. Raises EmbeddingError, and what the tier
    raises."""
    usage = await parts.catalog.agent_usage(agent.scope, agent.ci)
    ids = ids_of(body.memories_used, usage)
    if not ids:
        return Usefulness(budget=budget_of(parts, usage))
    query = EntryQuery(ids=tuple(ids), contents=True, vectors=True, limit=len(ids))
    found = await parts.catalog.find_entries(agent.scope, query)
    useful = await _useful(parts, body.response, found, usage)
    if usage.source != "file":
        await parts.catalog.judge_uses(agent.scope, agent.ci, useful)
    return Usefulness(useful=useful, budget=budget_of(parts, usage))


async def _useful(parts: Parts, response: str, found: Sequence[FoundEntry], usage: AgentUsage) -> dict[str, float]:
    useful: dict[str, float] = {}
    compared: list[tuple[FoundEntry, int]] = []
    for one in found:
        names = (one.entry.memory_id, one.entry.external_id, handle_of(one.entry.memory_id, usage))
        if is_named(response, [name for name in names if name is not None]):
            useful[one.entry.memory_id] = 1.0
        elif shared := await asyncio.to_thread(shared_terms, response, one.entry.content or ""):
            compared.append((one, shared))
        else:
            useful[one.entry.memory_id] = 0.0
    if compared:
        sentences = [response[one.start : one.end] for one in split(clean(response))][:MOST_SENTENCES]
        vectors: FloatMatrix = np.asarray([await parts.knowledge.question(text) for text in sentences], np.float32)
        for one, shared in compared:
            memory = np.asarray(one.entry.relevance_vector, np.float32)
            useful[one.entry.memory_id] = usefulness(closest_of(vectors, memory), shared)
    return useful
