"""`ragpp inspect`: what is known of one user, and what reflection made of it, on one page."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime
from typing import Annotated, TypeVar

import typer
from rich.console import Group, RenderableType
from rich.rule import Rule as Line
from rich.table import Table
from rich.text import Text

from ragpp.catalog import MemoryCategory, MemoryItem, Resource
from ragpp.client import MemoryClient
from ragpp.learned import Finding, Reflection, ReviewList
from ragpp.models import Entity, Page, Preference, Relationship, Rule, Value
from ragpp.paging import PAGE, pages
from ragpp_infra.cli.arguments import parse_moment
from ragpp_infra.cli.catalog.tables import categories_table, items_table, resources_table
from ragpp_infra.cli.console import emit_json, out, safe
from ragpp_infra.cli.options import DEFAULT_HOME, HomeOption, JsonOption, KeyOption, UrlOption
from ragpp_infra.cli.render import count, counted, digesting
from ragpp_infra.embedded.home import Home

MOST = 10_000
"""Items of each kind that are read; whoever has more wants the API."""

T = TypeVar("T")


class Known(Value):
    """Everything that was learned about one user, as the API tells it. `pending`: messages not yet digested."""

    user_id: str
    as_of: datetime | None = None
    entities: tuple[Entity, ...] = ()
    relationships: tuple[Relationship, ...] = ()
    preferences: tuple[Preference, ...] = ()
    rules: tuple[Rule, ...] = ()
    findings: tuple[Finding, ...] = ()
    reflections: tuple[Reflection, ...] = ()
    resources: tuple[Resource, ...] = ()
    items: tuple[MemoryItem, ...] = ()
    categories: tuple[MemoryCategory, ...] = ()
    review: ReviewList = ReviewList()
    pending: int = 0


def inspect(
    user: Annotated[str, typer.Argument(help="Whose memory.", show_default=False)],
    limit: Annotated[int, typer.Option(min=1, help="Rows of each table; --json always has all.")] = 30,
    as_of: Annotated[str | None, typer.Option(help="What was believed then, as in 2026-03-08.")] = None,
    home: HomeOption = DEFAULT_HOME,
    url: UrlOption = None,
    key: KeyOption = None,
    as_json: JsonOption = False,
) -> None:
    """Everything that is known of a user: graph, preferences, rules, findings, reports, and the catalog.

    Example: [bold]ragpp inspect demo --limit 10[/bold]
    """
    moment = parse_moment(as_of, "--as-of")

    async def read() -> Known:
        async with Home(home).client(url, key) as client:
            return await known_of(client, user, as_of=moment)

    known = asyncio.run(read())
    if as_json:
        emit_json(known.model_dump(mode="json"))
    else:
        out.print(known_view(known, limit=limit))


async def known_of(client: MemoryClient, user: str, *, as_of: datetime | None = None) -> Known:
    """Read everything, page by page. Raises what the gateway answers as an error."""
    entities, relationships, preferences, rules = await asyncio.gather(
        _all(lambda cursor: client.entities(user, cursor=cursor, limit=PAGE)),
        _all(
            lambda cursor: client.relationships(
                user, state="current" if as_of else "all", as_of=as_of, cursor=cursor, limit=PAGE
            )
        ),
        _all(lambda cursor: client.preferences(user, as_of=as_of, cursor=cursor, limit=PAGE)),
        _all(lambda cursor: client.rules(user, cursor=cursor, limit=PAGE)),
    )
    resources, items, categories = await asyncio.gather(
        _all(lambda cursor: client.resources(user, cursor=cursor, limit=PAGE)),
        _all(lambda cursor: client.items(user, cursor=cursor, limit=PAGE)),
        _all(lambda cursor: client.categories(user, cursor=cursor, limit=PAGE)),
    )
    findings, reflections, review, pending = await asyncio.gather(
        _all(lambda cursor: client.findings(user, as_of=as_of, cursor=cursor, limit=PAGE)),
        _all(lambda cursor: client.reflections(user, cursor=cursor, limit=PAGE)),
        client.review(user, limit=PAGE),
        client.pending(user),
    )
    return Known(
        user_id=user,
        as_of=as_of,
        entities=tuple(entities),
        relationships=tuple(relationships),
        preferences=tuple(preferences),
        rules=tuple(rules),
        findings=tuple(findings),
        reflections=tuple(reflections),
        resources=tuple(one for one in resources if as_of is None or one.occurred_at <= as_of),
        items=tuple(one for one in items if as_of is None or one.occurred_at <= as_of),
        categories=tuple(categories),
        review=review,
        pending=pending,
    )


async def _all(page: Callable[[str | None], Awaitable[Page[T]]]) -> list[T]:
    return [item async for item in pages(page, most=MOST)]


def known_view(known: Known, *, limit: int) -> RenderableType:
    """One table a kind, the surest or latest first, with how many there are in all."""
    relationships = sorted(known.relationships, key=lambda one: (_state(one) != "", -one.weight, -one.confidence))
    entities = sorted(known.entities, key=lambda one: (-one.mentions, one.name))
    preferences = sorted(known.preferences, key=lambda one: (-one.confidence, one.key))
    return Group(
        _section("entities", known.entities, _entities(entities[:limit])),
        _section("relationships", known.relationships, _relationships(relationships[:limit])),
        _section("preferences", known.preferences, _preferences(preferences[:limit])),
        _section("rules", known.rules, _rules(known.rules[:limit])),
        _section("findings", known.findings, _findings(known.findings[:limit])),
        _section("reflections", known.reflections, _reflections(known.reflections[:limit])),
        _section("resources", known.resources, resources_table(known.resources[:limit])),
        _section("items", known.items, items_table(known.items[:limit])),
        _section("categories", known.categories, categories_table(known.categories[:limit])),
        Text(""),
        _waiting(known),
        *digesting(known.pending),
    )


def _waiting(known: Known) -> Text:
    """How much waits for a person, and what shows it."""
    kinds = {
        "relationship": known.review.relationships,
        "preference": known.review.preferences,
        "rule": known.review.rules,
    }
    said = "waiting for review: " + ", ".join(count(len(items), kind) for kind, items in kinds.items())
    return safe(said + (f"\n→ ragpp review --user {known.user_id}" if any(kinds.values()) else ""), "dim")


def _section(title: str, items: Sequence[object], table: RenderableType) -> RenderableType:
    heading = Line(safe(counted(len(items), title), "bold"), align="left")
    return Group(Text(""), heading, table) if items else Group(Text(""), heading)


def _table(*columns: str) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    for column in columns:
        right = column in {"mentions", "conf.", "support", "n", "read", "rel.", "pref.", "prio."}
        table.add_column(column, justify="right" if right else "left", no_wrap=right)
    return table


def _entities(items: Sequence[Entity]) -> Table:
    table = _table("name", "label", "mentions", "first", "last", "also called")
    for one in items:
        also = safe(", ".join(one.aliases[:5]), "dim")
        table.add_row(
            safe(one.name), one.label, str(one.mentions), _day(one.first_mention), _day(one.last_mention), also
        )
    return table


def _relationships(items: Sequence[Relationship]) -> Table:
    table = _table("relationship", "conf.", "support", "from", "to", "state", "said")
    for one in items:
        table.add_row(
            safe(f"{one.source} {one.type} {one.target}"),
            f"{one.confidence:.2f}",
            f"{one.weight:g}",
            _day(one.valid_from),
            _day(one.valid_to),
            _state(one),
            safe(_short(one.context), "dim"),
        )
    return table


def _state(one: Relationship) -> str:
    if one.verdict == "rejected":
        return "rejected"
    if one.valid_to is not None:
        return "ended"
    if one.archived:
        return "archived"
    return one.verdict or ""


def _preferences(items: Sequence[Preference]) -> Table:
    table = _table("category", "key", "value", "conf.", "support", "since", "how")
    for one in items:
        how = one.verdict or ("stated" if one.stated else "inferred")
        table.add_row(
            safe(one.category),
            safe(one.key),
            safe(_short(one.value)),
            f"{one.confidence:.2f}",
            str(len(one.sources)),
            _day(one.valid_from),
            how,
        )
    return table


def _rules(items: Sequence[Rule]) -> Table:
    table = _table("rule", "when", "prio.", "support", "state")
    for one in items:
        why = "proposed" if one.proposed else f"aside: {one.aside}" if one.aside else "inactive"
        state = "active" if one.active else safe(why, "yellow")
        triggers = safe(", ".join(one.triggers) or "always", "dim")
        table.add_row(safe(one.text), triggers, str(one.priority), str(len(one.sources)), state)
    return table


def _findings(items: Sequence[Finding]) -> Table:
    table = _table("kind", "finding", "conf.", "support", "time", "last")
    for one in items:
        span = "" if one.when is None else f"{_day(one.when.start)} ({one.when.precision})"
        text = safe(_short(one.text, 160))
        table.add_row(one.finding, text, f"{one.confidence:.2f}", str(one.support), span, _day(one.last_at))
    return table


def _reflections(items: Sequence[Reflection]) -> Table:
    table = _table("date", "kind", "read", "themes", "rel.", "pref.", "new rules", "failed")
    for one in items:
        themes = "; ".join(f"{theme.text} {theme.share:.0%}" for theme in one.themes)
        table.add_row(
            one.date.isoformat(),
            one.kind,
            str(one.interactions_analyzed),
            safe(themes),
            str(one.relationships_updated),
            str(one.preferences_updated),
            safe("; ".join(one.new_rules) or str(one.new_rules_learned)),
            safe(", ".join(one.failed), "red"),
        )
    return table


def _day(moment: datetime | None) -> str:
    return "" if moment is None else moment.astimezone(UTC).strftime("%Y-%m-%d")


def _short(text: str, most: int = 80) -> str:
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1]}…"
