"""Finding every message that has a word: all of a user's, read one after another, not a ranking of the best."""

import asyncio
from collections.abc import Callable, Collection, Iterator, Sequence
from datetime import datetime
from typing import Final

from ragpp.models import Filters, Interaction, Scope
from ragpp.text.folding import folded
from ragpp.text.lexical import asked_words, stored_terms, words
from ragpp.text.mentions import Said, is_of_other_script
from ragpp_services.episodic.store import EpisodicStore

READ_AT_ONCE: Final = 1_000
"""Messages that are read in one statement and looked through in one go: some 50 ms."""

Matches = Callable[[Interaction], bool]


class Finder:
    """Looks through everything."""

    def __init__(self, store: EpisodicStore) -> None:
        self._store = store

    async def naming(self, scope: Scope, names: Collection[str], filters: Filters | None = None) -> list[str]:
        wanted = [name for name in map(name_words, names) if name]
        others = [name for name in names if is_of_other_script(name)]
        return await self._all(scope, filters, lambda one: _names(one, wanted, others)) if wanted else []

    async def containing(self, scope: Scope, text: str, filters: Filters | None = None) -> list[str]:
        wanted = asked_words(text)
        whole = folded(text).strip() if is_of_other_script(text) else None
        return await self._all(scope, filters, lambda one: _contains(one, wanted, whole)) if wanted else []

    async def _all(self, scope: Scope, filters: Filters | None, matches: Matches) -> list[str]:
        found: list[str] = []
        after: tuple[datetime, int] | None = None
        while True:
            async with self._store.reader(scope) as reader:
                interactions = await reader.page(filters or Filters(), None, after, READ_AT_ONCE, newest_first=False)
            items = [stored.interaction for stored in interactions]
            found += await asyncio.to_thread(_ids, items, matches)
            if len(interactions) < READ_AT_ONCE:
                return found
            after = (items[-1].occurred_at, interactions[-1].ordinal)


def name_words(text: str) -> tuple[str, ...]:
    """The words of `text` in order, as lexical search has them, "Sofia's" as "sofia"."""
    return tuple(word.removesuffix("'s") for word in words(text))


def _ids(items: Sequence[Interaction], matches: Matches) -> list[str]:
    return [item.id for item in items if matches(item)]


def _names(item: Interaction, wanted: Sequence[tuple[str, ...]], others: Sequence[str]) -> bool:
    for text in (item.name or "", item.content):
        if others and not text.isascii() and any(map(Said(text).names, others)):
            return True
        said = name_words(text)
        known = set(said)
        if any(name[0] in known and (len(name) == 1 or name in _runs(said, len(name))) for name in wanted):
            return True
    return False


def _runs(said: Sequence[str], length: int) -> Iterator[tuple[str, ...]]:
    return (tuple(said[start : start + length]) for start in range(len(said) - length + 1))


def _contains(item: Interaction, wanted: Sequence[frozenset[int]], whole: str | None) -> bool:
    text = f"{item.name or ''} {item.content}"
    if whole and whole in folded(text):  # where a word ends in a script without spaces hangs on what is around it
        return True
    held = set(stored_terms(text))
    return all(not held.isdisjoint(forms) for forms in wanted)
