"""Fresh scopes, so that tests share the servers and never each other's rows."""

from uuid import uuid4

from ragpp.models import Scope


def new_scope(*, session_id: str | None = None, agent_id: str | None = None) -> Scope:
    """A scope that no other test has."""
    return Scope(tenant_id=f"t-{uuid4().hex}", user_id=f"u-{uuid4().hex}", session_id=session_id, agent_id=agent_id)
