"""A summary fits its budget, quotes what was said, and keeps what was kept before."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragpp_services.short_term.quoting import LONGEST_QUOTE, ExtractiveSummariser, SummaryMessage

START = datetime(2024, 1, 14, 18, 42, tzinfo=UTC)


class WordCounter:
    """One token a word."""

    def count(self, text: str) -> int:
        return len(text.split())

    def truncate(self, text: str, max_tokens: int) -> str:
        words = text.split(" ")
        end = 0
        kept = 0
        for word in words:
            kept += len(word.split())
            if kept > max_tokens:
                break
            end += len(word) + 1
        return text[: max(0, end - 1)]


def said(*contents: str, by: str = "Noor") -> list[SummaryMessage]:
    return [SummaryMessage(by, content, START + timedelta(days=index)) for index, content in enumerate(contents)]


SUMMARISER = ExtractiveSummariser(WordCounter())


async def test_a_line_quotes_a_message_with_speaker_and_date() -> None:
    summary = await SUMMARISER.summarise("", said("Hi! I moved to Leeds on the 3rd of May. Thanks."), 40)
    assert summary == "Noor, 14 Jan 2024: I moved to Leeds on the 3rd of May."


async def test_what_the_speaker_states_outlasts_small_talk() -> None:
    messages = said("Good morning!", "I'm allergic to walnuts, remember that.", "Haha, okay then.", "How are you?")
    summary = await SUMMARISER.summarise("", messages, 12)
    assert "allergic to walnuts" in summary
    assert "Haha" not in summary


async def test_every_message_that_tells_something_is_told_when_there_is_room() -> None:
    facts = ["I live in Leeds.", "My sister Liv is a baker.", "The train leaves at 16:20."]
    summary = await SUMMARISER.summarise("", said(*facts), 200)
    assert all(fact in summary for fact in facts)


async def test_previous_lines_stay_word_for_word_while_they_fit() -> None:
    previous = "Felix, 2 Jan 2024: I quit my job.\nFelix, 3 Jan 2024: I sail on Sundays."
    summary = await SUMMARISER.summarise(previous, said("I booked two seats from Paris."), 100)
    assert summary.startswith(previous + "\n")


async def test_new_lines_get_their_share_of_a_full_summary() -> None:
    previous = "\n".join(
        f"Felix, {day} Jan 2024: I bought a boat for {day} crowns in Copenhagen." for day in range(1, 31)
    )
    summary = await SUMMARISER.summarise(previous, said("I moved to Glasgow on the 20th of May."), 60)
    assert "I moved to Glasgow" in summary
    assert "Felix" in summary


async def test_nothing_said_and_nothing_before_is_an_empty_summary() -> None:
    assert await SUMMARISER.summarise("", [], 100) == ""
    assert await SUMMARISER.summarise("", said("Hello!", "Ok."), 100) == ""


async def test_no_room_is_an_empty_summary() -> None:
    assert await SUMMARISER.summarise("Felix, 2 Jan 2024: I quit.", said("I moved to Leeds."), 0) == ""


async def test_a_negative_budget_is_refused() -> None:
    with pytest.raises(ValueError, match="negative"):
        await SUMMARISER.summarise("", [], -1)


async def test_a_sentence_without_end_is_cut() -> None:
    summary = await SUMMARISER.summarise("", said("I walked " + "and walked " * 200), 500)
    lines = summary.split("\n")
    assert all(WordCounter().count(line) <= LONGEST_QUOTE + 4 for line in lines)
    assert lines[0].endswith("…")


async def test_a_budget_below_one_line_still_tells_its_beginning() -> None:
    summary = await SUMMARISER.summarise("", said("I moved to Leeds with my sister Liv and two cats."), 6)
    assert 0 < WordCounter().count(summary) <= 6


SENTENCES = st.sampled_from(
    [
        "I moved to Leeds.",
        "Hi!",
        "What is it?",
        "My dog ate 3 shoes",
        "ok",
        "",
        "\n",
        "word " * 50,
        "日本語です。",
        "a:b: c",
        "…",
    ]
)
MESSAGES = st.lists(st.lists(SENTENCES, max_size=4).map(" ".join), max_size=8)
PREVIOUS = st.lists(st.sampled_from(["Felix, 2 Jan 2024: I quit.", "free text " * 9, "x", " "]), max_size=8).map(
    "\n".join
)


@given(PREVIOUS, MESSAGES, st.integers(0, 120))
async def test_a_summary_never_exceeds_its_budget(previous: str, contents: list[str], budget: int) -> None:
    summary = await SUMMARISER.summarise(previous, said(*contents), budget)
    assert WordCounter().count(summary) <= budget


@given(PREVIOUS, MESSAGES)
async def test_every_line_is_a_previous_line_or_a_quotation(previous: str, contents: list[str]) -> None:
    summary = await SUMMARISER.summarise(previous, said(*contents), 300)
    before = {line.strip() for line in previous.split("\n")}
    for line in filter(None, summary.split("\n")):
        label, _, words = line.partition(": ")
        quoted = any(words.rstrip("…") in " ".join(content.split()) for content in contents)
        assert line in before or (label.startswith("Noor, ") and quoted)


@given(MESSAGES)
async def test_lines_stand_in_the_order_in_which_they_were_said(contents: list[str]) -> None:
    numbered = [f"I bought {number} apples in Leeds. {content}" for number, content in enumerate(contents)]
    summary = await SUMMARISER.summarise("", said(*numbered), 400)
    days = [int(line.split()[1]) for line in filter(None, summary.split("\n"))]
    assert all(earlier <= later for earlier, later in pairwise(days))


@given(PREVIOUS, MESSAGES, st.integers(0, 60))
async def test_the_same_input_gives_the_same_summary(previous: str, contents: Sequence[str], budget: int) -> None:
    once = await SUMMARISER.summarise(previous, said(*contents), budget)
    assert once == await SUMMARISER.summarise(previous, said(*contents), budget)
