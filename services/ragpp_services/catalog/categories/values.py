"""The values that rows of categories, of their items and of their pages hold."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ragpp.catalog import MemoryCategory
from ragpp.models import Vector


@dataclass(frozen=True, slots=True)
class CategoryRow:
    """A category with its page. `until`: the last ordinal of items that the page was made of; `stale`: it lost
    something since; `outdated`: something came since, be it what says again what an item says. `version`: which page it
    is."""

    category_id: str
    name: str
    description: str
    markdown: str
    until: int
    edited: bool
    stale: bool
    version: int
    updated_at: datetime
    item_count: int
    new_items: int
    outdated: bool
    is_everybodys: bool

    @property
    def is_due(self) -> bool:
        """True where its page, which no person edited, is not what its items would make."""
        return not self.edited and (self.stale or self.outdated)

    def value(self, item_ids: Sequence[str] = ()) -> MemoryCategory:
        """As it is given out."""
        return MemoryCategory(
            category_id=self.category_id,
            name=self.name,
            description=self.description,
            markdown_content=self.markdown,
            item_ids=tuple(item_ids),
            item_count=self.item_count,
            new_items=self.new_items,
            updated_at=self.updated_at,
            edited=self.edited,
            visibility="global" if self.is_everybodys else "shared",
        )


@dataclass(frozen=True, slots=True)
class NewCategory:
    """A category on its way in. `event_id`: of the event that says so. `contributor`: of one that all users share, the
    user with whom it goes; empty for none."""

    category_id: str
    name: str
    event_id: int
    description: str
    embedding: Vector
    markdown: str
    contributor: str = ""


@dataclass(frozen=True, slots=True)
class Statement:
    """A row of a category's items. `one_with`: the id of the item that stands for it; None for an item. `content` and
    `vector` are of items that the page shows alone. `since`: the ordinal by which it came into the category."""

    id: str
    one_with: str | None
    since: int
    is_everybodys: bool
    occurred_at: datetime
    content: str
    vector: npt.NDArray[np.float32] | None
    resource_id: str
    resource_type: str
    title: str | None


@dataclass(frozen=True, slots=True)
class PageRow:
    """A page to be mended, of this or, where all users share what is gone, of another user."""

    user_id: str
    category_id: str
    name: str
    markdown: str
    edited: bool
    version: int


class MovedItem(NamedTuple):
    """A row that was moved into a category, from another or from none. `one_with`: None for an item itself. `seen_by`:
    the only agent that sees it."""

    id: str
    one_with: str | None
    was_in: str | None
    seen_by: str | None


StatementIds = list[tuple[str, str | None, int]]
"""(id, one_with, since) of a category's rows, by which it shows whether they are still the same."""
