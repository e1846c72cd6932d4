"""Whose turn it is, and what of its budget is left."""

from dataclasses import dataclass

from ragpp.entries.formatting import resolved
from ragpp.entries.usage import AgentUsage, TokenBudget
from ragpp.models import Scope
from ragpp_services.gateway.parts import Parts
from ragpp_services.gateway.requester import Requester


@dataclass(frozen=True, slots=True)
class Agent:
    """An agent in the scope of what it sees: its own, and what all of the user's agents see."""

    ci: str
    scope: Scope


def agent_of(requester: Requester, needed: str, user_id: str | None, ci: str) -> Agent:
    """Raises Forbidden for a key that is bound to another agent, or may not."""
    scope = requester.catalog(needed, user_id, agent_id=ci)
    requester.agent_id = ci
    return Agent(ci, scope.seen_by(ci))


def limit_of(parts: Parts, usage: AgentUsage) -> int:
    """Tokens of the agent's next turn."""
    return parts.max_injection_tokens if usage.budget is None else usage.budget


def budget_of(parts: Parts, usage: AgentUsage) -> TokenBudget:
    """The budget of the turn that the agent is in; a whole one before its first."""
    return TokenBudget.of(limit_of(parts, usage), 0) if usage.turn is None else usage.turn.budget


def ids_of(named: tuple[str, ...], usage: AgentUsage) -> list[str]:
    """The ids of what was named by handle or by id."""
    return resolved(named, () if usage.turn is None else usage.turn.item_ids)


def handle_of(memory_id: str, usage: AgentUsage) -> str:
    """The handle that it has in this turn; its id where it has none."""
    ids = () if usage.turn is None else usage.turn.item_ids
    return f"m{ids.index(memory_id) + 1}" if memory_id in ids else memory_id
