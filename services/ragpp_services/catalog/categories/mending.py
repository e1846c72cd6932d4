"""Pages without what rested on what is gone, in the transaction in which it goes."""

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from typing import Protocol

from ragpp_services.catalog.categories.asking import ask_for_pages
from ragpp_services.catalog.categories.events import category_event
from ragpp_services.catalog.categories.values import PageRow
from ragpp_services.catalog.pages import resolved, untitled, without
from ragpp_services.catalog.pages.inline import Footnote, footnotes_in
from ragpp_services.catalog.store import Rows


class Gone(Protocol):
    """An item that went while its resource stayed. `seen_by`: the only agent that saw it; no page has those."""

    @property
    def resource_id(self) -> str: ...

    @property
    def seen_by(self) -> str | None: ...


async def mend(
    rows: Rows, gone_resource_ids: Collection[str], now: datetime, gone_items: Collection[Gone] = ()
) -> None:
    """Take what rested on these out of the pages that the user has, or, where all users shared it, that anybody has;
    and ask for pages that lost something to be made anew of what is left.

    `gone_resource_ids`: of resources that went, or lost a part. A page that was made of items loses every line that
    names any resource of these or of `gone_items`: it may have the words of what is gone, and is made anew soon. One
    that a person edited loses what rests on `gone_resource_ids` alone.

    Pages of other users wait for their daily upkeep, since their locks are not this transaction's to take.
    """
    shared = [item for item in gone_items if item.seen_by is None]
    gone = set(gone_resource_ids)
    touched = gone | {item.resource_id for item in shared}
    if not touched:
        return
    pages = await rows.categories.resting_on(touched)
    await _put(
        rows,
        [
            (page, without(page.markdown, gone) if page.edited else without_lines_naming(page.markdown, touched))
            for page in pages
        ],
        now,
    )


async def leave_untitled(rows: Rows, stub_ids: Collection[str], now: datetime) -> None:
    """Take what these resources were called, of which stubs are left, out of the pages that name them."""
    pages = await rows.categories.resting_on(stub_ids)
    await _put(rows, [(page, untitled(page.markdown, stub_ids)) for page in pages], now)


async def _put(rows: Rows, mended: Iterable[tuple[PageRow, str]], now: datetime) -> None:
    """Let this be left of each page that lost something, and ask for those that are the user's to be made anew."""
    events = []
    for page, left in mended:
        if left == page.markdown:
            continue
        await rows.categories.mend_page(page, left, resolved(left).resource_ids, now)
        if page.user_id == rows.scope.user_id:
            what = {"content_length": len(left)}
            events.append(category_event("memory.category_updated", page.category_id, page.name, now, **what))
    await rows.record(events, now)
    await ask_for_pages(rows, {str(event.payload["name"]) for event in events}, now)


def without_lines_naming(markdown: str, resource_ids: Collection[str]) -> str:
    """A page as it is made here, without every line that names any of these resources."""
    defined = resolved(markdown).defined
    gone = {label for label, named in defined.items() if not set(named).isdisjoint(resource_ids)}
    lines = [(line, footnotes_in(line)) for line in markdown.split("\n")]
    staying = [notes for _, notes in lines if all(note.label not in gone for note in notes)]
    still = {one for notes in staying for note in notes for one in defined.get(note.label, ())}
    named = {one for of_label in defined.values() for one in of_label}
    return without("\n".join(_naming(gone, *line) for line in lines), named - still)


def _naming(gone: Collection[str], line: str, notes: Sequence[Footnote]) -> str:
    """`line` with the footnotes of `gone` alone, where it has any of them: with these it goes."""
    if all(note.label not in gone for note in notes):
        return line
    parts, begin = [], 0
    for note in notes:
        if note.label not in gone:
            parts.append(line[begin : note.start].rstrip())
            begin = note.end
    return "".join((*parts, line[begin:]))
