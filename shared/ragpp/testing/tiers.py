"""A tier in memory that keeps the contract: for tests of what stands above the tiers."""

import re
from collections.abc import Collection, Sequence
from typing import Final

from ragpp.clock import system_clock
from ragpp.errors import Conflict, TierUnavailable
from ragpp.health import StoreState
from ragpp.models import Entry, Health, InteractionEntry, Memory, MemoryQuery, Scope, Stored, TierName
from ragpp.stores.forgetting import check_epoch

_WORD: Final = re.compile(r"\w+")


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.casefold()))


class InMemoryTier:
    """Keeps interactions in a dictionary and finds them by shared words.

    `available = False` makes every call but `health_check` raise TierUnavailable, as a tier that is down does.
    """

    def __init__(self, name: TierName = "episodic") -> None:
        self.name: TierName = name
        self.available = True
        self._rows: dict[tuple[str, str], dict[str, InteractionEntry]] = {}
        self._epochs: dict[tuple[str, str], int] = {}

    def _reach(self) -> None:
        if not self.available:
            raise TierUnavailable(f"{self.name} is down")

    async def epoch(self, scope: Scope) -> int:
        self._reach()
        return self._epochs.get(scope.user_key, 0)

    async def store(self, scope: Scope, entries: Sequence[Entry], epoch: int | None = None) -> list[Stored]:
        """As the protocol says; entries are interactions."""
        self._reach()
        check_epoch(epoch, self._epochs.get(scope.user_key, 0))
        rows = dict(self._rows.get(scope.user_key, {}))
        stored, conflicts = [], []
        for index, entry in enumerate(entries):
            assert isinstance(entry, InteractionEntry)  # noqa: S101 - a double for interactions
            known = rows.get(entry.id)
            if known is not None and known.interaction.content != entry.interaction.content:
                conflicts.append(index)
            rows.setdefault(entry.id, entry)
            stored.append(Stored(id=entry.id, duplicate=known is not None))
        if conflicts:
            raise Conflict("an id is known with other content", details={"indexes": conflicts})
        self._rows[scope.user_key] = rows
        return stored

    async def retrieve(self, query: MemoryQuery) -> list[Memory]:
        """As the protocol says; the score is the share of the query's words that the content has."""
        self._reach()
        wanted = _words(query.text)
        found = []
        for entry in self._rows.get(query.scope.user_key, {}).values():
            share = len(wanted & _words(entry.interaction.content)) / max(1, len(wanted))
            if share > 0 and entry.id not in query.filters.exclude:
                found.append(
                    Memory(
                        id=entry.id,
                        tier=self.name,
                        kind="interaction",
                        text=entry.interaction.content,
                        score=share,
                        occurred_at=entry.interaction.occurred_at,
                        said_by=entry.interaction.said_by,
                        session_id=entry.interaction.session_id,
                        tokens=len(entry.interaction.content.split()),
                        sources=(entry.id,),
                    )
                )
        found.sort(key=lambda memory: (-memory.score, memory.id))
        return found[: query.limit]

    async def forget(self, scope: Scope, ids: Collection[str]) -> int:
        self._reach()
        rows = self._rows.get(scope.user_key, {})
        gone = sum(rows.pop(identifier, None) is not None for identifier in set(ids))
        if gone:
            self._epochs[scope.user_key] = self._epochs.get(scope.user_key, 0) + 1
        return gone

    async def holdings(
        self, scope: Scope, sources: Sequence[str] | None = None, before: int | None = None
    ) -> dict[str, int]:
        """As the protocol says; no events are kept."""
        del before
        self._reach()
        count = sum(sources is None or key in sources for key in self._rows.get(scope.user_key, {}))
        return {"interactions": count} if count else {}

    async def erase(self, scope: Scope, before: int) -> bool:
        """As the protocol says; no events are kept."""
        del before
        self._reach()
        self._rows.pop(scope.user_key, None)
        self._epochs[scope.user_key] = self._epochs.get(scope.user_key, 0) + 1
        return False

    async def state(self) -> StoreState:
        """A store without a schema, whose clock is the machine's."""
        self._reach()
        now, held = system_clock(), sum(map(len, self._rows.values()))
        return StoreState(
            product="memory",
            version="1",
            service_version="1",
            store_time=now,
            service_time=now,
            asked_ms=0.0,
            holds={"interactions": held} if held else {},
        )

    async def health_check(self) -> Health:
        return Health(name=self.name, ok=self.available, ms=0.0, detail="" if self.available else "down")
