"""Times of messages that have none: a neighbour's, their conversation's, or the one given; never the present."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from ragpp_infra.importing.reading import Conversation, Export, ImportedMessage, Unread


@dataclass(frozen=True)
class Dated:
    """An export whose messages all have a time. `missing`: those that had none. `misread`: those with one that was not
    understood."""

    export: Export
    missing: Sequence[ImportedMessage]
    misread: Sequence[ImportedMessage]


def dated(export: Export, otherwise: datetime | None = None) -> Dated:
    """`export` with a time for each message; where there is none to take, not even `otherwise`, it is left out."""
    unread = list(export.unread)
    conversations: list[Conversation] = []
    undated: list[ImportedMessage] = []
    for conversation in export.conversations:
        times = _times(conversation, otherwise)
        kept: list[ImportedMessage] = []
        for message, time in zip(conversation.messages, times, strict=True):
            undated += [message] if message.occurred_at is None else []
            if time is None:
                why = "has no time, nor has anything beside it: name one with --at"
                unread.append(Unread(message.place, why, failed=True))
            else:
                kept.append(replace(message, occurred_at=time))
        conversations.append(replace(conversation, messages=kept))
    return Dated(
        replace(export, conversations=conversations, unread=unread),
        missing=[message for message in undated if message.misread is None],
        misread=[message for message in undated if message.misread is not None],
    )


def _times(conversation: Conversation, otherwise: datetime | None) -> list[datetime | None]:
    """A time for each message: its own; else that of the nearest message, the earlier of two as near; else the
    conversation's."""
    told = [message.occurred_at for message in conversation.messages]
    before: list[tuple[int, datetime] | None] = []
    for at, time in enumerate(told):
        before.append((at, time) if time is not None else before[-1] if before else None)
    times: list[datetime | None] = [None] * len(told)
    after: tuple[int, datetime] | None = None
    for at in range(len(told) - 1, -1, -1):
        time = told[at]
        after = (at, time) if time is not None else after
        near = [one for one in (before[at], after) if one is not None]
        nearest = min(near, key=lambda one: abs(one[0] - at), default=None)
        times[at] = nearest[1] if nearest is not None else conversation.begun_at or otherwise
    return times
