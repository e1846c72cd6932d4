"""Which items a question is about at all."""

from collections.abc import Collection
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Final

from ragpp.catalog import ItemKind
from ragpp.models import Filters
from ragpp.stores.jsonpath import UNFILTERED, Matched, as_jsonpath

_OF_TIME: Final = frozenset({"start", "end", "exclude"})


@dataclass(frozen=True, slots=True)
class Narrowing:
    """The conditions under which a scan leaves a row eligible; None does not narrow."""

    category: str | None = None
    resource_id: str | None = None
    start: datetime | None = None
    end: datetime | None = None
    session_id: str | None = None
    agent_id: str | None = None
    domain: str | None = None
    task_type: str | None = None
    min_confidence: float | None = None
    kind: ItemKind | None = None
    tags: Collection[str] | None = None
    exclude: Collection[str] = ()
    metadata: Matched = UNFILTERED

    @property
    def leaves_passages(self) -> bool:
        """True where it asks for nothing that only an item has."""
        of_items = (self.category, self.domain, self.task_type, self.kind, self.tags)
        return all(one is None for one in of_items)

    @property
    def is_of_time(self) -> bool:
        """True where it leaves nothing out but by time and by id."""
        others = (getattr(self, one.name) for one in fields(self) if one.name not in _OF_TIME)
        return all(one is None or one is UNFILTERED for one in others)


def narrowing_of(filters: Filters) -> Narrowing | None:
    """The narrowing by `filters`; None where nothing is left, since items have no speaker, channel or message type."""
    if filters.role is not None or filters.channel is not None or filters.message_type is not None:
        return None
    during = filters.time_range
    return Narrowing(
        start=None if during is None else during.start,
        end=None if during is None else during.end,
        session_id=filters.session_id,
        agent_id=filters.agent_id,
        domain=filters.domain,
        task_type=filters.task_type,
        min_confidence=filters.min_confidence,
        exclude=filters.exclude,
        metadata=UNFILTERED if filters.metadata is None else as_jsonpath(filters.metadata),
    )
