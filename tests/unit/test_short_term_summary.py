"""The messages that the lines of a summary rest on, and how messages are written down."""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from ragpp.models import Interaction
from ragpp_services.short_term.records import content_hash, decode_message, encode_body, moment_key, moment_of
from ragpp_services.short_term.summary import Said, SummaryLine, attribute, latest_within, unseen

NOON = datetime(2024, 5, 1, 12, tzinfo=UTC)


def said(identifier: str, content: str, *, by: str = "Mira") -> Said:
    return Said(id=identifier, said_by=by, content=content, occurred_at=NOON)


def line(text: str, *sources: str, hours: int = 0) -> SummaryLine:
    return SummaryLine(text=text, tokens=count(text), sources=sources, until=NOON + timedelta(hours=hours))


def count(text: str) -> int:
    return len(text.split())


def test_a_line_that_quotes_a_message_rests_on_it_alone() -> None:
    moved = [said("a", "We moved.\nThe  flat is small."), said("b", "Where to?", by="Tom")]
    [found] = attribute("- Mira (1 May 2024): The flat is small.", [], moved, count)
    assert found.sources == ("a",)


def test_a_line_that_stays_keeps_what_it_rested_on() -> None:
    before = line("- Mira: I like tea.", "old")
    assert attribute("- Mira: I like tea.", [before], [said("a", "x")], count) == [before]


def test_a_line_that_was_put_in_other_words_rests_on_everything_that_went_in() -> None:
    before = line("They met.", "old")
    moved = [said("a", "We moved."), said("b", "I left.")]
    [found] = attribute("They met, and one moved.", [before], moved, count)
    assert found.sources == ("a", "b", "old")


def test_what_stands_before_a_quotation_may_come_from_another_message() -> None:
    moved = [said("a", "sad"), said("b", "Tom left his wife.", by="Tom")]
    [found] = attribute("Tom left his wife: sad", [], moved, count)
    assert found.sources == ("a", "b")


def test_the_latest_lines_are_shown() -> None:
    lines = [line("one two", "a"), line("three four five", "b"), line("six", "c")]
    assert latest_within(lines, 4) == lines[1:]
    assert latest_within(lines, 0) == []


def test_a_line_is_unseen_at_a_moment_before_it_and_when_its_source_is_excluded() -> None:
    lines = [line("one", "a"), line("two", "b", hours=2)]
    assert unseen(lines, as_of=NOON + timedelta(hours=1), exclude=()) == lines[:1]
    assert unseen(lines, as_of=None, exclude={"a"}) == lines[1:]


@given(st.datetimes(timezones=st.just(UTC)), st.datetimes(timezones=st.just(UTC)))
def test_moments_sort_as_their_keys_do(one: datetime, other: datetime) -> None:
    assert (one < other) == (moment_key(one) < moment_key(other))
    assert moment_of(moment_key(one)) == one
    assert len(moment_key(one)) == 18


@given(st.text(min_size=1).filter(lambda text: not {"\x00", "\x1e"} & set(text)))
def test_a_message_is_read_back_as_it_was_written(text: str) -> None:
    interaction = Interaction(id=text[:256], content=text, occurred_at=NOON, role="tool", name="n", channel="c")
    found = decode_message(f"{moment_key(NOON)}:{7:016d}:12".encode(), encode_body(interaction))
    assert (found.id, found.content, found.role, found.name) == (text[:256], text, "tool", "n")
    assert (found.occurred_at, found.sequence, found.tokens, found.channel) == (NOON, 7, 12, "c")


def test_an_id_may_say_one_thing_only() -> None:
    base = Interaction(id="a", content="hello", occurred_at=NOON)
    assert content_hash(base) == content_hash(base.model_copy(update={"occurred_at": NOON + timedelta(days=1)}))
    assert content_hash(base) != content_hash(base.model_copy(update={"content": "hullo"}))
    assert content_hash(base) != content_hash(base.model_copy(update={"role": "assistant"}))
    assert len(content_hash(base)) == 32
