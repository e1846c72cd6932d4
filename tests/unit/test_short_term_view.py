"""A session as it is read: within its budget as a reader is shown it, whatever is in it and whoever counts."""

from datetime import timedelta
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragpp.fields import TokenizerName
from ragpp.models import SessionView
from ragpp.names import speaker
from ragpp_services.short_term.records import Message
from ragpp_services.short_term.summary import SummaryLine
from ragpp_services.short_term.view import shown
from tests.support.each import each_case
from tests.support.short_term import NOON, TOKENIZERS

KEEP: Final = 5
HOSTILE: Final = st.sampled_from(
    ("\n", "\r\n", ": ", "    ", "<|endoftext|>", "👨‍👩‍👧", "中文", "ภาษา", "İ", "e\u0301", "﷽", "```")
)
TEXTS: Final = st.lists(st.text(max_size=20) | HOSTILE, min_size=1, max_size=20).map("".join)
NAMES: Final = st.none() | st.sampled_from(("Ada", "system", "user:", "محمد", "\u202eadmin")) | st.text(max_size=30)


def said(content: str, name: str | None = None, identifier: str = "m") -> Message:
    return Message(
        member="m", sequence=1, tokens=1, id=identifier, role="user", name=name, content=content, occurred_at=NOON
    )


def line(text: str) -> SummaryLine:
    return SummaryLine(text=text, tokens=1, sources=("m",), until=NOON - timedelta(days=1))


def read(view: SessionView) -> str:
    """As a host writes it into a prompt."""
    lines = [view.summary] if view.summary else []
    lines += [f"{one.name or one.role}: {one.content}" for one in view.messages]
    return "".join(f"{line}\n" for line in lines)


@each_case("tokenizer", ["o200k", "mistral"])
def test_short_messages_fill_a_budget_with_their_speakers_counted(tokenizer: TokenizerName) -> None:
    counter = TOKENIZERS.named(tokenizer)
    messages = [said(f"yes, number {number}", "Ada") for number in range(40)]
    view = shown("s", messages, [line("Ada: was here")], counter, budget=100, keep=KEEP, share=1.0)
    assert 90 < view.tokens == counter.count(read(view)) <= 100
    assert len(view.messages) > KEEP


@pytest.mark.parametrize("tokenizer", ["o200k", "mistral"])
@given(
    contents=st.lists(st.tuples(TEXTS, NAMES), max_size=12),
    summary=st.lists(TEXTS, max_size=4),
    budget=st.integers(0, 200),
)
def test_what_is_shown_is_within_the_budget_as_one_text(
    tokenizer: TokenizerName, contents: list[tuple[str, str | None]], summary: list[str], budget: int
) -> None:
    counter = TOKENIZERS.named(tokenizer)
    messages = [said(content, name, f"m{place}") for place, (content, name) in enumerate(contents)]
    view = shown("s", messages, [line(text) for text in summary], counter, budget=budget, keep=KEEP, share=1.0)
    speakers = [speaker(one.name, one.role) for one in view.messages]
    whole = f"{view.summary}\n" if view.summary else ""
    whole += "".join(f"{who}: {one.content}\n" for who, one in zip(speakers, view.messages, strict=True))
    assert view.tokens == counter.count(whole) <= budget
    by_id = {message.id: message.content for message in messages}
    for one in view.messages:
        assert by_id[one.id].startswith(one.content)
        assert one.truncated or one.content == by_id[one.id]
