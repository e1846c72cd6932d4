"""`ragpp confirm`, `reject`, `correct`, `merge`, `relate`, and `forget --id`: what a person does to what is known."""

import asyncio
import json
import shlex
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Annotated, Final

import typer
from pydantic import JsonValue

from ragpp.api import EntityChange, FindingChange, MergeIn, PreferenceIn, RelationshipIn, RuleChange
from ragpp.client import AsyncMemoryClient
from ragpp.errors import Conflict, InvalidInput, NotFound
from ragpp.models import Entity, Value
from ragpp_infra.cli.arguments import WrongUsage, checked, parse_moment
from ragpp_infra.cli.console import emit_json, out, safe
from ragpp_infra.cli.judging import forgetting, see_judged, verdict
from ragpp_infra.cli.known_items import Item, Kind, Known, item_of, items_of
from ragpp_infra.cli.meaning import see_meant
from ragpp_infra.cli.options import DEFAULT_HOME, HomeOption, JsonOption, KeyOption, UrlOption, UserOption
from ragpp_infra.cli.restating import restated
from ragpp_infra.embedded.home import Home

Ids = Annotated[
    list[str], typer.Argument(help="As `ragpp inspect` shows them; a beginning will do.", show_default=False)
]
Act = Callable[[AsyncMemoryClient, str, Item], Awaitable[Value]]
FITTING: Final = {
    "entity": ("--name", "--label"),
    "relationship": ("--target",),
    "preference": ("--value", "--json-value"),
    "rule": ("--text",),
    "finding": ("--text",),
}
"""The options that correct each kind."""
_ENTITIES: Final = "Entities and their ids are in `ragpp inspect`."


def confirm(
    ids: Ids,
    user: UserOption,
    home: HomeOption = DEFAULT_HOME,
    url: UrlOption = None,
    key: KeyOption = None,
    as_json: JsonOption = False,
) -> None:
    """Confirm what was learned: a relationship, preference or finding is sure from now on, a proposed rule is one.

    Example: [bold]ragpp confirm 3b6063 --user u1[/bold]
    """
    _do(
        Home(home).client(url, key),
        user,
        ids,
        "confirmed",
        partial(verdict, right=True),
        partial(see_judged, user),
        as_json=as_json,
    )


def reject(
    ids: Ids,
    user: UserOption,
    home: HomeOption = DEFAULT_HOME,
    url: UrlOption = None,
    key: KeyOption = None,
    as_json: JsonOption = False,
) -> None:
    """Reject what was learned: it is not shown, and not learned again however often it is said.

    Example: [bold]ragpp reject pref-2ac281 --user u1[/bold]
    """
    _do(
        Home(home).client(url, key),
        user,
        ids,
        "rejected",
        partial(verdict, right=False),
        partial(see_judged, user),
        as_json=as_json,
    )


def correct(
    identifier: Annotated[str, typer.Argument(metavar="ID", help="As `ragpp inspect` shows it.", show_default=False)],
    user: UserOption,
    value: Annotated[str | None, typer.Option(help="What a preference is set to, as text.")] = None,
    json_value: Annotated[str | None, typer.Option(help="The same as JSON: a number, a list …")] = None,
    text: Annotated[str | None, typer.Option(help="What a rule or finding says.")] = None,
    name: Annotated[str | None, typer.Option(help="What an entity is called.")] = None,
    label: Annotated[str | None, typer.Option(help="What it is: PERSON, ORG, GPE, EVENT or PRODUCT.")] = None,
    target: Annotated[str | None, typer.Option(help="Whom or what a relationship leads to.")] = None,
    home: HomeOption = DEFAULT_HOME,
    url: UrlOption = None,
    key: KeyOption = None,
    as_json: JsonOption = False,
) -> None:
    """Correct what was learned: a preference's value, the words of a rule or finding, the name or kind of an entity,
    the other end of a relationship, which is rejected as it was and stated anew, of the same time.

    Example: [bold]ragpp correct pref-2ac281 --value "oat milk" --user u1[/bold]
    """
    given = {"--value": value, "--json-value": json_value, "--text": text}
    given |= {"--name": name, "--label": label, "--target": target}
    wanted = {option: said for option, said in given.items() if said is not None}
    if not wanted or len(wanted.keys() & {"--value", "--json-value"}) == 2:
        raise WrongUsage("say what is right: one of " + ", ".join(given))
    parsed = _parsed(json_value) if json_value is not None else value

    async def corrected(client: AsyncMemoryClient, whose: str, item: Item) -> Value:
        fitting = FITTING.get(item.kind)
        if fitting is None:
            raise InvalidInput(f"{item.with_article} is not corrected", suggestions=(forgetting(whose, item),))
        if not set(wanted) <= set(fitting):
            raise WrongUsage(f"{item.with_article} is corrected by {' or '.join(fitting)}")
        if item.kind == "preference":
            fields = {"user_id": whose, "category": item.category, "key": item.key, "value": parsed, "confidence": 1.0}
            return await client.set_preference(checked(PreferenceIn, fields))
        if item.kind == "rule":
            return await client.update_rule(item.id, checked(RuleChange, {"user_id": whose, "text": text}))
        if item.kind == "finding":
            return await client.correct_finding(item.id, checked(FindingChange, {"user_id": whose, "text": text}))
        if item.kind == "entity":
            changed = checked(EntityChange, {"user_id": whose, "name": name, "label": label})
            return await _relabelled(client, item.id, changed)
        if item.relationship is None or target is None:
            raise NotFound(f"there is no relationship {item.id!r}")
        stated = await client.state_relationship(await restated(client, whose, item.relationship, target))
        if stated.id != item.id:
            await client.reject_relationship(whose, item.id)
        return stated

    _do(Home(home).client(url, key), user, [identifier], "corrected", corrected, tell=_became, as_json=as_json)


async def _relabelled(client: AsyncMemoryClient, identifier: str, change: EntityChange) -> Entity:
    """The entity as it is called then. Raises Conflict, with how the two become one, where another is called so."""
    try:
        return await client.relabel_entity(identifier, change)
    except Conflict as error:
        known = error.details.get("entity_id")
        if known is None:
            raise
        hint = f"If the two are one: ragpp merge {known} {identifier} --user {shlex.quote(change.user_id)}"
        raise Conflict(error.message, suggestions=(hint,), details=error.details) from error


def merge(
    kept: Annotated[str, typer.Argument(metavar="ID", help="The entity that stays.", show_default=False)],
    other: Annotated[str, typer.Argument(metavar="OTHER", help="The one that becomes it.", show_default=False)],
    user: UserOption,
    home: HomeOption = DEFAULT_HOME,
    url: UrlOption = None,
    key: KeyOption = None,
    as_json: JsonOption = False,
) -> None:
    """Make one entity of two that are the same: what is known of the second is known of the first, which is called so,
    too. `POST /v1/entities/{id}/split` takes it back.

    Example: [bold]ragpp merge bd5987 a64a80 --user u1[/bold]
    """

    async def merged() -> tuple[Item, Entity]:
        async with Home(home).client(url, key) as client:
            meant = await items_of(client, user, [kept, other])
            for item in meant:
                if item.kind != "entity":
                    raise InvalidInput(f"{item.with_article} is not merged: {item.text}", suggestions=(_ENTITIES,))
            if len(meant) < 2:
                raise InvalidInput(f"both ids are of the entity {meant[0].text}", suggestions=(_ENTITIES,))
            absorbed = checked(MergeIn, {"user_id": user, "absorb_id": meant[1].id})
            return meant[1], await client.merge_entities(meant[0].id, absorbed)

    gone, answer = asyncio.run(merged())
    if as_json:
        emit_json(answer.model_dump(mode="json"))
    else:
        out.print(safe("merged", "bold").append_text(safe(f" {gone.text} into {answer.name}")), soft_wrap=True)


def relate(
    source: Annotated[str, typer.Argument(help="Of whom it is said.", show_default=False)],
    kind: Annotated[str, typer.Argument(metavar="TYPE", help="Such as LIVES_IN.", show_default=False)],
    target: Annotated[str, typer.Argument(help="Whom or what it leads to.", show_default=False)],
    user: UserOption,
    since: Annotated[str | None, typer.Option("--from", help="Since when it holds, as in 2026-03-08.")] = None,
    until: Annotated[str | None, typer.Option("--to", help="Until when it held.")] = None,
    identifier: Annotated[str | None, typer.Option("--id", help="By which a repeat is known as one.")] = None,
    home: HomeOption = DEFAULT_HOME,
    url: UrlOption = None,
    key: KeyOption = None,
    as_json: JsonOption = False,
) -> None:
    """State a relationship: it is confirmed, and rests on no message.

    Example: [bold]ragpp relate Elena LIVES_IN Porto --user u1[/bold]
    """
    given: dict[str, object] = {"user_id": user, "source": source, "type": kind, "target": target, "id": identifier}
    given |= {"valid_from": parse_moment(since, "--from"), "valid_to": parse_moment(until, "--to")}
    request = checked(RelationshipIn, {field: said for field, said in given.items() if said is not None})

    async def stated() -> Value:
        async with Home(home).client(url, key) as client:
            return await client.state_relationship(request)

    answer = asyncio.run(stated())
    if as_json:
        emit_json(answer.model_dump(mode="json"))
    else:
        out.print(safe("stated", "bold").append_text(safe(f": {source} {kind} {target}")), soft_wrap=True)


def forget_items(
    memory: AsyncMemoryClient, user: str, ids: Sequence[str], *, dry_run: bool, yes: bool, as_json: bool
) -> None:
    """Forget each for good, if that is meant; all are looked for before any goes."""

    def ask(items: Sequence[Item]) -> None:
        told = "; ".join(f"the {item.called}: {item.text}" for item in items)
        see_meant(f"Forget {told} - for good?", dry_run=dry_run, yes=yes, as_json=as_json)

    done, act = ("would forget", _shown) if dry_run else ("forgot", forget_item)
    _do(memory, user, ids, done, act, ask, as_json=as_json)


def _do(
    memory: AsyncMemoryClient,
    user: str,
    ids: Sequence[str],
    done: str,
    act: Act,
    see: Callable[[Sequence[Item]], None] = lambda _: None,
    *,
    tell: Callable[[Item, Value], str] = lambda item, _: item.text,
    as_json: bool,
) -> None:
    """Do to all of `ids`, once `see` has raised nothing for what they name. Raises NotFound or InvalidInput, before
    anything is done, for one that names nothing, or several, or what this is not done to."""

    async def all_done() -> list[tuple[Item, Value]]:
        async with memory as client:
            try:
                meant = await items_of(client, user, ids)
            except (NotFound, InvalidInput) as error:
                if len(ids) == 1:
                    raise
                told = f"nothing was changed: {error.message}"
                raise type(error).worded(told, suggestions=error.suggestions, details=error.details) from error
            see(meant)
            return [(item, await act(client, user, item)) for item in meant]

    answers = asyncio.run(all_done())
    if as_json:
        emit_json({item.id: answer.model_dump(mode="json") for item, answer in answers})
        return
    for item, answer in answers:
        out.print(safe(done, "bold").append_text(safe(f" the {item.called}: {tell(item, answer)}")), soft_wrap=True)


def _became(was: Item, answer: Value) -> str:
    text = item_of(answer).text if isinstance(answer, Known) else was.text
    return text if text == was.text else f"{text}, was: {was.text}"


async def forget_item(client: AsyncMemoryClient, user: str, item: Item) -> Value:
    """Forget the one thing for good. Raises NotFound."""
    forgets: dict[Kind, Callable[[str, str], Awaitable[Value]]] = {
        "entity": client.forget_entity,
        "relationship": client.forget_relationship,
        "preference": client.forget_preference,
        "rule": client.forget_rule,
        "finding": client.forget_finding,
        "interaction": client.forget_interaction,
    }
    return await forgets[item.kind](user, item.id)


async def _shown(client: AsyncMemoryClient, user: str, item: Item) -> Value:
    del client, user
    return item


def _parsed(text: str) -> JsonValue:
    """Raises WrongUsage."""
    try:
        value: JsonValue = json.loads(text)
    except ValueError as error:
        hint = ('Write it as JSON: 12, true, "text", \'["a", "b"]\'.',)
        raise WrongUsage.of({"--json-value": "is no JSON"}, suggestions=hint) from error
    return value
