"""A session as it is read: the summary and the latest messages, cut to a budget. Pure, but for the token counter."""

from collections.abc import Sequence
from typing import Final

from ragpp.models import SessionInfo, SessionMessage, SessionView, SummaryDraft
from ragpp.names import speaker
from ragpp.text.port import TokenMeter
from ragpp_services.short_term.records import Message
from ragpp_services.short_term.store import SessionSize
from ragpp_services.short_term.summary import SummaryLine, joined, latest_within
from ragpp_services.short_term.window import allot

SUMMARY_SHARE: Final = 0.25
"""The part of a read's budget that is kept for the summary, as far as it needs it."""


def listed(size: SessionSize, max_tokens: int) -> SessionInfo:
    """A session as a list shows it; `max_tokens` of its window."""
    return SessionInfo(
        session_id=size.session_id,
        messages=size.messages,
        tokens=size.tokens,
        share=size.tokens / max_tokens,
        has_summary=size.summary_tokens > 0,
        last_at=size.last_at,
        expires_in_s=size.expires_in_s,
    )


def shown(
    session_id: str,
    messages: Sequence[Message],
    lines: Sequence[SummaryLine],
    counter: TokenMeter,
    *,
    budget: int,
    keep: int,
    share: float,
) -> SessionView:
    """At most `budget` tokens, as `counter` counts them, of `messages` (newest first) and `lines`, rendered as a reader
    is shown them; see `rendered`.

    The last `keep` messages share three quarters of the budget, and what the summary leaves of the rest; the summary's
    latest lines get what they leave. `share` is that of the whole session's window.
    """
    room = budget
    while True:
        summary, latest = _chosen(messages, lines, counter, room, keep)
        tokens = counter.count(rendered(summary, latest))
        if tokens <= budget:
            break
        room = max(0, room - (tokens - budget))  # in one text there may be more of them than in its lines
    return SessionView(
        session_id=session_id,
        summary=summary,
        summary_tokens=counter.count(summary),
        messages=tuple(latest),
        tokens=tokens,
        share=share,
    )


def rendered(summary: str, messages: Sequence[SessionMessage]) -> str:
    """The text for a reader: the summary, then each message behind who said it, each with the end of its line."""
    lines = [summary] if summary else []
    lines += [_head(message) + message.content for message in messages]
    return "".join([f"{line}\n" for line in lines])


def _chosen(
    messages: Sequence[Message], lines: Sequence[SummaryLine], counter: TokenMeter, budget: int, keep: int
) -> tuple[str, list[SessionMessage]]:
    """The summary and the messages, oldest first, whose lines have `budget` tokens together, counted one by one."""
    told = [line.model_copy(update={"tokens": counter.count(f"{line.text}\n")}) for line in lines]
    reserved = min(sum(line.tokens for line in told), int(budget * SUMMARY_SHARE))
    sizes = _sizes(messages, budget, keep, counter)
    shares = allot(sizes, budget - reserved, keep=keep)
    cut = [
        _cut(message, share, counter) if share < size else _whole(message, counter.count(message.content))
        for message, size, share in zip(messages, sizes, shares, strict=False)
    ]
    left = budget - sum(shares)
    summary = latest_within(told, left)
    text = joined(summary) if summary or not told else counter.truncate(told[-1].text, max(0, left - 1))
    return text, [message for message in cut if message.content][::-1]


def _sizes(messages: Sequence[Message], budget: int, keep: int, counter: TokenMeter) -> list[int]:
    """Tokens of the lines of the latest messages, as many as could be shown; of one that is cut to tell that it has
    more than `budget`, one more than that."""
    sizes: list[int] = []
    room = budget
    for place, message in enumerate(messages):
        if place >= keep and room < 0:
            break
        line = f"{_head(message)}{message.content}\n"
        is_within = len(line) <= budget or len(counter.truncate(line, budget)) == len(line)
        size = counter.count(line) if is_within else budget + 1
        sizes.append(max(1, size))
        room -= size
    return sizes


def _head(message: Message | SessionMessage) -> str:
    """The beginning of a message's line, before its content."""
    return f"{speaker(message.name, message.role)}: "


def _whole(message: Message, tokens: int) -> SessionMessage:
    return SessionMessage.trusted(
        sequence=message.sequence,
        id=message.id,
        role=message.role,
        name=message.name,
        content=message.content,
        occurred_at=message.occurred_at,
        utc_offset=message.utc_offset,
        tokens=tokens,
    )


def _cut(message: Message, tokens: int, counter: TokenMeter) -> SessionMessage:
    """The message's beginning, with as much of its line as `tokens` tokens hold."""
    head = _head(message)
    beginning = counter.truncate(f"{head}{message.content}", max(0, tokens - 1))[len(head) :]
    return _whole(message, counter.count(beginning)).model_copy(update={"content": beginning, "truncated": True})


def drafted(
    session_id: str,
    revision: str,
    messages: Sequence[Message],
    lines: Sequence[SummaryLine],
    moved: frozenset[str],
    max_tokens: int,
) -> SummaryDraft | None:
    """The draft that a better writer of the summary `lines` needs, beside the raw `messages` and the ids of those that
    `moved`; None when a model wrote them all, or there are none."""
    if all(line.written for line in lines):
        return None
    return SummaryDraft(
        session_id=session_id,
        revision=revision,
        text=joined(lines),
        until=min([message.occurred_at for message in messages] or [max(line.until for line in lines)]),
        written_until=max((line.until for line in lines if line.written), default=None),
        moved=moved,
        max_tokens=max_tokens,
    )
