"""The screen of `ragpp try`: things with the sentences they rest on, numbered, and the same as a document. Pure."""

from collections.abc import Iterator, Sequence
from datetime import UTC

from pydantic import JsonValue
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from ragpp_infra.cli.console import safe
from ragpp_infra.cli.trying.things import Thing


def listed(things: Sequence[Thing], *, first: int = 1) -> Iterator[RenderableType]:
    """`things`, numbered from `first`, below a heading for each kind."""
    heading = ""
    for number, thing in enumerate(things, start=first):
        if thing.heading != heading:
            heading = thing.heading
            yield Text("")
            yield safe(heading, "bold")
        row = Table.grid(padding=(0, 1, 0, 0))
        row.add_column(justify="right", width=4, no_wrap=True)
        row.add_column(overflow="fold")
        row.add_row(str(number), _said(thing))
        yield row


def _said(thing: Thing) -> RenderableType:
    """The sentence, when and by whom; above it the statement where that says more."""
    where = ", ".join(part for part in (thing.said_by, _day(thing), "past" if thing.over else None) if part)
    quote = safe(f"“{thing.sentence}”") if thing.sentence else Text("")
    if thing.sentence and not thing.says_more:
        return quote.append_text(safe(f"  {where}", "dim"))
    told = safe(thing.text)
    below = quote.append_text(safe(f"  {where}" if thing.sentence else where))
    below.stylize("dim")
    return Text("\n").join([told, below]) if below.plain.strip() else told


def _day(thing: Thing) -> str | None:
    return None if thing.said_at is None else f"{thing.said_at.astimezone(UTC):%d %b %Y}".lstrip("0")


def as_json(thing: Thing) -> dict[str, JsonValue]:
    """One thing with the ids of all that was read in its sentence."""
    return {
        "kind": thing.heading,
        "text": thing.text,
        "sentence": thing.sentence,
        "said_by": thing.said_by,
        "said_at": None if thing.said_at is None else thing.said_at.isoformat(),
        "over": thing.over,
        "sources": list(thing.sources),
        "items": [{"kind": item.kind, "id": item.id, "text": item.text} for item in thing.items],
    }
