"""The quotation of a proposed rule: the part of a message that says it, short enough to be read at a glance."""

from ragpp.text.quotes import QUOTE_CHARS, part_about
from tests.support.each import each_case

RULE = "Answer in German."


def test_a_short_message_is_quoted_whole_in_one_line() -> None:
    assert part_about("Hi!\nAlways answer in German.\n\nThanks", RULE) == "Hi! Always answer in German. Thanks"


@each_case("place", [0, 50, 5_000])
def test_of_a_long_message_the_sentence_that_says_it_is_quoted_with_what_surrounds_it(place: int) -> None:
    text = "The harbour was quiet. " * place + "Always answer in German. " + "It rained all day. " * 50
    quote = part_about(text, RULE)
    assert "Always answer in German." in quote
    assert len(quote) <= QUOTE_CHARS
    assert quote.startswith("…") == (place > 0)
    assert quote.endswith("…")


@each_case("text", ["🙂", "x" * 10_000, "Answer in German " * 1_000, "```\nanswer in German\n```"])
def test_whatever_a_message_is_its_quote_is_short(text: str) -> None:
    assert 0 < len(part_about(text, RULE)) <= QUOTE_CHARS
