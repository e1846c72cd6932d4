"""Rolling summaries of a conversation: the port, and a summariser that quotes instead of writing.

Every line of an extractive summary is "<speaker>, <day> <month> <year>: <words>", the words standing in the message as
they stand in the line, so that what a line rests on can be found again.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Protocol

from ragpp.aside import aside
from ragpp.text.english import MONTH_ABBREVIATIONS, SENTENCE_OPENERS
from ragpp.text.port import TokenMeter
from ragpp.text.sentences import Sentence, split

LONGEST_QUOTE: Final = 60
"""Tokens of one line; a longer sentence is cut and ends in an ellipsis."""
NEW_SHARE: Final = 0.5
"""The share of the budget that is at least open to new lines when the previous summary would fill it."""
COMPRESSION: Final = 0.5
"""Tokens of the new lines to tokens of the messages, beyond the best line of each message."""
INLINE_CHARS: Final = 4_000
"""Up to this much text is quoted from on the event loop; more goes to a thread, so that nobody waits for it."""

_WORD: Final = re.compile(r"[^\W\d_]+")
_NUMBER: Final = re.compile(r"\d")
_NAME: Final = re.compile(r"(?<=\w\s)[^\W\d_a-zß-öø-ÿ][^\W\d_]+")
_SELF: Final = re.compile(r"\b(?:I|i|my|My|we|We|our|Our)\b")
_MATTERS: Final = re.compile(
    r"\b(?:prefer|never|always|favou?rite|allergic|decided|moved|moving|booked|promised|deadline|married|wedding|born|"
    r"died|diagnosed|hired|quit|bought|birthday|agreed|plan|plans|must|remember|important|because|call me|start|"
    r"started|appointment|password|address|won|lost|passed|failed|next week|tomorrow)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class SummaryMessage:
    """A message that goes into a summary."""

    said_by: str
    content: str
    occurred_at: datetime


class Summariser(Protocol):
    """Folds messages into a summary; one instance serves many tasks."""

    async def summarise(self, previous: str, messages: Sequence[SummaryMessage], max_tokens: int) -> str:
        """The new summary: lines that tell what `previous` and then `messages`, oldest first, said. Never more than
        `max_tokens` tokens; empty when there is nothing to tell or no room. ValueError when `max_tokens` < 0."""
        ...


@dataclass(frozen=True, slots=True)
class _Line:
    """A line that may stand in the summary. `order` is its place there, `best` whether its message has no better."""

    text: str
    order: tuple[int, int]
    salience: float
    tokens: int
    best: bool = False


class ExtractiveSummariser:
    """Keeps the most telling sentences word for word. Deterministic; needs no model."""

    def __init__(self, counter: TokenMeter) -> None:
        self._counter = counter

    async def summarise(self, previous: str, messages: Sequence[SummaryMessage], max_tokens: int) -> str:
        """See `Summariser.summarise`. Previous lines are kept as far as the budget allows, the most telling first."""
        if max_tokens < 0:
            raise ValueError(f"max_tokens is {max_tokens}, and must not be negative")
        if sum(len(message.content) for message in messages) > INLINE_CHARS:
            return await aside(self._summary, previous, messages, max_tokens)
        return self._summary(previous, messages, max_tokens)

    def _summary(self, previous: str, messages: Sequence[SummaryMessage], max_tokens: int) -> str:
        older = self._older_lines(previous)
        newer = self._newer_lines(messages)
        needed = sum(line.tokens for line in older)
        room = max_tokens - min(needed, int(max_tokens * (1 - NEW_SHARE)))
        said = sum(self._counter.count(message.content) for message in messages)
        chosen = _fill([line for line in newer if line.best], room)
        spent = sum(line.tokens for line in chosen)
        rest = min(room - spent, int(said * COMPRESSION) - spent)
        chosen += _fill([line for line in newer if not line.best], rest)
        chosen += _fill(older, max_tokens - sum(line.tokens for line in chosen))
        return self._within(chosen, max_tokens) or self._one_line([*newer, *older], max_tokens)

    def _older_lines(self, previous: str) -> list[_Line]:
        lines = [line.strip() for line in previous.split("\n") if line.strip()]
        return [
            _Line(line, (-1, index), _salience(line.partition(": ")[2] or line, asks=False), self._counter.count(line))
            for index, line in enumerate(lines)
        ]

    def _newer_lines(self, messages: Sequence[SummaryMessage]) -> list[_Line]:
        lines: list[_Line] = []
        for place, message in enumerate(messages):
            told = [(_salience(sentence.text, asks=sentence.asks), sentence) for sentence in split(message.content)]
            told = [(salience, sentence) for salience, sentence in told if salience > 0]
            saliences = [salience for salience, _ in told]
            best = saliences.index(max(saliences)) if saliences else 0
            for index, (salience, sentence) in enumerate(told):
                text = self._quote(message, sentence)
                tokens = self._counter.count(text)
                lines.append(_Line(text, (place, sentence.start), salience, tokens, best=index == best))
        return lines

    def _quote(self, message: SummaryMessage, sentence: Sentence) -> str:
        words = " ".join(sentence.text.split())
        kept = self._counter.truncate(words, LONGEST_QUOTE)
        if len(kept) < len(words):
            words = kept.rstrip() + "…"
        speaker = " ".join(message.said_by.replace(":", " ").split())
        day = message.occurred_at
        return f"{speaker}, {day.day} {MONTH_ABBREVIATIONS[day.month - 1]} {day.year}: {words}"

    def _within(self, lines: Sequence[_Line], max_tokens: int) -> str:
        """The lines in order; the least telling go while together they are over the budget."""
        kept = sorted(lines, key=lambda line: line.order)
        text = "\n".join(line.text for line in kept)
        while kept and self._counter.count(text) > max_tokens:
            kept.remove(min(kept, key=lambda line: (line.salience, line.order)))
            text = "\n".join(line.text for line in kept)
        return text

    def _one_line(self, lines: Sequence[_Line], max_tokens: int) -> str:
        """The beginning of the most telling line, where no line fits as a whole."""
        if not lines:
            return ""
        best = max(lines, key=lambda line: (line.salience, line.order))
        return self._counter.truncate(best.text, max_tokens).rstrip()


def _fill(lines: Sequence[_Line], budget: int) -> list[_Line]:
    """The most telling lines that fit together, later ones first among equals."""
    chosen: list[_Line] = []
    for line in sorted(lines, key=lambda line: (line.salience, line.order), reverse=True):
        if line.tokens <= budget:
            chosen.append(line)
            budget -= line.tokens
    return chosen


def _salience(sentence: str, *, asks: bool) -> float:
    """How much a sentence tells, at most 6; 0 or less for greetings, thanks and bare questions.

    A weight for each sign of a fact worth keeping: words that are not function words, names, numbers, the speaker's
    own affairs, decisions and dates. Chosen by hand.
    """
    words = _WORD.findall(sentence)
    content = [word for word in words if word.lower() not in SENTENCE_OPENERS]
    score = 1.5 * min(len(content), 10) / 10
    score += 0.6 * min(len(_NAME.findall(sentence)), 3)
    score += 0.7 if _NUMBER.search(sentence) else 0.0
    score += 0.5 if _SELF.search(sentence) else 0.0
    score += 1.0 if _MATTERS.search(sentence) else 0.0
    if asks:
        score -= 1.5
    if not content and not _NUMBER.search(sentence):
        return 0.0
    return score
