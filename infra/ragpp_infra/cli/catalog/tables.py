"""The catalog's contents, as a person reads them."""

from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from ragpp.catalog import (
    SIMILARITY_THRESHOLD,
    CatalogEvent,
    MemoryCategory,
    MemoryItem,
    MemoryStats,
    Resource,
    RetrievalResult,
)
from ragpp_infra.cli.console import safe
from ragpp_infra.cli.render import when

_NUMBERS = frozenset({"conf.", "score", "items", "tokens", "new"})


def resources_table(resources: Sequence[Resource]) -> RenderableType:
    """A line each."""
    table = _table("type", "of", "tokens", "title")
    for one in resources:
        title = _above(safe(title_of(one)), f"{one.resource_id}{_seen_by(one)}")
        table.add_row(one.resource_type, when(one.occurred_at)[:10], f"{one.tokens:,}", title)
    return table if resources else _none("no resources")


def title_of(resource: Resource) -> str:
    """Its title, else where it is from, else how it begins."""
    if resource.is_stub:
        return "(its content is gone)"
    for name in ("title", "source"):
        given = resource.metadata.get(name)
        if isinstance(given, str) and given:
            return given
    line = " ".join(resource.content.split())
    return line if len(line) <= 60 else f"{line[:59]}…"


def resource_view(resource: Resource) -> RenderableType:
    """The whole of one."""
    facts = [f"{resource.resource_type} of {when(resource.occurred_at)}", f"{resource.tokens:,} tokens"]
    facts += [f"visible: {resource.visibility}"]
    facts += [f"{name}: {value}" for name, value in resource.metadata.items()]
    return Group(
        Rule(safe(resource.resource_id, "bold"), align="left"),
        safe("\n".join(facts), "dim"),
        Padding(safe(resource.content) if not resource.is_stub else _none("its content is gone"), (1, 0, 0, 0)),
    )


def items_table(items: Sequence[MemoryItem]) -> RenderableType:
    """A line each, with what it is filed under."""
    table = _table("kind", "category", "conf.", "of", "says")
    for one in items:
        table.add_row(
            one.kind,
            safe(one.category or ""),
            f"{one.confidence:.2f}",
            when(one.occurred_at)[:10],
            _above(_said(one), f"{one.item_id}{_seen_by(one)}"),
        )
    return table if items else _none("no items")


def found_view(result: RetrievalResult) -> RenderableType:
    """The items that were found, best first, and how."""
    table = _table("score", "category", "says")
    for one, score in zip(result.items, result.confidence_scores, strict=True):
        table.add_row(f"{score:.2f}", safe(one.category or ""), _said(one))
    similar = f"{result.total_found:,} in all at least {SIMILARITY_THRESHOLD:g} similar to the question"
    mode = f"hybrid, escalated to {result.mode_used}" if result.escalated else result.mode_used
    said = f"{mode} in {result.search_time_ms:.1f} ms; {similar}"
    reason = [safe(result.escalation_reason, "dim")] if result.escalation_reason else []
    return Group(table if result.items else _none("nothing found"), safe(said, "dim"), *reason)


def _said(item: MemoryItem) -> Text:
    text = safe(" ".join(item.content.split()))
    return Text.assemble(text, (" (replaced since)", "dim")) if item.replaced_by else text


def _seen_by(one: Resource | MemoryItem) -> str:
    """Who, where it is not all agents of the user."""
    return {"agent": f", {one.agent_id or 'one agent'} alone", "shared": "", "global": ", all users"}[one.visibility]


def categories_table(categories: Sequence[MemoryCategory]) -> RenderableType:
    """A line each."""
    table = _table("category", "items", "new", "page of", "what it has")
    for one in categories:
        page = f"{when(one.updated_at)}{', a person' if one.edited else ''}"
        table.add_row(safe(one.name), f"{one.item_count:,}", f"{one.new_items:,}", page, safe(one.description))
    return table if categories else _none("no categories")


def stats_table(stats: MemoryStats) -> RenderableType:
    """How much there is, by kind."""
    table = Table.grid(padding=(0, 2, 0, 0))
    rows = [
        ("resources", _parts(stats.total_resources, stats.resources_by_type)),
        ("items", _parts(stats.total_items, stats.items_by_category)),
        ("categories", f"{stats.total_categories:,}"),
        ("vectors", f"{stats.vector_index_size:,}"),
        ("storage", f"{stats.storage_bytes / 1024:,.1f} KB"),
        ("last extraction", when(stats.last_extraction_at) or "never"),
        ("last consolidation", when(stats.last_consolidation_at) or "never"),
    ]
    for name, value in rows:
        table.add_row(name, safe(value))
    return table


def _parts(total: int, parts: dict[str, int]) -> str:
    told = ", ".join(f"{name} {number:,}" for name, number in sorted(parts.items()))
    return f"{total:,} ({told})" if told else f"{total:,}"


def events_table(events: Sequence[CatalogEvent]) -> RenderableType:
    """A line each, with what the event says beside the ids that are listed."""
    table = _table("event", "when", "what")
    for one in events:
        said = ", ".join(f"{name}: {_short(value)}" for name, value in one.payload.items() if value not in ([], ""))
        table.add_row(safe(one.event_id), when(one.timestamp), _above(safe(one.event_type), said))
    return table if events else _none("no events")


def _short(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value)) if len(value) < 2 else str(len(value))
    return str(value)


def _above(text: Text, more: str) -> Text:
    """`text`, and below it what is too long for a column of its own."""
    return Text.assemble(text, "\n", safe(more, "dim"))


def _none(text: str) -> Text:
    return Text(text, style="dim")


def _table(*headings: str) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for position, heading in enumerate(headings):
        last = position == len(headings) - 1
        table.add_column(heading, justify="right" if heading in _NUMBERS else "left", no_wrap=not last, overflow="fold")
    return table
