"""A language model for the oracle: what it answers is a function of the prompt, and repeats words of several messages.

So that whatever rests on several messages in a memory holds words of each of them.
"""

import hashlib
import json
from collections.abc import Sequence
from typing import Final

from pydantic import BaseModel

from ragpp.clock import Clock
from ragpp.llm.budget import InMemoryBudget
from ragpp.llm.metered import LanguageModels
from ragpp.llm.port import PURPOSES, Completion, Prompt, ReplyT, Usage
from ragpp.llm.replies import (
    EndingsReply,
    FactsReply,
    LearnedRule,
    MergesReply,
    NamedTheme,
    PageReply,
    RulesReply,
    SaidEnding,
    SaidFact,
    SaidFinding,
    SaidPreference,
    SummaryReply,
    ThemesReply,
    WindowReply,
    WrittenLine,
    WrittenSection,
)
from tests.support.models import Silent

MOST: Final = 12
"""Messages of which it tells each by itself."""


class PromptModel(Silent):
    """The model."""

    name = "oracle:prompt"

    async def complete(self, prompt: Prompt, *, schema: type[ReplyT]) -> Completion[ReplyT]:
        reply = reply_to(prompt.user, schema)
        return Completion(schema.model_validate(reply.model_dump()), Usage(), self.name)


def language_models(clock: Clock) -> LanguageModels:
    """The model for every purpose, on no budget."""
    return LanguageModels(dict.fromkeys(PURPOSES, PromptModel()), InMemoryBudget(clock), concurrency=1)


def reply_to(data: str, schema: type[BaseModel]) -> BaseModel:
    """The model's reply to a prompt's data."""
    said, lines = _said(data), [str(one["line"]) for one in _json(data) if "line" in one]
    if schema is EndingsReply:
        return _endings(_json(data))
    if issubclass(schema, WindowReply | RulesReply):
        return _window(said) if schema is WindowReply else _rules(said)
    if schema is ThemesReply:
        text = " and ".join(_words(text, 2) for _, text in said[:3])
        return ThemesReply(themes=[NamedTheme(text=text, messages=[number for number, _ in said])] if said else [])
    if schema is SummaryReply:
        told = [f"told: {_words(text, 8)}" for _, text in said[:MOST]]
        return SummaryReply(lines=[" / ".join([*lines[-2:], *told])[:500] or "nothing"])
    if issubclass(schema, FactsReply | PageReply):
        return _facts(said) if schema is FactsReply else _page(said)
    return MergesReply(merges=[])


def _facts(said: Sequence[tuple[int, str]]) -> FactsReply:
    """A fact of each part that is read, and one of the first two."""
    facts = [
        SaidFact(messages=[number], quote=text, text=f"told: {text}", kind="fact", confidence=0.6)
        for number, text in said[:MOST]
    ]
    if len(said) > 1:
        together = " and ".join(_words(text, 3) for _, text in said[:2])
        numbers = [number for number, _ in said[:2]]
        fact = SaidFact(messages=numbers, quote=said[0][1], text=together, kind="insight", confidence=0.6)
        facts.append(fact)
    return FactsReply(facts=facts)


def _page(facts: Sequence[tuple[int, str]]) -> PageReply:
    """A line of all facts; in the order of their texts, as those of one moment come by their ids."""
    told = sorted((text, number) for number, text in facts)
    if not told:
        return PageReply(sections=[])
    line = WrittenLine(text=" / ".join(_words(text, 3) for text, _ in told)[:500], items=[number for _, number in told])
    return PageReply(sections=[WrittenSection(title="Told", lines=[line])])


def _window(said: Sequence[tuple[int, str]]) -> WindowReply:
    """A finding of each message and one of all, and a preference of the first two."""
    if not said:
        return WindowReply(relationships=[], preferences=[], findings=[])
    findings = [
        SaidFinding(
            messages=[number], quote=text, finding="insight", past=False, text=f"it was said: {text}", confidence=0.6
        )
        for number, text in said[:MOST]
    ]
    together = " and ".join(_words(text, 3) for _, text in said[:MOST])
    numbers = [number for number, _ in said[:MOST]]
    findings.append(
        SaidFinding(
            messages=numbers, quote=said[0][1], finding="plan", past=False, text=f"spoke of {together}", confidence=0.6
        )
    )
    preferences = [
        SaidPreference(
            messages=numbers[:2],
            quote=said[0][1],
            category="talk",
            key="subjects",
            value=" and ".join(_words(text, 3) for _, text in said[:2]),
            stated=False,
            confidence=0.5,
        )
    ]
    return WindowReply(relationships=[], preferences=preferences, findings=findings)


def _endings(statements: Sequence[dict[str, object]]) -> EndingsReply:
    """One pair in four, by the texts of the two alone."""
    pairs = [
        SaidEnding(earlier=int(str(one["n"])), later=int(str(other["n"])))
        for place, one in enumerate(statements)
        for other in statements[place + 1 :]
        if hashlib.sha256(f"{one['text']} {other['text']}".encode()).digest()[0] % 4 == 0
    ]
    return EndingsReply(ended=pairs)


def _rules(said: Sequence[tuple[int, str]]) -> RulesReply:
    if not said:
        return RulesReply(rules=[])
    text = "Speak of " + " and ".join(_words(text, 2) for _, text in said[:2])
    numbers = [number for number, _ in said[:2]]
    rule = LearnedRule(messages=numbers, quote=said[0][1], text=text, triggers=["talk"], priority=4, confidence=0.6)
    return RulesReply(rules=[rule])


def _said(data: str) -> list[tuple[int, str]]:
    """The numbers and texts of the messages in the prompt that a person said."""
    found = [(one["n"], one["text"]) for one in _json(data) if "text" in one and one.get("speaker") != "assistant"]
    return [(int(str(number)), str(text)) for number, text in found]


def _json(data: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in data.splitlines() if line.startswith("{")]


def _words(text: str, count: int) -> str:
    """The last words of `text`: what is planted stands there."""
    return " ".join(text.rstrip(".?").split()[-count:])
