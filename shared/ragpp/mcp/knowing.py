"""The facts known of a user, for a profile and for a briefing."""

from contextlib import suppress

from ragpp.errors import MemorySystemError
from ragpp.mcp.answers import Fact, Known
from ragpp.mcp.connecting import LISTED, Connected


async def known_of(memory: Connected, user: str | None = None) -> Known:
    """The surest of each kind, what people said before what was counted from it; and that more is to come, where
    messages wait to be learned from."""
    whose = memory.whose(user)
    known, waiting = await memory.client.profile(whose, limit=LISTED), 0
    with suppress(MemorySystemError):  # what is known is told all the same
        waiting = await memory.client.pending(whose)
    return Known(
        summary=f"{known.text} {_more(waiting)}" if waiting else known.text,
        facts=[
            Fact(id=one.id, kind=one.kind, text=one.text, confidence=round(one.confidence, 2))
            for kind in (known.findings, known.preferences, known.rules, known.relationships)
            for one in kind
        ],
    )


def _more(waiting: int) -> str:
    wait = "message waits" if waiting == 1 else "messages wait"
    return f"({waiting} {wait} to be learned from: ask again in a moment.)"
