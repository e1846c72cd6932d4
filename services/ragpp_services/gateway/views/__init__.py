"""The part of a user's memory that a key sees and may change: the whole, or the view of the agent that it is bound to.

The gateway's tiers are wrapped here once, so every route and every recall is in the view of its scope: a read goes to
what is kept for the view, a write to the whole memory and to each view that sees it.
"""

from ragpp_services.gateway.views.conversations import ViewedShortTerm
from ragpp_services.gateway.views.graph import ViewedSemantic
from ragpp_services.gateway.views.procedures import ViewedProcedural

__all__ = ["ViewedProcedural", "ViewedSemantic", "ViewedShortTerm"]
