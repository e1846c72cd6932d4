"""The things known of a user, each in one shape, found by its id or the beginning of one."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from typing import Final, Literal, TypeAlias

from pydantic import JsonValue

from ragpp.client import AsyncMemoryClient
from ragpp.errors import InvalidInput, NotFound
from ragpp.learned import Finding
from ragpp.models import Entity, Preference, Relationship, Rule, Value
from ragpp.paging import PAGE, read_all
from ragpp.preference_values import shown

Kind = Literal["entity", "relationship", "preference", "rule", "finding", "interaction"]
MOST: Final = 10_000
"""Items of each kind among which the beginning of an id is looked for."""
_LEAST_CHARS: Final = 4
_TOLD_CHARS: Final = 100
Known: TypeAlias = Entity | Relationship | Preference | Rule | Finding


class Item(Value):
    """One thing. `text`: what it says; `value`: of a preference, whose `category` and `key` are its name;
    `relationship`: all of one."""

    id: str
    kind: Kind
    text: str
    value: JsonValue = None
    category: str = ""
    key: str = ""
    relationship: Relationship | None = None

    @property
    def called(self) -> str:
        """The kind of thing it is, in a word of the command line."""
        return "message" if self.kind == "interaction" else self.kind

    @property
    def with_article(self) -> str:
        """The same as one of many."""
        return f"{'an' if self.kind == 'entity' else 'a'} {self.called}"


async def items_of(client: AsyncMemoryClient, user: str, ids: Sequence[str]) -> list[Item]:
    """The items that `ids` name, each by all of an id, or by a beginning that no other has. Raises NotFound,
    InvalidInput where several begin so; of messages the whole id is needed."""
    known: list[Item] | None = None
    found: list[Item] = []
    for given in ids:
        if not given.strip():
            raise InvalidInput("an id is empty", suggestions=(_hint(user),))
        exact = await _exactly(client, user, given)
        if exact is None:
            known = await _all(client, user) if known is None else known
            exact = _chosen(known, given, user)
        found.append(exact)
    return list({(one.kind, one.id): one for one in found}.values())


def _chosen(known: Sequence[Item], given: str, user: str) -> Item:
    found = [one for one in known if one.id == given]
    if not found and len(given) >= _LEAST_CHARS:
        found = [one for one in known if one.id.startswith(given)]
    if not found:
        raise NotFound(f"nothing that is known of {user!r} has the id {given!r}", suggestions=(_hint(user),))
    if len(found) > 1:
        ids = ", ".join(f"{one.id} ({one.kind})" for one in found[:5])
        raise InvalidInput(f"several ids begin with {given!r}: {ids}", suggestions=("Give more of the id.",))
    return found[0]


def _hint(user: str) -> str:
    return f"Ids are in `ragpp inspect {user}`, those of messages in `ragpp timeline {user} --json`."


async def _exactly(client: AsyncMemoryClient, user: str, given: str) -> Item | None:
    """By the whole id: also a preference that was rejected, and a message."""
    with suppress(NotFound):
        return item_of(await client.preference(user, given))
    with suppress(NotFound):
        return item_of(await client.rule(user, given))
    with suppress(NotFound):
        return item_of(await client.relationship(user, given))
    with suppress(NotFound):
        return item_of(await client.entity(user, given))
    with suppress(NotFound):
        said = await client.interaction(user, given)
        return Item(id=said.id, kind="interaction", text=_line(said.content))
    return None


async def _all(client: AsyncMemoryClient, user: str) -> list[Item]:
    entities, relationships, preferences, rules, findings = await asyncio.gather(
        read_all(lambda cursor: client.entities(user, cursor=cursor, limit=PAGE), most=MOST),
        read_all(lambda cursor: client.relationships(user, state="all", cursor=cursor, limit=PAGE), most=MOST),
        read_all(lambda cursor: client.preferences(user, cursor=cursor, limit=PAGE), most=MOST),
        read_all(lambda cursor: client.rules(user, cursor=cursor, limit=PAGE), most=MOST),
        read_all(lambda cursor: client.findings(user, cursor=cursor, limit=PAGE), most=MOST),
    )
    known: list[Known] = [*entities, *relationships, *preferences, *rules, *findings]
    return [item_of(one) for one in known]


def item_of(one: Known) -> Item:
    """`one` in the shape of all."""
    match one:
        case Entity():
            return Item(id=one.id, kind="entity", text=f"{one.name} ({one.label})")
        case Relationship():
            text = f"{one.source} {one.type} {one.target}"
            return Item(id=one.id, kind="relationship", text=text, relationship=one)
        case Preference():
            text = _line(f"{one.category} {one.key}: {shown(one.value)}")
            return Item(id=one.id, kind="preference", text=text, value=one.value, category=one.category, key=one.key)
        case Rule():
            return Item(id=one.id, kind="rule", text=_line(one.text))
        case Finding():
            return Item(id=one.id, kind="finding", text=_line(one.text))


def _line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _TOLD_CHARS else f"{line[: _TOLD_CHARS - 1]}…"
