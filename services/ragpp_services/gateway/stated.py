"""Statements that people made by hand about somebody or something, which no message holds: relationships that were
stated, findings that were corrected, preferences and rules that were set."""

import asyncio
import re
import unicodedata
from collections.abc import Callable, Collection, Sequence
from typing import Final

from ragpp.api import AboutIn, StatedAbout
from ragpp.learned import BY_HAND_DETAIL
from ragpp.models import Scope
from ragpp.names import SPEAKER
from ragpp.paging import PAGE, read_all
from ragpp.preference_values import shown
from ragpp.text.english import CALENDAR, CHAT_WORDS, STOP_WORDS
from ragpp.text.lexical import asked_words, stored_terms
from ragpp.text.mentions import Said, is_of_other_script
from ragpp_services.gateway.parts import Parts

_COMMON: Final = STOP_WORDS | CHAT_WORDS | CALENDAR


async def stated_about(parts: Parts, scope: Scope, about: AboutIn, names: Sequence[str]) -> list[StatedAbout]:
    """Those that have one of the entity's `names`, or all of the words. Of an agent's view none: what is stated there
    may be every agent's, which it may see and not take away. Raises TierUnavailable."""
    if scope.view is not None:
        return []
    graph, procedures = parts.semantic, parts.procedural
    stated, relationships, preferences, rules, findings = await asyncio.gather(
        graph.stated_relationships(scope),
        read_all(lambda cursor: graph.list_relationships(scope, None, None, cursor, PAGE, "all")),
        read_all(lambda cursor: procedures.list_preferences(scope, None, cursor, PAGE)),
        read_all(lambda cursor: procedures.list_rules(scope, None, cursor, PAGE)),
        read_all(lambda cursor: procedures.list_findings(scope, None, None, cursor, PAGE)),
    )
    entries = {_folded(one.entry.source, one.entry.type, one.entry.target) for one in stated}
    by_hand = [
        *(
            StatedAbout(kind="relationship", id=one.id, text=f"{one.source} {one.type} {one.target}")
            for one in relationships
            if not one.sources or _folded(one.source, one.type, one.target) in entries
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
    has = _having(about.words) if about.words is not None else _naming(names)
    return [one for one in by_hand if has(one.text)]


async def forget_stated(parts: Parts, scope: Scope, stated: Collection[StatedAbout]) -> None:
    """Forget these, and take their pins off; repeating it is safe. Raises TierUnavailable."""
    related = [one.id for one in stated if one.kind == "relationship"]
    others = [one.id for one in stated if one.kind != "relationship"]
    if related:
        await parts.semantic.forget(scope, related)
        await parts.pins.unpin(scope, "semantic", related)
    if others:
        await parts.procedural.forget(scope, others)
        await parts.pins.unpin(scope, "procedural", others)


def _folded(*names: str) -> tuple[str, ...]:
    return tuple(unicodedata.normalize("NFC", name).casefold() for name in names)


def _having(wanted: str) -> Callable[[str], bool]:
    """A test for texts that have all of the words, in any regular form, as messages are searched; none has no word."""
    asked = asked_words(wanted)
    return lambda text: bool(asked) and all(not one.isdisjoint(stored_terms(text)) for one in asked)


def _naming(names: Sequence[str]) -> Callable[[str], bool]:
    """A test for texts that have one of the names; a common word only as it is written: "May", and not "you may"."""
    alone = [unicodedata.normalize("NFC", name) for name in names if name.casefold() != SPEAKER]
    patterns = [
        re.compile(rf"(?<![\w-]){re.escape(name)}(?![\w-])", 0 if name.lower() in _COMMON else re.IGNORECASE)
        for name in alone
        if not is_of_other_script(name)
    ]
    others = [name for name in alone if is_of_other_script(name)]

    def has(text: str) -> bool:
        line = unicodedata.normalize("NFC", text)
        return any(one.search(line) for one in patterns) or (bool(others) and any(map(Said(line).names, others)))

    return has
