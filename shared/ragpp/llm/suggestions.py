"""A language model's suggestions to reflection: names for a day's themes, rules of behaviour, and preferences that
are the same. Each suggestion rests on messages or items that there are."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from ragpp.learned import Theme
from ragpp.llm.port import LanguageModel
from ragpp.llm.prompting import prompt
from ragpp.llm.replies import LearnedRule, MergesReply, RulesReply, ThemesReply
from ragpp.llm.transcripts import Numbered, batches, data, supports
from ragpp.llm.windows import STATING_ROLES, cited
from ragpp.models import Interaction, Preference
from ragpp.preference_values import shown

MOST_THEMES: Final = 8
MOST_PREFERENCES: Final = 200
"""Compared in one call, the latest ones."""


@dataclass(frozen=True, slots=True)
class SuggestedRule:
    """When one of `triggers` comes up, do what `text` says. `sources`: ids of the messages that show it, at least one
    of them the user's; `occurred_at`: of the latest; `confidence`: the model's own."""

    text: str
    triggers: tuple[str, ...]
    priority: int
    confidence: float
    sources: tuple[str, ...]
    occurred_at: datetime


@dataclass(frozen=True, slots=True)
class SuggestedMerge:
    """The preferences `absorbed` (ids) mean the same setting as `kept` (id)."""

    kept: str
    absorbed: tuple[str, ...]


async def suggest_themes(model: LanguageModel, interactions: Sequence[Interaction]) -> tuple[Theme, ...]:
    """The themes of a day's interactions, the largest first. Raises LanguageModelError.

    A theme counts the messages it names, each message for as many themes as name it. A day too long for one prompt
    is read in parts, and themes of the same words are one.
    """
    named: dict[str, tuple[str, set[int]]] = {}
    for batch in batches(interactions):
        completion = await model.complete(prompt("themes").filled({"messages": batch.text}), schema=ThemesReply)
        for theme in completion.reply.themes:
            places = {number - 1 for number in theme.messages if batch.first < number <= batch.last + 1}
            text = " ".join(theme.text.split())
            if places and text:
                named.setdefault(text.casefold(), (text, set()))[1].update(places)
    largest = sorted(named.values(), key=lambda theme: (-len(theme[1]), min(theme[1])))[:MOST_THEMES]
    return tuple(
        Theme(
            text=text,
            share=len(places) / len(interactions),
            interactions=len(places),
            sources=tuple(interactions[place].id for place in sorted(places)),
        )
        for text, places in largest
    )


async def suggest_rules(
    model: LanguageModel, interactions: Sequence[Interaction], known: Sequence[str] = ()
) -> tuple[SuggestedRule, ...]:
    """Rules of behaviour that the user's words ask for and `known` (texts of rules) does not have yet. One that no
    message of the user's says itself is dropped. Raises LanguageModelError."""
    have = "\n".join(data(rule=text) for text in known)
    found: list[SuggestedRule] = []
    for batch in batches(interactions):
        filled = prompt("rules").filled({"messages": batch.text, "known": have})
        completion = await model.complete(filled, schema=RulesReply)
        found += [rule for said in completion.reply.rules if (rule := _rule(said, interactions, batch)) is not None]
    taken = {_folded(text) for text in known}
    return tuple({_folded(rule.text): rule for rule in found if _folded(rule.text) not in taken}.values())


async def suggest_merges(model: LanguageModel, preferences: Sequence[Preference]) -> tuple[SuggestedMerge, ...]:
    """Preferences of one user that are one setting under several names; each is in one suggestion at most. Fewer
    than two ask nothing. Raises LanguageModelError."""
    compared = sorted(preferences, key=lambda item: item.updated_at)[-MOST_PREFERENCES:]
    if len(compared) < 2:
        return ()
    lines = [
        data(n=number, category=item.category, key=item.key, value=shown(item.value))
        for number, item in enumerate(compared, start=1)
    ]
    filled = prompt("merges").filled({"preferences": "\n".join(lines)})
    completion = await model.complete(filled, schema=MergesReply)
    merges: list[SuggestedMerge] = []
    used: set[int] = set()
    for merge in completion.reply.merges:
        absorbed = [number for number in dict.fromkeys(merge.absorbed) if number != merge.kept]
        numbers = {merge.kept, *absorbed}
        if not absorbed or numbers & used or not all(1 <= number <= len(compared) for number in numbers):
            continue
        used |= numbers
        merges.append(
            SuggestedMerge(compared[merge.kept - 1].id, tuple(compared[number - 1].id for number in absorbed))
        )
    return tuple(merges)


def _rule(said: LearnedRule, interactions: Sequence[Interaction], batch: Numbered) -> SuggestedRule | None:
    sources = cited(said, interactions, batch)
    if not any(item.role in STATING_ROLES and supports(said.quote, item.content) for item in sources):
        return None
    return SuggestedRule(
        text=said.text,
        triggers=tuple(dict.fromkeys(said.triggers)),
        priority=said.priority,
        confidence=said.confidence,
        sources=tuple(item.id for item in sources),
        occurred_at=max(item.occurred_at for item in sources),
    )


def _folded(text: str) -> str:
    return " ".join(text.casefold().split()).rstrip(".")
