"""From a category's rows to what its page is made of, and to the page. Pure."""

from collections.abc import Callable, Sequence
from datetime import datetime

from ragpp.catalog import PageSection
from ragpp_services.catalog.categories.values import Statement, StatementIds
from ragpp_services.catalog.pages import (
    PageItem,
    PageSource,
    consolidated,
    modelled,
)

Contradicts = Callable[[str, str], bool]
"""`contradicts(earlier, later)`: whether the text of the later fact says otherwise than that of the earlier one."""


def page_items(statements: Sequence[Statement]) -> list[PageItem]:
    """The items among `statements` that the page shows, each with the resources of all that are one with it, its own
    first, and of when it was said last: what was said again holds again."""
    sources: dict[tuple[bool, str], dict[str, PageSource]] = {}
    said: dict[tuple[bool, str], set[tuple[str, datetime]]] = {}
    for one in statements:
        item = one.is_everybodys, one.one_with or one.id
        said.setdefault(item, set()).add((one.resource_id, one.occurred_at))
        named = sources.setdefault(item, {})
        named.setdefault(one.resource_id, PageSource(one.resource_id, one.resource_type, one.title))
    items = []
    for one in statements:
        if one.vector is not None:
            item = one.is_everybodys, one.id
            last_said = max(moment for _, moment in said[item])
            resting = tuple(sources[item].values())
            items.append(PageItem(one.id, one.content, last_said, one.vector, resting, frozenset(said[item])))
    return items


def ids_of(statements: Sequence[Statement]) -> StatementIds:
    """By which it shows whether the rows are still the same."""
    return [(one.id, one.one_with, one.since) for one in statements]


def last_of(ids: StatementIds) -> int:
    """The last ordinal by which any of them came into the category; 0 for none."""
    return max((since for _, _, since in ids), default=0)


def still_are(read: StatementIds, there: StatementIds) -> bool:
    """True where what was read is there as it was; what came since may be there beside it."""
    last = last_of(read)
    came = set(there).difference(read)
    return set(read).issubset(there) and all(since > last for _, _, since in came)


def made_here(name: str, items: Sequence[PageItem], at: datetime, contradicts: Contradicts) -> str:
    """The page without a language model. `at`: when it is made. What `contradicts` raises is raised."""
    return consolidated(name, items, at=at, contradicts=lambda later, earlier: contradicts(earlier, later))


def made_of(name: str, sections: Sequence[PageSection], items: Sequence[PageItem], at: datetime) -> str:
    """The page of what a language model wrote about the items. A line that names anything else than `items` is left
    out: its words may be those of an item that is gone. Raises ConsolidationError when nothing is left."""
    known = {item.id for item in items}
    borne_out = [
        section.model_copy(update={"lines": tuple(line for line in section.lines if known.issuperset(line.item_ids))})
        for section in sections
    ]
    return modelled(name, borne_out, items, at=at).markdown
