"""Interactions for tests of what is learned from them, in few words."""

from datetime import UTC, datetime

from ragpp.models import Interaction, Role

MONTH = datetime(2024, 3, 1, tzinfo=UTC)


def said(
    identifier: str,
    text: str,
    *,
    day: int = 1,
    hour: int = 9,
    minute: int = 0,
    role: Role = "user",
    name: str | None = None,
    session: str | None = None,
    message_type: str = "conversation",
) -> Interaction:
    """A message of March 2024, in a session of its day unless told otherwise."""
    return Interaction(
        id=identifier,
        content=text,
        occurred_at=MONTH.replace(day=day, hour=hour, minute=minute),
        role=role,
        name=name,
        session_id=session or f"day-{day}",
        message_type=message_type,
    )
