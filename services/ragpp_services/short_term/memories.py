"""A session's view as memories: what the filters let through, and in which order. Pure."""

from collections.abc import Iterable, Sequence
from typing import Final

from ragpp.models import Memory, MemoryQuery, SessionMessage, SessionView
from ragpp.names import speaker
from ragpp_services.short_term.records import Message
from ragpp_services.short_term.summary import SummaryLine, unseen

_FILTERED: Final = ("role", "agent_id", "message_type", "channel", "domain", "task_type")
"""Fields of a message that a filter of the same name asks for."""


def narrows(query: MemoryQuery) -> bool:
    """True where `wanted` may leave messages out."""
    filters = query.filters
    asked = (filters.time_range, query.as_of, *(getattr(filters, name) for name in _FILTERED))
    return bool(filters.exclude) or any(value is not None for value in asked)


def wanted(messages: Iterable[Message], query: MemoryQuery) -> list[Message]:
    """Those that the query's filters and its moment let through, in their order."""
    filters, span = query.filters, query.filters.time_range
    start, end = (None, None) if span is None else (span.start, span.end)
    asked = [(name, value) for name in _FILTERED if (value := getattr(filters, name)) is not None]
    return [
        message
        for message in messages
        if message.id not in filters.exclude
        and (query.as_of is None or message.occurred_at <= query.as_of)
        and (start is None or message.occurred_at >= start)
        and (end is None or message.occurred_at < end)
        and (not asked or all(getattr(message, name) == value for name, value in asked))
    ]


def wanted_lines(lines: Sequence[SummaryLine], query: MemoryQuery) -> list[SummaryLine]:
    """The lines of the summary that the query may see; none where a filter asks what a summary no longer tells."""
    filters = query.filters
    asked = (
        filters.time_range,
        filters.role,
        filters.agent_id,
        filters.message_type,
        filters.channel,
        filters.domain,
        filters.task_type,
    )
    if any(value is not None for value in asked):
        return []
    return unseen(lines, as_of=query.as_of, exclude=filters.exclude)


def ranked(view: SessionView, lines: Sequence[SummaryLine], limit: int) -> list[Memory]:
    """The messages of `view`, newest first, then its summary, at most `limit`; the summary has a place from 2 on.

    The score falls evenly from 1, by recency alone. `lines`: what the summary was made from.
    """
    room = limit - 1 if view.summary and limit > 1 else limit
    newest = view.messages[::-1][:room]
    count = len(newest) + (1 if view.summary else 0)
    found = [_message(message, view.session_id, (count - place) / count) for place, message in enumerate(newest)]
    if view.summary and len(found) < limit:
        found.append(_summary(view, lines, 1 / count))
    return found


def _message(message: SessionMessage, session_id: str, score: float) -> Memory:
    return Memory.trusted(
        id=message.id,
        tier="short_term",
        kind="message",
        text=message.content,
        score=score,
        tokens=message.tokens,
        occurred_at=message.occurred_at,
        utc_offset=message.utc_offset,
        said_by=speaker(message.name, message.role),
        session_id=session_id,
        sources=(message.id,),
        metadata={"role": message.role, "sequence": message.sequence, "truncated": message.truncated},
    )


def _summary(view: SessionView, lines: Sequence[SummaryLine], score: float) -> Memory:
    rests_on = [line for line in lines if line.text in view.summary or line.text.startswith(view.summary)]
    return Memory(
        id=f"summary:{view.session_id}",
        tier="short_term",
        kind="summary",
        text=view.summary,
        score=score,
        tokens=view.summary_tokens,
        occurred_at=max((line.until for line in rests_on), default=None),
        session_id=view.session_id,
        sources=tuple(dict.fromkeys(source for line in rests_on for source in line.sources)),
    )
