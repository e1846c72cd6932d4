"""What a category's page is made of: facts with their vectors, and the resources that they rest on."""

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Final

import numpy as np
import numpy.typing as npt

from ragpp.errors import InvalidInput

Vector = npt.NDArray[np.float32]

_RESOURCE_ID: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:-]{0,199}")


@dataclass(frozen=True, slots=True)
class PageSource:
    """A resource, as a footnote names it. `title`: what its maker called it, any text, or None.

    Raises InvalidInput for an id of other characters than letters, digits and `_.:-`: a page is later read for what
    has to leave it, so an id must be found in it again exactly.
    """

    resource_id: str
    resource_type: str
    title: str | None = None

    def __post_init__(self) -> None:
        if not _RESOURCE_ID.fullmatch(self.resource_id):
            raise InvalidInput("a resource's id has letters, digits and _.:- and nothing else")


@dataclass(frozen=True, slots=True, eq=False)
class PageItem:
    """A fact of a category. `content`: any text; `occurred_at`: aware, when it was learned; `vector`: float32 of unit
    length, all of one page by the same model; `sources`: the resources it rests on, the first one first."""

    id: str
    content: str
    occurred_at: datetime
    vector: Vector
    sources: tuple[PageSource, ...]


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
