"""A category's page, of what a language model wrote about its items. Pure."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from ragpp.catalog import PageSection
from ragpp.errors import ConsolidationError
from ragpp_services.catalog.pages.headings import OTHERS
from ragpp_services.catalog.pages.inline import escaped, is_blank
from ragpp_services.catalog.pages.layout import SOURCES, empty, page, title_of
from ragpp_services.catalog.pages.values import Line, PageItem, Section

_NUMBER: Final = re.compile(r"\d+(?:[.,]\d+)*")


@dataclass(frozen=True, slots=True)
class ModelledPage:
    """`markdown`: the page. `refused`: lines that no item bears out. `unused`: ids of the items that no line rests on,
    in the order of the items."""

    markdown: str
    refused: int
    unused: tuple[str, ...]


def modelled(name: str, sections: Sequence[PageSection], items: Sequence[PageItem], *, at: datetime) -> ModelledPage:
    """The page of the category `name`, in the same form as one made without a model. `at`: aware.

    A line is refused that names none of `items`, that has a number which none of the items it names has, or in which
    nothing shows; a section without lines is left out, and sections of one title are one. What the model wrote is data:
    it has no markdown of its own. The page counts the items that its lines rest on. Raises ConsolidationError when
    there are items and all lines are refused.
    """
    known = {item.id: item for item in items if not is_blank(item.content)}
    found: dict[str, tuple[str, list[Line]]] = {}
    used: set[str] = set()
    refused = 0
    for section in sections:
        title = _titled(section.title, name)
        for line in section.lines:
            rests_on = [known[one] for one in dict.fromkeys(line.item_ids) if one in known]
            if not _is_borne_out(line.text, rests_on):
                refused += 1
                continue
            sources = {source.resource_id: source for item in rests_on for source in item.sources}
            _, lines = found.setdefault(title.casefold(), (title, []))
            lines.append(Line(escaped(line.text), tuple(sources.values())))
            used.update(item.id for item in rests_on)
    if not known:
        return ModelledPage(empty(name), refused, ())
    if not used:
        raise ConsolidationError("no line of the page rests on an item of its category")
    made = [Section(title, tuple(lines)) for title, lines in found.values()]
    unused = tuple(one for one in known if one not in used)
    return ModelledPage(page(name, made, at=at, items=len(used)), refused, unused)


def _is_borne_out(text: str, items: Sequence[PageItem]) -> bool:
    if not items or is_blank(text):
        return False
    said = {number for item in items for number in _NUMBER.findall(item.content)}
    return said.issuperset(_NUMBER.findall(text))


def _titled(title: str, name: str) -> str:
    """A title of the model's on one line; none that the page has for something else."""
    shown = escaped(title.strip().lstrip("#").strip())
    return OTHERS if is_blank(shown) or shown.casefold() in {SOURCES.casefold(), title_of(name).casefold()} else shown
