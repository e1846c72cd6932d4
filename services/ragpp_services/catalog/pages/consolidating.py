"""A category's page, made without a language model. Pure."""

from collections.abc import Callable, Sequence
from datetime import datetime

from ragpp_services.catalog.pages.currency import Facts, Placed
from ragpp_services.catalog.pages.headings import OTHERS, titles_of
from ragpp_services.catalog.pages.inline import escaped, is_blank
from ragpp_services.catalog.pages.layout import empty, page, replaced, title_of
from ragpp_services.catalog.pages.themes import themes_of
from ragpp_services.catalog.pages.values import Line, PageItem, Section


def consolidated(name: str, items: Sequence[PageItem], *, at: datetime, contradicts: Callable[[str, str], bool]) -> str:
    """The page of the category `name` with each of `items` once: those that hold under the heading of their theme, the
    newest first, those that a later one contradicts struck out behind it.

    `at`: aware, when this was done. `contradicts(later, earlier)`: whether one text says otherwise than another that
    is near it in meaning. Two calls with the same items give the same page, whatever their order; items without
    anything that shows are left out, and without any others the page says that there are none.
    """
    shown = [item for item in items if not is_blank(item.content)]
    if not shown:
        return empty(name)
    facts = Facts(shown, contradicts)
    found = themes_of(facts.vectors[facts.current])
    themes = [[facts.current[place] for place in theme] for theme in found.themes]
    others = [facts.current[place] for place in found.others]
    titles = titles_of([[facts.text(row) for row in theme] for theme in themes], taken={title_of(name).casefold()})
    sections = []
    for title, theme in zip(titles, themes, strict=True):
        if title is None:
            others += theme
        else:
            sections.append(_section(title, facts, theme))
    if others:
        sections.append(_section(OTHERS, facts, others))
    return page(name, sections, at=at, items=len(shown))


def _section(title: str, facts: Facts, rows: Sequence[int]) -> Section:
    return Section(title, tuple(_line(placed) for placed in facts.in_order(rows)))


def _line(placed: Placed) -> Line:
    item, successor = placed
    if successor is None:
        return Line(escaped(item.content), item.sources)
    return replaced(item.content, item.occurred_at, successor.occurred_at, item.sources)
