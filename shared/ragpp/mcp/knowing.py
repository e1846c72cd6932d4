"""The facts known of a user, for a profile and for a briefing."""

from ragpp.mcp.answers import Fact, Known
from ragpp.mcp.connecting import LISTED, Connected


async def known_of(memory: Connected, user: str | None = None) -> Known:
    """The surest of each kind, what people said before what was counted from it."""
    known = await memory.client.profile(memory.whose(user), limit=LISTED)
    return Known(
        summary=known.text,
        facts=[
            Fact(id=one.id, kind=one.kind, text=one.text, confidence=round(one.confidence, 2))
            for kind in (known.findings, known.preferences, known.rules, known.relationships)
            for one in kind
        ],
    )
