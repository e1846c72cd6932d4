"""Within a turn: the memories that an agent asked for, as far as its budget goes."""

import asyncio
from collections.abc import Sequence
from typing import Final

from ragpp.api.hooks import MemoryRequestIn, RequestedMemories, RequestedMemory
from ragpp.entries.formatting import HEADING, fitting, format_injection
from ragpp.entries.packing import Offer, pack
from ragpp.entries.usage import AgentUsage, TokenBudget
from ragpp.entries.values import EntryQuery, Form, FoundEntry
from ragpp.errors import Conflict
from ragpp.text.port import ReaderMeter
from ragpp_services.gateway.catalog.candidates import Candidate, tokens_of, unscored
from ragpp_services.gateway.hooks.turning import Agent, budget_of, handle_of, ids_of
from ragpp_services.gateway.parts import Parts

ATTEMPTS: Final = 5
"""How often it is packed anew into what other requests of the same turn left."""
UNKNOWN: Final = "there is no such memory"


async def requested(parts: Parts, agent: Agent, body: MemoryRequestIn) -> RequestedMemories:
    """The memories that were asked for, in the fullest forms for which the budget has room: the first count most.
    Raises Conflict where other requests of the turn take what is left again and again, and what the tier raises."""
    usage = await _turned(parts, agent)
    ids = ids_of(body.memory_ids, usage)
    query = EntryQuery(ids=tuple(ids), contents=True, limit=max(1, len(ids)))
    found = await parts.catalog.find_entries(agent.scope, query) if ids else []
    known = {one.asked for one in found}
    unknown = {one: UNKNOWN for one in ids if one not in known}
    for _ in range(ATTEMPTS):
        budget = budget_of(parts, usage)
        answer, given = await asyncio.to_thread(_packed, found, usage, budget, parts.counter)
        number = 0 if usage.turn is None else usage.turn.number
        if not given:
            left = budget
        else:
            taken = await parts.catalog.take_tokens(agent.scope, agent.ci, number, answer.tokens, given)
            if taken is None:
                usage = await parts.catalog.agent_usage(agent.scope, agent.ci)
                continue
            left = taken
        return answer.model_copy(update={"left_out": {**unknown, **answer.left_out}, "token_budget": left})
    raise Conflict(
        "other requests of this turn are taking what is left of its budget",
        suggestions=("Ask again, or ask for fewer memories at a time.",),
    )


async def _turned(parts: Parts, agent: Agent) -> AgentUsage:
    """The agent's usage, with its turn, which is begun where it asks without a catalog."""
    usage = await parts.catalog.agent_usage(agent.scope, agent.ci)
    if usage.turn is not None:
        return usage
    turn = await parts.catalog.begin_turn(agent.scope, agent.ci, budget_of(parts, usage))
    return usage.model_copy(update={"turn": turn})


def _packed(
    found: Sequence[FoundEntry], usage: AgentUsage, budget: TokenBudget, counter: ReaderMeter
) -> tuple[RequestedMemories, dict[str, int]]:
    """The memories that there is room for, and the tokens of each."""
    by_id: dict[str, Candidate] = {one.entry.memory_id: unscored(one) for one in found}
    handles = {memory_id: handle_of(memory_id, usage) for memory_id in by_id}
    sizes = {memory_id: tokens_of(one, counter, handles[memory_id]) for memory_id, one in by_id.items()}
    room = max(0, budget.left - counter.count(f"{HEADING}\n"))
    wanted = len(by_id)
    offers = [Offer(one, 1 - place / (2 * wanted), sizes[one]) for place, one in enumerate(by_id)]
    packed = pack(offers, room)
    shown: list[tuple[str, Form]] = list(packed.shown.items())
    kept = fitting([by_id[one].line(form, handles[one]) for one, form in shown], budget.left, counter.count)
    shown, over = shown[: len(kept)], shown[len(kept) :]
    formatted = format_injection(kept)
    answer = RequestedMemories(
        memories=tuple(
            RequestedMemory(handle=handles[one], memory_id=one, form=form, text=by_id[one].forms[form])
            for one, form in shown
        ),
        formatted=formatted,
        tokens=counter.count(formatted) if shown else 0,
        left_out={**packed.left_out, **dict.fromkeys((one for one, _ in over), "others are worth more")},
        token_budget=budget,
    )
    return answer, {one: sizes[one][form] for one, form in shown}
