"""Agents: their budgets, their usage, and what they think of their memories."""

from typing import Annotated

from fastapi import Query

from ragpp.api.entries import MAX_OFFSET
from ragpp.api.files import SourceIn, SourceReport
from ragpp.api.hooks import AgentUse, BudgetIn, FeedbackIn
from ragpp.entries.usage import AgentUsage, TokenBudget, ValueMove
from ragpp.fields import Id, NewId
from ragpp_services.gateway.catalog.reading import read_entry
from ragpp_services.gateway.hooks.turning import Agent, agent_of, budget_of, ids_of, limit_of
from ragpp_services.gateway.http import CatalogUser, GatewayParts, Limit, keyed_router
from ragpp_services.gateway.requester import Reader, Writer

router = keyed_router("hooks")


@router.get("/v1/agents/{ci:id}/budget", summary="Read an agent's budget")
async def get_budget(requester: Reader, parts: GatewayParts, ci: Id, user_id: CatalogUser = None) -> TokenBudget:
    """The budget of the turn that it is in."""
    agent = agent_of(requester, "read", user_id, ci)
    return budget_of(parts, await parts.catalog.agent_usage(agent.scope, agent.ci))


@router.put("/v1/agents/{ci:id}/budget", summary="Set an agent's budget")
async def put_budget(requester: Writer, parts: GatewayParts, ci: NewId, body: BudgetIn) -> TokenBudget:
    """Tokens of memory in each turn from the next one on, which the answer shows."""
    agent = agent_of(requester, "write", body.user_id, ci)
    requester.items, requester.details = 1, {"budget": body.limit}
    return TokenBudget.of(limit_of(parts, await parts.catalog.put_budget(agent.scope, agent.ci, body.limit)), 0)


@router.get("/v1/agents/{ci:id}/usage", summary="Read what an agent was given")
async def get_usage(
    requester: Reader,
    parts: GatewayParts,
    ci: Id,
    user_id: CatalogUser = None,
    offset: Annotated[int, Query(ge=0, le=MAX_OFFSET, description="Number of memories to skip.")] = 0,
    limit: Limit = 50,
) -> AgentUse:
    """In all its turns, and of which memories: how often offered, how often given, of how many tokens, how useful."""
    agent = agent_of(requester, "read", user_id, ci)
    usage = await parts.catalog.agent_usage(agent.scope, agent.ci)
    uses = await parts.catalog.memory_uses(agent.scope, agent.ci, offset, limit + 1)
    following = offset + limit if len(uses) > limit else None
    requester.tells(one.memory_id for one in uses[:limit])
    return _use_of(parts, agent, usage).model_copy(update={"memories": tuple(uses[:limit]), "next_offset": following})


@router.post("/v1/catalog/{memory_id:id}/feedback", summary="Tell what a memory was worth")
async def give_feedback(requester: Writer, parts: GatewayParts, memory_id: Id, body: FeedbackIn) -> ValueMove:
    """The agent's judgement of a memory, −1 to 1. `memory_id`: its id, what it is called elsewhere, or its handle in
    the agent's turn. What it is worth moves by it, and no answer of that agent moves it any more."""
    agent = agent_of(requester, "write", body.user_id, body.ci)
    why = None if body.reason is None else parts.intake.redacted(body.reason)
    (named,) = ids_of((memory_id,), await parts.catalog.agent_usage(agent.scope, agent.ci))
    entry = await read_entry(parts, agent.scope, named)
    requester.tells((entry.memory_id,))
    return await parts.catalog.put_feedback(agent.scope, agent.ci, entry.memory_id, body.value, why)


@router.put("/v1/agents/{ci:id}/source", summary="Say where an agent's memories come from")
async def put_source(requester: Writer, parts: GatewayParts, ci: NewId, body: SourceIn) -> AgentUse:
    """From its next turn on: `file`, what was imported alone, chosen as document 001 has it; `parallel`, the catalog,
    and what the file would have given is compared with it; or `catalog`. A comparison begins anew each time."""
    agent = agent_of(requester, "write", body.user_id, ci)
    requester.items, requester.details = 1, {"source": body.source}
    return _use_of(parts, agent, await parts.catalog.put_source(agent.scope, agent.ci, body.source))


@router.get("/v1/agents/{ci:id}/comparison", summary="Compare an agent's file with the catalog")
async def get_comparison(
    requester: Reader,
    parts: GatewayParts,
    ci: Id,
    user_id: CatalogUser = None,
    offset: Annotated[int, Query(ge=0, le=MAX_OFFSET, description="Number of memories to skip.")] = 0,
    limit: Limit = 50,
) -> SourceReport:
    """Over its turns since it was last set to `parallel`: how many were given the same, how many memories and tokens
    each gave, and which memories one of both gave and the other did not."""
    agent = agent_of(requester, "read", user_id, ci)
    usage = await parts.catalog.agent_usage(agent.scope, agent.ci)
    uses = await parts.catalog.compared_uses(agent.scope, agent.ci, offset, limit + 1)
    requester.tells(one.memory_id for one in uses[:limit])
    return SourceReport(
        ci=agent.ci,
        source=usage.source,
        compared=await parts.catalog.comparison(agent.scope, agent.ci),
        memories=tuple(uses[:limit]),
        next_offset=offset + limit if len(uses) > limit else None,
    )


def _use_of(parts: GatewayParts, agent: Agent, usage: AgentUsage) -> AgentUse:
    """The usage of an agent over all its turns, without its memories."""
    return AgentUse(
        ci=agent.ci,
        turns=usage.turns,
        catalog_tokens=usage.catalog_tokens,
        memory_tokens=usage.memory_tokens,
        token_budget=budget_of(parts, usage),
        source=usage.source,
    )
