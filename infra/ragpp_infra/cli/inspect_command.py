"""`ragpp inspect`: what is known of one user, and what reflection made of it, on one page."""

import asyncio
from collections.abc import Sequence
from datetime import datetime
from typing import Annotated

import typer
from rich.console import Group, RenderableType
from rich.rule import Rule as Line
from rich.text import Text

from ragpp.catalog import MemoryCategory, MemoryItem, Resource
from ragpp.client import AsyncMemoryClient
from ragpp.learned import Finding, Reflection, ReviewList
from ragpp.models import Entity, Preference, Relationship, Rule, Value
from ragpp.paging import PAGE, read_all
from ragpp_infra.cli import known_tables
from ragpp_infra.cli.arguments import parse_moment
from ragpp_infra.cli.catalog.tables import categories_table, items_table, resources_table
from ragpp_infra.cli.console import emit_json, out, safe
from ragpp_infra.cli.options import (
    DEFAULT_HOME,
    HomeOption,
    JsonOption,
    KeyOption,
    UrlOption,
    WhoseArgument,
    WhoseOption,
    whose,
)
from ragpp_infra.cli.render import count, counted, digesting
from ragpp_infra.cli.waiting import short_ids
from ragpp_infra.embedded.home import Home

MOST = 10_000
"""Items of each kind that are read; whoever has more wants the API."""


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
    named: WhoseArgument = None,
    user: WhoseOption = None,
    limit: Annotated[int, typer.Option(min=1, help="Rows of each table; --json always has all.")] = 30,
    as_of: Annotated[str | None, typer.Option(help="What was believed then, as in 2026-03-08.")] = None,
    home: HomeOption = DEFAULT_HOME,
    url: UrlOption = None,
    key: KeyOption = None,
    as_json: JsonOption = False,
) -> None:
    """Everything that is known of a user: graph, preferences, rules, findings, reports, the catalog. By the ids, or as
    much of them as is shown, `ragpp confirm`, `reject`, `correct` and `forget --id` act on it.

    Example: [bold]ragpp inspect demo --limit 10[/bold]
    """
    moment, whom = parse_moment(as_of, "--as-of"), whose(named, user)

    async def read() -> Known:
        async with Home(home).client(url, key) as client:
            return await known_of(client, whom, as_of=moment)

    known = asyncio.run(read())
    if as_json:
        emit_json(known.model_dump(mode="json"))
    else:
        out.print(known_view(known, limit=limit))


async def known_of(client: AsyncMemoryClient, user: str, *, as_of: datetime | None = None) -> Known:
    """Read everything, page by page. Raises what the gateway answers as an error."""
    entities, relationships, preferences, rules = await asyncio.gather(
        read_all(lambda cursor: client.entities(user, cursor=cursor, limit=PAGE), most=MOST),
        read_all(
            lambda cursor: client.relationships(
                user, state="current" if as_of else "all", as_of=as_of, cursor=cursor, limit=PAGE
            ),
            most=MOST,
        ),
        read_all(lambda cursor: client.preferences(user, as_of=as_of, cursor=cursor, limit=PAGE), most=MOST),
        read_all(lambda cursor: client.rules(user, cursor=cursor, limit=PAGE), most=MOST),
    )
    resources, items, categories = await asyncio.gather(
        read_all(lambda cursor: client.resources(user, cursor=cursor, limit=PAGE), most=MOST),
        read_all(lambda cursor: client.items(user, cursor=cursor, limit=PAGE), most=MOST),
        read_all(lambda cursor: client.categories(user, cursor=cursor, limit=PAGE), most=MOST),
    )
    findings, reflections, review, pending = await asyncio.gather(
        read_all(lambda cursor: client.findings(user, as_of=as_of, cursor=cursor, limit=PAGE), most=MOST),
        read_all(lambda cursor: client.reflections(user, cursor=cursor, limit=PAGE), most=MOST),
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


def known_view(known: Known, *, limit: int) -> RenderableType:
    """One table a kind, the surest or latest first, with how many there are in all; of nobody a line."""
    if known == Known(user_id=known.user_id, as_of=known.as_of, pending=known.pending):
        return Group(safe(f"Nothing is known of {known.user_id}."), *digesting(known.pending))
    relationships = sorted(
        known.relationships, key=lambda one: (known_tables.state(one) != "", -one.weight, -one.confidence)
    )
    entities = sorted(known.entities, key=lambda one: (-one.mentions, one.name))
    preferences = sorted(known.preferences, key=lambda one: (-one.confidence, one.key))
    kinds = (known.entities, known.relationships, known.preferences, known.rules, known.findings)
    ids = short_ids([one.id for of_kind in kinds for one in of_kind])
    return Group(
        _section("entities", known.entities, known_tables.entities(entities[:limit], ids)),
        _section("relationships", known.relationships, known_tables.relationships(relationships[:limit], ids)),
        _section("preferences", known.preferences, known_tables.preferences(preferences[:limit], ids)),
        _section("rules", known.rules, known_tables.rules(known.rules[:limit], ids)),
        _section("findings", known.findings, known_tables.findings(known.findings[:limit], ids)),
        _section("reflections", known.reflections, known_tables.reflections(known.reflections[:limit])),
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
