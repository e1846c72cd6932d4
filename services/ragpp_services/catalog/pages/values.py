"""The parts of which a category's page is made: facts with their vectors, and the resources that they rest on."""

from dataclasses import dataclass
from datetime import datetime

import numpy as np
import numpy.typing as npt

Vector = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class PageSource:
    """A resource, as a footnote names it. `title`: what its maker called it, any text, or None."""

    resource_id: str
    resource_type: str
    title: str | None = None


@dataclass(frozen=True, slots=True, eq=False)
class PageItem:
    """A fact of a category. `content`: any text; `occurred_at`: aware, when it was learned; `vector`: float32 of unit
    length, all of one page by the same model; `sources`: the resources it rests on, the first one first; `said`: which
    of them say it, and when."""

    id: str
    content: str
    occurred_at: datetime
    vector: Vector
    sources: tuple[PageSource, ...]
    said: frozenset[tuple[str, datetime]] = frozenset()


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a page: markdown without its footnotes, and the resources that these name."""

    markdown: str
    sources: tuple[PageSource, ...]


@dataclass(frozen=True, slots=True)
class Section:
    """A titled part of a page; `title` is markdown of one line."""

    title: str
    lines: tuple[Line, ...]
