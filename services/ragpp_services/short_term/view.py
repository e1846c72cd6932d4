"""A session as it is read: the summary and the latest messages, cut to a budget. Pure, but for the token counter."""

from collections.abc import Sequence
from typing import Final

from ragpp.models import SessionInfo, SessionMessage, SessionView, SummaryDraft
from ragpp.text.tokens import TokenCounter
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
    counter: TokenCounter,
    *,
    budget: int,
    keep: int,
    share: float,
) -> SessionView:
    """At most `budget` tokens of `messages` (newest first) and `lines`.

    The last `keep` messages share three quarters of the budget, and what the summary leaves of the rest; the summary's
    latest lines get what they leave. `share` is that of the whole session's window.
    """
    reserved = min(sum(line.tokens for line in lines), int(budget * SUMMARY_SHARE))
    shares = allot([message.tokens for message in messages], budget - reserved, keep=keep)
    cut = [
        _cut(message, tokens, counter) if tokens < message.tokens else _whole(message)
        for message, tokens in zip(messages, shares, strict=False)
    ]
    latest = [message for message in cut if message.content][::-1]
    left = budget - sum(shares)
    summary = latest_within(lines, left)
    text, summary_tokens = joined(summary), sum(line.tokens for line in summary)
    if lines and not summary:
        text = counter.truncate(lines[-1].text, left)
        summary_tokens = counter.count(text)
    return SessionView(
        session_id=session_id,
        summary=text,
        summary_tokens=summary_tokens,
        messages=tuple(latest),
        tokens=summary_tokens + sum(message.tokens for message in latest),
        share=share,
    )


def _whole(message: Message) -> SessionMessage:
    return SessionMessage.model_construct(  # a recall shows dozens, and what is stored was validated when it came
        sequence=message.sequence,
        id=message.id,
        role=message.role,
        name=message.name,
        content=message.content,
        occurred_at=message.occurred_at,
        tokens=message.tokens,
    )


def _cut(message: Message, tokens: int, counter: TokenCounter) -> SessionMessage:
    """The message's beginning, of at most `tokens` tokens."""
    return _whole(message).model_copy(
        update={"content": counter.truncate(message.content, tokens), "tokens": tokens, "truncated": True}
    )


def drafted(
    session_id: str,
    revision: str,
    messages: Sequence[Message],
    lines: Sequence[SummaryLine],
    moved: frozenset[str],
    max_tokens: int,
) -> SummaryDraft | None:
    """What a better writer of the summary `lines` needs, beside the raw `messages` and the ids of those that `moved`;
    None when a model wrote them all, or there are none."""
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
