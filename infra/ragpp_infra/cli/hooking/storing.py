"""Messages, stored by the client, or kept in its outbox until the gateway is there."""

from collections.abc import Sequence
from typing import Final

from ragpp.api import StoreRequest
from ragpp.client import MemoryClient
from ragpp.client.outbox import Outbox
from ragpp.environment import gateway_of, is_elsewhere, outbox_folder
from ragpp.errors import ConfigurationError
from ragpp_infra.cli.hooking.transcript import Message

PATIENCE_S: Final = 5.0


def store(user: str, session: str, said: Sequence[Message]) -> None:
    """Store `said`, in order. Raises what `MemoryClient.remember` does."""
    request = StoreRequest.model_validate(
        {
            "user_id": user,
            "session_id": session,
            "messages": [
                {"id": one.id, "role": one.role, "content": one.text, **({"occurred_at": one.at} if one.at else {})}
                for one in said
            ],
        }
    )
    try:
        url, key = gateway_of(None, None)
    except ConfigurationError:
        if is_elsewhere():
            raise
        Outbox(outbox_folder()).put(request)  # the stack is down, and its key is not told: the folder is enough
        return
    box = outbox_folder(key if is_elsewhere() else None)
    with MemoryClient(url, key, timeout_s=PATIENCE_S, retries=0, outbox=box) as memory:
        memory.remember(request)
