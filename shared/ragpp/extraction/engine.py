"""Where rules meet a sentence: each match of a pattern passes the gate before its rule reads it.

A module of rules is a table of `PatternRule` and the functions that read their matches; it looks for nothing by itself,
so what it gives has passed the gate.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Generic, Protocol, TypeVar

from ragpp.extraction.gate import Claim, Gate


class RuleInput(Protocol):
    """A sentence as rules are given it, and whatever else they need to know beside it."""

    @property
    def gate(self) -> Gate: ...

    @property
    def text(self) -> str:
        """The sentence at its length, perhaps with marks for names, or with words put before it that it implies; each
        rule is given what it is by then, since rules may mark what they have read."""
        ...


@dataclass(frozen=True, slots=True)
class Plain:
    """A sentence in its own words, or in those and what they imply."""

    gate: Gate
    text: str


H = TypeVar("H", bound=RuleInput)
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class PatternRule(Generic[H, T]):
    """One rule: what it looks for, what a match claims, and what reads the match. `backwards`: the last match is read
    first, where one may hold another. `once`: nothing but the first match counts."""

    pattern: re.Pattern[str]
    claim: Claim | Callable[[re.Match[str]], Claim]
    read: Callable[[re.Match[str], H], Iterator[T]]
    backwards: bool = False
    once: bool = False


Groups = tuple[tuple[re.Pattern[str], tuple[PatternRule[H, T], ...]], ...]
"""Rules under a pattern without which none of them matches."""


def apply_rules(rules: Iterable[PatternRule[H, T]], given: H, *, start: int = 0, end: int | None = None) -> Iterator[T]:
    """The readings of the rules, one rule after the other, in the part of the text from `start` to `end`."""
    gate = given.gate
    for rule in rules:
        if gate.sentence.asks and isinstance(rule.claim, Claim) and rule.claim is not Claim.GIVEN:
            continue  # none of its matches would pass: it need not look
        text = given.text
        implied = len(text) - len(gate.sentence.text)
        found = rule.pattern.finditer(text, start, len(text) if end is None else end)
        if rule.once:
            found = islice(found, 1)
        for match in reversed(list(found)) if rule.backwards else found:
            claim = rule.claim if isinstance(rule.claim, Claim) else rule.claim(match)
            if gate.lets(claim, max(0, match.start() - implied), text[implied:]):
                yield from rule.read(match, given)


def apply_groups(groups: Groups[H, T], given: H) -> Iterator[T]:
    """The readings of the rules in those groups that may match at all."""
    for needed, rules in groups:
        if needed.search(given.text):
            yield from apply_rules(rules, given)
