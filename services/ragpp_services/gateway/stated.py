"""Statements that people made by hand about somebody or something, which no message holds: relationships that were
stated, findings that were corrected, preferences and rules that were set."""

import asyncio
import re
from collections.abc import Awaitable, Callable, Collection, Sequence
from typing import TypeVar

from ragpp.api import AboutIn, StatedAbout
from ragpp.learned import BY_HAND_DETAIL
from ragpp.models import Page, Scope
from ragpp.paging import PAGE, pages
from ragpp.preference_values import shown
from ragpp.text.lexical import terms
from ragpp.text.mentions import Said, is_of_other_script
from ragpp_services.gateway.parts import Parts

T = TypeVar("T")


async def stated_about(parts: Parts, scope: Scope, about: AboutIn, names: Sequence[str]) -> list[StatedAbout]:
    """Those that have one of the entity's `names`, or all of the words. Raises TierUnavailable."""
    graph, procedures = parts.semantic, parts.procedural
    stated, relationships, preferences, rules, findings = await asyncio.gather(
        graph.stated_relationships(scope),
        _all(lambda cursor: graph.list_relationships(scope, None, None, cursor, PAGE, "all")),
        _all(lambda cursor: procedures.list_preferences(scope, None, cursor, PAGE)),
        _all(lambda cursor: procedures.list_rules(scope, None, cursor, PAGE)),
        _all(lambda cursor: procedures.list_findings(scope, None, None, cursor, PAGE)),
    )
    entries = {(one.entry.source, one.entry.type, one.entry.target) for one in stated}
    by_hand = [
        *(
            StatedAbout(kind="relationship", id=one.id, text=f"{one.source} {one.type} {one.target}")
            for one in relationships
            if (one.source, one.type, one.target) in entries
        ),
        *(
            StatedAbout(kind="preference", id=one.id, text=f"{one.category} {one.key}: {shown(one.value)}")
            for one in preferences
            if not one.sources
        ),
        *(StatedAbout(kind="rule", id=one.id, text=one.text) for one in rules if not one.sources),
        *(
            StatedAbout(kind="finding", id=one.id, text=one.text)
            for one in findings
            if one.details.get(BY_HAND_DETAIL) == "corrected"
        ),
    ]
    return [one for one in by_hand if (_names(one.text, names) if about.words is None else _has(one.text, about.words))]


async def forget_stated(parts: Parts, scope: Scope, stated: Collection[StatedAbout]) -> None:
    """Forget these, and take their pins off. Raises TierUnavailable."""
    related = [one.id for one in stated if one.kind == "relationship"]
    others = [one.id for one in stated if one.kind != "relationship"]
    if related:
        await parts.semantic.forget(scope, related)
        await parts.pins.unpin(scope, "semantic", related)
    if others:
        await parts.procedural.forget(scope, others)
        await parts.pins.unpin(scope, "procedural", others)


def _has(text: str, wanted: str) -> bool:
    return set(terms(wanted)) <= set(terms(text))


def _names(text: str, names: Sequence[str]) -> bool:
    return any(
        Said(text).names(name)
        if is_of_other_script(name)
        else re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text, re.IGNORECASE)
        for name in names
    )


async def _all(page: Callable[[str | None], Awaitable[Page[T]]]) -> list[T]:
    return [item async for item in pages(page)]
