"""A session's view as memories: what the filters let through, and in which order. Pure."""

from collections.abc import Sequence

from ragpp.models import Memory, MemoryQuery, SessionMessage, SessionView
from ragpp.names import speaker
from ragpp_services.short_term.records import Message
from ragpp_services.short_term.summary import SummaryLine, unseen


def wanted(message: Message, query: MemoryQuery) -> bool:
    """Whether the query's filters and its moment let the message through."""
    filters, span = query.filters, query.filters.time_range
    if message.id in filters.exclude or (query.as_of is not None and message.occurred_at > query.as_of):
        return False
    if span is not None and (
        (span.start is not None and message.occurred_at < span.start)
        or (span.end is not None and message.occurred_at >= span.end)
    ):
        return False
    return all(
        asked is None or asked == given
        for asked, given in (
            (filters.role, message.role),
            (filters.agent_id, message.agent_id),
            (filters.message_type, message.message_type),
            (filters.channel, message.channel),
            (filters.domain, message.domain),
            (filters.task_type, message.task_type),
        )
    )


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
    return Memory.model_construct(  # see `view`: dozens a recall
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
