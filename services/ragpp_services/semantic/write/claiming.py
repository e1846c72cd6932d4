"""Events on their way into the graph: what claiming one needs, and what it answers."""

from collections.abc import Collection
from dataclasses import dataclass

from ragpp.stores.forgetting import left_of
from ragpp_services.semantic.records import Naming
from ragpp_services.semantic.rows import naming_text


@dataclass(frozen=True, slots=True)
class Claim:
    """What claiming an event answered. `fresh`: it had not been applied; `same`: with the same content.
    `sources`: those that were not forgotten; None when it rests on a forgotten one."""

    sequence: int
    fresh: bool
    same: bool
    sources: tuple[str, ...] | None


@dataclass(frozen=True, slots=True)
class NewEvent:
    """An event to claim. `marks`: of its sources, in their order. `namings`: every name in it, in the order in which
    they are told apart."""

    event_id: str
    hash: str
    occurred_at: int
    sources: tuple[str, ...]
    marks: tuple[str, ...]
    namings: tuple[Naming, ...] = ()

    def row(self) -> dict[str, object]:
        """As `claim` takes it."""
        return {
            "event_id": self.event_id,
            "hash": self.hash,
            "occurred_at": self.occurred_at,
            "sources": list(self.sources),
            "marks": list(self.marks),
            "namings": [naming_text(naming) for naming in self.namings] or None,
        }

    def left(self, forgotten: Collection[str]) -> tuple[str, ...] | None:
        """Its sources; None when any of them is of these marks."""
        gone = {source for source, mark in zip(self.sources, self.marks, strict=True) if mark in forgotten}
        return left_of(self.sources, gone)
