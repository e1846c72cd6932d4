"""Before a turn: the catalog that an agent chooses from, or what is put before its message."""

import asyncio
from collections.abc import Sequence
from typing import Final

from pydantic import JsonValue

from ragpp.api.hooks import CATALOG_TOKENS, CatalogLine, Injection, PreMessageIn, PrePromptIn, Recommended, TurnCatalog
from ragpp.catalog import WORK_LABELS
from ragpp.entries.comparing import Difference
from ragpp.entries.formatting import HEADING, MOST_HANDLES, fitting, format_injection
from ragpp.entries.packing import Offer
from ragpp.entries.relevance import reason
from ragpp.entries.usage import AgentSource, TokenBudget
from ragpp.text.port import ReaderMeter
from ragpp_services.gateway.catalog.candidates import Candidate, Message
from ragpp_services.gateway.hooks.turning import Agent, limit_of
from ragpp_services.gateway.hooks.ways import CATALOG, FILE, Way
from ragpp_services.gateway.parts import Parts

MOST_ASKED_CHARS: Final = 10_000
"""Characters of a prompt with its context: what a question may have. Of a longer one the end counts, where the wish
is."""


async def catalog_for(parts: Parts, agent: Agent, body: PrePromptIn) -> TurnCatalog:
    """Begin a turn with a catalog: the entries that matter most for the prompt, as many as have room, in short. Raises
    what the tier and the counter raise."""
    usage = await parts.catalog.agent_usage(agent.scope, agent.ci)
    limit = limit_of(parts, usage)
    goal = body.context.get("goal")
    labels = {name: label for name in WORK_LABELS if (label := getattr(body, name)) is not None}
    asked = asked_of(body.prompt, {**body.context, **labels})
    message = Message(asked, agent.ci, goal if isinstance(goal, str) else None, limit)
    way = _way_of(usage.source)
    offered, formatted, recommended = await _offered(parts, agent, message, way)
    if usage.source == "parallel":
        _, _, by_file = await _offered(parts, agent, message, FILE)
        await _compare(parts, agent, file=_tokens(by_file), catalog=_tokens(recommended))
    budget = TokenBudget.of(limit, parts.counter.count(formatted) if offered else 0)
    await parts.catalog.begin_turn(agent.scope, agent.ci, budget, [one.found.entry.memory_id for one in offered])
    return TurnCatalog(
        catalog=tuple(
            CatalogLine(handle=f"m{place}", entry=one.entry, score=one.scored.score, explain=one.scored.terms)
            for place, one in enumerate(offered, 1)
        ),
        formatted=formatted,
        token_budget=budget,
        recommendation=recommended,
    )


async def injection_for(parts: Parts, agent: Agent, body: PreMessageIn) -> Injection:
    """Begin a turn with what fits the message, packed into its budget. Raises what the tier and the counter raise."""
    usage = await parts.catalog.agent_usage(agent.scope, agent.ci)
    limit = limit_of(parts, usage)
    message = Message(asked_of(body.message, {}), agent.ci, None, limit)
    injection, given, explain = await _injected(parts, agent, message, _way_of(usage.source))
    if usage.source == "parallel":
        _, by_file, _ = await _injected(parts, agent, message, FILE)
        await _compare(parts, agent, file=by_file, catalog=given)
    tokens = parts.counter.count(injection) if given else 0
    await parts.catalog.begin_turn(agent.scope, agent.ci, TokenBudget.of(limit, tokens), (), given)
    return Injection(injection=injection, tokens=tokens, memory_ids=tuple(given), explain=explain)


def asked_of(prompt: str, context: dict[str, JsonValue]) -> str:
    """The text to search with: the texts of the context, then the prompt; the last MOST_ASKED_CHARS of it all."""
    beside = [value for value in context.values() if isinstance(value, str)]
    return "\n".join((*beside, prompt))[-MOST_ASKED_CHARS:]


def _way_of(source: AgentSource) -> Way:
    return FILE if source == "file" else CATALOG


def _tokens(recommended: Sequence[Recommended]) -> dict[str, int]:
    return {one.memory_id: one.tokens for one in recommended}


async def _compare(parts: Parts, agent: Agent, *, file: dict[str, int], catalog: dict[str, int]) -> None:
    await parts.catalog.note_comparison(agent.scope, agent.ci, Difference(file=file, catalog=catalog))


async def _offered(
    parts: Parts, agent: Agent, message: Message, way: Way
) -> tuple[list[Candidate], str, tuple[Recommended, ...]]:
    candidates = await way.candidates(parts, agent.scope, message, parts.clock())
    return await asyncio.to_thread(_offer, candidates, message, parts.counter, way)


async def _injected(
    parts: Parts, agent: Agent, message: Message, way: Way
) -> tuple[str, dict[str, int], dict[str, dict[str, float]]]:
    candidates = await way.candidates(parts, agent.scope, message, parts.clock())
    return await asyncio.to_thread(_inject, candidates, message, parts.counter, way)


def _offer(
    candidates: Sequence[Candidate], message: Message, counter: ReaderMeter, way: Way
) -> tuple[list[Candidate], str, tuple[Recommended, ...]]:
    """The candidates that are offered, best first; the text that renders them; and those that are recommended."""
    limit = message.max_tokens
    ranked = sorted(candidates, key=lambda one: -one.scored.score)[:MOST_HANDLES]
    lines = [one.line(one.shortest, f"m{place}") for place, one in enumerate(ranked, 1)]
    kept = fitting(lines, min(CATALOG_TOKENS, limit), counter.count)
    formatted = format_injection(kept)
    offered = ranked[: len(kept)]
    left = max(0, limit - counter.count(formatted) - counter.count(f"{HEADING}\n"))
    handles = {one.found.entry.memory_id: f"m{place}" for place, one in enumerate(offered, 1)}
    fits = way.fits([one.found for one in candidates], message.text)
    fitting_ones = {one.found.entry.memory_id: one for one in offered if one.found.entry.memory_id in fits}
    sizes = {memory_id: way.sizes(one, counter, handles[memory_id]) for memory_id, one in fitting_ones.items()}
    packed = way.pack([Offer(one, fitting_ones[one].scored.score, sizes[one]) for one in fitting_ones], left)
    recommended = tuple(
        Recommended(
            handle=handles[memory_id],
            memory_id=memory_id,
            tokens=sizes[memory_id][form],
            reason=reason(fitting_ones[memory_id].scored.terms),
        )
        for memory_id, form in packed.shown.items()
    )
    return offered, formatted, recommended


def _inject(
    candidates: Sequence[Candidate], message: Message, counter: ReaderMeter, way: Way
) -> tuple[str, dict[str, int], dict[str, dict[str, float]]]:
    """The section, the tokens of each memory in it, and what speaks for each."""
    limit = message.max_tokens
    fits = way.fits([one.found for one in candidates], message.text)
    by_id = {one.found.entry.memory_id: one for one in candidates if one.found.entry.memory_id in fits}
    ranked = sorted(by_id, key=lambda one: -by_id[one].scored.score)[:MOST_HANDLES]
    handles = {memory_id: f"m{place}" for place, memory_id in enumerate(ranked, 1)}
    sizes = {memory_id: way.sizes(by_id[memory_id], counter, handles[memory_id]) for memory_id in ranked}
    room = max(0, limit - counter.count(f"{HEADING}\n"))
    packed = way.pack([Offer(one, by_id[one].scored.score, sizes[one]) for one in ranked], room)
    shown = list(packed.shown.items())
    # handles follow the order in which they are shown, which a turn resolves them by
    lines = [by_id[one].line(form, f"m{place}") for place, (one, form) in enumerate(shown, 1)]
    kept = fitting(lines, limit, counter.count)
    given = {one: sizes[one][form] for one, form in shown[: len(kept)]}
    return format_injection(kept), given, {one: {**by_id[one].scored.terms, **fits[one]} for one in given}
