"""A session as it is read: the summary and the latest messages, cut to a budget. Pure, but for the token counter."""

from collections.abc import Sequence
from typing import Final

from ragpp.models import SessionInfo, SessionMessage, SessionView, SummaryDraft
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
    """At most `budget` tokens, as `counter` counts them, of `messages` (newest first) and `lines`.

    The last `keep` messages share three quarters of the budget, and what the summary leaves of the rest; the summary's
    latest lines get what they leave. `share` is that of the whole session's window.
    """
    told = [line.model_copy(update={"tokens": counter.count(f"{line.text}\n")}) for line in lines]
    reserved = min(sum(line.tokens for line in told), int(budget * SUMMARY_SHARE))
    sizes = _sizes(messages, budget, keep, counter)
    shares = allot(sizes, budget - reserved, keep=keep)
    cut = [
        _cut(message, share, counter) if share < size else _whole(message, size)
        for message, size, share in zip(messages, sizes, shares, strict=False)
    ]
    latest = [message for message in cut if message.content][::-1]
    left = budget - sum(shares)
    summary = latest_within(told, left)
    text = joined(summary) if summary or not told else counter.truncate(told[-1].text, left)
    summary_tokens = counter.count(text)
    return SessionView(
        session_id=session_id,
        summary=text,
        summary_tokens=summary_tokens,
        messages=tuple(latest),
        tokens=summary_tokens + sum(message.tokens for message in latest),
        share=share,
    )


def _sizes(messages: Sequence[Message], budget: int, keep: int, counter: TokenMeter) -> list[int]:
    """Tokens of the latest messages, as many as could be shown; of one with more than `budget`, one more than that."""
    sizes: list[int] = []
    room = budget
    for place, message in enumerate(messages):
        if place >= keep and room < 0:
            break
        head = counter.truncate(message.content, budget)
        size = counter.count(head) if len(head) == len(message.content) else budget + 1
        sizes.append(max(1, size))
        room -= size
    return sizes


def _whole(message: Message, tokens: int) -> SessionMessage:
    return SessionMessage.model_construct(  # a recall shows dozens, and what is stored was validated when it came
        sequence=message.sequence,
        id=message.id,
        role=message.role,
        name=message.name,
        content=message.content,
        occurred_at=message.occurred_at,
        tokens=tokens,
    )


def _cut(message: Message, tokens: int, counter: TokenMeter) -> SessionMessage:
    """The message's beginning, of at most `tokens` tokens."""
    beginning = counter.truncate(message.content, tokens)
    return _whole(message, counter.count(beginning)).model_copy(update={"content": beginning, "truncated": True})


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
